#include "common/clock.h"

#include <assert.h>
#include <time.h>

enum { NS_PER_US = 1000, NS_PER_MS = 1000000, NS_PER_S = 1000000000 };

#define STAMP_MAX_MS UINT64_C(253402300799999) /* 9999-12-31T23:59:59.999Z */

static uint64_t read_ns(clockid_t id)
{
    struct timespec now;
    int failed = clock_gettime(id, &now);

    assert(failed == 0);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

uint64_t clock_ns(void)
{
    return read_ns(CLOCK_MONOTONIC);
}

uint64_t clock_us(void)
{
    return clock_ns() / NS_PER_US;
}

uint64_t clock_ms(void)
{
    return clock_ns() / NS_PER_MS;
}

uint64_t clock_cpu_us(void)
{
    return read_ns(CLOCK_THREAD_CPUTIME_ID) / NS_PER_US;
}

uint64_t clock_wall_ms(void)
{
    return read_ns(CLOCK_REALTIME) / NS_PER_MS;
}

/* Writes the last `digits` digits of `value`; gives the place after them. */
static char *put_digits(char *at, uint32_t value, int digits)
{
    for (int i = digits - 1; i >= 0; i--) {
        at[i] = (char)('0' + value % 10);
        value /= 10;
    }
    return at + digits;
}

/* By hand rather than gmtime_r and snprintf: every log line has a stamp. */
void clock_stamp(uint64_t wall_ms, char stamp[CLOCK_STAMP_SIZE])
{
    if (wall_ms > STAMP_MAX_MS)
        wall_ms = STAMP_MAX_MS;

    /* Years are counted from March, so that the leap day is the last of its year; eras are 400 years of
     * 146097 days. 719468 days lie between 0000-03-01 and 1970-01-01. */
    uint32_t ms = (uint32_t)(wall_ms % 86400000);
    uint32_t days = (uint32_t)(wall_ms / 86400000) + 719468;
    uint32_t era = days / 146097;
    uint32_t day_of_era = days % 146097;
    uint32_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    uint32_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    uint32_t month = (5 * day_of_year + 2) / 153; /* 0 is March */
    uint32_t day = day_of_year - (153 * month + 2) / 5 + 1;
    uint32_t year = era * 400 + year_of_era + (month >= 10 ? 1 : 0);
    char *at = stamp;

    at = put_digits(at, year, 4);
    *at++ = '-';
    at = put_digits(at, month >= 10 ? month - 9 : month + 3, 2);
    *at++ = '-';
    at = put_digits(at, day, 2);
    *at++ = 'T';
    at = put_digits(at, ms / 3600000, 2);
    *at++ = ':';
    at = put_digits(at, ms / 60000 % 60, 2);
    *at++ = ':';
    at = put_digits(at, ms / 1000 % 60, 2);
    *at++ = '.';
    at = put_digits(at, ms % 1000, 3);
    *at++ = 'Z';
    *at = '\0';
}
