#include "tests/sim/trap.h"

#include <stdarg.h>
#include <stddef.h>

const struct trap traps[] = {
    { "joins", trap_joins }, { "burst", trap_burst },   { "rejoin", trap_rejoin }, { "ends", trap_ends },
    { "kicks", trap_kicks }, { "deaths", trap_deaths }, { "slow", trap_slow },     { NULL, NULL },
};

bool trap_fails(struct trap_run *run, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(run->wrong, sizeof run->wrong, format, arguments);
    va_end(arguments);
    return false;
}
