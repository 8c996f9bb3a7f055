#include "coordinator/registry.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "common/text.h"

bool process_name_is_valid(const char *name)
{
    size_t size = strlen(name);

    return size > 0 && size < PROCESS_NAME_SIZE && text_is_chars((const uint8_t *)name, size, "A-Za-z0-9._-");
}

uint16_t registry_find(const struct registry *registry, const char *name)
{
    for (uint16_t i = 0; i < PROCESSES_MAX; i++) {
        if (registry->processes[i].state != PROCESS_FREE && strcmp(registry->processes[i].name, name) == 0)
            return i;
    }
    return PROCESS_NONE;
}

uint16_t registry_find_peer(const struct registry *registry, uint16_t peer)
{
    for (uint16_t i = 0; i < PROCESSES_MAX; i++) {
        if (registry->processes[i].state == PROCESS_UP && registry->processes[i].peer == peer)
            return i;
    }
    return PROCESS_NONE;
}

static uint16_t find_room(const struct registry *registry)
{
    uint16_t room = PROCESS_NONE;

    for (uint16_t i = 0; i < PROCESSES_MAX; i++) {
        const struct process *process = &registry->processes[i];

        if (process->state == PROCESS_FREE)
            return i;
        if (process->state == PROCESS_GONE && process->members == 0 &&
            (room == PROCESS_NONE || process->since_ms < registry->processes[room].since_ms))
            room = i;
    }
    return room;
}

uint16_t registry_place(struct registry *registry, Bus__Role role, const char *name)
{
    uint16_t place = registry_find(registry, name);

    assert(process_name_is_valid(name));
    if (place != PROCESS_NONE && registry->processes[place].role == role)
        return place;
    /* A dead gateway's name on a shard, or the other way round: a new process altogether. */
    if (place != PROCESS_NONE && registry->processes[place].members > 0)
        return PROCESS_NONE;
    if (place == PROCESS_NONE)
        place = find_room(registry);
    if (place == PROCESS_NONE)
        return PROCESS_NONE;
    registry->processes[place] = (struct process){ .state = PROCESS_GONE, .role = role };
    (void)snprintf(registry->processes[place].name, PROCESS_NAME_SIZE, "%s", name);
    return place;
}

void registry_forget(struct registry *registry, uint16_t place)
{
    assert(registry->processes[place].members == 0);
    registry->processes[place] = (struct process){ .state = PROCESS_FREE };
}

uint16_t registry_next(const struct registry *registry, uint16_t place)
{
    while (place < PROCESSES_MAX && registry->processes[place].state == PROCESS_FREE)
        place++;
    return place < PROCESSES_MAX ? place : PROCESS_NONE;
}

bool process_endpoint_is_valid(const char *endpoint)
{
    struct span text = { (const uint8_t *)endpoint, strlen(endpoint) };

    return text.size < PROCESS_ENDPOINT_SIZE && text_is_plain(text);
}

void process_set_endpoint(struct process *process, const char *endpoint)
{
    (void)snprintf(process->endpoint, sizeof process->endpoint, "%s", endpoint);
}

bool process_is_ready(const struct process *process)
{
    return process->state == PROCESS_UP && process->role == BUS__ROLE__ROLE_SHARD && process->has_reported;
}

const char *process_state_name(const struct process *process)
{
    switch (process->state) {
    case PROCESS_UP:
        if (!process->has_reported)
            return "starting";
        return process->is_draining ? "draining" : "up";
    case PROCESS_LOST:
        return "lost";
    case PROCESS_GONE:
    case PROCESS_FREE:
        break;
    }
    return "dead";
}
