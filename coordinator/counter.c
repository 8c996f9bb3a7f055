#include "coordinator/counter.h"

#include <assert.h>

void counter_init(struct counter *counter, uint64_t block, uint64_t max)
{
    assert(block > 0 && max >= block);
    *counter = (struct counter){ .max = max, .block = block };
}

static uint64_t range_left(const struct counter_range *range)
{
    return range->end - range->next;
}

static void skip_seen(struct counter_range *range, uint64_t seen)
{
    if (range->next <= seen)
        range->next = seen < range->end ? seen + 1 : range->end;
    if (range->next > range->end)
        range->next = range->end;
}

uint64_t counter_take(struct counter *counter, uint64_t count)
{
    struct counter_range *now = &counter->now;
    uint64_t first;

    assert(count > 0);
    if (range_left(now) < count) {
        *now = counter->then;
        counter->then = (struct counter_range){ 0 };
    }
    if (range_left(now) < count)
        return 0;
    first = now->next;
    now->next += count;
    return first;
}

void counter_see(struct counter *counter, uint64_t number)
{
    if (number <= counter->seen)
        return;
    counter->seen = number;
    skip_seen(&counter->now, number);
    skip_seen(&counter->then, number);
}

uint64_t counter_left(const struct counter *counter)
{
    return range_left(&counter->now) + range_left(&counter->then);
}

bool counter_wants(const struct counter *counter)
{
    return !counter->is_asked && counter_left(counter) <= counter->block / 2;
}

uint64_t counter_floor(const struct counter *counter)
{
    uint64_t floor = counter->seen;

    if (counter->now.end > floor + 1)
        floor = counter->now.end - 1;
    if (counter->then.end > floor + 1)
        floor = counter->then.end - 1;
    return floor;
}

bool counter_grant(struct counter *counter, uint64_t first, uint64_t count)
{
    counter->is_asked = false;
    if (count == 0 || first <= counter_floor(counter) || first > counter->max ||
        count - 1 > counter->max - first)
        return false;
    if (range_left(&counter->now) == 0) {
        counter->now = counter->then;
        counter->then = (struct counter_range){ 0 };
    }
    if (range_left(&counter->now) == 0)
        counter->now = (struct counter_range){ first, first + count };
    else
        counter->then = (struct counter_range){ first, first + count };
    return true;
}
