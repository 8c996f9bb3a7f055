#include "ctl/family.h"

#include <errno.h>
#include <event2/event.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/tool.h"
#include "ctl/child.h"

enum {
    READ_MAX = 16 * 1024, /* ours: of one process, then it is the others' turn */
    TEXT_SIZE = 512,
};

/* When each is to have ended, after family_end. Gateways tell their clients, and wait for them to hear it;
 * time that one does not need is there for the next. */
static const unsigned end_ms[ROLES] = {
    [ROLE_BOTS] = 500,         [ROLE_GATEWAY] = 3200, [ROLE_SHARD] = 3700,
    [ROLE_COORDINATOR] = 4300, [ROLE_REDIS] = 4700,
};

struct member {
    struct family *family;
    const struct process *process;
    struct child child;
    struct lines_source *source;
    struct event *readable;
    uint64_t started_ms;
    uint64_t start_at_ms; /* 0: no start is due */
    unsigned deaths;      /* in a row */
};

struct family {
    struct event_base *base;
    struct lines_source *own;
    struct member *members;
    size_t count;
    bool is_settled;
    bool is_ending;
    enum role ending;  /* whose turn it is to end */
    uint64_t ended_ms; /* when family_end was called */
    bool is_killing;   /* those whose turn it is */
    char failure[TEXT_SIZE];
};

void family_say(struct family *family, const char *format, ...)
{
    char text[TEXT_SIZE];
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    lines_put(family->own, text, strlen(text));
    lines_put(family->own, "\n", 1);
}

struct family *family_new(const struct plan *plan, struct lines *lines, struct event_base *base)
{
    struct family *family = calloc(1, sizeof *family);

    if (family == NULL)
        return NULL;
    *family = (struct family){
        .base = base,
        .own = lines_add(lines, "dlmpctl"),
        .members = calloc(plan->count, sizeof *family->members),
    };
    if (family->own == NULL || family->members == NULL)
        goto fail;
    for (; family->count < plan->count; family->count++) {
        struct member *member = &family->members[family->count];

        member->family = family;
        member->process = &plan->processes[family->count];
        member->child.output = -1;
        member->source = lines_add(lines, member->process->name);
        if (member->source == NULL)
            goto fail;
    }
    return family;

fail:
    family_free(&family);
    return NULL;
}

/* ---- what they print */

static void stop_listening(struct member *member)
{
    if (member->readable != NULL)
        event_free(member->readable);
    member->readable = NULL;
    lines_end(member->source);
    child_close_output(&member->child);
}

/* False: it prints no more. */
static bool take_output(struct member *member)
{
    char data[READ_MAX];
    ssize_t size = read(member->child.output, data, sizeof data);

    if (size <= 0)
        return size < 0 && (errno == EAGAIN || errno == EINTR);
    lines_put(member->source, data, (size_t)size);
    return true;
}

static void on_readable(evutil_socket_t fd, short what, void *arg)
{
    struct member *member = arg;

    (void)fd;
    (void)what;
    if (!take_output(member))
        stop_listening(member);
}

static bool listen_to(struct member *member)
{
    member->readable =
        event_new(member->family->base, member->child.output, EV_READ | EV_PERSIST, on_readable, member);
    return member->readable != NULL && event_add(member->readable, NULL) == 0;
}

/* What a process said last explains why it died; a few reads, lest others hold its pipe and go on. */
static void take_last_words(struct member *member)
{
    for (int i = 0; i < LINES_BUFFER_SIZE / READ_MAX && member->child.output >= 0; i++) {
        if (!take_output(member))
            break;
    }
    stop_listening(member);
}

/* ---- starting */

static void give_up(struct family *family, const struct member *member, const char *why)
{
    if (family->failure[0] == '\0')
        (void)snprintf(family->failure, sizeof family->failure, "%s %s", member->process->name, why);
}

static unsigned pause_ms(const struct member *member)
{
    unsigned doublings = member->deaths - 1 < 5 ? member->deaths - 1 : 5;
    unsigned pause = (unsigned)FAMILY_PAUSE_MS << doublings;

    return pause < FAMILY_PAUSE_MAX_MS ? pause : FAMILY_PAUSE_MAX_MS;
}

/* Another try is due, or none makes sense. */
static void after_death(struct member *member, const char *how, bool is_hopeless)
{
    struct family *family = member->family;
    uint64_t now_ms = clock_ms();
    char why[TEXT_SIZE / 2];

    if (now_ms - member->started_ms >= FAMILY_STABLE_MS)
        member->deaths = 0;
    member->deaths++;
    if (!family->is_settled && (is_hopeless || member->deaths >= FAMILY_STARTS_MAX)) {
        (void)snprintf(why, sizeof why, "cannot be started: %s; its lines above say why", how);
        give_up(family, member, why);
        return;
    }
    member->start_at_ms = now_ms + pause_ms(member);
    family_say(family, "%s died (%s), starting it again in %u ms", member->process->name, how,
               pause_ms(member));
}

static void start(struct member *member)
{
    const struct child_program program = { member->process->arguments, member->process->environment };

    member->start_at_ms = 0;
    member->started_ms = clock_ms();
    if (child_start(&member->child, &program) != 0) {
        after_death(member, strerror(errno), errno == ENOENT || errno == EACCES);
        return;
    }
    if (!listen_to(member)) {
        give_up(member->family, member, "cannot be listened to: no memory");
        return;
    }
    family_say(member->family, "%s started (pid %ld)", member->process->name, (long)member->child.pid);
}

void family_start(struct family *family, enum role role)
{
    for (size_t i = 0; i < family->count; i++) {
        if (family->members[i].process->role == role)
            start(&family->members[i]);
    }
}

void family_settled(struct family *family)
{
    family->is_settled = true;
}

const char *family_failure(const struct family *family)
{
    return family->failure[0] == '\0' ? NULL : family->failure;
}

/* ---- ending */

static bool is_running(const struct family *family, enum role role)
{
    for (size_t i = 0; i < family->count; i++) {
        if (family->members[i].process->role == role && family->members[i].child.pid != 0)
            return true;
    }
    return false;
}

bool family_is_gone(const struct family *family)
{
    for (size_t i = 0; i < family->count; i++) {
        if (family->members[i].child.pid != 0)
            return false;
    }
    return true;
}

static void signal_role(struct family *family, enum role role, int signal)
{
    for (size_t i = 0; i < family->count; i++) {
        const struct member *member = &family->members[i];

        if (member->process->role != role || member->child.pid == 0)
            continue;
        if (signal == SIGKILL)
            family_say(family, "%s did not end in time: killed", member->process->name);
        child_signal(&member->child, signal);
    }
}

/* Those of the last role have ended: the turn of the one before it. */
static void end_next(struct family *family)
{
    while (!is_running(family, family->ending) && family->ending > 0) {
        family->ending--;
        family->is_killing = false;
        signal_role(family, family->ending, SIGTERM);
    }
}

void family_end(struct family *family)
{
    if (family->is_ending)
        return;
    family->is_ending = true;
    for (size_t i = 0; i < family->count; i++)
        family->members[i].start_at_ms = 0;
    family->ending = ROLES;
    family->ended_ms = clock_ms();
    end_next(family);
}

void family_kill(struct family *family)
{
    family->is_ending = true;
    for (size_t i = 0; i < family->count; i++) {
        family->members[i].start_at_ms = 0;
        child_signal(&family->members[i].child, SIGKILL);
    }
}

void family_free(struct family **family)
{
    struct family *freed = *family;

    if (freed == NULL)
        return;
    *family = NULL;
    family_kill(freed);
    for (size_t i = 0; i < freed->count; i++) {
        struct member *member = &freed->members[i];

        if (member->child.pid != 0)
            (void)waitpid(member->child.pid, NULL, 0);
        if (member->source != NULL)
            take_last_words(member);
    }
    free(freed->members);
    free(freed);
}

/* ---- what happens meanwhile */

static void on_death(struct member *member, int status)
{
    char described[CHILD_STATUS_SIZE];
    bool is_hopeless =
        WIFEXITED(status) && (WEXITSTATUS(status) == TOOL_USAGE || WEXITSTATUS(status) == TOOL_MISSING);

    take_last_words(member);
    (void)child_describe(status, described);
    if (!member->family->is_ending)
        after_death(member, described, is_hopeless);
    else if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        family_say(member->family, "%s ended with %s", member->process->name, described);
}

void family_reap(struct family *family)
{
    for (size_t i = 0; i < family->count; i++) {
        int status;

        if (child_ended(&family->members[i].child, &status))
            on_death(&family->members[i], status);
    }
    if (family->is_ending)
        end_next(family);
}

void family_tick(struct family *family)
{
    uint64_t now_ms = clock_ms();

    if (family->is_ending) {
        if (!family->is_killing && family->ending < ROLES &&
            now_ms - family->ended_ms >= end_ms[family->ending]) {
            family->is_killing = true;
            signal_role(family, family->ending, SIGKILL);
        }
        return;
    }
    for (size_t i = 0; i < family->count; i++) {
        struct member *member = &family->members[i];

        if (member->start_at_ms != 0 && now_ms >= member->start_at_ms)
            start(member);
    }
}
