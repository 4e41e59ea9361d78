/*
 * Faults of engines in the fault buffers. Only accesses of the texture units
 * and of GCC are ever replayable; all others go into the other buffer
 * (NVIDIA's dev_vm, dev_mmu_fault, pri_mmu_hub).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "device/aperture.h"
#include "device/fault.h"
#include "device/intr.h"
#include "device/memory.h"
#include "device/regs.h"
#include "trace.h"

#define FB(name)        NV_VIRTUAL_FUNCTION_PRIV_MMU_FAULT_BUFFER_##name
#define ENTRY(name)     NV_MMU_FAULT_BUF_ENTRY_##name

enum {
    NON_REPLAYABLE = 0,
    REPLAYABLE = 1,
};

static bool client_replays(const VgspMmuFault *f)
{
    if (f->client_is_hub) {
        return false;
    }
    return f->client == NV_PFAULT_CLIENT_GPC_GCC ||
           f->client <= NV_PFAULT_CLIENT_GPC_T1_7 ||
           (f->client >= NV_PFAULT_CLIENT_GPC_T1_8 &&
            f->client <= NV_PFAULT_CLIENT_GPC_T1_15);
}

static void put_record(VgspState *s, const VgspMmuFault *f, bool replayable,
                       uint8_t *record)
{
    uint64_t now = vgsp_ptimer_ns(s);
    uint32_t info = VGSP_SET(ENTRY(FAULT_TYPE), f->type) |
                    VGSP_SET(ENTRY(CLIENT), f->client) |
                    VGSP_SET(ENTRY(ACCESS_TYPE), f->access) |
                    ENTRY(VALID);

    if (f->client_is_hub) {
        info |= ENTRY(MMU_CLIENT_TYPE);
    }
    if (replayable) {
        info |= ENTRY(REPLAYABLE_FAULT);
    }
    if (f->replayable_en) {
        info |= ENTRY(REPLAYABLE_FAULT_EN);
    }
    vgsp_put_le32(record + ENTRY(INST_LO),
                  VGSP_SET(ENTRY(INST_APERTURE), f->inst_aperture) |
                  (f->inst & ENTRY(INST_LO_ADDR)));
    vgsp_put_le32(record + ENTRY(INST_HI), f->inst >> 32);
    vgsp_put_le32(record + ENTRY(ADDR_LO), f->va & ENTRY(ADDR_LO_ADDR));
    vgsp_put_le32(record + ENTRY(ADDR_HI), f->va >> 32);
    vgsp_put_le32(record + ENTRY(TIMESTAMP_LO), now);
    vgsp_put_le32(record + ENTRY(TIMESTAMP_HI), now >> 32);
    vgsp_put_le32(record + ENTRY(ENGINE),
                  VGSP_SET(ENTRY(ENGINE_ID), f->engine_id));
    vgsp_put_le32(record + ENTRY(INFO), info);
}

/* Into the buffer, where its address leads: BAR2's space, or memory. */
static bool write_buffer(VgspState *s, const VgspFaultBuffer *b,
                         uint64_t offset, const uint8_t *buf, size_t len)
{
    uint64_t addr = (uint64_t)b->hi << 32 | (b->lo & FB(LO_ADDR));

    if (b->lo & FB(LO_ADDR_MODE)) {
        return vgsp_mem_write(s, VGSP_GET(FB(LO_PHYS_APERTURE), b->lo),
                              addr + offset, buf, len);
    }
    return vgsp_bar_space_write(s, VGSP_BAR2, addr + offset, buf, len);
}

void vgsp_fault_report(VgspState *s, const VgspMmuFault *f)
{
    static const uint8_t notify[] = {
        [NON_REPLAYABLE] =
            NV_PFB_PRI_MMU_INT_VECTOR_FAULT_NOTIFY_NON_REPLAYABLE,
        [REPLAYABLE] = NV_PFB_PRI_MMU_INT_VECTOR_FAULT_NOTIFY_REPLAYABLE,
    };
    static const uint8_t error[] = {
        [NON_REPLAYABLE] =
            NV_PFB_PRI_MMU_INT_VECTOR_FAULT_ERROR_NON_REPLAYABLE,
        [REPLAYABLE] = NV_PFB_PRI_MMU_INT_VECTOR_FAULT_ERROR_REPLAYABLE,
    };
    unsigned i = f->replayable_en && client_replays(f) ? REPLAYABLE
                                                       : NON_REPLAYABLE;
    VgspFaultBuffer *b = &vgsp_reg_file(s)->fault_buffer[i];
    uint32_t size = b->size & FB(SIZE_VAL);
    uint32_t put = b->put & FB(PTR);
    uint8_t record[NV_MMU_FAULT_BUF_SIZE];
    const char *fate = "written";

    if (!(b->size & FB(SIZE_ENABLE)) || put >= size) {
        fate = "buffer is disabled";
    } else if (b->get & FB(OVERFLOW)) {
        fate = "dropped";
    } else if ((put + 1) % size == (b->get & FB(PTR))) {
        /* Nothing more is written until the flag is cleared. */
        b->get |= FB(OVERFLOW);
        b->put |= FB(OVERFLOW);
        if (b->size & FB(SIZE_OVERFLOW_INTR)) {
            vgsp_intr_raise(s, error[i]);
        }
        fate = "overflow";
    } else {
        uint64_t offset = (uint64_t)put * NV_MMU_FAULT_BUF_SIZE;

        put_record(s, f, i == REPLAYABLE, record);
        /* The word with VALID tells that the others are there. */
        if (write_buffer(s, b, offset, record, ENTRY(INFO))) {
            smp_wmb();
            write_buffer(s, b, offset + ENTRY(INFO), record + ENTRY(INFO), 4);
        } else {
            fate = "buffer is no memory";
        }
        b->put = VGSP_REPLACE(FB(PTR), b->put, (put + 1) % size);
        vgsp_intr_raise(s, notify[i]);
    }
    trace_vgsp_mmu_fault(i, put, f->va, f->type, f->engine_id, f->client,
                         fate);
}
