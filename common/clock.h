/* clock.h - what time it is, for the shells.
 *
 * There are two clocks, and they are not interchangeable. The monotonic one counts from a moment that differs
 * between machines, never goes back and is never set: it measures and it is the `now_ms` that a shell hands
 * to its core, read once a batch. The wall clock can be set and can jump: it stamps log lines and is compared
 * with the expiry dates that people write. A core calls neither. */
#ifndef DLMP_COMMON_CLOCK_H
#define DLMP_COMMON_CLOCK_H

#include <stdint.h>

uint64_t clock_ms(void);
uint64_t clock_us(void);
uint64_t clock_ns(void);

/* What this thread has used of its core; it takes the kernel some 0.4 us to say. */
uint64_t clock_cpu_us(void);

/* Since 1970-01-01T00:00:00Z, without leap seconds. */
uint64_t clock_wall_ms(void);

/* "2026-03-01T12:00:00.250Z" and its terminator. Moments after the year 9999 are written as its last one. */
enum { CLOCK_STAMP_SIZE = 25 };
void clock_stamp(uint64_t wall_ms, char stamp[CLOCK_STAMP_SIZE]);

#endif
