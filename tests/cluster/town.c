#include "tests/cluster/town.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/log.h"

enum { READY_MS = 30000, END_MS = 10000, STEP_MS = 20, GATEWAYS = 2, FRAME_MS = 33, ARGUMENTS_MAX = 32 };

static struct town {
    char folder[32];
    const char *const *gamemodes;
    pid_t cluster;
    struct sockaddr_in gateways[GATEWAYS];
    struct resident *residents[TOWN_RESIDENTS_MAX];
    size_t count;
    uint64_t joined; /* also seeds */
} town;

/* ---- the cluster */

/* What lies beside this program. */
static void program_path(const char *name, char *path, size_t size)
{
    ssize_t length = readlink("/proc/self/exe", path, size - 1);
    char *slash;

    ck_assert_int_gt(length, 0);
    path[length] = '\0';
    slash = strrchr(path, '/');
    ck_assert_uint_lt(strlen(name), size - (size_t)(slash + 1 - path));
    memcpy(slash + 1, name, strlen(name) + 1);
}

static void file_path(const char *name, char path[64])
{
    (void)snprintf(path, 64, "%s/%s", town.folder, name);
}

static void write_world(const char *text)
{
    char path[64];
    FILE *file;

    file_path("world.yaml", path);
    file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs(text, file), 0);
    ck_assert_int_eq(fclose(file), 0);
}

static const char *name_of(const char *gamemode)
{
    return strrchr(gamemode, '/') + 1;
}

/* One folder with all of them: that is what a shard takes. */
static void link_gamemodes(const char *const gamemodes[])
{
    char folder[64];
    char to[128];

    town.gamemodes = gamemodes;
    file_path("resources", folder);
    ck_assert_int_eq(mkdir(folder, S_IRWXU), 0);
    for (; *gamemodes != NULL; gamemodes++) {
        char *from = realpath(*gamemodes, NULL);

        ck_assert_msg(from != NULL, "%s: %s", *gamemodes, strerror(errno));
        (void)snprintf(to, sizeof to, "%s/%s", folder, name_of(*gamemodes));
        ck_assert_int_eq(symlink(from, to), 0);
        free(from);
    }
}

static void unlink_gamemodes(void)
{
    char folder[64];
    char path[128];

    file_path("resources", folder);
    for (const char *const *gamemode = town.gamemodes; *gamemode != NULL; gamemode++) {
        (void)snprintf(path, sizeof path, "%s/%s", folder, name_of(*gamemode));
        (void)unlink(path);
    }
    (void)rmdir(folder);
}

/* The last one is NULL. */
static void list_arguments(const char *arguments[ARGUMENTS_MAX], const char *program, const char *world,
                           const char *folder)
{
    const char *const plain[] = { program,       "up",  "--shards",     "1", "--gateways", "2",
                                  "--port",      "0",   "--admin-port", "0", "--world",    world,
                                  "--resources", folder };
    size_t count = sizeof plain / sizeof plain[0];

    memcpy(arguments, plain, sizeof plain);
    for (const char *const *gamemode = town.gamemodes; *gamemode != NULL; gamemode++) {
        ck_assert_uint_lt(count + 2, ARGUMENTS_MAX);
        arguments[count++] = "--resource";
        arguments[count++] = name_of(*gamemode);
    }
    arguments[count] = NULL;
}

/* Returns where it prints that it is ready. */
static int start_cluster(void)
{
    char program[512];
    char world[64];
    char folder[64];
    char log[64];
    const char *arguments[ARGUMENTS_MAX];
    posix_spawn_file_actions_t actions;
    int ends[2];

    program_path("dlmpctl", program, sizeof program);
    file_path("world.yaml", world);
    file_path("resources", folder);
    list_arguments(arguments, program, world, folder);
    file_path("log", log);
    ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
    ck_assert_int_eq(posix_spawn_file_actions_init(&actions), 0);
    ck_assert_int_eq(posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO), 0);
    ck_assert_int_eq(
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log, O_WRONLY | O_CREAT, S_IRUSR | S_IWUSR),
        0);
    ck_assert_int_eq(posix_spawn(&town.cluster, program, &actions, NULL, (char *const *)arguments, environ),
                     0);
    (void)posix_spawn_file_actions_destroy(&actions);
    (void)close(ends[1]);
    return ends[0];
}

/* "ready gateway=127.0.0.1:40001,127.0.0.1:40002 admin=…" */
static void read_gateways(const char *line)
{
    const char *at = strstr(line, "gateway=");

    ck_assert_ptr_nonnull(at);
    at += strlen("gateway=");
    for (int i = 0; i < GATEWAYS; i++) {
        const char *colon = strchr(at, ':');
        char host[INET_ADDRSTRLEN] = { 0 };
        char *end;

        ck_assert_ptr_nonnull(colon);
        ck_assert_uint_lt((size_t)(colon - at), sizeof host);
        memcpy(host, at, (size_t)(colon - at));
        town.gateways[i] = (struct sockaddr_in){ .sin_family = AF_INET };
        town.gateways[i].sin_port = htons((uint16_t)strtoul(colon + 1, &end, 10));
        ck_assert_int_eq(inet_pton(AF_INET, host, &town.gateways[i].sin_addr), 1);
        at = end + 1;
    }
}

static bool is_any(const char *line)
{
    (void)line;
    return true;
}

static bool is_error(const char *line)
{
    return (strstr(line, " error ") != NULL && strstr(line, "resource=hang ") == NULL) ||
           strstr(line, "Sanitizer: ") != NULL || strstr(line, "runtime error: ") != NULL;
}

/* How many lines it has shown. */
static size_t show_log(bool (*is_wanted)(const char *line))
{
    char path[64];
    char line[LOG_LINE_MAX + 64];
    FILE *file;
    size_t count = 0;

    file_path("log", path);
    file = fopen(path, "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (!is_wanted(line))
            continue;
        (void)fputs(line, stderr);
        count++;
    }
    if (file != NULL)
        (void)fclose(file);
    return count;
}

static void wait_until_ready(int fd)
{
    char line[512] = { 0 };
    size_t size = 0;
    uint64_t until_ms = clock_ms() + READY_MS;

    while (strchr(line, '\n') == NULL) {
        struct pollfd readable = { .fd = fd, .events = POLLIN };
        ssize_t got = 0;

        if (poll(&readable, 1, 100) > 0)
            got = read(fd, line + size, sizeof line - 1 - size);
        if (got > 0)
            size += (size_t)got;
        if (clock_ms() > until_ms || (readable.revents != 0 && got <= 0)) {
            (void)show_log(is_any);
            (void)town_raze();
            ck_abort_msg("the cluster did not come up");
        }
    }
    read_gateways(line);
    (void)close(fd);
}

void town_build(const char *world, const char *const gamemodes[])
{
    town = (struct town){ .folder = "/tmp/dlmp-town-XXXXXX" };
    ck_assert_ptr_nonnull(mkdtemp(town.folder));
    write_world(world);
    link_gamemodes(gamemodes);
    wait_until_ready(start_cluster());
}

bool town_raze(void)
{
    static const char *const files[] = { "world.yaml", "log" };
    uint64_t until_ms = clock_ms() + END_MS;
    size_t errors;

    if (town.folder[0] == '\0')
        return true;
    if (town.cluster > 0) {
        (void)kill(town.cluster, SIGTERM);
        while (waitpid(town.cluster, NULL, WNOHANG) == 0 && clock_ms() < until_ms)
            (void)poll(NULL, 0, STEP_MS);
        (void)kill(town.cluster, SIGTERM); /* a second one ends everything at once */
        town.cluster = 0;
    }
    errors = show_log(is_error);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char path[64];

        file_path(files[i], path);
        (void)unlink(path);
    }
    unlink_gamemodes();
    (void)rmdir(town.folder);
    town.folder[0] = '\0';
    return errors == 0;
}

/* ---- residents */

static void send_datagram(void *context, struct span datagram)
{
    struct resident *resident = context;

    if (!rng_chance(&resident->rng, resident->loss))
        (void)send(resident->fd, datagram.data, datagram.size, 0);
}

static void keep_line(struct resident *resident, struct span text)
{
    struct line *line;

    if (resident->lines_count == TOWN_LINES_MAX) {
        memmove(resident->lines, resident->lines + 1, (TOWN_LINES_MAX - 1) * sizeof *resident->lines);
        resident->lines_count--;
    }
    line = &resident->lines[resident->lines_count++];
    line->taken = false;
    (void)snprintf(line->text, sizeof line->text, "%.*s", (int)text.size, (const char *)text.data);
}

static struct wire_remote_vehicle_frame *find_frame(const struct resident *resident, uint32_t vehicle_id)
{
    for (size_t i = 0; i < resident->frames_count; i++)
        if (resident->frames[i].vehicle_id == vehicle_id)
            return &resident->frames[i];
    return NULL;
}

static void keep_frame(struct resident *resident, const struct wire_remote_vehicle_frame *frame)
{
    struct wire_remote_vehicle_frame *kept = find_frame(resident, frame->vehicle_id);

    if (kept == NULL) {
        ck_assert_uint_lt(resident->frames_count, TOWN_FRAMES_MAX);
        kept = &resident->frames[resident->frames_count++];
    }
    *kept = *frame;
}

static void hear(void *context, const struct wire_packet *packet, const union wire_any *any)
{
    struct resident *resident = context;

    if (packet->id == PACKET_SERVER_MESSAGE)
        keep_line(resident, any->server_message.text);
    if (packet->id == PACKET_REMOTE_VEHICLE_FRAME)
        keep_frame(resident, &any->remote_vehicle_frame);
    if (packet->lane != WIRE_RELIABLE && packet->id != PACKET_REMOTE_VEHICLE_SHOT)
        return;
    if (resident->heard_count == TOWN_HEARD_MAX) {
        memmove(resident->heard, resident->heard + 1, (TOWN_HEARD_MAX - 1) * sizeof *resident->heard);
        resident->heard_count--;
    }
    resident->heard[resident->heard_count++] = (struct heard){ .id = packet->id, .any = *any };
}

static void bind_to(int fd, const char *address)
{
    struct sockaddr_in from = { .sin_family = AF_INET };

    ck_assert_int_eq(inet_pton(AF_INET, address, &from.sin_addr), 1);
    ck_assert_int_eq(bind(fd, (const struct sockaddr *)&from, sizeof from), 0);
}

struct resident *town_join(const char *name)
{
    return town_join_from(name, "127.0.0.1");
}

struct resident *town_join_from(const char *name, const char *address)
{
    struct resident *resident = calloc(1, sizeof *resident);
    const struct sockaddr_in *gateway = &town.gateways[town.joined % GATEWAYS];
    char
        unique[CLIENT_NAME_MAX + 1]; /* one who was left behind by a scenario that failed still has its own */
    struct client_config config = {
        .name = unique,
        .password = "",
        .frame_ms = FRAME_MS,
        .send = send_datagram,
        .context = resident,
        .heard = hear,
    };

    (void)snprintf(unique, sizeof unique, "%.8s_%d_%u", name, getpid() % 100000, (unsigned)town.joined);
    ck_assert_ptr_nonnull(resident);
    ck_assert_uint_lt(town.count, TOWN_RESIDENTS_MAX);
    resident->heard = calloc(TOWN_HEARD_MAX, sizeof *resident->heard);
    ck_assert_ptr_nonnull(resident->heard);
    resident->lines = calloc(TOWN_LINES_MAX, sizeof *resident->lines);
    ck_assert_ptr_nonnull(resident->lines);
    resident->frames = calloc(TOWN_FRAMES_MAX, sizeof *resident->frames);
    ck_assert_ptr_nonnull(resident->frames);
    resident->fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    ck_assert_int_ge(resident->fd, 0);
    bind_to(resident->fd, address);
    ck_assert_int_eq(connect(resident->fd, (const struct sockaddr *)gateway, sizeof *gateway), 0);
    rng_init_seeded(&resident->rng, (uint64_t)getpid() << 32 | town.joined++);
    client_init(&resident->client, &config, &resident->rng);
    town.residents[town.count++] = resident;
    client_connect(&resident->client, clock_ms());
    TOWN_UNTIL(resident->client.state == CLIENT_SPAWNED);
    return resident;
}

void town_leave(struct resident *resident)
{
    const char *complaint = client_complaint(&resident->client);
    size_t at = 0;

    client_leave(&resident->client, clock_ms());
    while (town.residents[at] != resident)
        at++;
    town.residents[at] = town.residents[--town.count];
    (void)close(resident->fd);
    client_fini(&resident->client);
    free(resident->heard);
    free(resident->lines);
    free(resident->frames);
    free(resident);
    ck_assert_msg(complaint == NULL, "a client complains: %s", complaint);
}

void town_leave_all(void)
{
    while (town.count > 0)
        town_leave(town.residents[0]);
}

/* ---- time */

static void receive_all(struct resident *resident)
{
    uint8_t bytes[2048];
    ssize_t size;

    while ((size = recv(resident->fd, bytes, sizeof bytes, 0)) >= 0)
        if (!rng_chance(&resident->rng, resident->loss))
            client_on_datagram(&resident->client, clock_ms(),
                               (struct span){ .data = bytes, .size = (size_t)size });
}

void town_step(void)
{
    struct pollfd sockets[TOWN_RESIDENTS_MAX];
    uint64_t now_ms = clock_ms();
    uint64_t wakes_ms = now_ms + STEP_MS;

    for (size_t i = 0; i < town.count; i++) {
        uint64_t at_ms = client_wakes_at(&town.residents[i]->client);

        sockets[i] = (struct pollfd){ .fd = town.residents[i]->fd, .events = POLLIN };
        wakes_ms = at_ms < wakes_ms ? at_ms : wakes_ms;
    }
    (void)poll(sockets, town.count, wakes_ms > now_ms ? (int)(wakes_ms - now_ms) : 0);
    for (size_t i = 0; i < town.count; i++) {
        receive_all(town.residents[i]);
        client_tick(&town.residents[i]->client, clock_ms());
    }
}

/* ---- what a resident sees and hears */

static const struct view_vehicle *find_at(const struct resident *resident, float x, float y)
{
    const struct view *view = &resident->client.view;

    for (uint32_t i = 0; i < view->vehicles_count; i++) {
        const struct view_vehicle *vehicle = &view->vehicles[i];

        if (vehicle->is_shown && vehicle->pos[0] == x && vehicle->pos[1] == y)
            return vehicle;
    }
    return NULL;
}

uint32_t town_vehicle_at(const struct resident *resident, float x, float y)
{
    TOWN_UNTIL(find_at(resident, x, y) != NULL);
    return find_at(resident, x, y)->id;
}

const struct view_vehicle *town_vehicle(const struct resident *resident, uint32_t vehicle_id)
{
    return view_vehicle(&resident->client.view, vehicle_id);
}

bool town_sees_seated(const struct resident *resident, uint32_t vehicle_id, uint8_t seat,
                      const struct resident *who)
{
    const struct view_vehicle *vehicle = town_vehicle(resident, vehicle_id);

    return vehicle != NULL && vehicle->seats[seat].player_id == who->client.player_id &&
           vehicle->seats[seat].player_token == who->client.player_token;
}

bool town_sees_free(const struct resident *resident, uint32_t vehicle_id, uint8_t seat)
{
    const struct view_vehicle *vehicle = town_vehicle(resident, vehicle_id);

    return vehicle != NULL && vehicle->seats[seat].player_token == 0;
}

static struct heard *find_heard(const struct resident *resident, uint8_t id)
{
    for (size_t i = 0; i < resident->heard_count; i++)
        if (resident->heard[i].id == id && !resident->heard[i].taken)
            return &resident->heard[i];
    return NULL;
}

const union wire_any *town_take(struct resident *resident, uint8_t id)
{
    struct heard *heard;

    TOWN_UNTIL(find_heard(resident, id) != NULL);
    heard = find_heard(resident, id);
    heard->taken = true;
    return &heard->any;
}

size_t town_count(const struct resident *resident, uint8_t id)
{
    size_t count = 0;

    for (size_t i = 0; i < resident->heard_count; i++)
        count += resident->heard[i].id == id && !resident->heard[i].taken;
    return count;
}

static struct line *find_line(const struct resident *resident, const char *beginning)
{
    for (size_t i = 0; i < resident->lines_count; i++)
        if (!resident->lines[i].taken && strncmp(resident->lines[i].text, beginning, strlen(beginning)) == 0)
            return &resident->lines[i];
    return NULL;
}

const char *town_read(struct resident *resident, const char *beginning)
{
    uint64_t until_ms = clock_ms() + TOWN_WAIT_MS;
    struct line *line;

    while ((line = find_line(resident, beginning)) == NULL) {
        const char *last = resident->lines_count > 0 ? resident->lines[resident->lines_count - 1].text : "";

        ck_assert_msg(clock_ms() < until_ms, "not within %d ms: '%s'; the last line is '%s'", TOWN_WAIT_MS,
                      beginning, last);
        town_step();
    }
    line->taken = true;
    return line->text;
}

size_t town_count_lines(const struct resident *resident, const char *beginning)
{
    size_t count = 0;

    for (size_t i = 0; i < resident->lines_count; i++)
        count +=
            !resident->lines[i].taken && strncmp(resident->lines[i].text, beginning, strlen(beginning)) == 0;
    return count;
}

const struct wire_vehicle_state *town_frame(const struct resident *resident, uint32_t vehicle_id)
{
    const struct wire_remote_vehicle_frame *frame = find_frame(resident, vehicle_id);

    return frame == NULL ? NULL : &frame->state;
}

void town_forget(void)
{
    for (size_t i = 0; i < town.count; i++) {
        town.residents[i]->heard_count = 0;
        town.residents[i]->lines_count = 0;
        town.residents[i]->frames_count = 0;
    }
}

void town_send(struct resident *resident, const struct wire_packet *packet, const void *value)
{
    uint8_t bytes[WIRE_PACKET_SIZE_MAX];
    struct wire_error error;
    size_t size = packet->encode(value, bytes, sizeof bytes, &error);

    ck_assert_uint_gt(size, 0);
    send_datagram(resident, (struct span){ .data = bytes, .size = size });
}
