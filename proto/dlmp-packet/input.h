/* input.h - what dlmp-packet reads: a file as a whole, or standard input line by line. Both have a limit. */
#ifndef DLMP_PACKET_INPUT_H
#define DLMP_PACKET_INPUT_H

#include "proto/document.h"

/* NULL and "-" are standard input. */
const char *input_name(const char *path);

/* False, and the complaint is made: it cannot be read, or is longer than `room`. */
bool input_read(const char *path, uint8_t *buffer, size_t room, size_t *size);

enum line { LINE_READ, LINE_END, LINE_FAILED };

struct lines {
    size_t start; /* of what is read and not yet handed out */
    size_t end;
    bool is_last; /* nothing comes behind what is read */
    uint8_t data[2 * DOCUMENT_SIZE_MAX];
};

void lines_init(struct lines *lines);

/* The next line of standard input, without its end, borrowed until the next call. A line of more than
 * DOCUMENT_SIZE_MAX bytes is cut, but stays long enough to be refused.
 *
 * Before it waits for input it flushes standard output: whoever writes a line and waits for its answer gets
 * it, and a thousand lines at once are still answered in large pieces. */
enum line lines_next(struct lines *lines, struct span *line);

#endif
