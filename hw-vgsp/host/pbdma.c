/*
 * The PBDMA: consumes a channel's GPFIFO entries in order and performs the
 * methods of their segments. Specified by NVIDIA's dev_pbdma and dev_ram.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "host/host-int.h"
#include "trace.h"

/*
 * A slice: push-buffer words and GPFIFO entries that a channel may consume
 * before the next channel has its turn.
 */
#define SLICE_WORDS     4096
#define FETCH_WORDS     1024

static VgspRunEnd pbdma_error(VgspChannel *ch, const char *what)
{
    vgsp_channel_error(ch, ROBUST_CHANNEL_PBDMA_ERROR, what);
    return VGSP_RUN_ERROR;
}

/* ---- USERD ---- */

static bool userd_read_gp_put(VgspChannel *ch)
{
    const VgspMemDesc *userd = &ch->p.userd;
    uint8_t word[4];

    if (!userd->size ||
        !vgsp_mem_read(ch->s, userd->aperture, userd->addr + NV_RAMUSERD_GP_PUT,
                       word, sizeof(word))) {
        return false;
    }
    ch->gp_put = ldl_le_p(word);
    /* The entries below it were written before it. */
    smp_rmb();
    return true;
}

/* All that Host owns of USERD, that is all but GP_PUT. */
static void userd_write(VgspChannel *ch)
{
    const VgspMemDesc *userd = &ch->p.userd;
    uint8_t block[NV_RAMUSERD_GET_HI + 4 - NV_RAMUSERD_PUT] = { 0 };
    uint64_t put = ch->seg_va + 4ull * ch->seg_count;
    uint8_t word[4];

    if (!ch->userd_dirty || !userd->size) {
        return;
    }
    ch->userd_dirty = false;
    stl_le_p(block, put);
    stl_le_p(block + NV_RAMUSERD_GET - NV_RAMUSERD_PUT, ch->seg_va);
    stl_le_p(block + NV_RAMUSERD_REF - NV_RAMUSERD_PUT, ch->reference);
    stl_le_p(block + NV_RAMUSERD_PUT_HI - NV_RAMUSERD_PUT, put >> 32);
    stl_le_p(block + NV_RAMUSERD_TOP_LEVEL_GET - NV_RAMUSERD_PUT,
             ch->top_level_get);
    stl_le_p(block + NV_RAMUSERD_TOP_LEVEL_GET_HI - NV_RAMUSERD_PUT,
             ch->top_level_get >> 32 | NV_RAMUSERD_TOP_LEVEL_GET_HI_VALID);
    stl_le_p(block + NV_RAMUSERD_GET_HI - NV_RAMUSERD_PUT, ch->seg_va >> 32);
    vgsp_mem_write(ch->s, userd->aperture, userd->addr + NV_RAMUSERD_PUT,
                   block, sizeof(block));
    /* Who sees GP_GET move sees what the entries did. */
    smp_mb();
    stl_le_p(word, ch->gp_get);
    vgsp_mem_write(ch->s, userd->aperture, userd->addr + NV_RAMUSERD_GP_GET,
                   word, sizeof(word));
}

/* ---- Segments ---- */

static VgspRunEnd run_end(VgspMethodEnd end)
{
    switch (end) {
    case VGSP_METHOD_WAIT_MMU:
        return VGSP_RUN_WAIT_MMU;
    case VGSP_METHOD_WAIT_ENGINE:
        return VGSP_RUN_WAIT_ENGINE;
    case VGSP_METHOD_PARK:
        return VGSP_RUN_PARKED;
    case VGSP_METHOD_ERROR:
        return VGSP_RUN_ERROR;
    default:
        return VGSP_RUN_MORE;
    }
}

/* A method of Host. All but SET_OBJECT see what the engine was given before. */
static VgspMethodEnd host_method(VgspChannel *ch, unsigned subchannel,
                                 uint32_t method, uint32_t data)
{
    trace_vgsp_pbdma_method(ch->runlist, ch->p.chid, subchannel, method, data);
    if (method != NVC46F_SET_OBJECT) {
        VgspMethodEnd end = vgsp_gr_flush(ch);

        if (end != VGSP_METHOD_DONE) {
            return end;
        }
    }
    return vgsp_host_method(ch, subchannel, method, data);
}

/* Performs methods of @run until one ends it; *@end says how. */
static uint32_t perform(VgspChannel *ch, const VgspPbRun *run,
                        VgspMethodEnd *end)
{
    uint32_t n = 0;

    do {
        uint32_t method = vgsp_pb_run_method(run, n) * 4;

        if (method < NVC46F_HOST_METHODS_END) {
            *end = host_method(ch, run->subchannel, method, run->data[n]);
            if (vgsp_method_performed(*end)) {
                if (method == NVC46F_SET_OBJECT) {
                    VgspPbRun rest = vgsp_pb_run_rest(run, n);

                    ch->method_crc = vgsp_crc_methods(ch->method_crc, &rest, 1);
                }
                n++;
            }
        } else {
            VgspPbRun rest = vgsp_pb_run_rest(run, n);
            uint32_t done = vgsp_engine_methods(ch, &rest, end);

            ch->method_crc = vgsp_crc_methods(ch->method_crc, &rest, done);
            n += done;
        }
    } while (*end == VGSP_METHOD_DONE && n < run->count);
    if (n) {
        ch->parks = 0;
    }
    qatomic_add(&ch->s->stats.methods, n);
    return n;
}

static void entry_done(VgspChannel *ch)
{
    ch->in_entry = false;
    ch->gp_get = (ch->gp_get + 1) & (ch->p.gpfifo_entries - 1);
    ch->userd_dirty = true;
    if (!ch->subroutine) {
        ch->top_level_get = ch->seg_va;
    }
}

/*
 * Goes on with the current segment: at most FETCH_WORDS of it. What was
 * fetched and not consumed is fetched again next time.
 */
static VgspRunEnd run_segment(VgspChannel *ch, uint32_t *budget)
{
    uint32_t words[FETCH_WORDS];
    uint32_t n = MIN(ch->seg_count, FETCH_WORDS);
    VgspMethodEnd end = VGSP_METHOD_DONE;
    VgspPbStatus status;
    VgspVaFault fault;
    size_t pos = 0;

    if (n && !vgsp_va_read(ch->s, &ch->p.pdb, ch->p.privileged, ch->seg_va,
                           words, n * 4, &fault)) {
        vgsp_channel_fault(ch, VGSP_UNIT_HOST, &fault, "push buffer");
        return VGSP_RUN_ERROR;
    }
    for (uint32_t i = 0; HOST_BIG_ENDIAN && i < n; i++) {
        le32_to_cpus(&words[i]);
    }

    do {
        VgspPbRun run;
        size_t used;

        status = vgsp_pb_next(&ch->pb, words + pos, n - pos, &used, &run);
        pos += used;
        if (status == VGSP_PB_METHODS) {
            pos += vgsp_pb_advance(&ch->pb, perform(ch, &run, &end));
        }
    } while (status == VGSP_PB_METHODS && end == VGSP_METHOD_DONE &&
             !qatomic_read(&ch->stop));

    *budget -= MIN(*budget, pos);
    ch->userd_dirty |= pos != 0;
    ch->seg_va += pos * 4;
    ch->seg_count -= pos;
    if (vgsp_pb_is_error(status)) {
        return pbdma_error(ch, "PBENTRY: bad header");
    }
    if (status == VGSP_PB_END_SEGMENT) {
        ch->seg_count = 0;
    }
    /* A method that is still due may have its data in the header alone. */
    if (!ch->seg_count && status != VGSP_PB_METHODS) {
        entry_done(ch);
    }
    if (end == VGSP_METHOD_YIELD) {
        *budget = 0;
    }
    return run_end(end);
}

/* ---- GPFIFO ---- */

/* GP_CRC's control entry: of all entries since the last. */
static VgspRunEnd check_gp_crc(VgspChannel *ch, uint32_t want)
{
    if (ch->gp_crc != want) {
        vgsp_channel_error(ch, PBDMA_PUSHBUFFER_CRC_MISMATCH,
                           "GPCRC: other GPFIFO entries were fetched");
        return VGSP_RUN_ERROR;
    }
    ch->gp_crc = 0;
    entry_done(ch);
    return VGSP_RUN_MORE;
}

/*
 * PB_CRC's, @raw: of the last segment. Nobody asks but for debugging, so that
 * it is computed then, from the memory that the segment was fetched from; a
 * piece at a time, for which the entry is fetched again.
 */
static VgspRunEnd check_pb_crc(VgspChannel *ch, const uint8_t *raw,
                               uint32_t *budget)
{
    uint8_t buf[FETCH_WORDS * 4];
    uint32_t n = MIN(ch->crc_words, FETCH_WORDS);
    VgspVaFault fault;

    if (n) {
        if (!vgsp_va_read(ch->s, &ch->p.pdb, ch->p.privileged, ch->crc_va, buf,
                          4 * n, &fault)) {
            vgsp_channel_fault(ch, VGSP_UNIT_HOST, &fault, "push buffer");
            return VGSP_RUN_ERROR;
        }
        ch->pb_crc = vgsp_crc(ch->pb_crc, buf, 4 * n);
        ch->crc_va += 4ull * n;
        ch->crc_words -= n;
        *budget -= MIN(*budget, n);
        ch->in_entry = false;
        return VGSP_RUN_MORE;
    }
    if (ch->pb_crc != ldl_le_p(raw)) {
        vgsp_channel_error(ch, PBDMA_PUSHBUFFER_CRC_MISMATCH,
                           "PBCRC: another segment was fetched");
        return VGSP_RUN_ERROR;
    }
    ch->pb_crc = 0;
    ch->gp_crc = vgsp_crc(ch->gp_crc, raw, NVC46F_GP_ENTRY__SIZE);
    entry_done(ch);
    return VGSP_RUN_MORE;
}

/* Starts the entry at GP_GET. */
static VgspRunEnd start_entry(VgspChannel *ch, uint32_t *budget)
{
    uint8_t raw[NVC46F_GP_ENTRY__SIZE];
    VgspVaFault fault;
    VgspGpEntry e;

    if (!vgsp_va_read(ch->s, &ch->p.pdb, ch->p.privileged,
                      ch->p.gpfifo_va +
                          (uint64_t)ch->gp_get * NVC46F_GP_ENTRY__SIZE,
                      raw, sizeof(raw), &fault)) {
        vgsp_channel_fault(ch, VGSP_UNIT_HOST, &fault, "GPFIFO");
        return VGSP_RUN_ERROR;
    }
    e = vgsp_gp_entry_decode(ldl_le_p(raw), ldl_le_p(raw + 4));
    trace_vgsp_pbdma_entry(ch->runlist, ch->p.chid, ch->gp_get, e.op, e.va,
                           e.count);
    ch->in_entry = true;
    ch->subroutine = e.subroutine;
    switch (e.op) {
    case VGSP_GP_NOP:
        ch->gp_crc = vgsp_crc(ch->gp_crc, raw, sizeof(raw));
        entry_done(ch);
        return VGSP_RUN_MORE;
    case VGSP_GP_SEGMENT:
        ch->gp_crc = vgsp_crc(ch->gp_crc, raw, sizeof(raw));
        ch->crc_va = e.va;
        ch->crc_words = e.count;
        ch->pb_crc = 0;
        ch->seg_va = e.va;
        ch->seg_count = e.count;
        if (e.conditional && ch->pb.inactive) {
            ch->seg_count = 0;
            entry_done(ch);
        }
        return VGSP_RUN_MORE;
    case VGSP_GP_CRC:
        return check_gp_crc(ch, ldl_le_p(raw));
    case VGSP_GP_PB_CRC:
        return check_pb_crc(ch, raw, budget);
    default:
        return pbdma_error(ch, "GPENTRY: bad GPFIFO entry");
    }
}

/* Finds the next entry; IDLE if there is none. */
static VgspRunEnd next_entry(VgspChannel *ch, uint32_t *budget)
{
    if (ch->gp_get == ch->gp_put) {
        if (!qatomic_xchg(&ch->doorbell, false)) {
            return VGSP_RUN_IDLE;
        }
        if (!userd_read_gp_put(ch)) {
            return pbdma_error(ch, "USERD cannot be read");
        }
        trace_vgsp_pbdma_put(ch->runlist, ch->p.chid, ch->gp_get, ch->gp_put);
        if (ch->gp_put >= ch->p.gpfifo_entries) {
            return pbdma_error(ch, "GPPTR: GP_PUT beyond the ring");
        }
        return VGSP_RUN_MORE;
    }
    return start_entry(ch, budget);
}

/*
 * What was captured is submitted now, or when the executor has room, before
 * anything else of the channel; but for a macro call whose data go on.
 */
static VgspRunEnd slice_end(VgspChannel *ch, VgspRunEnd end)
{
    VgspRcError error = ch->error;
    VgspMethodEnd flushed = end == VGSP_RUN_MORE ? vgsp_gr_flush_slice(ch)
                                                 : vgsp_gr_flush(ch);

    vgsp_host_publish_jobs(ch);
    userd_write(ch);
    if (end == VGSP_RUN_ERROR) {
        ch->error = error;      /* the first of two */
        ch->failing = true;
    }
    return flushed == VGSP_METHOD_DONE ? end : run_end(flushed);
}

VgspRunEnd vgsp_pbdma_run(VgspChannel *ch)
{
    uint32_t budget = SLICE_WORDS;
    VgspRunEnd end = VGSP_RUN_MORE;

    if (ch->failing) {
        end = run_end(vgsp_gr_flush(ch));
        return end == VGSP_RUN_MORE ? VGSP_RUN_ERROR : end;
    }
    if (ch->gr.full) {
        end = run_end(vgsp_gr_flush_slice(ch));
        if (end != VGSP_RUN_MORE) {
            return end;
        }
    }
    ch->ce.slice = VGSP_JOB_SLICE;
    if (ch->acquire.parked) {
        end = run_end(vgsp_host_acquire_retry(ch));
    }
    while (end == VGSP_RUN_MORE && budget && !qatomic_read(&ch->stop)) {
        if (ch->in_entry) {
            end = run_segment(ch, &budget);
        } else {
            budget--;
            end = next_entry(ch, &budget);
        }
    }
    return slice_end(ch, end);
}
