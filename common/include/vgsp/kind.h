/*
 * Page kinds (NV_MMU_PTE_KIND_*), and the order in which a chip keeps the
 * bytes of system memory that is mapped with the kind of a depth surface:
 * planes of depth and of stencil within a few GOBs, whatever the layout of the
 * surface. Engines undo it through the kind; who reads such memory otherwise
 * must know the order. No document has it: it is what a chip shows
 * (owner/rm/kinds.c).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef VGSP_KIND_H
#define VGSP_KIND_H

#include "vgsp/nv/dev_mmu.h"
#include "vgsp/types.h"

/* The order of a page is that of its blocks, one after the other. */
#define VGSP_KIND_BLOCK     1024
#define VGSP_KIND_PAGE      4096
/* What the kind does not keep: bytes that the format does not use. */
#define VGSP_KIND_NOWHERE   0xffff

typedef struct VgspKindOrder {
    /* Where the byte at an address lies, both within a block. */
    uint16_t place[VGSP_KIND_BLOCK];
} VgspKindOrder;

/* Of a chip. All zero: it keeps all bytes where they are. */
typedef struct VgspKinds {
    uint32_t permuted;          /* bit k: kind k has an order */
    VgspKindOrder order[NV_MMU_PTE_KIND_GENERIC_MEMORY];
} VgspKinds;

/* The kind without compression; false: no memory is meant. */
bool vgsp_kind_plain(uint8_t kind, uint32_t *plain);

/*
 * Learns the order of @kind, a plain one of a depth surface, from a page that
 * was all ones before an engine wrote it twice through the kind: to each byte
 * the lower eight bits of its address, seen as @low, then the upper four,
 * @high; VGSP_KIND_PAGE bytes each. False: that is no order of blocks.
 */
bool vgsp_kinds_learn(VgspKinds *kinds, uint32_t kind, const uint8_t *low,
                      const uint8_t *high);

/*
 * The order in which memory that is mapped with @kind, compressed or not, is
 * kept; NULL: as its addresses. @kinds may be NULL.
 */
const VgspKindOrder *vgsp_kinds_order(const VgspKinds *kinds, uint8_t kind);

/* Where the byte at @offset of memory that is kept so lies; false: nowhere. */
bool vgsp_kind_place(const VgspKindOrder *order, uint64_t offset,
                     uint64_t *at);

/*
 * Bytes [offset, offset + len) as the engines see them, of memory whose blocks
 * begin at @base. What the kind does not keep reads zero and is not written.
 */
void vgsp_kind_read(const VgspKindOrder *order, const uint8_t *base,
                    uint64_t offset, void *buf, size_t len);
void vgsp_kind_write(const VgspKindOrder *order, uint8_t *base,
                     uint64_t offset, const void *buf, size_t len);

#endif
