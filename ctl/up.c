#include "ctl/up.h"

#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/tool.h"
#include "ctl/admin.h"
#include "ctl/family.h"
#include "ctl/folder.h"
#include "ctl/lines.h"
#include "ctl/options.h"
#include "ctl/plan.h"

enum {
    TICK_MS = 50,         /* ours */
    READY_MS = 60 * 1000, /* ours: Redis may have much to load */
    WAITING_SIZE = 256,
    SIGNALS = 4,
};

struct up {
    struct up_options options;
    struct folder folder;
    struct plan plan;
    struct event_base *base;
    struct event *tick;
    struct event *signals[SIGNALS];
    struct lines *lines;
    struct family *family;
    struct admin_request *question; /* to the coordinator */

    enum stage { STAGE_REDIS, STAGE_COORDINATOR, STAGE_READY, STAGE_RUNNING, STAGE_ENDING } stage;
    uint64_t started_ms;
    unsigned signals_count;     /* that ask for the end */
    bool is_answered;           /* the coordinator answers what this stage waits for */
    char waiting[WAITING_SIZE]; /* for what, by the coordinator's last answer */
    int status;                 /* to exit with */
};

/* ---- waiting for the others */

static bool redis_answers(const char *path)
{
    struct sockaddr_un to = { .sun_family = AF_UNIX };
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    bool answers = false;

    if (fd < 0)
        return false;
    if (strlen(path) < sizeof to.sun_path) {
        memcpy(to.sun_path, path, strlen(path) + 1);
        answers = connect(fd, (struct sockaddr *)&to, sizeof to) == 0;
    }
    close(fd);
    return answers;
}

/* {"error":"no shard is there yet"} */
static void note_waiting(struct up *up, const struct admin_answer *answer)
{
    static const char start[] = "{\"error\":\"";
    char text[WAITING_SIZE];
    size_t size;

    if (answer->status == 0 || strncmp(answer->body, start, sizeof start - 1) != 0)
        return;
    size = strcspn(answer->body + sizeof start - 1, "\"");
    (void)snprintf(text, sizeof text, "%.*s", (int)size, answer->body + sizeof start - 1);
    if (strcmp(text, up->waiting) == 0)
        return;
    memcpy(up->waiting, text, sizeof text);
    family_say(up->family, "waiting: %s", text);
}

static void on_answer(void *arg, const struct admin_answer *answer)
{
    struct up *up = arg;

    up->question = NULL;
    up->is_answered = answer->status == 200;
    if (!up->is_answered)
        note_waiting(up, answer);
}

static void ask_coordinator(struct up *up, const char *path)
{
    if (up->question == NULL && !up->is_answered)
        up->question = admin_start(up->base, &up->plan.admin, path, NULL, on_answer, up);
}

/* ---- stages */

static void begin_ending(struct up *up, int status)
{
    if (up->stage == STAGE_ENDING)
        return;
    up->stage = STAGE_ENDING;
    up->status = status;
    admin_cancel(&up->question);
    family_end(up->family);
}

static void enter(struct up *up, enum stage stage)
{
    up->stage = stage;
    up->is_answered = false;
    switch (stage) {
    case STAGE_REDIS:
        family_start(up->family, ROLE_REDIS);
        break;
    case STAGE_COORDINATOR:
        family_start(up->family, ROLE_COORDINATOR);
        break;
    case STAGE_READY:
        family_start(up->family, ROLE_SHARD);
        family_start(up->family, ROLE_GATEWAY);
        break;
    case STAGE_RUNNING:
        family_settled(up->family);
        fputs(up->plan.ready, stdout);
        fflush(stdout);
        family_start(up->family, ROLE_BOTS);
        break;
    case STAGE_ENDING:
        break;
    }
}

static void go_on(struct up *up)
{
    switch (up->stage) {
    case STAGE_REDIS:
        if (redis_answers(up->plan.redis_socket))
            enter(up, STAGE_COORDINATOR);
        break;
    case STAGE_COORDINATOR:
        ask_coordinator(up, "/healthz");
        if (up->is_answered)
            enter(up, STAGE_READY);
        break;
    case STAGE_READY:
        ask_coordinator(up, "/readyz");
        if (up->is_answered)
            enter(up, STAGE_RUNNING);
        break;
    case STAGE_RUNNING:
    case STAGE_ENDING:
        break;
    }
}

static void on_tick(evutil_socket_t fd, short what, void *arg)
{
    struct up *up = arg;

    (void)fd;
    (void)what;
    family_tick(up->family);
    go_on(up);
    if (family_failure(up->family) != NULL) {
        begin_ending(up, TOOL_FAILED);
    } else if (up->stage < STAGE_RUNNING && clock_ms() - up->started_ms > READY_MS) {
        family_say(up->family, "not ready after %d s: giving up", READY_MS / 1000);
        begin_ending(up, TOOL_FAILED);
    }
    (void)lines_drain(up->lines);
    if (up->stage == STAGE_ENDING && family_is_gone(up->family))
        (void)event_base_loopbreak(up->base);
}

/* ---- signals */

static void on_end_asked(evutil_socket_t number, short what, void *arg)
{
    struct up *up = arg;

    (void)what;
    if (++up->signals_count > 1) {
        family_say(up->family, "second signal: killing all");
        family_kill(up->family);
        return;
    }
    if (up->stage != STAGE_ENDING)
        family_say(up->family, "%s: ending all", strsignal(number));
    begin_ending(up, TOOL_OK);
}

static void on_child(evutil_socket_t number, short what, void *arg)
{
    struct up *up = arg;

    (void)number;
    (void)what;
    family_reap(up->family);
}

/* One that comes before the loop runs is handled in its first round. */
static int watch_signals(struct up *up)
{
    static const int numbers[SIGNALS] = { SIGINT, SIGTERM, SIGHUP, SIGCHLD };

    for (size_t i = 0; i < SIGNALS; i++) {
        up->signals[i] =
            evsignal_new(up->base, numbers[i], numbers[i] == SIGCHLD ? on_child : on_end_asked, up);
        if (up->signals[i] == NULL || event_add(up->signals[i], NULL) != 0)
            return -1;
    }
    return 0;
}

/* ---- the whole */

static int run(struct up *up)
{
    const struct timeval tick = { 0, TICK_MS * 1000 };

    up->lines = lines_open(STDERR_FILENO);
    up->family = up->lines == NULL ? NULL : family_new(&up->plan, up->lines, up->base);
    up->tick = event_new(up->base, -1, EV_PERSIST, on_tick, up);
    if (up->family == NULL || up->tick == NULL || event_add(up->tick, &tick) != 0)
        return tool_fail("no memory");
    family_say(up->family, "state in %s%s", up->folder.path,
               up->folder.is_private ? ", which is removed at the end (--state keeps one)" : "");
    up->started_ms = clock_ms();
    enter(up, STAGE_REDIS);
    (void)event_base_dispatch(up->base);
    return up->status;
}

/* What remains to be said stands last, where one looks for it. */
static void close_all(struct up *up)
{
    char failure[512] = "";

    if (up->family != NULL && family_failure(up->family) != NULL)
        (void)snprintf(failure, sizeof failure, "%s", family_failure(up->family));
    admin_cancel(&up->question);
    family_free(&up->family);
    lines_close(&up->lines);
    if (failure[0] != '\0')
        (void)tool_fail("%s", failure);
    if (up->tick != NULL)
        event_free(up->tick);
    for (size_t i = 0; i < SIGNALS; i++) {
        if (up->signals[i] != NULL)
            event_free(up->signals[i]);
    }
    if (up->base != NULL)
        event_base_free(up->base);
    plan_free(&up->plan);
    folder_close(&up->folder);
}

int up_run(int argc, char **argv)
{
    struct up *up = calloc(1, sizeof *up);
    int status;

    if (up == NULL)
        return tool_fail("no memory");
    status = up_options_parse(&up->options, argc, argv);
    if (status == TOOL_OK) {
        up->base = event_base_new();
        if (up->base == NULL || watch_signals(up) != 0)
            status = tool_fail("no memory");
    }
    if (status == TOOL_OK && folder_open(&up->folder, up->options.state) != 0)
        status = TOOL_FAILED;
    if (status == TOOL_OK)
        status = plan_make(&up->plan, &up->options, &up->folder);
    if (status == TOOL_OK)
        status = run(up);
    close_all(up);
    free(up);
    return status;
}
