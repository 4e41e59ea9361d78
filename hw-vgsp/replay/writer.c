/*
 * Writes recordings (docs/recording.md): records in order, and each page of
 * memory once, found again by its SHA-256.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "replay/recording.h"

#define DIGEST_SIZE 32

struct VgspRecordingWriter {
    FILE *file;
    GHashTable *pages;          /* digest -> number */
    uint32_t num_pages;
    int error;
};

static guint digest_hash(gconstpointer digest)
{
    return vgsp_le32(digest);
}

static gboolean digest_equal(gconstpointer a, gconstpointer b)
{
    return !memcmp(a, b, DIGEST_SIZE);
}

static void put(VgspRecordingWriter *w, const void *data, size_t size)
{
    if (size && !w->error && fwrite(data, size, 1, w->file) != 1) {
        w->error = errno ? errno : EIO;
    }
}

VgspRecordingWriter *vgsp_recording_create(const char *path,
                                           const char *executor,
                                           const char *chip, GError **error)
{
    VgspRecordingHeader h = {
        .version = VGSP_RECORDING_VERSION,
        .size = sizeof(h),
    };
    VgspRecordingWriter *w;
    FILE *file = NULL;
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

    /* The mode before the contents: the file may have been there. */
    if (fd >= 0 && !fchmod(fd, 0600) && !ftruncate(fd, 0)) {
        file = fdopen(fd, "w");
    }
    if (!file) {
        int saved = errno;

        g_set_error(error, G_FILE_ERROR, g_file_error_from_errno(saved),
                    "%s: %s", path, g_strerror(saved));
        if (fd >= 0) {
            close(fd);
        }
        return NULL;
    }
    w = g_new0(VgspRecordingWriter, 1);
    w->file = file;
    w->pages = g_hash_table_new_full(digest_hash, digest_equal, g_free, NULL);
    memcpy(h.magic, VGSP_RECORDING_MAGIC, sizeof(h.magic));
    g_strlcpy(h.executor, executor, sizeof(h.executor));
    g_strlcpy(h.chip, chip, sizeof(h.chip));
    put(w, &h, sizeof(h));
    return w;
}

void vgsp_recording_write(VgspRecordingWriter *w, VgspRecordType type,
                          const void *head, size_t head_size,
                          const void *tail, size_t tail_size)
{
    static const uint8_t zeros[8];
    VgspRecordHeader h = { type, head_size + tail_size };

    put(w, &h, sizeof(h));
    put(w, head, head_size);
    put(w, tail, tail_size);
    put(w, zeros, -(head_size + tail_size) % sizeof(zeros));
}

uint32_t vgsp_recording_page(VgspRecordingWriter *w, const void *page)
{
    static const uint8_t zeros[VGSP_RECORDING_PAGE];
    g_autoptr(GChecksum) sum = NULL;
    uint8_t digest[DIGEST_SIZE];
    gsize size = sizeof(digest);
    gpointer number;

    if (!memcmp(page, zeros, sizeof(zeros))) {
        return 0;
    }
    sum = g_checksum_new(G_CHECKSUM_SHA256);
    g_checksum_update(sum, page, VGSP_RECORDING_PAGE);
    g_checksum_get_digest(sum, digest, &size);
    number = g_hash_table_lookup(w->pages, digest);
    if (!number) {
        number = GUINT_TO_POINTER(++w->num_pages);
        g_hash_table_insert(w->pages, g_memdup2(digest, size), number);
        vgsp_recording_write(w, VGSP_RECORD_PAGE, page, VGSP_RECORDING_PAGE,
                             NULL, 0);
    }
    return GPOINTER_TO_UINT(number);
}

int vgsp_recording_error(const VgspRecordingWriter *w)
{
    return w->error;
}

bool vgsp_recording_close(VgspRecordingWriter *w)
{
    bool ok = !fclose(w->file) && !w->error;

    g_hash_table_destroy(w->pages);
    g_free(w);
    return ok;
}
