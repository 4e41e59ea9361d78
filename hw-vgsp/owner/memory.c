/*
 * Memory objects of the executor: VRAM, and each RAM block of the machine that
 * the device's DMA reaches (device/dma.h). design.md section 6.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/rcu.h"
#include "exec/memory.h"
#include "device/dma.h"
#include "device/memory.h"
#include "owner/shadow-int.h"
#include "trace.h"

#define PAGE 4096ull

typedef struct MemoryObject {
    MemoryRegion *mr;           /* referenced */
    uint8_t *host;
    uint64_t size;
    uint32_t id;
    bool registered;            /* the executor knows it by id */
    bool used;                  /* found by the last update */
} MemoryObject;

struct VgspObjects {
    VgspState *s;
    GArray *objects;            /* MemoryObject; the first is VRAM */
    unsigned last;              /* found last */
};

static MemoryObject *memory_object_at(VgspObjects *o, unsigned i)
{
    return &g_array_index(o->objects, MemoryObject, i);
}

static MemoryObject *memory_object_of_host(VgspObjects *o, const uint8_t *host)
{
    for (unsigned n = 0; n < o->objects->len; n++) {
        unsigned i = (o->last + n) % o->objects->len;
        MemoryObject *obj = memory_object_at(o, i);

        if (host >= obj->host && host < obj->host + obj->size) {
            o->last = i;
            return obj;
        }
    }
    return NULL;
}

static bool memory_object_register(VgspObjects *o, MemoryObject *obj,
                                   Error **errp)
{
    VgspExecutor *ex = o->s->executor;
    int ret;

    if (obj->registered) {
        return true;
    }
    ret = ex->ops->memory_add(ex, obj->host, obj->size, &obj->id);
    trace_vgsp_owner_memory_add(memory_region_name(obj->mr), obj->size,
                                obj->id, ret);
    if (ret < 0) {
        error_setg_errno(errp, -ret, "owner '%s' refuses the memory '%s'",
                         ex->ops->name, memory_region_name(obj->mr));
        return false;
    }
    obj->registered = true;
    return true;
}

static MemoryObject *memory_object_new(VgspObjects *o, MemoryRegion *mr)
{
    MemoryObject obj = {
        .mr = mr,
        .host = memory_region_get_ram_ptr(mr),
        .size = QEMU_ALIGN_DOWN(memory_region_size(mr), PAGE),
    };

    memory_region_ref(mr);
    g_array_append_val(o->objects, obj);
    return memory_object_at(o, o->objects->len - 1);
}

bool vgsp_objects_update(VgspObjects *o, Error **errp)
{
    const VgspDmaRam *ram;
    unsigned count;

    for (unsigned i = 0; i < o->objects->len; i++) {
        memory_object_at(o, i)->used = i == 0;
    }
    if (!memory_object_register(o, memory_object_at(o, 0), errp)) {
        return false;
    }
    ram = vgsp_dma_ram(o->s, &count);
    for (unsigned i = 0; i < count; i++) {
        MemoryObject *obj;
        ram_addr_t offset;

        if (ram[i].read_only) {
            continue;           /* ROM: nothing that a driver maps */
        }
        obj = memory_object_of_host(o, ram[i].host);
        if (obj == memory_object_at(o, 0)) {
            continue;           /* a BAR of ours */
        }
        if (!obj) {
            RCU_READ_LOCK_GUARD();
            obj = memory_object_new(o, memory_region_from_host(ram[i].host,
                                                               &offset));
        }
        obj->used = true;
        if (obj->size && !memory_object_register(o, obj, errp)) {
            return false;
        }
    }
    return true;
}

void vgsp_objects_expire(VgspObjects *o)
{
    VgspExecutor *ex = o->s->executor;

    for (unsigned i = o->objects->len; i-- > 0;) {
        MemoryObject *obj = memory_object_at(o, i);

        if (obj->used) {
            continue;
        }
        if (obj->registered) {
            int ret = ex->ops->memory_del(ex, obj->id);

            trace_vgsp_owner_memory_del(memory_region_name(obj->mr), obj->id,
                                        ret);
        }
        memory_region_unref(obj->mr);
        g_array_remove_index_fast(o->objects, i);
    }
    o->last = 0;
}

void vgsp_objects_forget(VgspObjects *o)
{
    for (unsigned i = 0; i < o->objects->len; i++) {
        memory_object_at(o, i)->registered = false;
    }
}

bool vgsp_objects_find(VgspObjects *o, VgspAperture aperture, uint64_t pa,
                       bool want_write, uint32_t *id, uint64_t *offset,
                       uint64_t *size, bool *writable)
{
    VgspState *s = o->s;
    MemoryObject *obj;
    VgspDmaRam ram;
    VgspDmaEnd end;

    *writable = true;
    if (aperture == VGSP_APERTURE_VIDEO) {
        obj = memory_object_at(o, 0);
        *id = obj->id;
        *offset = pa;
        *size = pa < obj->size ? obj->size - pa : UINT64_MAX;
        return pa < obj->size;
    }
    end = vgsp_dma_find(s, pa, want_write, &ram);
    if (end == VGSP_DMA_MISS && vgsp_dma_fill(s, pa, want_write)) {
        end = vgsp_dma_find(s, pa, want_write, &ram);
    }
    if (end == VGSP_DMA_MISS && want_write && vgsp_dma_fill(s, pa, false)) {
        end = vgsp_dma_find(s, pa, false, &ram);
        *writable = false;
    }
    *size = ram.size;
    if (end != VGSP_DMA_RAM) {
        return false;
    }
    vgsp_dma_mapped(s, pa);
    *size = PAGE;
    obj = memory_object_of_host(o, ram.host);
    if (!obj || !obj->registered || obj == memory_object_at(o, 0)) {
        return false;           /* nor VRAM through a BAR: those move */
    }
    *id = obj->id;
    *offset = ram.host + (pa - ram.addr) - obj->host;
    *size = MIN(ram.size - (pa - ram.addr), obj->size - *offset);
    if (*offset % PAGE || *size < PAGE) {
        *size = PAGE;           /* no whole page: no machine has such RAM */
        return false;
    }
    return true;
}

const void *vgsp_objects_host(VgspObjects *o, VgspAperture aperture,
                              uint64_t pa, uint64_t len)
{
    VgspState *s = o->s;
    VgspDmaRam ram;
    VgspDmaEnd end;

    switch (aperture) {
    case VGSP_APERTURE_VIDEO:
        return vgsp_range_ok(pa, len, s->vram_size) ? s->vram_host + pa : NULL;
    case VGSP_APERTURE_SYS_COHERENT:
    case VGSP_APERTURE_SYS_NONCOHERENT:
        end = vgsp_dma_find(s, pa, false, &ram);
        if (end == VGSP_DMA_MISS && vgsp_dma_fill(s, pa, false)) {
            end = vgsp_dma_find(s, pa, false, &ram);
        }
        if (end != VGSP_DMA_RAM || ram.size - (pa - ram.addr) < len) {
            return NULL;
        }
        vgsp_dma_mapped(s, pa);
        return ram.host + (pa - ram.addr);
    default:
        return NULL;
    }
}

VgspObjects *vgsp_objects_new(VgspState *s)
{
    VgspObjects *o = g_new0(VgspObjects, 1);

    o->s = s;
    o->objects = g_array_new(false, false, sizeof(MemoryObject));
    memory_object_new(o, s->vram);
    return o;
}

void vgsp_objects_free(VgspObjects *o)
{
    for (unsigned i = 0; i < o->objects->len; i++) {
        memory_region_unref(memory_object_at(o, i)->mr);
    }
    g_array_unref(o->objects);
    g_free(o);
}
