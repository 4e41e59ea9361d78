/*
 * Recordings, as anybody may hand them to vgsp-replay: the reader, and what
 * the player does of its records without a model. The header is made right.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "replay/player.h"

#define MEMORY_MAX (UINT64_C(64) << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const VgspPlayerOps ops;
    const VgspPlayerConfig config = { .memory_max = MEMORY_MAX, .ops = &ops };
    VgspRecordingHeader header = {
        .version = VGSP_RECORDING_VERSION, .size = sizeof(header),
    };
    g_autofree uint8_t *file = g_malloc(sizeof(header) + size);
    VgspRecordingReader *reader;
    VgspPlayer *player;
    VgspRecord record;
    const char *defect;
    uint8_t buf[64];

    memcpy(header.magic, VGSP_RECORDING_MAGIC, sizeof(header.magic));
    memcpy(file, &header, sizeof(header));
    memcpy(file + sizeof(header), data, size);
    reader = vgsp_recording_open(file, sizeof(header) + size, NULL);
    player = vgsp_player_new(&config, NULL);
    while (vgsp_recording_next(reader, &record) &&
           vgsp_player_apply(player, reader, &record, &defect)) {
        if (record.type == VGSP_RECORD_SECTION) {
            vgsp_player_read(player, 1, record.section->seq, buf,
                             sizeof(buf));
        }
    }
    vgsp_player_free(player);
    vgsp_recording_free(reader);
    return 0;
}
