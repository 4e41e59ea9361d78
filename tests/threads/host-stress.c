/*
 * The threads of the host engine against each other, under ThreadSanitizer:
 * twelve channels that copy, release, acquire and fail while they are rung,
 * scheduled, freed, stopped and reset. scripts/check-threads builds and runs
 * it; memory, interrupts and GSP-RM are stand-ins, nothing else of QEMU's
 * device code is linked.
 *
 * usage: host-stress [SECONDS [SEED]]
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "qemu/timer.h"
#include "qapi/error.h"
#include "system/runstate.h"
#include "device/intr.h"
#include "device/regs.h"
#include "host/host-int.h"
#include "vgsp/nv/class.h"
#include "vgsp/nv/copy.h"
#include "vgsp/nv/threed.h"
#include "stress-executor.h"

#define MEMORY          (16 * MiB)
#define CHANNELS        12
#define ENTRIES         256u
/* A channel's memory: ring, USERD, push buffer, data. */
#define CHANNEL_BASE(i) ((1 + (i)) * (uint64_t)MiB)
#define USERD           0x3000
#define PUSH            0x4000
#define PUSH_WORDS      0x8000
#define DATA            0x40000

typedef struct Stress {
    unsigned id;
    VgspChannel *ch;
    uint64_t base;
    uint32_t put, words, start;
    uint32_t payload;
} Stress;

static VgspState *state;
static uint8_t *memory;
static Stress channels[CHANNELS];
static unsigned errors, interrupts;

/* ---- Stand-ins for the rest of QEMU ---- */

static VMChangeStateHandler *vm_change;
static void *vm_change_opaque;

VMChangeStateEntry *
qemu_add_vm_change_state_handler(VMChangeStateHandler *cb, void *opaque)
{
    vm_change = cb;
    vm_change_opaque = opaque;
    return NULL;
}

void qemu_del_vm_change_state_handler(VMChangeStateEntry *e)
{
}

bool runstate_is_running(void)
{
    return true;
}

/* VgspState is no QOM object here; the casts only pass it on. */
Object *object_dynamic_cast_assert(Object *obj, const char *type,
                                   const char *file, int line,
                                   const char *func)
{
    return obj;
}

ObjectClass *object_class_dynamic_cast_assert(ObjectClass *klass,
                                              const char *type,
                                              const char *file, int line,
                                              const char *func)
{
    return klass;
}

ObjectClass *object_get_class(Object *obj)
{
    return NULL;
}

ObjectProperty *object_class_property_add(ObjectClass *klass, const char *name,
                                          const char *type,
                                          ObjectPropertyAccessor *get,
                                          ObjectPropertyAccessor *set,
                                          ObjectPropertyRelease *release,
                                          void *opaque)
{
    return NULL;
}

const char *object_get_canonical_path_component(const Object *obj)
{
    return NULL;
}

Type type_register_static(const TypeInfo *info)
{
    return NULL;
}

/* ---- Stand-ins for the rest of the device ---- */

uint64_t vgsp_ptimer_ns(VgspState *s)
{
    return get_clock();
}

void vgsp_intr_raise(VgspState *s, unsigned vector)
{
    qatomic_inc(&interrupts);
}

void vgsp_fault_report(VgspState *s, const VgspMmuFault *fault)
{
}

bool vgsp_dma_pending(VgspState *s)
{
    return false;
}

void vgsp_dma_service(VgspState *s)
{
}

void vgsp_gsp_rc_error(VgspState *s, const VgspRcError *rc)
{
    errors++;
}

/* QEMU's bottom halves are not instrumented: a list with a lock is. */
typedef struct Invalidation {
    void (*done)(void *opaque);
    void *opaque;
    QSIMPLEQ_ENTRY(Invalidation) next;
} Invalidation;

static QemuMutex invalidations_lock;
static QSIMPLEQ_HEAD(, Invalidation) invalidations =
    QSIMPLEQ_HEAD_INITIALIZER(invalidations);

void vgsp_invalidate_async(VgspState *s, const VgspInvalidate *inv,
                           void (*done)(void *opaque), void *opaque)
{
    Invalidation *i = g_new0(Invalidation, 1);

    i->done = done;
    i->opaque = opaque;
    QEMU_LOCK_GUARD(&invalidations_lock);
    QSIMPLEQ_INSERT_TAIL(&invalidations, i, next);
}

static void main_loop(void)
{
    Invalidation *i;

    main_loop_wait(true);
    qemu_mutex_lock(&invalidations_lock);
    while ((i = QSIMPLEQ_FIRST(&invalidations))) {
        QSIMPLEQ_REMOVE_HEAD(&invalidations, next);
        qemu_mutex_unlock(&invalidations_lock);
        i->done(i->opaque);
        g_free(i);
        qemu_mutex_lock(&invalidations_lock);
    }
    qemu_mutex_unlock(&invalidations_lock);
}

/* Guests race on their memory by design: relaxed accesses, no report. */
static void copy_relaxed(void *to, const void *from, size_t len)
{
    uint8_t *t = to;
    const uint8_t *f = from;

    while (len) {
        uintptr_t at = (uintptr_t)t | (uintptr_t)f | len;
        size_t n = !(at & 7) ? 8 : !(at & 3) ? 4 : 1;

        if (n == 8) {
            qatomic_set((uint64_t *)t, qatomic_read((uint64_t *)f));
        } else if (n == 4) {
            qatomic_set((uint32_t *)t, qatomic_read((uint32_t *)f));
        } else {
            qatomic_set(t, qatomic_read(f));
        }
        t += n;
        f += n;
        len -= n;
    }
}

bool vgsp_mem_read(VgspState *s, VgspAperture aperture, uint64_t addr,
                   void *buf, size_t len)
{
    if (!vgsp_range_ok(addr, len, MEMORY)) {
        memset(buf, 0, len);
        return false;
    }
    copy_relaxed(buf, memory + addr, len);
    return true;
}

bool vgsp_mem_write(VgspState *s, VgspAperture aperture, uint64_t addr,
                    const void *buf, size_t len)
{
    if (!vgsp_range_ok(addr, len, MEMORY)) {
        return false;
    }
    copy_relaxed(memory + addr, buf, len);
    return true;
}

static bool gmmu_read(void *opaque, VgspAperture ap, uint64_t addr, void *buf,
                      size_t len)
{
    return vgsp_mem_read(opaque, ap, addr, buf, len);
}

const VgspGmmuOps vgsp_gmmu_ops = { .read = gmmu_read };

static bool fault_at(VgspVaFault *fault, uint64_t va, bool is_write)
{
    *fault = (VgspVaFault) {
        .fault = VGSP_GMMU_FAULT_PTE, .va = va, .is_write = is_write
    };
    return false;
}

bool vgsp_va_read(VgspState *s, const VgspPdb *pdb, bool privileged,
                  uint64_t va, void *buf, size_t len, VgspVaFault *fault)
{
    return (pdb->valid && vgsp_mem_read(s, 0, va, buf, len)) ||
           fault_at(fault, va, false);
}

bool vgsp_va_write(VgspState *s, const VgspPdb *pdb, bool privileged,
                   uint64_t va, const void *buf, size_t len,
                   VgspVaFault *fault)
{
    return (pdb->valid && vgsp_mem_write(s, 0, va, buf, len)) ||
           fault_at(fault, va, true);
}

bool vgsp_va_copy(VgspState *s, const VgspPdb *pdb, bool privileged,
                  uint64_t dst, uint64_t src, size_t len, VgspVaFault *fault)
{
    g_autofree uint8_t *buf = g_malloc(len);

    return vgsp_va_read(s, pdb, privileged, src, buf, len, fault) &&
           vgsp_va_write(s, pdb, privileged, dst, buf, len, fault);
}

bool vgsp_va_rmw(VgspState *s, const VgspPdb *pdb, bool privileged,
                 uint64_t va, unsigned size,
                 uint64_t (*op)(uint64_t old, void *opaque), void *opaque,
                 VgspVaFault *fault)
{
    uint32_t *word = (uint32_t *)(memory + va);
    uint32_t old, seen;

    if (!pdb->valid || size != 4 || !vgsp_range_ok(va, 4, MEMORY)) {
        return fault_at(fault, va, true);
    }
    old = qatomic_read(word);
    while ((seen = qatomic_cmpxchg(word, old, op(old, opaque))) != old) {
        old = seen;
    }
    return true;
}

/* ---- Pushes ---- */

static uint32_t rd(uint64_t addr)
{
    return qatomic_load_acquire((uint32_t *)(memory + addr));
}

static void wr(uint64_t addr, uint32_t v)
{
    qatomic_store_release((uint32_t *)(memory + addr), v);
}

static void push(Stress *c, uint32_t word)
{
    wr(c->base + PUSH + 4 * c->words++, word);
}

static void push_inc(Stress *c, unsigned subch, uint32_t method,
                     unsigned count)
{
    push(c, VGSP_SET(NVC46F_DMA_SEC_OP, NVC46F_DMA_SEC_OP_INC_METHOD) |
         VGSP_SET(NVC46F_DMA_METHOD_COUNT, count) |
         VGSP_SET(NVC46F_DMA_METHOD_SUBCHANNEL, subch) |
         VGSP_SET(NVC46F_DMA_METHOD_ADDRESS, method >> 2));
}

static void push_method(Stress *c, unsigned subch, uint32_t method,
                        uint32_t data)
{
    push_inc(c, subch, method, 1);
    push(c, data);
}

static void push_sem(Stress *c, uint64_t va, uint32_t payload,
                     uint32_t execute)
{
    push_inc(c, 0, NVC46F_SEM_ADDR_LO, 5);
    push(c, va);
    push(c, va >> 32);
    push(c, payload);
    push(c, 0);
    push(c, execute);
}

static void push_copy(Stress *c, uint64_t src, uint64_t dst, uint32_t length,
                      uint32_t lines)
{
    push_inc(c, 4, NVC5B5_OFFSET_IN_UPPER, 8);
    push(c, src >> 32);
    push(c, src);
    push(c, dst >> 32);
    push(c, dst);
    push(c, length + 3);
    push(c, length + 3);
    push(c, length);
    push(c, lines);
    push_method(c, 4, NVC5B5_LAUNCH_DMA,
                NVC5B5_LAUNCH_DMA_DATA_TRANSFER_TYPE_NON_PIPELINED |
                NVC5B5_LAUNCH_DMA_SRC_MEMORY_LAYOUT |
                NVC5B5_LAUNCH_DMA_DST_MEMORY_LAYOUT |
                NVC5B5_LAUNCH_DMA_MULTI_LINE_ENABLE);
}

/* One entry of something, into the ring. */
static void entry(Stress *c)
{
    uint64_t va = c->base + PUSH + 4 * c->start;

    wr(c->base + 8 * c->put, va);
    wr(c->base + 8 * c->put + 4,
       VGSP_SET(NVC46F_GP_ENTRY1_LENGTH, c->words - c->start));
    c->put = (c->put + 1) % ENTRIES;
    c->start = c->words;
    if (c->words > PUSH_WORDS - 64) {
        c->words = c->start = 0;
    }
}

/* A report semaphore of 3D; operation 1 is an acquire. */
static void push_report(Stress *c, uint64_t va, uint32_t payload, uint32_t op)
{
    push_inc(c, 0, NVC597_SET_REPORT_SEMAPHORE_A, 4);
    push(c, va >> 32);
    push(c, va);
    push(c, payload);
    push(c, VGSP_SET(NVC597_SET_REPORT_SEMAPHORE_D_OPERATION, op) |
         NVC597_SET_REPORT_SEMAPHORE_D_STRUCTURE_SIZE |
         (op == NVC597_SET_REPORT_SEMAPHORE_D_OPERATION_ACQUIRE
              ? NVC597_SET_REPORT_SEMAPHORE_D_COMPARISON : 0));
}

static bool has_gr(const Stress *c)
{
    return c->id % 3 == 0;
}

/* GR work beside the rest, on the channels that have it. */
static void work_gr(Stress *c, GRand *r)
{
    uint64_t data = c->base + DATA;

    switch (g_rand_int_range(r, 0, 12)) {
    case 0:
        push_method(c, 0, NVC46F_SET_OBJECT, TURING_A);
        break;
    case 1:
        push_report(c, data, ++c->payload,
                    NVC597_SET_REPORT_SEMAPHORE_D_OPERATION_ACQUIRE);
        break;
    case 2:
        push_report(c, 0, 0, NVC597_SET_REPORT_SEMAPHORE_D_OPERATION_TRAP);
        break;
    case 3:
        if (g_rand_int_range(r, 0, 50) == 0) {
            push_method(c, 0, 0x100, g_rand_boolean(r) ? STRESS_FAULT
                                                       : STRESS_HANG);
            break;
        }
        /* fall through */
    default:
        push_inc(c, 1, 0x100, 1);
        push(c, 0);
        push_report(c, data, ++c->payload, 0);
        break;
    }
    entry(c);
}
static void ring(Stress *c)
{
    wr(c->base + USERD + NV_RAMUSERD_GP_PUT, c->put);
    vgsp_host_doorbell(state, c->ch ? vgsp_host_token(c->ch) : c->id);
}

static void work(Stress *c, GRand *r)
{
    uint64_t data = c->base + DATA;

    switch (g_rand_int_range(r, 0, 9)) {
    case 0:
        push_sem(c, data, ++c->payload,
                 NVC46F_SEM_EXECUTE_OPERATION_RELEASE |
                 NVC46F_SEM_EXECUTE_RELEASE_WFI);
        break;
    case 1:
        push_sem(c, data + 64, 1, NVC46F_SEM_EXECUTE_OPERATION_REDUCTION |
                 NVC46F_SEM_EXECUTE_REDUCTION_FORMAT |
                 VGSP_SET(NVC46F_SEM_EXECUTE_REDUCTION,
                          NVC46F_SEM_EXECUTE_REDUCTION_IADD));
        break;
    case 2:
        /* Often satisfied, by another channel or by the CPU later. */
        data = channels[g_rand_int_range(r, 0, CHANNELS)].base + DATA;
        push_sem(c, data, rd(data) + g_rand_int_range(r, -20, 2),
                 NVC46F_SEM_EXECUTE_OPERATION_ACQ_CIRC_GEQ);
        break;
    case 3:
    case 4:
        push_copy(c, data + 0x1000, data + 0x40000, 97,
                  g_rand_int_range(r, 1, 2000));
        break;
    case 5:
        push_inc(c, 0, NVC46F_MEM_OP_A, 4);
        push(c, 0);
        push(c, 0);
        push(c, NVC46F_MEM_OP_C_TLB_INVALIDATE_PDB);
        push(c, VGSP_SET(NVC46F_MEM_OP_D_OPERATION,
                         NVC46F_MEM_OP_D_OPERATION_MMU_TLB_INVALIDATE));
        break;
    case 6:
        push_method(c, 0, NVC46F_NON_STALL_INTERRUPT, 0);
        push_method(c, 0, NVC46F_YIELD, NVC46F_YIELD_OP_TSG);
        break;
    case 7:
        push_method(c, 0, NVC46F_SET_REFERENCE, c->payload);
        break;
    case 8:
        push_inc(c, 4, NVC5B5_SET_SEMAPHORE_A, 3);
        push(c, 0);
        push(c, data + 128);
        push(c, c->payload);
        push_method(c, 4, NVC5B5_LAUNCH_DMA,
            VGSP_SET(NVC5B5_LAUNCH_DMA_SEMAPHORE_TYPE,
                NVC5B5_LAUNCH_DMA_SEMAPHORE_TYPE_RELEASE_FOUR_WORD_SEMAPHORE) |
            VGSP_SET(NVC5B5_LAUNCH_DMA_INTERRUPT_TYPE,
                     NVC5B5_LAUNCH_DMA_INTERRUPT_TYPE_NON_BLOCKING));
        break;
    }
    entry(c);
}

static void write_word(uint64_t va, uint32_t v)
{
    if (vgsp_range_ok(va, 4, MEMORY)) {
        wr(va, v);
    }
}

/* ---- The test ---- */

static void channel_make(Stress *c)
{
    static const uint32_t engines[] = {
        NV2080_ENGINE_TYPE_GR0, NV2080_ENGINE_TYPE_COPY(2),
        NV2080_ENGINE_TYPE_COPY(3),
    };
    VgspChannelParams p = {
        .chid = c->id,
        .hw_class = TURING_CHANNEL_GPFIFO_A,
        .engine = vgsp_chip_engine(&state->chip,
                                   engines[c->id % ARRAY_SIZE(engines)]),
        .gpfifo_va = c->base,
        .gpfifo_entries = ENTRIES,
        .userd = { VGSP_APERTURE_VIDEO, c->base + USERD, NV_RAMUSERD__SIZE },
        .pdb = { .valid = true },
        .privileged = true,
    };

    memset(memory + c->base + USERD, 0, NV_RAMUSERD__SIZE);
    c->put = c->words = c->start = 0;
    c->ch = vgsp_host_channel_new(state, &p, &error_abort);
    vgsp_host_channel_object(state, c->ch, TURING_DMA_COPY_A, true,
                             &error_abort);
    if (has_gr(c)) {
        vgsp_host_channel_object(state, c->ch, TURING_A, true, &error_abort);
        vgsp_host_channel_object(state, c->ch, TURING_COMPUTE_A, true,
                                 &error_abort);
    }
    vgsp_host_channel_schedule(state, c->ch, true);
}

static void channel_free(Stress *c)
{
    vgsp_host_channel_free(state, c->ch);
    c->ch = NULL;
}

static void all_reset(void)
{
    g_autofree uint8_t *before = NULL;

    vgsp_host_reset(state);
    before = g_memdup2(memory, MEMORY);
    g_usleep(200);
    g_assert_cmpint(memcmp(before, memory, MEMORY), ==, 0);
    for (int i = 0; i < CHANNELS; i++) {
        ring(&channels[i]);
        channel_free(&channels[i]);
        channel_make(&channels[i]);
    }
}

static void step(GRand *r)
{
    Stress *c = &channels[g_rand_int_range(r, 0, CHANNELS)];
    uint32_t used = (c->put - rd(c->base + USERD + NV_RAMUSERD_GP_GET)) %
                    ENTRIES;
    int pick = g_rand_int_range(r, 0, 1000);

    if (pick < 700) {
        for (int n = g_rand_int_range(r, 1, 8); n && used < ENTRIES - 16;
             n--) {
            if (has_gr(c) && g_rand_boolean(r)) {
                work_gr(c, r);
            } else {
                work(c, r);
            }
        }
        ring(c);
    } else if (pick < 800) {
        main_loop();
    } else if (pick < 850) {
        wr(c->base + DATA, rd(c->base + DATA) + 10);
    } else if (pick < 880) {
        vgsp_host_channel_schedule(state, c->ch, false);
        vgsp_host_channel_schedule(state, c->ch, true);
    } else if (pick < 900) {
        vgsp_host_channel_set_pdb(state, c->ch, &(VgspPdb) { .valid = true });
    } else if (pick < 905) {
        vm_change(vm_change_opaque, false, RUN_STATE_PAUSED);
        vm_change(vm_change_opaque, true, RUN_STATE_RUNNING);
    } else if (pick < 908) {
        vgsp_host_disable_all(state, true);
        main_loop();
        vgsp_host_disable_all(state, false);
    } else if (pick < 950) {
        channel_free(c);
        ring(c);
        channel_make(c);
    } else if (pick < 953) {
        all_reset();
    } else if (pick < 960 && used < ENTRIES - 16) {
        push(c, g_rand_int(r));
        push(c, g_rand_int(r));
        entry(c);
        ring(c);
    } else if (pick < 965 && used < ENTRIES - 16) {
        push_copy(c, c->base + DATA, MEMORY - 500, 2000, 1);
        entry(c);
        ring(c);
    } else {
        g_usleep(50);
    }
}

/* Every channel still works. */
static void finish(void)
{
    for (int i = 0; i < CHANNELS; i++) {
        Stress *c = &channels[i];

        channel_free(c);
        wr(c->base + DATA, 0);
        channel_make(c);
        push_sem(c, c->base + DATA, 0x777,
                 NVC46F_SEM_EXECUTE_OPERATION_RELEASE);
        entry(c);
        ring(c);
    }
    for (int i = 0; i < CHANNELS; i++) {
        for (int wait = 0; rd(channels[i].base + DATA) != 0x777; wait++) {
            g_assert_cmpint(wait, <, 100000);
            g_usleep(100);
        }
        channel_free(&channels[i]);
    }
}

int main(int argc, char **argv)
{
    int64_t seconds = argc > 1 ? atoi(argv[1]) : 10;
    uint32_t seed = argc > 2 ? atoi(argv[2]) : 1;
    int64_t end = get_clock() + seconds * NANOSECONDS_PER_SECOND;
    GRand *r = g_rand_new_with_seed(seed);
    unsigned steps = 0;

    qemu_init_main_loop(&error_abort);
    qemu_mutex_init(&invalidations_lock);
    memory = g_malloc0(MEMORY);
    state = g_malloc0(sizeof(*state));
    state->chip = vgsp_chip_tu104;
    state->watchdog_ms = 5;
    state->executor = stress_executor_new(state, write_word);
    vgsp_host_init(state, &error_abort);
    for (int i = 0; i < CHANNELS; i++) {
        channels[i].id = i;
        channels[i].base = CHANNEL_BASE(i);
        channel_make(&channels[i]);
    }
    for (; get_clock() < end; steps++) {
        step(r);
    }
    main_loop();
    finish();
    vgsp_host_exit(state);
    main_loop();
    printf("%" PRIu64 " sections, ", stress_executor_retired(state->executor));
    stress_executor_free(state->executor);
    printf("seed %u: %u steps, %" PRIu64 " channels, %" PRIu64 " methods, "
           "%" PRIu64 " releases, %u errors, %u interrupts\n", seed, steps,
           state->stats.channels, state->stats.methods, state->stats.releases,
           errors, interrupts);
    g_rand_free(r);
    g_free(state);
    g_free(memory);
    return 0;
}
