/*
 * Recording of what the shim submits: not yet.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "shim.h"
void shim_record_open(void) {}
bool shim_recording(void) { return false; }
void shim_record_memory(const ShimBo *bo, bool add) { (void)bo; (void)add; }
void shim_record_space(uint32_t id, bool add) { (void)id; (void)add; }
void shim_record_map(uint32_t space, const struct vgsp_owner_map_op *ops, size_t count) { (void)space; (void)ops; (void)count; }
void shim_record_context(uint32_t space, uint32_t id, bool add) { (void)space; (void)id; (void)add; }
void shim_record_begin(uint32_t context, const uint32_t *words, uint32_t count, uint64_t seq) { (void)context; (void)words; (void)count; (void)seq; }
void shim_record_end(uint32_t context, uint64_t seq, bool ok) { (void)context; (void)seq; (void)ok; }
