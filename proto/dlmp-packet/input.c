#include "proto/dlmp-packet/input.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "common/tool.h"

static bool is_stdin(const char *path)
{
    return path == NULL || strcmp(path, "-") == 0;
}

const char *input_name(const char *path)
{
    return is_stdin(path) ? "stdin" : path;
}

bool input_read(const char *path, uint8_t *buffer, size_t room, size_t *size)
{
    FILE *in = is_stdin(path) ? stdin : fopen(path, "rbe");
    bool is_longer = false, ok = in != NULL;

    if (ok) {
        *size = fread(buffer, 1, room, in);
        is_longer = *size == room && getc(in) != EOF;
        ok = !ferror(in);
    }
    if (!ok)
        tool_fail("%s: %s", input_name(path), strerror(errno));
    else if (is_longer)
        tool_fail("%s: expected at most %zu bytes, it has more", input_name(path), room);
    if (in != NULL && in != stdin)
        fclose(in);
    return ok && !is_longer;
}

void lines_init(struct lines *lines)
{
    lines->start = lines->end = 0;
    lines->is_last = false;
}

static bool fill(struct lines *lines)
{
    ssize_t count;

    if (lines->start > 0 && sizeof lines->data - lines->end < DOCUMENT_SIZE_MAX) {
        memmove(lines->data, lines->data + lines->start, lines->end - lines->start);
        lines->end -= lines->start;
        lines->start = 0;
    }
    fflush(stdout); /* the caller looks at ferror */
    count = read(STDIN_FILENO, lines->data + lines->end, sizeof lines->data - lines->end);
    if (count < 0)
        return false;
    lines->end += (size_t)count;
    lines->is_last = count == 0;
    return true;
}

enum line lines_next(struct lines *lines, struct span *line)
{
    size_t seen = 0; /* of the line, without an end in it */

    for (;;) {
        const uint8_t *start = lines->data + lines->start;
        size_t size = lines->end - lines->start;
        const uint8_t *newline = memchr(start + seen, '\n', size - seen);

        if (newline == NULL && lines->is_last && size == 0)
            return LINE_END;
        if (newline != NULL || lines->is_last) {
            line->data = start;
            line->size = newline != NULL ? (size_t)(newline - start) : size;
            lines->start += line->size + (newline != NULL);
            return LINE_READ;
        }
        seen = size <= DOCUMENT_SIZE_MAX ? size : DOCUMENT_SIZE_MAX + 1;
        lines->end = lines->start + seen;
        if (!fill(lines))
            return LINE_FAILED;
    }
}
