/* hex.h - bytes as hexadecimal digits: read in either case, printed in lower case. */
#ifndef DLMP_PROTO_HEX_H
#define DLMP_PROTO_HEX_H

#include <stdio.h>

#include "common/cursor.h"

static inline int hex_digit(uint8_t digit)
{
    if (digit >= '0' && digit <= '9')
        return digit - '0';
    if ((digit | 0x20) >= 'a' && (digit | 0x20) <= 'f')
        return (digit | 0x20) - 'a' + 10;
    return -1;
}

/* Half as many bytes as there are digits. False: not an even number of hexadecimal digits. */
static inline bool hex_read(struct span text, uint8_t *bytes)
{
    for (size_t i = 0; i + 1 < text.size; i += 2) {
        int high = hex_digit(text.data[i]), low = hex_digit(text.data[i + 1]);

        if (high < 0 || low < 0)
            return false;
        bytes[i / 2] = (uint8_t)(high << 4 | low);
    }
    return text.size % 2 == 0;
}

static inline void hex_print(FILE *out, struct span bytes)
{
    for (size_t i = 0; i < bytes.size; i++) {
        putc("0123456789abcdef"[bytes.data[i] >> 4], out);
        putc("0123456789abcdef"[bytes.data[i] & 15], out);
    }
}

#endif
