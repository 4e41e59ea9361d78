/*
 * How far words of a recording may be from what the model made of them, where
 * a chip approximates: the functions of MUFU, and what programs compute from
 * them. Everything else is exact.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef HW_VGSP_REPLAY_BOUNDS_H
#define HW_VGSP_REPLAY_BOUNDS_H

#include <stdbool.h>
#include <stdint.h>

typedef enum VgspBoundType { VGSP_BOUND_F32, VGSP_BOUND_F64 } VgspBoundType;

/*
 * Of the elements of a buffer, each one whose number is index modulo stride
 * may differ by ulp units of its last place, or by ulp times unit if that is
 * not 0.
 */
typedef struct VgspBound {
    const char *recording;
    VgspBoundType type;
    uint32_t stride, index, ulp;
    double unit;
    const char *reason;
} VgspBound;

/* The rows, ended by one without a recording. */
extern const VgspBound vgsp_bounds[];

/* Words that differ, of one section, as they come: in rising order. */
typedef struct VgspBounds {
    const char *recording;
    bool known, pending;
    uint32_t memory;            /* where differences may be: one buffer */
    uint32_t low_memory;        /* a low word that waits for its high one */
    uint64_t low_offset;
    uint32_t low_model, low_here;
    uint64_t close;             /* words within their bounds, of all */
} VgspBounds;

/*
 * path: of a recording, whose name says what its words are. It must live as
 * long as *b.
 */
void vgsp_bounds_begin(VgspBounds *b, const char *path);
/*
 * A word that differs. Returns how many words of those that were given are now
 * known to be too far: 0 to 2.
 */
unsigned vgsp_bounds_word(VgspBounds *b, uint32_t memory, uint64_t offset,
                          uint32_t model, uint32_t here);
/* The section has no more of them. As vgsp_bounds_word(). */
unsigned vgsp_bounds_end(VgspBounds *b);

/*
 * Whether a chip may compute here for MUFU where the model has model. hi: the
 * instruction's upper word.
 */
bool vgsp_mufu_close(uint64_t hi, uint32_t model, uint32_t here);

#endif
