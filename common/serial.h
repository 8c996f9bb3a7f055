/* serial.h - order of counters that wrap (serial-number arithmetic).
 *
 * a is newer than b when it is ahead of it by less than half the range. Exactly half the range apart, neither
 * is newer: the page reads the wrapping difference as signed and asks for a positive one.
 *
 * Spec: Protocol, "Sequence and generation". */
#ifndef DLMP_COMMON_SERIAL_H
#define DLMP_COMMON_SERIAL_H

#include <stdbool.h>
#include <stdint.h>

static inline bool serial16_newer(uint16_t a, uint16_t b)
{
    return (int16_t)(uint16_t)(a - b) > 0;
}

static inline bool serial32_newer(uint32_t a, uint32_t b)
{
    return (int32_t)(a - b) > 0;
}

#endif
