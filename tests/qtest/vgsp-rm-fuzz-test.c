/*
 * Random RM requests, well formed and not, in both profiles: nothing crashes,
 * and GSP-RM still serves a sensible driver afterwards.
 *
 * VGSP_FUZZ_OPS sets the number of requests times ten (default 20000),
 * VGSP_FUZZ_SEED the seed.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "vgsp-qos.h"
#include "vgsp/nv/class.h"
#include "vgsp/nv/rm.h"

#define DEFAULT_OPS 20000
#define MAX_PAYLOAD 4096

/* What vgsp_gsp_vm_new() makes of number 0. */
#define VM_CLIENT       0xc1d00000u
#define VM_DEVICE       0xde1d0000u
#define VM_SUBDEVICE    0x5d1d0000u
#define VM_VASPACE      0x90f10000u

typedef struct Fuzz {
    VgspQos *q;
    GRand *r;
    const VgspProfile *profile;
    uint8_t payload[MAX_PAYLOAD];
} Fuzz;

static uint64_t fuzz_number(const char *name, uint64_t fallback)
{
    const char *s = g_getenv(name);

    return s ? g_ascii_strtoull(s, NULL, 0) : fallback;
}

static bool one_in(Fuzz *f, unsigned n)
{
    return g_rand_int_range(f->r, 0, n) == 0;
}

static uint32_t pick(Fuzz *f, const uint32_t *from, size_t n)
{
    return one_in(f, 30) ? g_rand_int(f->r) :
                           from[g_rand_int_range(f->r, 0, n)];
}

/* Few, so that requests meet each other's objects. */
static uint32_t fuzz_client(Fuzz *f)
{
    const uint32_t clients[] = {
        VM_CLIENT, VM_CLIENT, 0xc1d00001, f->q->gsp.info.client,
    };

    return pick(f, clients, G_N_ELEMENTS(clients));
}

static uint32_t fuzz_handle(Fuzz *f)
{
    const uint32_t handles[] = {
        0, 1, 2, 3, 4, VM_CLIENT, 0xc1d00001, VM_DEVICE, VM_SUBDEVICE,
        VM_VASPACE, 0xcaf00000, 0xdada0045, f->q->gsp.info.client,
        f->q->gsp.info.device, f->q->gsp.info.subdevice,
    };

    return pick(f, handles, G_N_ELEMENTS(handles));
}

static uint32_t fuzz_word(Fuzz *f)
{
    switch (g_rand_int_range(f->r, 0, 8)) {
    case 0:
        return g_rand_int(f->r);
    case 1:
        return 0xffffffff;
    case 2:
        return g_rand_int_range(f->r, 0, 32);
    case 3:
        return fuzz_handle(f);
    case 4:
        return 0x1000u * g_rand_int_range(f->r, 0, 64);
    default:
        return 0;
    }
}

static void fuzz_words(Fuzz *f, uint8_t *p, size_t len)
{
    for (size_t i = 0; i + 4 <= len; i += 4) {
        vgsp_put_le32(p + i, fuzz_word(f));
    }
}

/* Whatever comes back is welcome, so long as something does. */
static void request(Fuzz *f, uint32_t function, size_t len)
{
    int ret = vgsp_gsp_rpc(&f->q->gsp, function, f->payload, len, NULL, NULL);

    g_assert_true(ret == VGSP_GSP_OK || ret == VGSP_GSP_EREMOTEIO);
}

static void fuzz_alloc(Fuzz *f)
{
    static const struct {
        uint32_t cls;
        uint16_t size;
    } classes[] = {
        { NV01_ROOT, 0 }, { NV01_DEVICE_0, 56 }, { NV20_SUBDEVICE_0, 4 },
        { FERMI_VASPACE_A, 48 }, { TURING_CHANNEL_GPFIFO_A, 0 },
        { TURING_CHANNEL_GPFIFO_A, 0 }, { TURING_A, 0 },
        { TURING_COMPUTE_A, 16 }, { TURING_DMA_COPY_A, 8 },
        { NV01_EVENT_KERNEL_CALLBACK_EX, 24 }, { 0x1234, 8 },
    };
    int i = g_rand_int_range(f->r, 0, G_N_ELEMENTS(classes));
    uint32_t cls = classes[i].cls, size = classes[i].size;
    uint32_t client = fuzz_client(f), parent = fuzz_handle(f);
    uint8_t *p = f->payload, *params = p + sizeof(rpc_gsp_rm_alloc_v03_00);

    if (cls == TURING_CHANNEL_GPFIFO_A) {
        size = f->profile->channel_params_size;
    }
    if (one_in(f, 20)) {
        size = g_rand_int_range(f->r, 0, 512);
    }
    fuzz_words(f, params, size);
    if (cls == FERMI_VASPACE_A && !one_in(f, 4)) {
        vgsp_put_le32(params, 0);
    }
    if (cls == TURING_CHANNEL_GPFIFO_A && !one_in(f, 4)) {
        typedef NV_CHANNEL_ALLOC_PARAMS P;

        client = VM_CLIENT;
        parent = VM_DEVICE;
        size = f->profile->channel_params_size;
        memset(params, 0, size);
        vgsp_put_le32(params + offsetof(P, gpFifoEntries), 32);
        vgsp_put_le32(params + offsetof(P, flags), fuzz_word(f) & 0x7700);
        vgsp_put_le32(params + offsetof(P, hVASpace),
                      one_in(f, 4) ? fuzz_handle(f) : VM_VASPACE);
        vgsp_put_le32(params + offsetof(P, engineType),
                      one_in(f, 2) ? NV2080_ENGINE_TYPE_GR0 :
                                     NV2080_ENGINE_TYPE_COPY(2));
        for (uint8_t *mem = params + offsetof(P, instanceMem);
             mem < params + offsetof(P, mthdbufMem);
             mem += sizeof(NV_MEMORY_DESC_PARAMS)) {
            vgsp_put_le64(mem, 0x10000);
            vgsp_put_le64(mem + 8, 0x1000);
            vgsp_put_le32(mem + 16, NV_MEMORY_DESC_ADDRESS_SPACE_FBMEM);
        }
    }
    vgsp_put_le32(p, client);
    vgsp_put_le32(p + 4, parent);
    vgsp_put_le32(p + 8, fuzz_handle(f));
    vgsp_put_le32(p + 12, cls);
    vgsp_put_le32(p + 20, one_in(f, 50) ? g_rand_int(f->r) : size);
    request(f, NV_VGPU_MSG_FUNCTION_GSP_RM_ALLOC,
            sizeof(rpc_gsp_rm_alloc_v03_00) + size);
}

static void fuzz_control(Fuzz *f)
{
    static const struct {
        uint32_t cmd;
        uint16_t size;
    } controls[] = {
        { NV0080_CTRL_CMD_FB_GET_COMPBIT_STORE_INFO, 80 },
        { NV0080_CTRL_CMD_DMA_SET_PAGE_DIRECTORY, 32 },
        { NV0080_CTRL_CMD_DMA_UNSET_PAGE_DIRECTORY, 8 },
        { NV2080_CTRL_CMD_GPU_PROMOTE_CTX, 560 },
        { NV2080_CTRL_CMD_GPU_GET_FERMI_TPC_INFO, 8 },
        { NV2080_CTRL_CMD_INTERNAL_KGR_INIT_BUG4208224_WAR, 1 },
        { NV2080_CTRL_CMD_INTERNAL_INTR_GET_KERNEL_TABLE, 0x814 },
        { NV2080_CTRL_CMD_INTERNAL_FBSR_INIT, 24 },
        { NV2080_CTRL_CMD_INTERNAL_FBSR_INIT, 32 },
        { NV2080_CTRL_CMD_INTERNAL_FBSR_SEND_REGION_INFO, 40 },
        { NV2080_CTRL_CMD_INTERNAL_FBSR_SEND_REGION_INFO, 1 },
        { NV2080_CTRL_CMD_FIFO_GET_DEVICE_INFO_TABLE, 3212 },
        { NV90F1_CTRL_CMD_VASPACE_COPY_SERVER_RESERVED_PDES, 184 },
        { NVA06F_CTRL_CMD_GPFIFO_SCHEDULE, 2 },
        { NVA06F_CTRL_CMD_BIND, 4 },
        { NVC36F_CTRL_CMD_GPFIFO_GET_WORK_SUBMIT_TOKEN, 4 },
        { 0x20807777, 16 },
    };
    int i = g_rand_int_range(f->r, 0, G_N_ELEMENTS(controls));
    uint32_t size = controls[i].size;
    uint8_t *p = f->payload, *params = p + sizeof(rpc_gsp_rm_control_v03_00);

    if (one_in(f, 20)) {
        size = g_rand_int_range(f->r, 0, 512);
    }
    fuzz_words(f, params, size);
    vgsp_put_le32(p, fuzz_client(f));
    vgsp_put_le32(p + 4, fuzz_handle(f));
    vgsp_put_le32(p + 8, controls[i].cmd);
    vgsp_put_le32(p + 16, one_in(f, 50) ? g_rand_int(f->r) : size);
    request(f, NV_VGPU_MSG_FUNCTION_GSP_RM_CONTROL,
            sizeof(rpc_gsp_rm_control_v03_00) + size);
}

static void fuzz_free(Fuzz *f)
{
    memset(f->payload, 0, sizeof(rpc_free_v03_00));
    vgsp_put_le32(f->payload, fuzz_client(f));
    vgsp_put_le32(f->payload + 8, fuzz_handle(f));
    request(f, NV_VGPU_MSG_FUNCTION_FREE, sizeof(rpc_free_v03_00));
}

static void fuzz_alloc_memory(Fuzz *f)
{
    typedef rpc_alloc_memory_v13_01 P;
    uint8_t *p = f->payload;
    uint32_t pages = g_rand_int_range(f->r, 0, 16);

    fuzz_words(f, p, sizeof(P) + 8 * pages);
    vgsp_put_le32(p, fuzz_client(f));
    vgsp_put_le32(p + 4, fuzz_handle(f));
    vgsp_put_le32(p + 8, fuzz_handle(f));
    vgsp_put_le32(p + 12, 0x81 + g_rand_int_range(f->r, 0, 2));
    vgsp_put_le64(p + offsetof(P, length),
                  one_in(f, 8) ? UINT64_MAX : pages * 4096);
    vgsp_put_le32(p + offsetof(P, pteDesc), pages << 16);
    /* More pages than come would make GSP-RM wait for them. */
    vgsp_put_le32(p + offsetof(P, pageCount),
                  pages ? g_rand_int_range(f->r, 0, pages + 1) : 0);
    request(f, NV_VGPU_MSG_FUNCTION_ALLOC_MEMORY, sizeof(P) + 8 * pages);
}

static void fuzz_function(Fuzz *f)
{
    static const uint32_t functions[] = {
        NV_VGPU_MSG_FUNCTION_NOP, NV_VGPU_MSG_FUNCTION_SET_GUEST_SYSTEM_INFO,
        NV_VGPU_MSG_FUNCTION_GET_GSP_STATIC_INFO,
        NV_VGPU_MSG_FUNCTION_UPDATE_BAR_PDE, NV_VGPU_MSG_FUNCTION_DUP_OBJECT,
        NV_VGPU_MSG_FUNCTION_FREE, 1000,
    };
    size_t len = g_rand_int_range(f->r, 0, 800) * 4;

    fuzz_words(f, f->payload, len);
    request(f, functions[g_rand_int_range(f->r, 0, G_N_ELEMENTS(functions))],
            len);
}

static void fuzz_one(Fuzz *f)
{
    switch (g_rand_int_range(f->r, 0, 10)) {
    case 0:
    case 1:
    case 2:
    case 3:
        fuzz_alloc(f);
        break;
    case 4:
    case 5:
    case 6:
        fuzz_control(f);
        break;
    case 7:
        fuzz_free(f);
        break;
    case 8:
        fuzz_alloc_memory(f);
        break;
    default:
        fuzz_function(f);
    }
}

static void test_rm(const void *profile)
{
    uint64_t ops = fuzz_number("VGSP_FUZZ_OPS", DEFAULT_OPS) / 10;
    uint32_t seed = fuzz_number("VGSP_FUZZ_SEED", 1);
    Fuzz f = {
        .q = vgsp_qos_new("", ""),
        .r = g_rand_new_with_seed(seed),
        .profile = profile,
    };
    int64_t allocs;
    VgspGspVm vm;

    vgsp_gsp_up(f.q, profile);
    g_test_message("seed %u, %" PRIu64 " requests", seed, ops);
    allocs = vgsp_qos_stat(f.q, "stats-rm-allocs");
    for (uint64_t i = 0; i < ops; i++) {
        fuzz_one(&f);
        if (i % 64 == 63) {
            /* Make room for successes: a fresh client of known shape. */
            vgsp_gsp_rm_free(&f.q->gsp, VM_CLIENT, VM_CLIENT);
            vgsp_gsp_vm_new(&f.q->gsp, 0, 0x10000, &vm);
        }
    }
    /* It was not all refused at the door. */
    g_assert_cmpint(vgsp_qos_stat(f.q, "stats-rm-allocs") - allocs, >,
                    ops / 64 * 4);
    g_assert_cmpint(vgsp_qos_stat(f.q, "stats-channels"), >, 0);

    g_assert_cmpint(vgsp_gsp_vm_new(&f.q->gsp, 77, 0x10000, &vm), ==,
                    VGSP_GSP_OK);
    g_assert_cmpint(vgsp_gsp_vm_free(&f.q->gsp, &vm), ==, VGSP_GSP_OK);
    vgsp_gsp_down(f.q);
    g_rand_free(f.r);
    vgsp_qos_free(f.q);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    vgsp_add_profiles("/vgsp/rm-fuzz", test_rm);
    return g_test_run();
}
