#include "common/reason.h"

#include <assert.h>

const char *reason_name(enum reason reason)
{
#define REASON_NAME(name, text) [REASON_##name] = (text),
    static const char *const names[REASON_COUNT] = { REASONS(REASON_NAME) };
#undef REASON_NAME

    assert(reason < REASON_COUNT);
    return names[reason];
}
