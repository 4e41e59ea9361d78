/*
 * Order and time: fences, semaphores, timelines, events, queries.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <string.h>

#include "shaders.h"

enum { WORDS = 256 };

/* The buffer and the program that most of these tests run. */
typedef struct Work {
    Buf buf;
    Prog prog;
    uint32_t want[WORDS];
} Work;

static Work work_new(T *t)
{
    Work w = { .buf = buf_new(t, WORDS * 4) };

    w.prog = prog_new(t, sh_add1, (Bind[]) { SSBO(w.buf) }, 1, 8, NULL);
    return w;
}

/* Records one step of the work, and does it on the CPU. */
static void work_step(VkCommandBuffer cmd, Work *w, uint32_t m, uint32_t a)
{
    uint32_t push[2] = { m, a };

    cmd_bind(cmd, &w->prog, push, 8);
    vkCmdDispatch(cmd, WORDS / 64, 1, 1);
    cmd_barrier(cmd);
    for (int i = 0; i < WORDS; i++) {
        w->want[i] = w->want[i] * m + a;
    }
}

/* Eight submissions that follow one another, none waited for. */
static void in_flight(T *t)
{
    Work w = work_new(t);
    VkFence fences[8];

    for (uint32_t i = 0; i < 8; i++) {
        VkCommandBuffer cmd = cmd_begin(t);

        work_step(cmd, &w, 3 + i, i * i + 1);
        fences[i] = fence_new(t);
        cmd_submit(t, cmd, fences[i]);
    }
    fence_wait(t, fences[7]);
    for (int i = 0; i < 8; i++) {
        check_that(t, vkGetFenceStatus(t->g->dev, fences[i]) == VK_SUCCESS,
                   "submission %d has ended after the last", i);
    }
    check_u32(t, "results", w.buf.map, w.want, WORDS);
}

/* Submissions in order by binary semaphores; a fence that is used again. */
static void binary_semaphores(T *t)
{
    Work w = work_new(t);
    VkSemaphore sem[5];
    VkFence fence = fence_new(t);
    VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;

    for (uint32_t i = 0; i < 5; i++) {
        VkCommandBuffer cmd = cmd_begin(t);
        VkSubmitInfo info = {
            .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
            .waitSemaphoreCount = i > 0,
            .pWaitSemaphores = &sem[i ? i - 1 : 0],
            .pWaitDstStageMask = &stage,
            .commandBufferCount = 1,
            .pCommandBuffers = &cmd,
            .signalSemaphoreCount = i < 4,
            .pSignalSemaphores = &sem[i],
        };

        sem[i] = semaphore_new(t, false);
        work_step(cmd, &w, 5, i + 1);
        VK(t, vkEndCommandBuffer(cmd));
        VK(t, vkQueueSubmit(t->g->queue, 1, &info, i < 4 ? NULL : fence));
    }
    fence_wait(t, fence);
    check_u32(t, "results", w.buf.map, w.want, WORDS);
    VK(t, vkResetFences(t->g->dev, 1, &fence));
    check_that(t, vkGetFenceStatus(t->g->dev, fence) == VK_NOT_READY,
               "a fence is not signalled after its reset");
    VK(t, vkQueueSubmit(t->g->queue, 0, NULL, fence));
    fence_wait(t, fence);
}

static uint64_t timeline_value(T *t, VkSemaphore s)
{
    uint64_t v = 0;

    VK(t, vkGetSemaphoreCounterValue(t->g->dev, s, &v));
    return v;
}

static VkResult timeline_wait(T *t, VkSemaphore s, uint64_t v, uint64_t ns)
{
    VkSemaphoreWaitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
        .semaphoreCount = 1,
        .pSemaphores = &s,
        .pValues = &v,
    };

    return vkWaitSemaphores(t->g->dev, &info, ns);
}

/* Waits for 2i, works, signals 2i + 1; the CPU gives the even values. */
static void timeline(T *t)
{
    Work w = work_new(t);
    VkSemaphore sem = semaphore_new(t, true);
    VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    uint32_t first[WORDS];

    NEED(t, f12.timelineSemaphore);
    for (uint64_t i = 1; i <= 4; i++) {
        uint64_t wait = 2 * i, signal = 2 * i + 1;
        VkCommandBuffer cmd = cmd_begin(t);
        VkTimelineSemaphoreSubmitInfo values = {
            .sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
            .waitSemaphoreValueCount = 1,
            .pWaitSemaphoreValues = &wait,
            .signalSemaphoreValueCount = 1,
            .pSignalSemaphoreValues = &signal,
        };
        VkSubmitInfo info = {
            .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
            .pNext = &values,
            .waitSemaphoreCount = 1,
            .pWaitSemaphores = &sem,
            .pWaitDstStageMask = &stage,
            .commandBufferCount = 1,
            .pCommandBuffers = &cmd,
            .signalSemaphoreCount = 1,
            .pSignalSemaphores = &sem,
        };

        work_step(cmd, &w, 7, i);
        VK(t, vkEndCommandBuffer(cmd));
        VK(t, vkQueueSubmit(t->g->queue, 1, &info, NULL));
    }
    memset(first, 0, sizeof(first));
    check_that(t, timeline_wait(t, sem, 3, 20 * 1000 * 1000) == VK_TIMEOUT,
               "work waits for its semaphore");
    check_u32(t, "before", w.buf.map, first, WORDS);
    for (uint64_t i = 1; i <= 4; i++) {
        VkSemaphoreSignalInfo info = {
            .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO,
            .semaphore = sem,
            .value = 2 * i,
        };

        VK(t, vkSignalSemaphore(t->g->dev, &info));
        VK(t, timeline_wait(t, sem, 2 * i + 1, WAIT_NS));
        check_that(t, timeline_value(t, sem) == 2 * i + 1,
                   "the value is %llu", (unsigned long long)2 * i + 1);
    }
    check_u32(t, "results", w.buf.map, w.want, WORDS);
}

/* ---- Events ---- */

static void events(T *t)
{
    Work w = work_new(t);
    VkEvent event = event_new(t);
    VkCommandBuffer cmd = cmd_begin(t);
    VkMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_SHADER_READ_BIT,
    };

    check_that(t, vkGetEventStatus(t->g->dev, event) == VK_EVENT_RESET,
               "an event begins reset");
    work_step(cmd, &w, 3, 1);
    vkCmdSetEvent(cmd, event, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT);
    vkCmdWaitEvents(cmd, 1, &event, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                    VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 1, &barrier, 0,
                    NULL, 0, NULL);
    work_step(cmd, &w, 5, 2);
    cmd_run(t, cmd);
    check_that(t, vkGetEventStatus(t->g->dev, event) == VK_EVENT_SET,
               "the device has set it");
    cmd = cmd_begin(t);
    vkCmdResetEvent(cmd, event, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
    cmd_run(t, cmd);
    check_that(t, vkGetEventStatus(t->g->dev, event) == VK_EVENT_RESET,
               "the device has reset it");
    check_u32(t, "results", w.buf.map, w.want, WORDS);
}

/*
 * The device waits in the middle of its work until the CPU writes: no
 * doorbell tells it.
 */
static void host_event(T *t)
{
    Work w = work_new(t);
    VkEvent event = event_new(t);
    VkCommandBuffer cmd = cmd_begin(t);
    VkFence fence = fence_new(t);

    work_step(cmd, &w, 3, 1);
    vkCmdWaitEvents(cmd, 1, &event, VK_PIPELINE_STAGE_HOST_BIT,
                    VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, NULL, 0, NULL, 0,
                    NULL);
    work_step(cmd, &w, 5, 2);
    cmd_submit(t, cmd, fence);
    check_that(t, vkWaitForFences(t->g->dev, 1, &fence, VK_TRUE,
                                  200 * 1000 * 1000) == VK_TIMEOUT,
               "the device waits");
    VK(t, vkSetEvent(t->g->dev, event));
    fence_wait(t, fence);
    check_u32(t, "results", w.buf.map, w.want, WORDS);
}

/* ---- Time ---- */

static uint64_t device_time(T *t)
{
    PFN_vkGetCalibratedTimestampsEXT get =
        (PFN_vkGetCalibratedTimestampsEXT)vkGetDeviceProcAddr(
            t->g->dev, "vkGetCalibratedTimestampsEXT");
    VkCalibratedTimestampInfoEXT info = {
        .sType = VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT,
        .timeDomain = VK_TIME_DOMAIN_DEVICE_EXT,
    };
    uint64_t now = 0, deviation;

    if (!get) {
        fail(t, "no vkGetCalibratedTimestampsEXT");
    }
    VK(t, get(t->g->dev, 1, &info, &now, &deviation));
    return now;
}

/* Around work, in order, and between two readings of the device's clock. */
static void timestamps(T *t)
{
    enum { COUNT = 8 };
    Work w = work_new(t);
    uint64_t before = 0, after = 0, at[COUNT + 1] = { 0 };
    VkQueryPool pool;
    VkCommandBuffer cmd;

    if (!t->g->timestamp_bits) {
        skip(t, "the queue has no timestamps");
    }
    pool = query_pool(t, VK_QUERY_TYPE_TIMESTAMP, COUNT);
    cmd = cmd_begin(t);
    before = t->g->has_calibrated ? device_time(t) : 0;
    vkCmdResetQueryPool(cmd, pool, 0, COUNT);
    for (int i = 0; i < COUNT; i++) {
        vkCmdWriteTimestamp(cmd, i % 2 ? VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT
                                       : VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT,
                            pool, i);
        work_step(cmd, &w, 3, i);
    }
    cmd_run(t, cmd);
    after = t->g->has_calibrated ? device_time(t) : UINT64_MAX;
    VK(t, vkGetQueryPoolResults(t->g->dev, pool, 0, COUNT, COUNT * 8, at, 8,
                                VK_QUERY_RESULT_64_BIT |
                                VK_QUERY_RESULT_WAIT_BIT));
    at[COUNT] = after;
    check_that(t, at[0] >= before, "the first time, %llu, is after %llu",
               (unsigned long long)at[0], (unsigned long long)before);
    for (int i = 0; i < COUNT; i++) {
        check_that(t, at[i] && at[i] <= at[i + 1],
                   "time %d, %llu, is not after the next, %llu", i,
                   (unsigned long long)at[i],
                   (unsigned long long)at[i + 1]);
    }
    check_u32(t, "results", w.buf.map, w.want, WORDS);
}

/* Results that the device copies, 32 and 64 bits, with availability. */
static void query_copies(T *t)
{
    enum { COUNT = 4 };
    uint64_t at[COUNT];
    Buf out = buf_new(t, 256);
    VkQueryPool pool;
    VkCommandBuffer cmd;

    if (!t->g->timestamp_bits) {
        skip(t, "the queue has no timestamps");
    }
    pool = query_pool(t, VK_QUERY_TYPE_TIMESTAMP, COUNT);
    cmd = cmd_begin(t);
    vkCmdResetQueryPool(cmd, pool, 0, COUNT);
    for (int i = 0; i < COUNT - 1; i++) {
        vkCmdWriteTimestamp(cmd, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool,
                            i);
    }
    vkCmdCopyQueryPoolResults(cmd, pool, 0, COUNT - 1, out.buf, 0, 8,
                              VK_QUERY_RESULT_64_BIT |
                              VK_QUERY_RESULT_WAIT_BIT);
    vkCmdCopyQueryPoolResults(cmd, pool, 0, COUNT, out.buf, 64, 16,
                              VK_QUERY_RESULT_64_BIT |
                              VK_QUERY_RESULT_WITH_AVAILABILITY_BIT);
    vkCmdCopyQueryPoolResults(cmd, pool, 0, 1, out.buf, 192, 4,
                              VK_QUERY_RESULT_WAIT_BIT);
    cmd_run(t, cmd);
    VK(t, vkGetQueryPoolResults(t->g->dev, pool, 0, COUNT - 1,
                                (COUNT - 1) * 8, at, 8,
                                VK_QUERY_RESULT_64_BIT |
                                VK_QUERY_RESULT_WAIT_BIT));
    for (int i = 0; i < COUNT - 1; i++) {
        uint64_t *copy = out.map;

        check_that(t, copy[i] == at[i] && copy[8 + 2 * i] == at[i],
                   "query %d is copied as it is read", i);
        check_that(t, copy[9 + 2 * i] == 1, "query %d is available", i);
    }
    check_that(t, ((uint64_t *)out.map)[9 + 2 * 3] == 0,
               "a query that was reset is not available");
    check_that(t, ((uint32_t *)out.map)[48] == (uint32_t)at[0],
               "32 bits of a time");
}

/* ---- Command buffers ---- */

static void secondary(T *t)
{
    Work w = work_new(t);
    VkCommandBufferAllocateInfo alloc = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = t->g->pool,
        .level = VK_COMMAND_BUFFER_LEVEL_SECONDARY,
        .commandBufferCount = 1,
    };
    VkCommandBufferInheritanceInfo inherit = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
    };
    VkCommandBufferBeginInfo begin = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
        .flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT,
        .pInheritanceInfo = &inherit,
    };
    VkCommandBuffer cmd = cmd_begin(t), second;

    VK(t, vkAllocateCommandBuffers(t->g->dev, &alloc, &second));
    VK(t, vkBeginCommandBuffer(second, &begin));
    work_step(second, &w, 3, 1);
    VK(t, vkEndCommandBuffer(second));
    vkCmdExecuteCommands(cmd, 1, &second);
    work_step(cmd, &w, 5, 2);
    vkCmdExecuteCommands(cmd, 1, &second);
    for (int i = 0; i < WORDS; i++) {
        w.want[i] = w.want[i] * 3 + 1;
    }
    cmd_run(t, cmd);
    vkFreeCommandBuffers(t->g->dev, t->g->pool, 1, &second);
    check_u32(t, "results", w.buf.map, w.want, WORDS);
}

/* Copies and dispatches in turns: each sees what the one before wrote. */
static void copy_and_compute(T *t)
{
    Work w = work_new(t);
    Buf aside = buf_local(t, WORDS * 4);
    VkBufferCopy all = { 0, 0, WORDS * 4 };
    VkCommandBuffer cmd = cmd_begin(t);

    for (uint32_t i = 0; i < 12; i++) {
        work_step(cmd, &w, 3, i);
        vkCmdCopyBuffer(cmd, w.buf.buf, aside.buf, 1, &all);
        cmd_barrier(cmd);
        vkCmdFillBuffer(cmd, w.buf.buf, 0, VK_WHOLE_SIZE, i);
        cmd_barrier(cmd);
        vkCmdCopyBuffer(cmd, aside.buf, w.buf.buf, 1, &all);
        cmd_barrier(cmd);
        vkCmdUpdateBuffer(cmd, w.buf.buf, 4 * i, 4, &i);
        cmd_barrier(cmd);
        w.want[i] = i;
    }
    cmd_run(t, cmd);
    check_u32(t, "results", w.buf.map, w.want, WORDS);
}

const Test sync_tests[] = {
    { "in-flight", in_flight },
    { "binary-semaphores", binary_semaphores },
    { "timeline", timeline },
    { "events", events },
    { "host-event", host_event },
    { "timestamps", timestamps, .unlike = true },
    { "query-copies", query_copies, .unlike = true },
    { "secondary", secondary },
    { "copy-and-compute", copy_and_compute },
    { 0 }
};
