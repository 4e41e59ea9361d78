/*
 * Private to GSP-RM (gsp/rm.c and the files of its classes and controls): the
 * object database and the tables through which every request goes.
 *
 * The model is that of NVIDIA/open-gpu-kernel-modules: libraries/resserv and
 * kernel/rmapi give the order of checks and their status codes.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef HW_VGSP_GSP_RM_INT_H
#define HW_VGSP_GSP_RM_INT_H

#include "qemu/queue.h"
#include "gsp/rm.h"
#include "host/host.h"
#include "vgsp/nv/class.h"
#include "vgsp/nv/rm.h"

/* Loads and stores of a field of a little-endian structure at @p. */
#define RM_LE16(p, type, field) \
    vgsp_le16((const uint8_t *)(p) + offsetof(type, field))
#define RM_LE32(p, type, field) \
    vgsp_le32((const uint8_t *)(p) + offsetof(type, field))
#define RM_LE64(p, type, field) \
    vgsp_le64((const uint8_t *)(p) + offsetof(type, field))
#define RM_U8(p, type, field) \
    (((const uint8_t *)(p))[offsetof(type, field)])
#define RM_PUT_LE16(p, type, field, v) \
    vgsp_put_le16((uint8_t *)(p) + offsetof(type, field), v)
#define RM_PUT_LE32(p, type, field, v) \
    vgsp_put_le32((uint8_t *)(p) + offsetof(type, field), v)
#define RM_PUT_LE64(p, type, field, v) \
    vgsp_put_le64((uint8_t *)(p) + offsetof(type, field), v)
#define RM_PUT_U8(p, type, field, v) \
    (((uint8_t *)(p))[offsetof(type, field)] = (v))

/* What a guest may make us keep. */
#define VGSP_RM_MAX_CLIENTS     4096
#define VGSP_RM_MAX_OBJECTS     65536

/* Handles that RM makes up (rs_client.h: RS_UNIQUE_HANDLE_*). */
#define RS_UNIQUE_HANDLE_BASE   0xcaf00000u
#define RS_UNIQUE_HANDLE_RANGE  0x00080000u

/* RM's own client, of which GET_GSP_STATIC_INFO tells. */
#define VGSP_RM_INTERNAL_CLIENT     0xc1e00000u
#define VGSP_RM_INTERNAL_DEVICE     0xabcd0080u
#define VGSP_RM_INTERNAL_SUBDEVICE  0xabcd2080u

typedef struct VgspRmObject VgspRmObject;
typedef struct VgspRmClient VgspRmClient;

/* RM's internal classes, as far as parents and controls tell them apart. */
typedef enum VgspRmKind {
    VGSP_RM_CLIENT,
    VGSP_RM_DEVICE,
    VGSP_RM_SUBDEVICE,
    VGSP_RM_VASPACE,
    VGSP_RM_CHANNEL,
    VGSP_RM_ENGINE_OBJECT,
    VGSP_RM_MEMORY,
    VGSP_RM_EVENT,
    VGSP_RM_TSG,
    VGSP_RM_CTXSHARE,
} VgspRmKind;

/* Sizes of parameters that the profile decides. */
#define VGSP_RM_SIZE_ROOT       0xffff
#define VGSP_RM_SIZE_CHANNEL    0xfffe

/* A row of the class table. */
typedef struct VgspRmClass {
    uint32_t cls;
    const char *name;
    VgspRmKind kind;
    uint32_t parents;           /* BIT(VgspRmKind) of allowed parents */
    uint16_t size;              /* of the parameters, bytes */
    bool optional;              /* parameters may be left out */
    /*
     * @params: the guest's, of the size above or NULL if left out. On failure
     * the object is freed without @dtor.
     */
    uint32_t (*ctor)(VgspRm *rm, VgspRmObject *obj, const uint8_t *params);
    void (*dtor)(VgspRm *rm, VgspRmObject *obj);
} VgspRmClass;

/* A row of the control table. */
typedef struct VgspRmControl {
    uint32_t cmd;               /* in the newest release; 0: not in it */
    const char *name;           /* without NVxxxx_CTRL_CMD_ */
    VgspRmKind kind;            /* of the object that answers it */
    uint32_t size;              /* of the parameters, bytes */
    uint32_t (*handler)(VgspRm *rm, VgspRmObject *obj, uint8_t *params,
                        size_t size);
} VgspRmControl;

/* Classes' own state, in VgspRmObject.u. */
typedef struct VgspRmVaspace {
    VgspPdb pdb;
    bool replayable;            /* its faults, of units that can */
    QTAILQ_HEAD(, VgspRmObject) channels;
} VgspRmVaspace;

typedef struct VgspRmTsg {
    VgspTsg *host;
    const VgspChipEngine *engine;
    uint32_t vaspace;           /* handle, of channels that name none */
} VgspRmTsg;

typedef struct VgspRmCtxShare {
    uint32_t vaspace;           /* handle */
} VgspRmCtxShare;

typedef struct VgspRmCtxBuffer {
    uint64_t phys, virt, size;
    uint32_t phys_attr;
    bool nonmapped;
    bool present;
} VgspRmCtxBuffer;

typedef struct VgspRmChannel {
    VgspChannel *host;          /* NULL once it is being freed */
    const VgspChipEngine *engine;
    uint32_t chid;
    VgspRmObject *vaspace;
    VgspMemDesc notifier;       /* error notifier */
    QTAILQ_ENTRY(VgspRmObject) in_vaspace;
    QTAILQ_ENTRY(VgspRmObject) in_rm;
    VgspRmCtxBuffer *ctx;       /* what PROMOTE_CTX told, by buffer id */
} VgspRmChannel;

typedef struct VgspRmMemory {
    uint64_t length;            /* bytes */
} VgspRmMemory;

typedef struct VgspRmEvent {
    uint32_t source;            /* handle of the object that it watches */
    uint32_t notify_index;
} VgspRmEvent;

struct VgspRmObject {
    uint32_t handle;
    const VgspRmClass *cls;
    VgspRmClient *client;
    VgspRmObject *parent;       /* NULL: the client's own object */
    QTAILQ_HEAD(, VgspRmObject) children;
    QTAILQ_ENTRY(VgspRmObject) sibling;
    union {
        VgspRmVaspace vaspace;
        VgspRmChannel channel;
        VgspRmMemory memory;
        VgspRmEvent event;
        VgspRmTsg tsg;
        VgspRmCtxShare ctxshare;
    } u;
};

struct VgspRmClient {
    VgspRmObject *root;
    GHashTable *objects;        /* handle -> VgspRmObject, the root too */
    uint32_t next_handle;       /* of those made up, from 0 */
    QTAILQ_ENTRY(VgspRmClient) next;
};

struct VgspRm {
    VgspState *s;
    const VgspProfile *profile;
    VgspRmBoot boot;
    /* The page directories (PD3) that RM owns, between usable and firmware's. */
    uint64_t fb_usable;         /* bytes, from 0 */
    uint64_t bar1_pde_base, bar2_pde_base;
    VgspPdb bar2_pdb;           /* of UPDATE_BAR_PDE */
    GHashTable *clients;        /* handle -> VgspRmClient */
    QTAILQ_HEAD(, VgspRmClient) client_list;
    QTAILQ_HEAD(, VgspRmObject) channels;
    GHashTable *controls;       /* command -> VgspRmControl, of the profile */
    unsigned num_objects;
    int64_t idle_until;         /* IDLE_CHANNELS waits; virtual ns, 0: none */
    bool stale;                 /* a directory went, TLBs still have it */
    bool channels_disabled;     /* TOGGLE_ACTIVE_CHANNEL_SCHEDULING */
};

/* ---- rm.c ---- */

VgspRmClient *vgsp_rm_client(VgspRm *rm, uint32_t handle);
/* NULL where @client (may be NULL) has no such object. */
VgspRmObject *vgsp_rm_object(VgspRmClient *client, uint32_t handle);
/* The same, if it is of @kind. */
VgspRmObject *vgsp_rm_object_of(VgspRmClient *client, uint32_t handle,
                                VgspRmKind kind);

/*
 * Creates an object; *@handle 0 asks for a made-up one, returned there.
 * @params: @size bytes.
 */
uint32_t vgsp_rm_alloc(VgspRm *rm, uint32_t client, uint32_t parent,
                       uint32_t *handle, uint32_t cls, const uint8_t *params,
                       size_t size);
/* The lower half, for classes that come by RPCs of their own. */
uint32_t vgsp_rm_object_new(VgspRm *rm, VgspRmClient *client,
                            VgspRmObject *parent, uint32_t *handle,
                            const VgspRmClass *cls, const uint8_t *params,
                            VgspRmObject **obj);
/* Frees an object and all below and dependent on it. */
void vgsp_rm_object_free(VgspRm *rm, VgspRmObject *obj);
uint32_t vgsp_rm_free_handle(VgspRm *rm, uint32_t client, uint32_t handle);
uint32_t vgsp_rm_control(VgspRm *rm, uint32_t client, uint32_t object,
                         uint32_t cmd, uint8_t *params, size_t size);

/* ---- the tables, each ends with a row whose name is NULL ---- */

extern const VgspRmClass vgsp_rm_classes_base[], vgsp_rm_classes_vaspace[],
    vgsp_rm_classes_channel[], vgsp_rm_classes_tsg[];
extern const VgspRmControl vgsp_rm_controls_subdevice[],
    vgsp_rm_controls_vaspace[], vgsp_rm_controls_channel[],
    vgsp_rm_controls_power[], vgsp_rm_controls_tsg[];

/* ---- class_vaspace.c ---- */

uint32_t vgsp_rm_update_bar_pde(VgspRm *rm, const uint8_t *payload);
/* Binds BAR1 and BAR2 to the directories that RM has for them. */
void vgsp_rm_bind_bars(VgspRm *rm);

/* ---- class_channel.c ---- */

/* Stops a channel for good: its host side is gone, its object stays. */
void vgsp_rm_channel_stop(VgspRm *rm, VgspRmObject *obj);
/* NULL where no channel of that runlist has that id. */
VgspRmObject *vgsp_rm_channel_find(VgspRm *rm, uint32_t runlist,
                                   uint32_t chid);

/* ---- class_tsg.c ---- */

/*
 * The space of a channel below @parent, a device or a TSG, that names those
 * handles (0: none); NULL where there is none.
 */
VgspRmObject *vgsp_rm_channel_vaspace(VgspRmObject *parent, uint32_t vaspace,
                                      uint32_t ctxshare);

/* ---- class_memory.c ---- */

uint32_t vgsp_rm_alloc_memory(VgspRm *rm, const uint8_t *payload, size_t len);

/* ---- static_info.c ---- */

void vgsp_rm_static_info(VgspRm *rm, uint8_t *payload);

#endif
