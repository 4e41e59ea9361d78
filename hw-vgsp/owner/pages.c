/*
 * Which pages of system memory something uses, as far as it takes to pass over
 * what does not use a given one: the lowest and the highest, and a Bloom filter
 * with two bits a page. Of 512 pages that do not adjoin, a page table's, one
 * false answer in twenty.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "owner/shadow-int.h"

#define PAGE_SHIFT  12
/* More pages than that at once are not looked up in the filter. */
#define LOOKUP_MAX  64

QEMU_BUILD_BUG_ON(VGSP_PAGES_FILTER_BITS != 1 << 12);

static void filter_bits(uint64_t addr, unsigned bit[2])
{
    uint64_t hash = (addr >> PAGE_SHIFT) * UINT64_C(0x9e3779b97f4a7c15);

    bit[0] = hash >> 52 & (VGSP_PAGES_FILTER_BITS - 1);
    bit[1] = hash >> 40 & (VGSP_PAGES_FILTER_BITS - 1);
}

/* Pages of [first, last] beyond the first. */
static uint64_t more_pages(uint64_t first, uint64_t last)
{
    return (last >> PAGE_SHIFT) - (first >> PAGE_SHIFT);
}

void vgsp_pages_clear(VgspPages *p)
{
    p->bounds = VGSP_NO_BOUNDS;
    bitmap_zero(p->filter, VGSP_PAGES_FILTER_BITS);
}

void vgsp_pages_add(VgspPages *p, uint64_t first, uint64_t last)
{
    uint64_t more = more_pages(first, last);

    vgsp_bounds_add(&p->bounds, first, last);
    for (uint64_t i = 0; i <= more; i++) {
        unsigned bit[2];

        filter_bits(first + (i << PAGE_SHIFT), bit);
        set_bit(bit[0], p->filter);
        set_bit(bit[1], p->filter);
    }
}

static bool in_system(const VgspMapping *m)
{
    return !m->sparse && m->aperture != VGSP_APERTURE_VIDEO;
}

void vgsp_pages_add_page(VgspPages *p, const VgspMapping *m)
{
    if (in_system(m)) {
        vgsp_pages_add(p, m->pa, m->pa + (m->size - 1));
    }
}

void vgsp_bounds_add_page(VgspBounds *b, const VgspMapping *m)
{
    if (in_system(m)) {
        vgsp_bounds_add(b, m->pa, m->pa + (m->size - 1));
    }
}

bool vgsp_pages_may_meet(const VgspPages *p, uint64_t first, uint64_t last)
{
    uint64_t more = more_pages(first, last);

    if (!vgsp_bounds_meet(&p->bounds, first, last)) {
        return false;
    }
    for (uint64_t i = 0; i <= more && more < LOOKUP_MAX; i++) {
        unsigned bit[2];

        filter_bits(first + (i << PAGE_SHIFT), bit);
        if (test_bit(bit[0], p->filter) && test_bit(bit[1], p->filter)) {
            return true;
        }
    }
    return more >= LOOKUP_MAX;
}
