#include "proto/dlmp-packet/fixtures.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/tool.h"
#include "proto/dlmp-packet/convert.h"
#include "proto/document.h"
#include "proto/examples.h"
#include "proto/json.h"

/* A file that takes its name when all of it is written. */
struct draft {
    int folder;
    char name[128];
    char draft_name[140];
    FILE *file;
};

static bool draft_open(struct draft *draft, int folder, const char *name, const char *suffix)
{
    int size, fd;

    *draft = (struct draft){ .folder = folder };
    size = snprintf(draft->name, sizeof draft->name, "%s%s", name, suffix);
    assert(size > 0 && (size_t)size < sizeof draft->name);
    snprintf(draft->draft_name, sizeof draft->draft_name, ".%s.draft", draft->name);
    fd = openat(folder, draft->draft_name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    draft->file = fd < 0 ? NULL : fdopen(fd, "wb");
    return draft->file != NULL;
}

/* False: the file is as it was before. */
static bool draft_finish(struct draft *draft, bool keep)
{
    bool is_written = !ferror(draft->file);
    int why;

    is_written = fclose(draft->file) == 0 && is_written;
    if (keep && is_written && renameat(draft->folder, draft->draft_name, draft->folder, draft->name) == 0)
        return true;
    why = errno;
    unlinkat(draft->folder, draft->draft_name, 0);
    errno = why;
    return false;
}

/* 0: the example is no valid packet, and `message` says why. */
static size_t encode_example(const struct wire_example *example, uint8_t *buffer, char *message)
{
    static char text[DOCUMENT_SIZE_MAX + 1];
    int size =
        snprintf(text, sizeof text, "{\"packet\":\"%s\",\"fields\":%s}", example->packet, example->fields);

    return convert_encode((struct span){ (const uint8_t *)text, (size_t)size }, buffer, message);
}

/* The fields are what a reader of the file would print, not what the example says. */
static bool print_entry(FILE *out, const struct wire_example *example, struct span bytes, char *message)
{
    union wire_any value;
    const struct wire_packet *packet = convert_decode(SIDE_EITHER, bytes, &value, message);

    if (packet == NULL)
        return false;
    fprintf(out,
            "{\"name\":\"%s\",\"packet\":\"%s\",\"direction\":\"%s\",\"size\":%zu,\"fields\":", example->name,
            packet->layout->name, direction_name(packet->direction), bytes.size);
    packet_json_print_fields(out, packet->layout, &value);
    putc('}', out);
    return true;
}

static bool write_example(int folder, const struct wire_example *example, FILE *index)
{
    uint8_t buffer[WIRE_PACKET_SIZE_MAX];
    char message[MESSAGE_ROOM];
    size_t size = encode_example(example, buffer, message);
    struct draft draft;

    if (size == 0 || !print_entry(index, example, (struct span){ buffer, size }, message)) {
        tool_fail("example %s: %s", example->name, message);
        return false;
    }
    if (!draft_open(&draft, folder, example->name, ".bin")) {
        tool_fail("%s.bin: %s", example->name, strerror(errno));
        return false;
    }
    fwrite(buffer, 1, size, draft.file);
    if (!draft_finish(&draft, true)) {
        tool_fail("%s.bin: %s", example->name, strerror(errno));
        return false;
    }
    return true;
}

static bool write_examples(int folder, FILE *index)
{
    bool ok = true;

    fputs("[\n", index);
    for (size_t i = 0; ok && i < wire_examples_count; i++) {
        ok = write_example(folder, &wire_examples[i], index);
        fputs(i + 1 < wire_examples_count ? ",\n" : "\n]\n", index);
    }
    return ok;
}

int fixtures_write(const char *path)
{
    int folder = -1;
    int status = TOOL_FAILED;
    struct draft index;
    bool ok;

    if (mkdir(path, 0777) == 0 || errno == EEXIST)
        folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return tool_fail("%s: %s", path, strerror(errno));
    if (!draft_open(&index, folder, "index.json", "")) {
        tool_fail("%s/index.json: %s", path, strerror(errno));
        goto done;
    }
    ok = write_examples(folder, index.file);
    if (!draft_finish(&index, ok) && ok)
        tool_fail("%s/index.json: %s", path, strerror(errno));
    else if (ok)
        status = TOOL_OK;
    if (status == TOOL_OK)
        printf("%s: %zu packets, and index.json that tells what is in them\n", path, wire_examples_count);

done:
    close(folder);
    return status;
}
