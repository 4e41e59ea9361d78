/*
 * Page kinds, and the order of bytes that depth kinds bring: vgsp/kind.h.
 * Kinds are those of NVIDIA's dev_mmu.h for Turing and later.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "vgsp/kind.h"

bool vgsp_kind_plain(uint8_t kind, uint32_t *plain)
{
    switch (kind) {
    case NV_MMU_PTE_KIND_GENERIC_MEMORY_COMPRESSIBLE:
    case NV_MMU_PTE_KIND_GENERIC_MEMORY_COMPRESSIBLE_DISABLE_PLC:
        *plain = NV_MMU_PTE_KIND_GENERIC_MEMORY;
        return true;
    case NV_MMU_PTE_KIND_S8_COMPRESSIBLE_DISABLE_PLC:
        *plain = NV_MMU_PTE_KIND_S8;
        return true;
    case NV_MMU_PTE_KIND_Z16_COMPRESSIBLE_DISABLE_PLC:
        *plain = NV_MMU_PTE_KIND_Z16;
        return true;
    case NV_MMU_PTE_KIND_S8Z24_COMPRESSIBLE_DISABLE_PLC:
        *plain = NV_MMU_PTE_KIND_S8Z24;
        return true;
    case NV_MMU_PTE_KIND_ZF32_X24S8_COMPRESSIBLE_DISABLE_PLC:
        *plain = NV_MMU_PTE_KIND_ZF32_X24S8;
        return true;
    case NV_MMU_PTE_KIND_Z24S8_COMPRESSIBLE_DISABLE_PLC:
        *plain = NV_MMU_PTE_KIND_Z24S8;
        return true;
    case NV_MMU_PTE_KIND_PITCH ... NV_MMU_PTE_KIND_GENERIC_MEMORY:
        *plain = kind;
        return true;
    default:
        return false;
    }
}

bool vgsp_kinds_learn(VgspKinds *kinds, uint32_t kind, const uint8_t *low,
                      const uint8_t *high)
{
    VgspKindOrder order;
    bool kept = false, moves = false;

    if (kind == NV_MMU_PTE_KIND_PITCH ||
        kind >= NV_MMU_PTE_KIND_GENERIC_MEMORY) {
        return false;
    }
    memset(order.place, 0xff, sizeof(order.place));
    for (unsigned i = 0; i < VGSP_KIND_BLOCK; i++) {
        unsigned from = low[i] | high[i] << 8;

        if (high[i] == 0xff) {
            continue;           /* nothing is kept here */
        }
        if (from >= VGSP_KIND_BLOCK ||
            order.place[from] != VGSP_KIND_NOWHERE) {
            return false;
        }
        order.place[from] = (uint16_t)i;
        kept = true;
    }
    if (!kept) {
        return false;           /* nobody wrote there */
    }
    /* All blocks are alike, what nobody wrote is still all ones. */
    for (unsigned i = VGSP_KIND_BLOCK; i < VGSP_KIND_PAGE; i++) {
        unsigned first = i % VGSP_KIND_BLOCK;
        bool hole = high[first] == 0xff;

        if (low[i] != low[first] ||
            high[i] != (hole ? 0xff : high[first] + (i - first) / 256)) {
            return false;
        }
    }
    for (unsigned i = 0; i < VGSP_KIND_BLOCK; i++) {
        moves |= order.place[i] != i;
    }
    kinds->permuted &= ~(1u << kind);
    kinds->permuted |= (uint32_t)moves << kind;
    kinds->order[kind] = order;
    return true;
}

const VgspKindOrder *vgsp_kinds_order(const VgspKinds *kinds, uint8_t kind)
{
    uint32_t plain;

    return kinds && vgsp_kind_plain(kind, &plain) &&
           kinds->permuted >> plain & 1 ? &kinds->order[plain] : NULL;
}

bool vgsp_kind_place(const VgspKindOrder *order, uint64_t offset,
                     uint64_t *at)
{
    uint64_t within = offset % VGSP_KIND_BLOCK;
    uint16_t place = order->place[within];

    *at = offset - within + place;
    return place != VGSP_KIND_NOWHERE;
}

void vgsp_kind_read(const VgspKindOrder *order, const uint8_t *base,
                    uint64_t offset, void *buf, size_t len)
{
    uint8_t *out = buf;
    uint64_t at;

    for (size_t i = 0; i < len; i++) {
        out[i] = vgsp_kind_place(order, offset + i, &at) ? base[at] : 0;
    }
}

void vgsp_kind_write(const VgspKindOrder *order, uint8_t *base,
                     uint64_t offset, const void *buf, size_t len)
{
    const uint8_t *in = buf;
    uint64_t at;

    for (size_t i = 0; i < len; i++) {
        if (vgsp_kind_place(order, offset + i, &at)) {
            base[at] = in[i];
        }
    }
}
