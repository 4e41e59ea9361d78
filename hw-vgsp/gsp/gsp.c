/*
 * The life of GSP-RM: started by Booter load, halted by
 * UNLOADING_GUEST_DRIVER, forgotten by an engine reset or put aside for
 * suspend. The states are drawn in docs/gsp.md.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qemu/log.h"
#include "qemu/units.h"
#include "device/memory.h"
#include "gsp/gsp-int.h"
#include "host/host.h"
#include "trace.h"

static void gsp_set_state(VgspState *s, VgspGspState state)
{
    static const char *const name[] = {
        [VGSP_GSP_OFF] = "off",
        [VGSP_GSP_RUNNING] = "running",
        [VGSP_GSP_HALTED] = "halted",
        [VGSP_GSP_SUSPENDED] = "suspended",
    };

    if (s->gsp->state != state) {
        trace_vgsp_gsp_state(name[s->gsp->state], name[state]);
        s->gsp->state = state;
    }
}

void vgsp_gsp_init(VgspState *s)
{
    s->gsp = g_new0(VgspGsp, 1);
    vgsp_falcons_init(s);
    vgsp_fwsec_init(s, s->vbios, VGSP_ROM_SIZE);
}

bool vgsp_gsp_suspended(VgspState *s)
{
    return s->gsp->state == VGSP_GSP_SUSPENDED && !s->gsp->gc6;
}

/*
 * A suspended GSP-RM lies in the guest's memory, encrypted, on real hardware
 * and so survives the loss of power. Here the device keeps it, and the
 * metadata in the guest's memory names it; nothing of it acts or shows.
 */
void vgsp_gsp_reset(VgspState *s)
{
    VgspGsp *gsp = s->gsp;

    if (!vgsp_gsp_suspended(s)) {
        vgsp_gsp_fw_drop(s);
    }
    gsp->wpr2 = (VgspWpr2) { 0 };
    gsp->loaded = false;
    gsp->frts_code = 0;
    gsp->sb_code = 0;
    vgsp_falcons_reset(s);
}

void vgsp_gsp_exit(VgspState *s)
{
    vgsp_gsp_fw_drop(s);
    vgsp_fwsec_exit(s);
    vgsp_falcons_exit(s);
    g_clear_pointer(&s->gsp->rm_refused, g_hash_table_unref);
    g_clear_pointer(&s->gsp, g_free);
}

uint32_t vgsp_gsp_wpr2_lo(VgspState *s)
{
    return s->gsp->wpr2.lo;
}

uint32_t vgsp_gsp_wpr2_hi(VgspState *s)
{
    return s->gsp->wpr2.hi;
}

uint16_t vgsp_gsp_frts_err_code(VgspState *s)
{
    return s->gsp->frts_code;
}

uint16_t vgsp_gsp_sb_err_code(VgspState *s)
{
    return s->gsp->sb_code;
}

void vgsp_gsp_fw_drop(VgspState *s)
{
    VgspGsp *gsp = s->gsp;

    if (gsp->queue) {
        vgsp_queue_stop(gsp->queue);
    }
    g_clear_pointer(&gsp->rm, vgsp_rm_free);
    g_clear_pointer(&gsp->queue, vgsp_queue_free);
    g_clear_pointer(&gsp->rc_kept, g_array_unref);
    gsp->profile = NULL;
    gsp->rmargs = 0;
    gsp->pm_transition = false;
    gsp->gc6 = false;
    gsp_set_state(s, VGSP_GSP_OFF);
}

/* The address of RMARGS among the libos arguments; 0 if there is none. */
static uint64_t libos_rmargs(VgspState *s, uint64_t args)
{
    uint8_t page[LIBOS_MEMORY_REGION_INIT_ARGUMENTS_MAX];
    size_t size = sizeof(LibosMemoryRegionInitArgument);

    if (!vgsp_dma_read(s, args, page, sizeof(page))) {
        return 0;
    }
    for (size_t i = 0; i + size <= sizeof(page); i += size) {
        const uint8_t *arg = page + i;
        uint64_t id = vgsp_le64(arg +
                                offsetof(LibosMemoryRegionInitArgument, id8));

        if (id == 0) {
            break;
        }
        if (id == VGSP_LIBOS_ID_RMARGS &&
            arg[offsetof(LibosMemoryRegionInitArgument, loc)] ==
            LIBOS_MEMORY_REGION_LOC_SYSMEM) {
            return vgsp_le64(arg +
                             offsetof(LibosMemoryRegionInitArgument, pa));
        }
    }
    return 0;
}

VgspBooterError vgsp_gsp_fw_boot(VgspState *s, const VgspRmBoot *boot,
                              uint32_t *system_info_size)
{
    VgspGsp *gsp = s->gsp;
    VgspFalcon *f = vgsp_falcon(s, VGSP_FALCON_GSP);
    uint64_t args = (uint64_t)f->mailbox[1] << 32 | f->mailbox[0];
    uint64_t rmargs = libos_rmargs(s, args);
    VgspQueue *queue;

    *system_info_size = 0;
    if (!rmargs) {
        qemu_log_mask(LOG_GUEST_ERROR, "vgsp: no RMARGS at 0x%" PRIx64 "\n",
                      args);
        return VGSP_BOOTER_ERR_LIBOS_ARGS;
    }

    /* A boot from scratch: what was suspended will not be resumed. */
    vgsp_gsp_fw_drop(s);

    queue = vgsp_queue_new(s, rmargs, system_info_size);
    if (!queue) {
        return VGSP_BOOTER_ERR_LIBOS_ARGS;
    }
    gsp->profile = vgsp_profile_by_system_info_size(*system_info_size);
    if (!gsp->profile) {
        vgsp_queue_free(queue);
        return VGSP_BOOTER_ERR_SIGNATURE;
    }
    trace_vgsp_gsp_profile(gsp->profile->name, *system_info_size);

    gsp->queue = queue;
    gsp->rmargs = rmargs;
    gsp->rm = vgsp_rm_new(s, gsp->profile, boot);
    vgsp_falcon_riscv_start(s, f);
    gsp_set_state(s, VGSP_GSP_RUNNING);
    if (!vgsp_queue_start(queue, rmargs)) {
        vgsp_gsp_fw_drop(s);
        f->riscv_active = false;
        return VGSP_BOOTER_ERR_LIBOS_ARGS;
    }
    return VGSP_BOOTER_OK;
}

void vgsp_gsp_unloading(VgspState *s, bool pm_transition, uint32_t new_level)
{
    s->gsp->pm_transition = pm_transition;
    vgsp_queue_halt(s->gsp->queue);
}

/* The last reply is in the status queue. */
void vgsp_gsp_halted(VgspState *s)
{
    vgsp_falcon(s, VGSP_FALCON_GSP)->mailbox[0] =
        LIBOS_INTERRUPT_PROCESSOR_SUSPENDED;
    gsp_set_state(s, VGSP_GSP_HALTED);
}

void vgsp_gsp_falcon_reset(VgspState *s, VgspFalcon *f)
{
    switch (s->gsp->state) {
    case VGSP_GSP_HALTED:
        if (s->gsp->pm_transition) {
            break; /* Booter unload will find it in WPR2 */
        }
        /* fall through */
    case VGSP_GSP_RUNNING:
        vgsp_gsp_fw_drop(s);
        break;
    case VGSP_GSP_OFF:
    case VGSP_GSP_SUSPENDED:
        break;
    }
}

void vgsp_gsp_fw_suspend(VgspState *s, uint64_t cookie, bool gc6)
{
    VgspGsp *gsp = s->gsp;

    vgsp_queue_stop(gsp->queue);
    vgsp_host_disable_all(s, true);
    gsp->sr_cookie = cookie;
    gsp->sr_wpr2 = gsp->wpr2;
    gsp->gc6 = gc6;
    gsp_set_state(s, VGSP_GSP_SUSPENDED);
}

/* ---- Errors of channels ---- */

static void tell_error(VgspState *s, const VgspRcError *rc)
{
    vgsp_rm_rc_error(s->gsp->rm, rc->runlist, rc->chid, rc->engine_type,
                     rc->except_type, rc->fault.va, rc->fault.type);
}

/*
 * An engine that GSP-RM's halt caught in an error has stopped its channel: GSP
 * finds that when it runs again, behind GSP_INIT_DONE, for which drivers wait.
 */
static void tell_kept_errors(VgspState *s)
{
    g_autoptr(GArray) kept = g_steal_pointer(&s->gsp->rc_kept);

    for (guint i = 0; kept && i < kept->len; i++) {
        tell_error(s, &g_array_index(kept, VgspRcError, i));
    }
}

void vgsp_gsp_rc_error(VgspState *s, const VgspRcError *rc)
{
    VgspGsp *gsp = s->gsp;

    if (gsp->state == VGSP_GSP_RUNNING) {
        tell_error(s, rc);
    } else if (gsp->rm && gsp->pm_transition) {
        /* One a channel at most: no channel is made meanwhile. */
        trace_vgsp_gsp_rc_kept(rc->runlist, rc->chid, rc->except_type);
        if (!gsp->rc_kept) {
            gsp->rc_kept = g_array_new(false, false, sizeof(VgspRcError));
        }
        g_array_append_val(gsp->rc_kept, *rc);
    }
}

VgspBooterError vgsp_gsp_fw_resume(VgspState *s)
{
    VgspGsp *gsp = s->gsp;

    if (!vgsp_queue_resume(gsp->queue, gsp->rmargs)) {
        return VGSP_BOOTER_ERR_LIBOS_ARGS;
    }
    gsp->wpr2 = gsp->sr_wpr2;
    gsp->pm_transition = false;
    gsp->gc6 = false;
    vgsp_rm_resume(gsp->rm);
    vgsp_falcon_riscv_start(s, vgsp_falcon(s, VGSP_FALCON_GSP));
    gsp_set_state(s, VGSP_GSP_RUNNING);
    vgsp_queue_resumed(gsp->queue);
    tell_kept_errors(s);
    return VGSP_BOOTER_OK;
}

void vgsp_gsp_queue_head(VgspState *s, VgspFalcon *f, unsigned i)
{
    /* Queue 0 is GSP-RM's; messages sent before boot are found at boot. */
    if (i == 0 && s->gsp->state == VGSP_GSP_RUNNING) {
        vgsp_queue_run(s->gsp->queue);
    }
}

bool vgsp_gsp_post(VgspState *s, uint32_t event, const void *payload,
                   size_t len)
{
    if (s->gsp->state != VGSP_GSP_RUNNING) {
        return false;
    }
    return vgsp_queue_post(s->gsp->queue, event, payload, len);
}
