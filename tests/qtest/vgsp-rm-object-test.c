/*
 * RM's objects one by one: channels and what lies on them, context buffers,
 * memory lists, made-up handles, dependants, the static info's words.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "vgsp-qos.h"
#include "vgsp/nv/class.h"
#include "vgsp/nv/rm.h"

#define PD          0x10000u    /* VRAM: an empty page directory, */
#define INST        0x20000u    /* and a channel's memory */
#define USERD       0x21000u
#define CHANNEL     0xf1f00007u
#define CHID        7u

typedef struct Rm {
    VgspQos *q;
    const VgspProfile *profile;
    VgspGspVm vm;
} Rm;

static Rm rm_up(const void *profile)
{
    Rm r = { .q = vgsp_qos_new("", ""), .profile = profile };

    vgsp_gsp_up(r.q, profile);
    g_assert_cmpint(vgsp_gsp_vm_new(&r.q->gsp, 0, PD, &r.vm), ==, VGSP_GSP_OK);
    return r;
}

static void rm_end(Rm *r)
{
    vgsp_gsp_rm_free(&r->q->gsp, r->vm.client, r->vm.client);
    vgsp_gsp_down(r->q);
    vgsp_qos_free(r->q);
}

static uint32_t rm_alloc(Rm *r, NvHandle parent, NvHandle object,
                         uint32_t hclass, void *params, uint32_t size)
{
    vgsp_gsp_rm_alloc(&r->q->gsp, r->vm.client, parent, object, hclass, params,
                      size);
    g_assert_cmphex(r->q->gsp.rpc_result, ==, 0);
    return r->q->gsp.rm_status;
}

static uint32_t rm_control(Rm *r, NvHandle object, uint32_t cmd, void *params,
                           uint32_t size)
{
    vgsp_gsp_rm_control(&r->q->gsp, r->vm.client, object, cmd, params, size);
    g_assert_cmphex(r->q->gsp.rpc_result, ==, 0);
    return r->q->gsp.rm_status;
}

static void rm_free(Rm *r, NvHandle object)
{
    g_assert_cmpint(vgsp_gsp_rm_free(&r->q->gsp, r->vm.client, object), ==,
                    VGSP_GSP_OK);
}

/* ---- Channels ---- */

/* Parameters of a channel with that id; free them. */
static uint8_t *channel_params(Rm *r, uint32_t chid, uint32_t engine_type)
{
    typedef NV_CHANNEL_ALLOC_PARAMS P;
    static const struct {
        uint16_t offset;
        uint32_t base, size;
    } mem[] = {
        { offsetof(P, instanceMem), INST, 0x1000 },
        { offsetof(P, userdMem), USERD, 0x200 },
        { offsetof(P, ramfcMem), INST, 0x200 },
    };
    uint8_t *p = g_malloc0(r->profile->channel_params_size);

    vgsp_put_le64(p + offsetof(P, gpFifoOffset), 0x10000000);
    vgsp_put_le32(p + offsetof(P, gpFifoEntries), 64);
    vgsp_put_le32(p + offsetof(P, flags),
                  VGSP_SET(NVOS04_FLAGS_CHANNEL_USERD_INDEX_VALUE, chid % 8) |
                  VGSP_SET(NVOS04_FLAGS_CHANNEL_USERD_INDEX_PAGE_VALUE,
                           chid / 8) |
                  NVOS04_FLAGS_CHANNEL_USERD_INDEX_PAGE_FIXED);
    vgsp_put_le32(p + offsetof(P, hVASpace), r->vm.vaspace);
    vgsp_put_le32(p + offsetof(P, engineType), engine_type);
    for (size_t i = 0; i < G_N_ELEMENTS(mem); i++) {
        vgsp_put_le64(p + mem[i].offset, mem[i].base);
        vgsp_put_le64(p + mem[i].offset + 8, mem[i].size);
        vgsp_put_le32(p + mem[i].offset + 16,
                      NV_MEMORY_DESC_ADDRESS_SPACE_FBMEM);
    }
    vgsp_put_le32(p + offsetof(P, internalFlags),
                  VGSP_SET(
                      NV_KERNELCHANNEL_ALLOC_INTERNALFLAGS_ERROR_NOTIFIER_TYPE,
                      ERROR_NOTIFIER_TYPE_NONE));
    return p;
}

static uint32_t channel_new(Rm *r, NvHandle handle, uint32_t chid,
                            uint32_t engine_type)
{
    g_autofree uint8_t *p = channel_params(r, chid, engine_type);

    return rm_alloc(r, r->vm.device, handle, TURING_CHANNEL_GPFIFO_A, p,
                    r->profile->channel_params_size);
}

/* One field of good parameters spoilt. */
static uint32_t channel_bad(Rm *r, size_t offset, uint32_t value)
{
    g_autofree uint8_t *p = channel_params(r, CHID, NV2080_ENGINE_TYPE_GR0);

    vgsp_put_le32(p + offset, value);
    return rm_alloc(r, r->vm.device, CHANNEL, TURING_CHANNEL_GPFIFO_A, p,
                    r->profile->channel_params_size);
}

static void test_channel(const void *profile)
{
    typedef NV_CHANNEL_ALLOC_PARAMS P;
    Rm r = rm_up(profile);
    uint8_t buf[4] = { 0 };

    /* No such engine, no such space, memory that is nowhere. */
    g_assert_cmphex(channel_bad(&r, offsetof(P, engineType), 0x26), ==,
                    NV_ERR_INVALID_ARGUMENT);
    g_assert_cmphex(channel_bad(&r, offsetof(P, hVASpace), 0), ==,
                    NV_ERR_OBJECT_NOT_FOUND);
    g_assert_cmphex(channel_bad(&r, offsetof(P, hVASpace), r.vm.device), ==,
                    NV_ERR_OBJECT_NOT_FOUND);
    g_assert_cmphex(channel_bad(&r, offsetof(P, instanceMem) + 16, 9), ==,
                    NV_ERR_INVALID_ARGUMENT);

    g_assert_cmphex(channel_new(&r, CHANNEL, CHID, NV2080_ENGINE_TYPE_GR0), ==,
                    NV_OK);
    /* An id belongs to one channel of its runlist: COPY0 is on that of GR. */
    g_assert_cmphex(channel_new(&r, 0x100, CHID, NV2080_ENGINE_TYPE_COPY(0)),
                    ==, NV_ERR_NO_FREE_FIFOS);
    g_assert_cmphex(channel_new(&r, 0x100, CHID, NV2080_ENGINE_TYPE_COPY(2)),
                    ==, NV_OK);

    g_assert_cmphex(rm_control(&r, CHANNEL,
                               NVC36F_CTRL_CMD_GPFIFO_GET_WORK_SUBMIT_TOKEN,
                               buf, 4), ==, NV_OK);
    g_assert_cmphex(vgsp_le32(buf), ==, CHID);
    g_assert_cmphex(rm_control(&r, 0x100,
                               NVC36F_CTRL_CMD_GPFIFO_GET_WORK_SUBMIT_TOKEN,
                               buf, 4), ==, NV_OK);
    g_assert_cmphex(vgsp_le32(buf), ==, 1u << 16 | CHID);

    vgsp_put_le32(buf, NV2080_ENGINE_TYPE_COPY(1));
    g_assert_cmphex(rm_control(&r, CHANNEL, NVA06F_CTRL_CMD_BIND, buf, 4), ==,
                    NV_OK);
    vgsp_put_le32(buf, NV2080_ENGINE_TYPE_COPY(2));
    g_assert_cmphex(rm_control(&r, CHANNEL, NVA06F_CTRL_CMD_BIND, buf, 4), ==,
                    NV_ERR_INVALID_ARGUMENT);

    /* Freed, the id is free. */
    rm_free(&r, CHANNEL);
    g_assert_cmphex(channel_new(&r, CHANNEL, CHID, NV2080_ENGINE_TYPE_COPY(0)),
                    ==, NV_OK);
    rm_end(&r);
}

static void copy_params(uint8_t *p, uint32_t engine_type)
{
    vgsp_put_le32(p, NVB0B5_ALLOCATION_PARAMETERS_VERSION_1);
    vgsp_put_le32(p + 4, engine_type);
}

static void test_engine_objects(const void *profile)
{
    Rm r = rm_up(profile);
    uint8_t p[8];

    g_assert_cmphex(channel_new(&r, CHANNEL, CHID, NV2080_ENGINE_TYPE_GR0), ==,
                    NV_OK);
    g_assert_cmphex(channel_new(&r, 0x100, CHID, NV2080_ENGINE_TYPE_COPY(2)),
                    ==, NV_OK);
    g_assert_cmphex(rm_alloc(&r, CHANNEL, 1, TURING_A, NULL, 0), ==, NV_OK);
    g_assert_cmphex(rm_alloc(&r, CHANNEL, 2, TURING_COMPUTE_A, NULL, 0), ==,
                    NV_OK);
    g_assert_cmphex(rm_alloc(&r, CHANNEL, 3, FERMI_TWOD_A, NULL, 0), ==,
                    NV_OK);
    g_assert_cmphex(rm_alloc(&r, CHANNEL, 4, KEPLER_INLINE_TO_MEMORY_B, NULL,
                             0), ==, NV_OK);
    /* Not on a channel, not on a runlist without the engine. */
    g_assert_cmphex(rm_alloc(&r, r.vm.device, 5, TURING_A, NULL, 0), ==,
                    NV_ERR_INVALID_OBJECT_PARENT);
    g_assert_cmphex(rm_alloc(&r, 0x100, 5, TURING_A, NULL, 0), ==,
                    NV_ERR_INVALID_ARGUMENT);
    copy_params(p, NV2080_ENGINE_TYPE_COPY(2));
    g_assert_cmphex(rm_alloc(&r, CHANNEL, 5, TURING_DMA_COPY_A, p, 8), ==,
                    NV_ERR_INVALID_ARGUMENT);
    g_assert_cmphex(rm_alloc(&r, 0x100, 5, TURING_DMA_COPY_A, p, 8), ==,
                    NV_OK);

    /* Handle 0 is made up, each time anew; freeing 0 finds nothing. */
    copy_params(p, NV2080_ENGINE_TYPE_COPY(0));
    g_assert_cmphex(rm_alloc(&r, CHANNEL, 0, TURING_DMA_COPY_A, p, 8), ==,
                    NV_OK);
    g_assert_cmphex(rm_alloc(&r, CHANNEL, 0, TURING_DMA_COPY_A, p, 8), ==,
                    NV_OK);
    g_assert_cmphex(rm_alloc(&r, CHANNEL, 0xcaf00000, TURING_DMA_COPY_A, p, 8),
                    ==, NV_ERR_INSERT_DUPLICATE_NAME);
    rm_free(&r, 0);
    g_assert_cmphex(rm_alloc(&r, CHANNEL, 0xcaf00001, TURING_DMA_COPY_A, p, 8),
                    ==, NV_ERR_INSERT_DUPLICATE_NAME);
    /* They go with their channel. */
    rm_free(&r, CHANNEL);
    g_assert_cmphex(rm_alloc(&r, 0x100, 0xcaf00000, TURING_DMA_COPY_A, p, 8),
                    ==, NV_ERR_INVALID_ARGUMENT); /* COPY0 is not there */
    copy_params(p, NV2080_ENGINE_TYPE_COPY(2));
    g_assert_cmphex(rm_alloc(&r, 0x100, 0xcaf00000, TURING_DMA_COPY_A, p, 8),
                    ==, NV_OK);
    g_assert_cmphex(rm_alloc(&r, 0x100, 1, TURING_DMA_COPY_A, p, 8), ==,
                    NV_OK);
    rm_end(&r);
}

/* A space takes its channels along, with all that is on them. */
static void test_dependants(const void *profile)
{
    Rm r = rm_up(profile);
    uint8_t buf[2] = { 1 };

    g_assert_cmphex(channel_new(&r, CHANNEL, CHID, NV2080_ENGINE_TYPE_GR0), ==,
                    NV_OK);
    g_assert_cmphex(rm_alloc(&r, CHANNEL, 1, TURING_A, NULL, 0), ==, NV_OK);
    g_assert_cmphex(rm_control(&r, CHANNEL, NVA06F_CTRL_CMD_GPFIFO_SCHEDULE,
                               buf, 2), ==, NV_OK);
    rm_free(&r, r.vm.vaspace);
    g_assert_cmphex(rm_control(&r, CHANNEL, NVA06F_CTRL_CMD_GPFIFO_SCHEDULE,
                               buf, 2), ==, NV_ERR_OBJECT_NOT_FOUND);
    g_assert_cmphex(rm_alloc(&r, r.vm.device, 1, NV20_SUBDEVICE_0, NULL, 0),
                    ==, NV_OK);
    rm_end(&r);
}

static void test_promote(const void *profile)
{
    typedef NV2080_CTRL_GPU_PROMOTE_CTX_PARAMS P;
    typedef NV2080_CTRL_GPU_PROMOTE_CTX_BUFFER_ENTRY E;
    const uint32_t cmd = NV2080_CTRL_CMD_GPU_PROMOTE_CTX;
    Rm r = rm_up(profile);
    uint8_t good[sizeof(P)] = { 0 }, p[sizeof(P)];
    uint8_t *e = good + offsetof(P, promoteEntry);

    g_assert_cmphex(channel_new(&r, CHANNEL, CHID, NV2080_ENGINE_TYPE_GR0), ==,
                    NV_OK);
    vgsp_put_le32(good + offsetof(P, engineType), NV2080_ENGINE_TYPE_GR0);
    vgsp_put_le32(good + offsetof(P, hChanClient), r.vm.client);
    vgsp_put_le32(good + offsetof(P, hObject), CHANNEL);
    vgsp_put_le32(good + offsetof(P, entryCount), 1);
    vgsp_put_le64(e + offsetof(E, gpuPhysAddr), 0x30000);
    vgsp_put_le64(e + offsetof(E, gpuVirtAddr), 0x11000000);
    vgsp_put_le64(e + offsetof(E, size), 0x10000);
    e[offsetof(E, bInitialize)] = 1;

    /* What was asked for is still there: that says that it was done. */
    memcpy(p, good, sizeof(p));
    g_assert_cmphex(rm_control(&r, r.vm.subdevice, cmd, p, sizeof(p)), ==,
                    NV_OK);
    g_assert_cmpmem(p, sizeof(p), good, sizeof(good));

    vgsp_put_le32(p + offsetof(P, entryCount), 17);
    g_assert_cmphex(rm_control(&r, r.vm.subdevice, cmd, p, sizeof(p)), ==,
                    NV_ERR_INVALID_ARGUMENT);
    memcpy(p, good, sizeof(p));
    vgsp_put_le16(p + offsetof(P, promoteEntry) + offsetof(E, bufferId), 13);
    g_assert_cmphex(rm_control(&r, r.vm.subdevice, cmd, p, sizeof(p)), ==,
                    NV_ERR_INVALID_ARGUMENT);
    memcpy(p, good, sizeof(p));
    vgsp_put_le32(p + offsetof(P, hObject), r.vm.vaspace);
    g_assert_cmphex(rm_control(&r, r.vm.subdevice, cmd, p, sizeof(p)), ==,
                    NV_ERR_OBJECT_NOT_FOUND);
    memcpy(p, good, sizeof(p));
    vgsp_put_le32(p + offsetof(P, engineType), NV2080_ENGINE_TYPE_COPY(2));
    g_assert_cmphex(rm_control(&r, r.vm.subdevice, cmd, p, sizeof(p)), ==,
                    NV_ERR_INVALID_ARGUMENT);
    rm_end(&r);
}

/* ---- Memory lists ---- */

static int memory_alloc(Rm *r, NvHandle device, NvHandle handle, uint32_t cls,
                        uint64_t length, uint32_t pages)
{
    typedef rpc_alloc_memory_v13_01 P;
    uint32_t size = sizeof(P) + 8 * pages;
    g_autofree uint8_t *p = g_malloc0(size);

    vgsp_put_le32(p + offsetof(P, hClient), r->vm.client);
    vgsp_put_le32(p + offsetof(P, hDevice), device);
    vgsp_put_le32(p + offsetof(P, hMemory), handle);
    vgsp_put_le32(p + offsetof(P, hClass), cls);
    vgsp_put_le64(p + offsetof(P, length), length);
    vgsp_put_le32(p + offsetof(P, pageCount), pages);
    vgsp_put_le32(p + offsetof(P, pteDesc),
                  VGSP_SET(NV_VGPU_PTE_DESC_LENGTH, pages));
    for (uint32_t i = 0; i < pages; i++) {
        vgsp_put_le64(p + sizeof(P) + 8 * i, 0x100 + i);
    }
    vgsp_gsp_rpc(&r->q->gsp, NV_VGPU_MSG_FUNCTION_ALLOC_MEMORY, p, size, NULL,
                 NULL);
    return r->q->gsp.rpc_result;
}

static void test_memory(const void *profile)
{
    Rm r = rm_up(profile);
    NvHandle dev = r.vm.device;

    g_assert_cmphex(memory_alloc(&r, dev, 1, NV01_MEMORY_LIST_SYSTEM, 0x4000,
                                 4), ==, NV_OK);
    g_assert_cmphex(memory_alloc(&r, dev, 1, NV01_MEMORY_LIST_SYSTEM, 0x4000,
                                 4), ==, NV_ERR_INSERT_DUPLICATE_NAME);
    g_assert_cmphex(memory_alloc(&r, dev, 2, NV01_MEMORY_LIST_FBMEM, 0x1000,
                                 1), ==, NV_OK);
    /* More than its pages hold; no such class; not a device. */
    g_assert_cmphex(memory_alloc(&r, dev, 3, NV01_MEMORY_LIST_FBMEM, 0x1001,
                                 1), ==, NV_ERR_INVALID_ARGUMENT);
    g_assert_cmphex(memory_alloc(&r, dev, 3, 0x3e, 0x1000, 1), ==,
                    NV_ERR_INVALID_CLASS);
    g_assert_cmphex(memory_alloc(&r, r.vm.vaspace, 3,
                                 NV01_MEMORY_LIST_FBMEM, 0x1000, 1), ==,
                    NV_ERR_INVALID_OBJECT_PARENT);
    rm_free(&r, 1);
    g_assert_cmphex(memory_alloc(&r, dev, 1, NV01_MEMORY_LIST_SYSTEM, 0x4000,
                                 4), ==, NV_OK);
    rm_end(&r);
}

/* ---- Static info ---- */

static void test_static_info(const void *data)
{
    const VgspProfile *profile = data;
    const VgspStaticInfoLayout *l = profile->static_info;
    const uint8_t *reply, *region;
    g_autofree uint8_t *request = g_malloc0(l->size);
    uint64_t usable, rsvd;
    uint32_t len;
    Rm r = rm_up(profile);

    memset(request, 0xa5, l->size);
    g_assert_cmpint(vgsp_gsp_rpc(&r.q->gsp,
                                 NV_VGPU_MSG_FUNCTION_GET_GSP_STATIC_INFO,
                                 request, l->size, &reply, &len), ==,
                    VGSP_GSP_OK);
    g_assert_cmpuint(len, ==, l->size);

    /* Usable memory from 0 on, then the reserve up to the firmware's part. */
    rsvd = r.q->gsp.layout.nonwpr_heap;
    region = reply + l->fb_regions + 8;
    g_assert_cmpuint(vgsp_le32(reply + l->fb_regions), ==, 2);
    usable = vgsp_le64(region + 8) + 1;
    g_assert_cmphex(vgsp_le64(region), ==, 0);
    g_assert_cmphex(vgsp_le64(region + 0x10), ==, 0);
    g_assert_cmpuint(vgsp_le32(region + 0x18), ==, 100);
    g_assert_cmphex(vgsp_le32(region + 0x1c) & 0xffffff, ==, 0x000101);
    g_assert_cmphex(vgsp_le64(region + 0x30), ==, usable);
    g_assert_cmphex(vgsp_le64(region + 0x38), ==, rsvd - 1);
    g_assert_cmphex(vgsp_le64(region + 0x40), ==, rsvd - usable);
    g_assert_cmphex(vgsp_le32(region + 0x4c) & 0xffffff, ==, 0);

    /* The page directories lie in the reserve. */
    for (int i = 0; i < 2; i++) {
        uint64_t pde = vgsp_le64(reply + (i ? l->bar2_pde_base :
                                              l->bar1_pde_base));

        g_assert_cmphex(pde & 0xfff, ==, 0);
        g_assert_cmphex(pde, >=, usable);
        g_assert_cmphex(pde + 0x1000, <=, rsvd);
    }
    g_assert_cmphex(vgsp_le64(reply + l->bar1_pde_base), !=,
                    vgsp_le64(reply + l->bar2_pde_base));

    g_assert_cmphex(vgsp_le64(reply + l->fb_length), ==, VGSP_QOS_VRAM_SIZE);
    g_assert_cmpuint(vgsp_le32(reply + l->fb_bus_width), ==, 256);
    g_assert_cmphex(vgsp_le32(reply + l->fbio_mask), ==, 0xff);
    g_assert_cmphex(vgsp_le32(reply + l->l2_cache_size), ==, 4 << 20);
    g_assert_cmpstr((const char *)reply + l->name, ==,
                    "NVIDIA GeForce RTX 2080 SUPER");
    g_assert_cmpstr((const char *)reply + l->short_name, ==, "TU104-A");
    g_assert_cmphex(vgsp_le16(reply + l->name_unicode), ==, 'N');
    /* GR0 and COPY0 to COPY4. */
    g_assert_cmphex(vgsp_le32(reply + l->engine_caps), ==, 0x3e02);
    if (l->gpc_info != VGSP_ABSENT) {
        g_assert_cmphex(vgsp_le32(reply + l->gpc_info), ==, 0x3f);
        for (int gpc = 0; gpc < 8; gpc++) {
            g_assert_cmphex(vgsp_le32(reply + l->tpc_info + 8 * gpc + 4), ==,
                            gpc < 6 ? 0xf : 0);
        }
    }

    /* RM's own objects answer, and stay. */
    vgsp_gsp_rm_free(&r.q->gsp, r.q->gsp.info.client, r.q->gsp.info.device);
    g_assert_cmpint(vgsp_gsp_rm_control(&r.q->gsp, r.q->gsp.info.client,
                                        r.q->gsp.info.subdevice,
                                        NV2080_CTRL_CMD_GPU_GET_FERMI_GPC_INFO,
                                        request, 4), ==, VGSP_GSP_OK);
    rm_end(&r);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    vgsp_add_profiles("/vgsp/rm-object/channel", test_channel);
    vgsp_add_profiles("/vgsp/rm-object/engine-objects", test_engine_objects);
    vgsp_add_profiles("/vgsp/rm-object/dependants", test_dependants);
    vgsp_add_profiles("/vgsp/rm-object/promote", test_promote);
    vgsp_add_profiles("/vgsp/rm-object/memory", test_memory);
    vgsp_add_profiles("/vgsp/rm-object/static-info", test_static_info);
    return g_test_run();
}
