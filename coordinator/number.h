/* number.h - whole numbers as people and Redis write them, and no others. */
#ifndef DLMP_COORDINATOR_NUMBER_H
#define DLMP_COORDINATOR_NUMBER_H

#include "common/cursor.h"

/* Up to `max`, without a sign and without zeros before it. */
static inline bool number_read(struct span text, uint64_t max, uint64_t *number)
{
    *number = 0;
    if (text.size == 0 || text.size > 20 || (text.size > 1 && text.data[0] == '0'))
        return false;
    for (size_t i = 0; i < text.size; i++) {
        uint64_t digit = (uint64_t)text.data[i] - '0';

        if (digit > 9 || *number > max / 10 || digit > max - *number * 10)
            return false;
        *number = *number * 10 + digit;
    }
    return true;
}

#endif
