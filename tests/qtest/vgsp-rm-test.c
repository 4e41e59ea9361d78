/*
 * RM: the object tree with its result codes, controls with theirs, and what is
 * refused, in both profiles.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "vgsp-qos.h"
#include "vgsp/nv/class.h"
#include "vgsp/nv/rm.h"

#define PD          0x10000u    /* VRAM address of an empty page directory */
#define CLIENT(id)  (0xc1d00000u + (id))

static VgspQos *rm_up(const void *profile)
{
    VgspQos *q = vgsp_qos_new("", "");

    vgsp_gsp_up(q, profile);
    return q;
}

static void rm_end(VgspQos *q)
{
    vgsp_gsp_down(q);
    vgsp_qos_free(q);
}

static uint32_t rm_alloc(VgspQos *q, NvHandle client, NvHandle parent,
                         NvHandle object, uint32_t hclass, void *params,
                         uint32_t size)
{
    int ret = vgsp_gsp_rm_alloc(&q->gsp, client, parent, object, hclass,
                                params, size);

    g_assert_true(ret == 0 || ret == VGSP_GSP_EREMOTEIO);
    /* RM's errors are in the payload, never in the transport. */
    g_assert_cmphex(q->gsp.rpc_result, ==, 0);
    return q->gsp.rm_status;
}

static uint32_t rm_control(VgspQos *q, NvHandle client, NvHandle object,
                           uint32_t cmd, void *params, uint32_t size)
{
    int ret = vgsp_gsp_rm_control(&q->gsp, client, object, cmd, params, size);

    g_assert_true(ret == 0 || ret == VGSP_GSP_EREMOTEIO);
    g_assert_cmphex(q->gsp.rpc_result, ==, 0);
    return q->gsp.rm_status;
}

static uint32_t rm_internal(VgspQos *q, uint32_t cmd, void *params,
                            uint32_t size)
{
    return rm_control(q, q->gsp.info.client, q->gsp.info.subdevice, cmd,
                      params, size);
}

static void vm_new(VgspQos *q, uint32_t id, VgspGspVm *vm)
{
    g_assert_cmpint(vgsp_gsp_vm_new(&q->gsp, id, PD, vm), ==, VGSP_GSP_OK);
}

static void vm_free(VgspQos *q, const VgspGspVm *vm)
{
    g_assert_cmpint(vgsp_gsp_vm_free(&q->gsp, vm), ==, VGSP_GSP_OK);
}

/* ---- Objects ---- */

static void test_tree(const void *profile)
{
    VgspQos *q = rm_up(profile);
    int64_t allocs = vgsp_qos_stat(q, "stats-rm-allocs");
    int64_t frees = vgsp_qos_stat(q, "stats-rm-frees");
    VgspGspVm vm;

    vm_new(q, 0, &vm);
    g_assert_cmphex(vm.client, ==, CLIENT(0));
    /* Root, device, subdevice, address space. */
    g_assert_cmpint(vgsp_qos_stat(q, "stats-rm-allocs") - allocs, ==, 4);
    vm_free(q, &vm);
    g_assert_cmpint(vgsp_qos_stat(q, "stats-rm-frees") - frees, ==, 4);
    /* The same handles can be used again. */
    vm_new(q, 0, &vm);
    vm_free(q, &vm);
    rm_end(q);
}

static void test_alloc_errors(const void *profile)
{
    const VgspProfile *p = profile;
    VgspQos *q = rm_up(profile);
    uint8_t buf[120] = { 0 };
    VgspGspVm vm;

    vm_new(q, 1, &vm);
    /* A handle that is taken. */
    g_assert_cmphex(rm_alloc(q, vm.client, vm.device, vm.subdevice,
                             NV20_SUBDEVICE_0, buf, 4), ==,
                    NV_ERR_INSERT_DUPLICATE_NAME);
    g_assert_cmphex(rm_alloc(q, vm.client, vm.client, vm.client, NV01_ROOT,
                             buf, p->root_params_size), ==,
                    NV_ERR_INSERT_DUPLICATE_NAME);
    /* A class that does not exist. */
    g_assert_cmphex(rm_alloc(q, vm.client, vm.device, 0x1234, 0x927c, buf, 4),
                    ==, NV_ERR_INVALID_CLASS);
    /* A parent that does not exist, and one that cannot have such a child. */
    g_assert_cmphex(rm_alloc(q, vm.client, 0xdead, 0x1234, NV20_SUBDEVICE_0,
                             buf, 4), !=, NV_OK);
    g_assert_cmphex(rm_alloc(q, vm.client, vm.vaspace, 0x1234,
                             NV20_SUBDEVICE_0, buf, 4), ==,
                    NV_ERR_INVALID_OBJECT_PARENT);
    /* Parameters of another size. */
    g_assert_cmphex(rm_alloc(q, vm.client, vm.device, 0x1234, FERMI_VASPACE_A,
                             buf, 40), !=, NV_OK);
    /* A client that does not exist. */
    g_assert_cmphex(rm_alloc(q, CLIENT(99), CLIENT(99), 0x1234, NV01_DEVICE_0,
                             buf, 56), !=, NV_OK);
    /* None of these left anything behind. */
    g_assert_cmphex(rm_alloc(q, vm.client, vm.device, 0x1234, FERMI_VASPACE_A,
                             buf, 48), ==, NV_OK);
    vm_free(q, &vm);
    rm_end(q);
}

/* Freeing a parent frees what is below it; freeing again is quiet. */
static void test_free(const void *profile)
{
    VgspQos *q = rm_up(profile);
    VgspGspVm vm;
    uint8_t buf[56] = { 0 };
    uint8_t none = 0;

    vm_new(q, 2, &vm);
    g_assert_cmpint(vgsp_gsp_rm_free(&q->gsp, vm.client, vm.device), ==,
                    VGSP_GSP_OK);
    g_assert_cmphex(rm_control(q, vm.client, vm.subdevice,
                               NV2080_CTRL_CMD_GPU_GET_FERMI_GPC_INFO, buf, 4),
                    ==, NV_ERR_OBJECT_NOT_FOUND);
    g_assert_cmphex(rm_control(q, vm.client, vm.vaspace, 0x90f10106, &none, 1),
                    !=, NV_OK);
    g_assert_cmpint(vgsp_gsp_rm_free(&q->gsp, vm.client, vm.vaspace), ==,
                    VGSP_GSP_OK);
    g_assert_cmpint(vgsp_gsp_rm_free(&q->gsp, vm.client, vm.device), ==,
                    VGSP_GSP_OK);
    /* The client is still there, with room for the handle. */
    g_assert_cmphex(rm_alloc(q, vm.client, vm.client, vm.device,
                             NV01_DEVICE_0, buf, 56), ==, NV_OK);
    g_assert_cmpint(vgsp_gsp_rm_free(&q->gsp, vm.client, vm.client), ==,
                    VGSP_GSP_OK);
    rm_end(q);
}

/* However many directories go with a client, the TLBs are flushed once. */
static void test_free_invalidates(const void *profile)
{
    VgspQos *q = rm_up(profile);
    int64_t before;
    VgspGspVm vm;

    vm_new(q, 2, &vm);
    for (uint32_t handle = 0x100; handle < 0x110; handle++) {
        uint8_t vas[sizeof(NV_VASPACE_ALLOCATION_PARAMETERS)] = { 0 };
        uint8_t dir[sizeof(NV0080_CTRL_DMA_SET_PAGE_DIRECTORY_PARAMS)] = { 0 };

        g_assert_cmphex(rm_alloc(q, vm.client, vm.device, handle,
                                 FERMI_VASPACE_A, vas, sizeof(vas)), ==, NV_OK);
        vgsp_put_le64(dir + offsetof(NV0080_CTRL_DMA_SET_PAGE_DIRECTORY_PARAMS,
                                     physAddress), PD);
        vgsp_put_le32(dir + offsetof(NV0080_CTRL_DMA_SET_PAGE_DIRECTORY_PARAMS,
                                     hVASpace), handle);
        g_assert_cmphex(rm_control(q, vm.client, vm.device,
                                   NV0080_CTRL_CMD_DMA_SET_PAGE_DIRECTORY, dir,
                                   sizeof(dir)), ==, NV_OK);
    }
    before = vgsp_qos_stat(q, "stats-invalidates");
    g_assert_cmpint(vgsp_gsp_rm_free(&q->gsp, vm.client, vm.client), ==,
                    VGSP_GSP_OK);
    g_assert_cmpint(vgsp_qos_stat(q, "stats-invalidates") - before, ==, 1);
    rm_end(q);
}

/* Handles belong to their client. */
static void test_two_clients(const void *profile)
{
    VgspQos *q = rm_up(profile);
    VgspGspVm a, b;
    uint8_t dir[32] = { 0 };

    vm_new(q, 3, &a);
    vm_new(q, 4, &b);
    g_assert_cmphex(a.device, ==, b.device);
    g_assert_cmphex(a.client, !=, b.client);
    g_assert_cmpint(vgsp_gsp_rm_free(&q->gsp, a.client, a.device), ==,
                    VGSP_GSP_OK);
    vgsp_put_le64(dir, PD);
    vgsp_put_le32(dir + 8, 4);
    vgsp_put_le32(dir + 16, b.vaspace);
    g_assert_cmphex(rm_control(q, b.client, b.device,
                               NV0080_CTRL_CMD_DMA_SET_PAGE_DIRECTORY, dir,
                               sizeof(dir)), ==, NV_OK);
    g_assert_cmphex(rm_control(q, a.client, a.device,
                               NV0080_CTRL_CMD_DMA_SET_PAGE_DIRECTORY, dir,
                               sizeof(dir)), ==, NV_ERR_OBJECT_NOT_FOUND);
    g_assert_cmpint(vgsp_gsp_rm_free(&q->gsp, a.client, a.client), ==,
                    VGSP_GSP_OK);
    vm_free(q, &b);
    rm_end(q);
}

/* A guest that never frees is stopped, not served for ever. */
static void test_many(const void *profile)
{
    VgspQos *q = rm_up(profile);
    uint8_t buf[48] = { 0 };
    uint32_t made = 0;
    VgspGspVm vm;

    vm_new(q, 5, &vm);
    while (made < 2000 &&
           rm_alloc(q, vm.client, vm.device, 0x10000 + made, FERMI_VASPACE_A,
                    buf, sizeof(buf)) == NV_OK) {
        made++;
        memset(buf, 0, sizeof(buf));
    }
    g_assert_cmpuint(made, ==, 2000);
    vm_free(q, &vm);
    rm_end(q);
}

/* ---- Controls ---- */

static void test_control_errors(const void *profile)
{
    VgspQos *q = rm_up(profile);
    NvHandle client = q->gsp.info.client, sub = q->gsp.info.subdevice;
    int64_t refused = vgsp_qos_stat(q, "stats-rm-refused");
    g_autofree char *names = NULL;
    uint8_t buf[64] = { 0 };

    /* Known, of another size; known, of another object; unknown. */
    g_assert_cmphex(rm_control(q, client, sub,
                               NV2080_CTRL_CMD_INTERNAL_INTR_GET_KERNEL_TABLE,
                               buf, 4), ==, NV_ERR_INVALID_PARAM_STRUCT);
    g_assert_cmphex(rm_control(q, client, sub,
                               NV2080_CTRL_CMD_CE_GET_FAULT_METHOD_BUFFER_SIZE,
                               buf, 8), ==, NV_ERR_INVALID_PARAM_STRUCT);
    g_assert_cmphex(rm_control(q, client, 0xdead,
                               NV2080_CTRL_CMD_CE_GET_FAULT_METHOD_BUFFER_SIZE,
                               buf, 4), ==, NV_ERR_OBJECT_NOT_FOUND);
    g_assert_cmphex(rm_control(q, CLIENT(77), sub,
                               NV2080_CTRL_CMD_CE_GET_FAULT_METHOD_BUFFER_SIZE,
                               buf, 4), ==, NV_ERR_INVALID_CLIENT);
    g_assert_cmpint(vgsp_qos_stat(q, "stats-rm-refused") - refused, ==, 0);
    g_assert_cmphex(rm_control(q, client, sub, 0x20807777, buf, 16), ==,
                    NV_ERR_NOT_SUPPORTED);
    g_assert_cmphex(rm_control(q, client, sub, 0x20807777, buf, 16), ==,
                    NV_ERR_NOT_SUPPORTED);
    g_assert_cmphex(rm_control(q, client, client,
                               NV2080_CTRL_CMD_CE_GET_FAULT_METHOD_BUFFER_SIZE,
                               buf, 4), ==, NV_ERR_NOT_SUPPORTED);
    /* Refusals are counted, each by name. */
    g_assert_cmpint(vgsp_qos_stat(q, "stats-rm-refused") - refused, ==, 3);
    names = vgsp_qos_property(q, "stats-rm-refused-names");
    g_assert_nonnull(strstr(names, "0x20807777=2"));
    g_assert_nonnull(strstr(names, "0x20802a08:"));
    rm_end(q);
}

static void test_gpu_info(const void *data)
{
    const VgspProfile *profile = data;
    VgspQos *q = rm_up(profile);
    uint8_t buf[8] = { 0 };

    if (profile->static_info->gpc_info != VGSP_ABSENT) {
        /* In the static info, which boot has left in the buffer. */
        vgsp_qos_free(q);
        return;
    }
    g_assert_cmphex(rm_internal(q, NV2080_CTRL_CMD_GPU_GET_FERMI_GPC_INFO,
                                buf, 4), ==, NV_OK);
    g_assert_cmphex(vgsp_le32(buf), ==, 0x3f);
    for (uint32_t gpc = 0; gpc < 6; gpc++) {
        vgsp_put_le32(buf, gpc);
        vgsp_put_le32(buf + 4, 0);
        g_assert_cmphex(rm_internal(q, NV2080_CTRL_CMD_GPU_GET_FERMI_TPC_INFO,
                                    buf, 8), ==, NV_OK);
        g_assert_cmphex(vgsp_le32(buf + 4), ==, 0xf);
    }
    vgsp_put_le32(buf, 40);
    g_assert_cmphex(rm_internal(q, NV2080_CTRL_CMD_GPU_GET_FERMI_TPC_INFO,
                                buf, 8), !=, NV_OK);
    rm_end(q);
}

static void test_device_info(const void *profile)
{
    typedef NV2080_CTRL_FIFO_GET_DEVICE_INFO_TABLE_PARAMS Table;
    VgspQos *q = rm_up(profile);
    g_autofree uint8_t *buf = g_malloc0(sizeof(Table));
    uint32_t n, runlists = 0, gr_runlist = 0;
    bool gr = false, gr_has_ce = false, ce_alone = false;

    g_assert_cmphex(rm_internal(q, NV2080_CTRL_CMD_FIFO_GET_DEVICE_INFO_TABLE,
                                buf, sizeof(Table)), ==, NV_OK);
    n = vgsp_le32(buf + 4);
    g_assert_cmpuint(n, >, 0);
    g_assert_cmpuint(n, <=, 32);
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < n; i++) {
            const uint8_t *e = buf + 12 + 100 * i;
            uint32_t type = vgsp_le32(e + 4 * 2);
            uint32_t runlist = vgsp_le32(e + 4 * 3);

            g_assert_cmpuint(runlist, <, 32);
            g_assert_cmphex(vgsp_le32(e + 4 * 11), ==, 0);
            runlists |= 1u << runlist;
            if (type == 1) {
                g_assert_cmphex(vgsp_le32(e), ==, 0xd334df00);
                gr = true;
                gr_runlist = runlist;
            } else {
                bool ce = type >= 9 && type < 9 + 10;

                /* Nothing that nouveau would drop a runlist for. */
                g_assert_true(ce || type == 0x1d || type == 0x25);
                if (ce) {
                    g_assert_cmphex(vgsp_le32(e), ==, 0x793ceb00 + type - 9);
                }
                gr_has_ce |= pass && ce && runlist == gr_runlist;
                ce_alone |= pass && ce && runlist != gr_runlist;
            }
        }
    }
    g_assert_true(gr);
    g_assert_true(gr_has_ce);
    g_assert_true(ce_alone);
    rm_end(q);
}

static void test_interrupt_table(const void *data)
{
    typedef NV2080_CTRL_INTERNAL_INTR_GET_KERNEL_TABLE_PARAMS Table;
    static const uint8_t subtrees[14] = {
        0xff, 0xff, 3, 3, 0, 0, 0xff, 0xff, 0xff, 0xff, 1, 1, 2, 2
    };
    const VgspProfile *profile = data;
    VgspQos *q = rm_up(profile);
    g_autofree uint8_t *buf = g_malloc0(sizeof(Table));
    uint32_t n;
    bool gsp = false, gr = false, ce = false;

    g_assert_cmphex(
        rm_internal(q, NV2080_CTRL_CMD_INTERNAL_INTR_GET_KERNEL_TABLE, buf,
                    sizeof(Table)), ==, NV_OK);
    n = vgsp_le32(buf);
    g_assert_cmpuint(n, >, 0);
    g_assert_cmpuint(n, <=, 32);
    for (uint32_t i = 0; i < n; i++) {
        const uint8_t *e = buf + 4 + 16 * i;
        uint32_t engine = vgsp_le16(e), stall = vgsp_le32(e + 8);
        uint32_t nonstall = vgsp_le32(e + 12);

        if (engine == profile->mc_engine->gsp) {
            g_assert_cmpuint(stall, <, 256);
            gsp = true;
        } else if (engine == profile->mc_engine->gr0) {
            g_assert_cmpuint(nonstall, <, 256);
            gr = true;
        } else if (engine == profile->mc_engine->ce0 + 2) {
            g_assert_cmpuint(nonstall, <, 256);
            ce = true;
        }
    }
    g_assert_true(gsp);
    g_assert_true(gr);
    g_assert_true(ce);
    g_assert_cmpmem(buf + 0x804, 14, subtrees, 14);
    rm_end(q);
}

static void test_buffers(const void *data)
{
    static const uint8_t needed[] = {
        0x00, 0x08, 0x0d, 0x10, 0x11, 0x13, 0x14, 0x17, 0x18
    };
    const VgspProfile *profile = data;
    VgspQos *q = rm_up(profile);
    uint32_t size = 8 * 8 * profile->ctx_buffer_count;
    g_autofree uint8_t *buf = g_malloc0(size);
    uint8_t word[4] = { 0 };

    g_assert_cmphex(rm_internal(q,
        NV2080_CTRL_CMD_INTERNAL_STATIC_KGR_GET_CONTEXT_BUFFERS_INFO, buf,
        size), ==, NV_OK);
    for (size_t i = 0; i < G_N_ELEMENTS(needed); i++) {
        uint32_t bytes = vgsp_le32(buf + 8 * needed[i]);
        uint32_t align = vgsp_le32(buf + 8 * needed[i] + 4);

        g_assert_cmphex(bytes, !=, 0);
        g_assert_cmphex(align & (align - 1), ==, 0);
    }
    g_assert_cmphex(rm_internal(q,
        NV2080_CTRL_CMD_CE_GET_FAULT_METHOD_BUFFER_SIZE, word, 4), ==, NV_OK);
    g_assert_cmphex(vgsp_le32(word), >, 0);
    g_assert_cmphex(vgsp_le32(word), <=, 0x10000);
    rm_end(q);
}

/* One number, two meanings: the profile decides. */
static void test_override(const void *data)
{
    const VgspProfile *profile = data;
    VgspQos *q = rm_up(profile);
    bool is_570 = profile == vgsp_profiles[0];
    uint8_t buf[NV2080_CTRL_GR_GET_ZCULL_INFO_WORDS * 4] = { 0 };

    if (is_570) {
        g_assert_cmphex(rm_internal(q, 0x20800ac3, buf, 1), ==, NV_OK);
        g_assert_cmphex(rm_internal(q, NV2080_CTRL_CMD_GR_GET_ZCULL_INFO, buf,
                                    sizeof(buf)), ==, NV_OK);
        for (int i = 0; i < 2; i++) {
            g_assert_cmphex(vgsp_le32(buf + 4 * i), !=, 0);
        }
    } else {
        /* FBSR_SEND_REGION_INFO, 40 bytes, here of no such memory. */
        g_assert_cmphex(rm_internal(q, 0x20800ac3, buf, 1), ==,
                        NV_ERR_INVALID_PARAM_STRUCT);
        g_assert_cmphex(rm_internal(q, 0x20800ac3, buf, 40), ==,
                        NV_ERR_OBJECT_NOT_FOUND);
    }
    rm_end(q);
}

/* Directory pages that RM offers to spaces without their own. */
static void test_reserved_pdes(const void *profile)
{
    typedef NV90F1_CTRL_VASPACE_COPY_SERVER_RESERVED_PDES_PARAMS Pdes;
    VgspQos *q = rm_up(profile);
    uint8_t buf[sizeof(Pdes)] = { 0 };
    uint8_t vas[48] = { 0 };
    VgspGspVm vm;

    vm_new(q, 6, &vm);
    g_assert_cmphex(rm_alloc(q, vm.client, vm.device, 0x90f10001,
                             FERMI_VASPACE_A, vas, sizeof(vas)), ==, NV_OK);
    vgsp_put_le64(buf + offsetof(Pdes, pageSize), 0x20000000);
    vgsp_put_le64(buf + offsetof(Pdes, virtAddrLo), 0x100000000ull);
    vgsp_put_le64(buf + offsetof(Pdes, virtAddrHi), 0x11fffffffull);
    vgsp_put_le32(buf + offsetof(Pdes, numLevelsToCopy), 3);
    for (int i = 0; i < 3; i++) {
        uint32_t at = offsetof(Pdes, levels) + i * 24;

        vgsp_put_le64(buf + at, 0x20000 + i * 0x1000);
        vgsp_put_le64(buf + at + 8, 0x1000);
        vgsp_put_le32(buf + at + 16, 1);
        buf[at + 20] = 47 - 9 * i;
    }
    g_assert_cmphex(rm_control(q, vm.client, 0x90f10001, 0x90f10106, buf,
                               sizeof(buf)), ==, NV_OK);
    vm_free(q, &vm);
    rm_end(q);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    vgsp_add_profiles("/vgsp/rm/tree", test_tree);
    vgsp_add_profiles("/vgsp/rm/alloc-errors", test_alloc_errors);
    vgsp_add_profiles("/vgsp/rm/free", test_free);
    vgsp_add_profiles("/vgsp/rm/free-invalidates", test_free_invalidates);
    vgsp_add_profiles("/vgsp/rm/two-clients", test_two_clients);
    qtest_add_data_func("/vgsp/rm/many", vgsp_profiles[0], test_many);
    vgsp_add_profiles("/vgsp/rm/control-errors", test_control_errors);
    vgsp_add_profiles("/vgsp/rm/gpu-info", test_gpu_info);
    vgsp_add_profiles("/vgsp/rm/device-info", test_device_info);
    vgsp_add_profiles("/vgsp/rm/interrupt-table", test_interrupt_table);
    vgsp_add_profiles("/vgsp/rm/buffers", test_buffers);
    vgsp_add_profiles("/vgsp/rm/override", test_override);
    vgsp_add_profiles("/vgsp/rm/reserved-pdes", test_reserved_pdes);
    return g_test_run();
}
