/*
 * GSP-RM's object database: clients, the objects below them, allocation, free
 * and the dispatch of controls. Checks and status codes are in the order of
 * NVIDIA/open-gpu-kernel-modules' resource server (libraries/resserv,
 * kernel/rmapi).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qemu/atomic.h"
#include "qemu/bitops.h"
#include "qemu/log.h"
#include "qemu/units.h"
#include "device/aperture.h"
#include "device/memory.h"
#include "gsp/gsp-int.h"
#include "gsp/rm-int.h"
#include "trace.h"

/* Made-up client handles (resserv.h: RS_CLIENT_HANDLE_BASE). */
#define RS_CLIENT_HANDLE_BASE   0xc1d00000u
#define RS_CLIENT_HANDLE_MAX    0x00100000u

/*
 * Between the memory that a driver may use and the firmware's: RM's own page
 * directories, in a reserve that keeps what follows aligned to big pages.
 */
#define RM_RESERVE_SIZE         (2 * MiB)
#define RM_PAGE_DIR_SIZE        (4 * KiB)

static const VgspRmClass *const class_tables[] = {
    vgsp_rm_classes_base,
    vgsp_rm_classes_vaspace,
    vgsp_rm_classes_channel,
    vgsp_rm_classes_tsg,
};

static const VgspRmControl *const control_tables[] = {
    vgsp_rm_controls_subdevice,
    vgsp_rm_controls_vaspace,
    vgsp_rm_controls_channel,
    vgsp_rm_controls_power,
    vgsp_rm_controls_tsg,
};

/* ---- Lookup ---- */

VgspRmClient *vgsp_rm_client(VgspRm *rm, uint32_t handle)
{
    return g_hash_table_lookup(rm->clients, GUINT_TO_POINTER(handle));
}

VgspRmObject *vgsp_rm_object(VgspRmClient *client, uint32_t handle)
{
    return client ? g_hash_table_lookup(client->objects,
                                        GUINT_TO_POINTER(handle)) : NULL;
}

VgspRmObject *vgsp_rm_object_of(VgspRmClient *client, uint32_t handle,
                                VgspRmKind kind)
{
    VgspRmObject *obj = vgsp_rm_object(client, handle);

    return obj && obj->cls->kind == kind ? obj : NULL;
}

static const VgspRmClass *class_find(uint32_t cls)
{
    for (unsigned t = 0; t < ARRAY_SIZE(class_tables); t++) {
        for (const VgspRmClass *c = class_tables[t]; c->name; c++) {
            if (c->cls == cls) {
                return c;
            }
        }
    }
    return NULL;
}

static size_t class_size(const VgspRm *rm, const VgspRmClass *cls)
{
    switch (cls->size) {
    case VGSP_RM_SIZE_ROOT:
        return rm->profile->root_params_size;
    case VGSP_RM_SIZE_CHANNEL:
        return rm->profile->channel_params_size;
    default:
        return cls->size;
    }
}

/* ---- Free ---- */

/* Unlinks a leaf and frees it. */
static void object_unlink(VgspRm *rm, VgspRmObject *obj)
{
    VgspRmClient *client = obj->client;

    trace_vgsp_rm_free(client->root->handle, obj->handle, obj->cls->name);
    g_hash_table_remove(client->objects, GUINT_TO_POINTER(obj->handle));
    if (obj->parent) {
        QTAILQ_REMOVE(&obj->parent->children, obj, sibling);
    }
    rm->num_objects--;
    qatomic_inc(&rm->s->stats.rm_frees);
    if (obj == client->root) {
        QTAILQ_REMOVE(&rm->client_list, client, next);
        g_hash_table_remove(rm->clients, GUINT_TO_POINTER(obj->handle));
        g_hash_table_unref(client->objects);
        g_free(client);
    }
    g_free(obj);
}

/* The depth is that of the class hierarchy: client to engine object. */
static void tree_stop_channels(VgspRm *rm, VgspRmObject *obj)
{
    VgspRmObject *child;

    if (obj->cls->kind == VGSP_RM_CHANNEL) {
        vgsp_rm_channel_stop(rm, obj);
    }
    QTAILQ_FOREACH(child, &obj->children, sibling) {
        tree_stop_channels(rm, child);
    }
}

static void tree_free(VgspRm *rm, VgspRmObject *obj)
{
    VgspRmObject *child;

    while ((child = QTAILQ_LAST(&obj->children))) {
        tree_free(rm, child);
    }
    if (obj->cls->dtor) {
        obj->cls->dtor(rm, obj);
    }
    object_unlink(rm, obj);
}

/*
 * Channels have RM's high free priority: all of a subtree stop before any
 * other object goes, since their work may need what is below other parents.
 */
void vgsp_rm_object_free(VgspRm *rm, VgspRmObject *obj)
{
    tree_stop_channels(rm, obj);
    tree_free(rm, obj);
}

uint32_t vgsp_rm_free_handle(VgspRm *rm, uint32_t client, uint32_t handle)
{
    VgspRmClient *c = vgsp_rm_client(rm, client);
    VgspRmObject *obj = vgsp_rm_object(c, handle);

    if (!c) {
        return NV_ERR_INVALID_OBJECT_HANDLE;
    }
    if (client == VGSP_RM_INTERNAL_CLIENT &&
        (handle == VGSP_RM_INTERNAL_CLIENT ||
         handle == VGSP_RM_INTERNAL_DEVICE ||
         handle == VGSP_RM_INTERNAL_SUBDEVICE)) {
        return NV_ERR_INSUFFICIENT_PERMISSIONS;
    }
    /* As RM does for compatibility: what is gone has been freed. */
    if (obj) {
        vgsp_rm_object_free(rm, obj);
    }
    if (rm->stale) {
        const VgspInvalidate inv = { .all_pdb = true, .all_va = true };

        rm->stale = false;
        vgsp_invalidate(rm->s, &inv);
    }
    return NV_OK;
}

/* ---- Allocation ---- */

static uint32_t handle_make_up(VgspRmClient *client)
{
    for (uint32_t i = 0; i < RS_UNIQUE_HANDLE_RANGE; i++) {
        uint32_t handle = RS_UNIQUE_HANDLE_BASE +
                          client->next_handle++ % RS_UNIQUE_HANDLE_RANGE;

        if (!vgsp_rm_object(client, handle)) {
            return handle;
        }
    }
    return 0;
}

static uint32_t client_handle_make_up(VgspRm *rm)
{
    for (uint32_t i = 0; i < RS_CLIENT_HANDLE_MAX; i++) {
        if (!vgsp_rm_client(rm, RS_CLIENT_HANDLE_BASE + i)) {
            return RS_CLIENT_HANDLE_BASE + i;
        }
    }
    return 0;
}

uint32_t vgsp_rm_object_new(VgspRm *rm, VgspRmClient *client,
                            VgspRmObject *parent, uint32_t *handle,
                            const VgspRmClass *cls, const uint8_t *params,
                            VgspRmObject **out)
{
    VgspRmObject *obj;
    uint32_t status;

    if (*handle == 0) {
        *handle = handle_make_up(client);
    }
    if (vgsp_rm_object(client, *handle)) {
        return NV_ERR_INSERT_DUPLICATE_NAME;
    }
    if (rm->num_objects >= VGSP_RM_MAX_OBJECTS || *handle == 0) {
        return NV_ERR_INSUFFICIENT_RESOURCES;
    }

    obj = g_new0(VgspRmObject, 1);
    obj->handle = *handle;
    obj->cls = cls;
    obj->client = client;
    obj->parent = parent;
    QTAILQ_INIT(&obj->children);
    status = cls->ctor ? cls->ctor(rm, obj, params) : NV_OK;
    if (status != NV_OK) {
        g_free(obj);
        return status;
    }
    if (parent) {
        QTAILQ_INSERT_TAIL(&parent->children, obj, sibling);
    } else {
        client->root = obj;
    }
    g_hash_table_insert(client->objects, GUINT_TO_POINTER(obj->handle), obj);
    rm->num_objects++;
    qatomic_inc(&rm->s->stats.rm_allocs);
    if (out) {
        *out = obj;
    }
    return NV_OK;
}

static uint32_t client_new(VgspRm *rm, uint32_t *handle,
                           const VgspRmClass *cls)
{
    VgspRmClient *client;
    uint32_t status;

    if (*handle == 0) {
        *handle = client_handle_make_up(rm);
    }
    if (vgsp_rm_client(rm, *handle)) {
        return NV_ERR_INSERT_DUPLICATE_NAME;
    }
    if (g_hash_table_size(rm->clients) >= VGSP_RM_MAX_CLIENTS) {
        return NV_ERR_INSUFFICIENT_RESOURCES;
    }

    client = g_new0(VgspRmClient, 1);
    client->objects = g_hash_table_new(NULL, NULL);
    status = vgsp_rm_object_new(rm, client, NULL, handle, cls, NULL, NULL);
    if (status != NV_OK) {
        g_hash_table_unref(client->objects);
        g_free(client);
        return status;
    }
    g_hash_table_insert(rm->clients, GUINT_TO_POINTER(*handle), client);
    QTAILQ_INSERT_TAIL(&rm->client_list, client, next);
    return NV_OK;
}

static uint32_t alloc(VgspRm *rm, uint32_t hclient, uint32_t hparent,
                      uint32_t *handle, const VgspRmClass *cls,
                      const uint8_t *params, size_t size)
{
    VgspRmClient *client;
    VgspRmObject *parent;

    if (!cls) {
        return NV_ERR_INVALID_CLASS;
    }
    if (size != class_size(rm, cls) && !(size == 0 && cls->optional)) {
        return NV_ERR_INVALID_ARGUMENT;
    }
    if (cls->kind == VGSP_RM_CLIENT) {
        /* A client's object has the client's handle. */
        if (*handle != 0 && hclient != 0 && *handle != hclient) {
            return NV_ERR_INVALID_OBJECT_HANDLE;
        }
        *handle = hclient ? hclient : *handle;
        return client_new(rm, handle, cls);
    }

    client = vgsp_rm_client(rm, hclient);
    if (!client) {
        return NV_ERR_INVALID_OBJECT_HANDLE;
    }
    parent = vgsp_rm_object(client, hparent);
    if (!parent) {
        return NV_ERR_OBJECT_NOT_FOUND;
    }
    if (!(cls->parents & BIT(parent->cls->kind))) {
        return NV_ERR_INVALID_OBJECT_PARENT;
    }
    return vgsp_rm_object_new(rm, client, parent, handle, cls,
                              size ? params : NULL, NULL);
}

uint32_t vgsp_rm_alloc(VgspRm *rm, uint32_t client, uint32_t parent,
                       uint32_t *handle, uint32_t cls, const uint8_t *params,
                       size_t size)
{
    const VgspRmClass *c = class_find(cls);
    uint32_t status = alloc(rm, client, parent, handle, c, params, size);

    trace_vgsp_rm_alloc(client, parent, *handle, cls,
                        c ? c->name : "unknown", status);
    if (status != NV_OK) {
        qemu_log_mask(c ? LOG_GUEST_ERROR : LOG_UNIMP,
                      "vgsp: RM alloc of class 0x%x (%s), %zu bytes, below "
                      "0x%08x of client 0x%08x: status 0x%x\n", cls,
                      c ? c->name : "unknown", size, parent, client, status);
    }
    return status;
}

/* ---- Controls ---- */

static void refuse(VgspRm *rm, uint32_t cmd)
{
    VgspGsp *gsp = rm->s->gsp;
    gpointer key = GUINT_TO_POINTER(cmd), count;

    qatomic_inc(&rm->s->stats.rm_refused);
    if (!gsp->rm_refused) {
        gsp->rm_refused = g_hash_table_new(NULL, NULL);
    }
    count = g_hash_table_lookup(gsp->rm_refused, key);
    /* A guest may invent numbers: what was not among the first is not kept. */
    if (count || g_hash_table_size(gsp->rm_refused) < 1024) {
        g_hash_table_insert(gsp->rm_refused, key,
                            GUINT_TO_POINTER(GPOINTER_TO_UINT(count) + 1));
    }
}

static uint32_t control(VgspRm *rm, const VgspRmControl *c, uint32_t hclient,
                        uint32_t hobject, uint32_t cmd, uint8_t *params,
                        size_t size)
{
    VgspRmClient *client = vgsp_rm_client(rm, hclient);
    VgspRmObject *obj = vgsp_rm_object(client, hobject);

    if (!client) {
        return NV_ERR_INVALID_CLIENT;
    }
    if (c && size != c->size) {
        return NV_ERR_INVALID_PARAM_STRUCT;
    }
    if (!obj) {
        return NV_ERR_OBJECT_NOT_FOUND;
    }
    if (!c || c->kind != obj->cls->kind) {
        refuse(rm, cmd);
        return NV_ERR_NOT_SUPPORTED;
    }
    return c->handler(rm, obj, params, size);
}

uint32_t vgsp_rm_control(VgspRm *rm, uint32_t client, uint32_t object,
                         uint32_t cmd, uint8_t *params, size_t size)
{
    const VgspRmControl *c = g_hash_table_lookup(rm->controls,
                                                 GUINT_TO_POINTER(cmd));
    uint32_t status = control(rm, c, client, object, cmd, params, size);

    trace_vgsp_rm_control(client, object, cmd, c ? c->name : "unknown",
                          status);
    if (status == NV_OK) {
        qatomic_inc(&rm->s->stats.rm_controls);
    } else {
        qemu_log_mask(status == NV_ERR_NOT_SUPPORTED ? LOG_UNIMP :
                                                       LOG_GUEST_ERROR,
                      "vgsp: RM control 0x%08x (%s), %zu bytes, of object "
                      "0x%08x of client 0x%08x: status 0x%x\n", cmd,
                      c ? c->name : "unknown", size, object, client, status);
    }
    return status;
}

/* The row that has @name, whatever its number. */
static const VgspRmControl *control_by_name(const char *name)
{
    for (unsigned t = 0; t < ARRAY_SIZE(control_tables); t++) {
        for (const VgspRmControl *c = control_tables[t]; c->name; c++) {
            if (strcmp(c->name, name) == 0) {
                return c;
            }
        }
    }
    return NULL;
}

static const char *control_name(uint32_t cmd)
{
    for (unsigned t = 0; t < ARRAY_SIZE(control_tables); t++) {
        for (const VgspRmControl *c = control_tables[t]; c->name; c++) {
            if (c->cmd == cmd) {
                return c->name;
            }
        }
    }
    return NULL;
}

static void controls_insert(VgspRm *rm, uint32_t cmd, uint32_t size,
                            const VgspRmControl *row)
{
    VgspRmControl *c = g_memdup2(row, sizeof(*row));

    c->cmd = cmd;
    c->size = size;
    g_hash_table_replace(rm->controls, GUINT_TO_POINTER(cmd), c);
}

/* The controls of the newest release, as the profile changes them. */
static void controls_init(VgspRm *rm)
{
    const VgspControlOverride *o = rm->profile->controls;

    rm->controls = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    for (unsigned t = 0; t < ARRAY_SIZE(control_tables); t++) {
        for (const VgspRmControl *c = control_tables[t]; c->name; c++) {
            if (c->cmd) {
                controls_insert(rm, c->cmd, c->size, c);
            }
        }
    }
    for (; o && o->cmd; o++) {
        const VgspRmControl *c = o->name ? control_by_name(o->name) : NULL;

        g_hash_table_remove(rm->controls, GUINT_TO_POINTER(o->cmd));
        if (c) {
            controls_insert(rm, o->cmd, o->size, c);
        }
    }
}

char *vgsp_rm_refused_names(VgspState *s)
{
    GHashTable *refused = s->gsp ? s->gsp->rm_refused : NULL;
    g_autoptr(GList) keys = NULL;
    GString *str = g_string_new(NULL);

    if (refused) {
        keys = g_hash_table_get_keys(refused);
    }
    for (GList *k = keys; k; k = k->next) {
        uint32_t cmd = GPOINTER_TO_UINT(k->data);
        const char *name = control_name(cmd);

        g_string_append_printf(str, "%s0x%08x%s%s=%u", str->len ? " " : "",
                               cmd, name ? ":" : "", name ? name : "",
                               GPOINTER_TO_UINT(
                                   g_hash_table_lookup(refused, k->data)));
    }
    return g_string_free(str, false);
}

/* ---- Life ---- */

static void internal_objects_new(VgspRm *rm)
{
    uint32_t client = VGSP_RM_INTERNAL_CLIENT;
    uint32_t device = VGSP_RM_INTERNAL_DEVICE;
    uint32_t subdevice = VGSP_RM_INTERNAL_SUBDEVICE;

    vgsp_rm_alloc(rm, client, client, &client, NV01_ROOT, NULL, 0);
    vgsp_rm_alloc(rm, client, client, &device, NV01_DEVICE_0, NULL, 0);
    vgsp_rm_alloc(rm, client, device, &subdevice, NV20_SUBDEVICE_0, NULL, 0);
}

VgspRm *vgsp_rm_new(VgspState *s, const VgspProfile *profile,
                    const VgspRmBoot *boot)
{
    static const uint8_t zeroes[RM_PAGE_DIR_SIZE];
    VgspRm *rm = g_new0(VgspRm, 1);
    uint64_t firmware = MIN(boot->rsvd_start, s->vram_size);

    rm->s = s;
    rm->profile = profile;
    rm->boot = *boot;
    rm->clients = g_hash_table_new(NULL, NULL);
    QTAILQ_INIT(&rm->client_list);
    QTAILQ_INIT(&rm->channels);
    controls_init(rm);
    internal_objects_new(rm);

    /* Booter has checked that the firmware's part lies above the reserve. */
    if (firmware > RM_RESERVE_SIZE) {
        rm->fb_usable = ROUND_DOWN(firmware - RM_RESERVE_SIZE,
                                   RM_PAGE_DIR_SIZE);
    }
    rm->bar1_pde_base = rm->fb_usable;
    rm->bar2_pde_base = rm->fb_usable + RM_PAGE_DIR_SIZE;
    vgsp_vram_write(s, rm->bar1_pde_base, zeroes, sizeof(zeroes));
    vgsp_vram_write(s, rm->bar2_pde_base, zeroes, sizeof(zeroes));
    vgsp_rm_bind_bars(rm);
    vgsp_host_disable_all(s, false);
    trace_vgsp_rm_new(profile->name, rm->fb_usable, rm->bar1_pde_base);
    return rm;
}

void vgsp_rm_free(VgspRm *rm)
{
    VgspRmClient *client;

    if (!rm) {
        return;
    }
    while ((client = QTAILQ_LAST(&rm->client_list))) {
        vgsp_rm_object_free(rm, client->root);
    }
    vgsp_bar_bind(rm->s, VGSP_BAR1, NULL, 0);
    vgsp_bar_bind(rm->s, VGSP_BAR2, NULL, 0);
    g_hash_table_unref(rm->clients);
    g_hash_table_unref(rm->controls);
    g_free(rm);
}

void vgsp_rm_resume(VgspRm *rm)
{
    VgspPdb pdb = vgsp_pdb_from_address(VGSP_APERTURE_VIDEO,
                                        rm->bar1_pde_base);

    /* A reset may have come between; BAR2 the driver publishes anew. */
    vgsp_bar_bind(rm->s, VGSP_BAR1, &pdb, pdb.addr);
    /* A reset meanwhile (S3) has unbound the windows. */
    vgsp_rm_bind_bars(rm);
    /* 570 ends its own stop afterwards, 535 has made none. */
    vgsp_host_disable_all(rm->s, rm->channels_disabled);
}
