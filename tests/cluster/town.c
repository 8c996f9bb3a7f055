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
#include <sys/wait.h>
#include <unistd.h>

enum { READY_MS = 30000, END_MS = 10000, STEP_MS = 20, GATEWAYS = 2, FRAME_MS = 33 };

static struct town {
    char folder[32];
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

/* Returns where it prints that it is ready. */
static int start_cluster(void)
{
    char program[512];
    char world[64];
    char log[64];
    char *arguments[] = { program,
                          (char[]){ "up" },
                          (char[]){ "--shards" },
                          (char[]){ "1" },
                          (char[]){ "--gateways" },
                          (char[]){ "2" },
                          (char[]){ "--port" },
                          (char[]){ "0" },
                          (char[]){ "--admin-port" },
                          (char[]){ "0" },
                          (char[]){ "--world" },
                          world,
                          NULL };
    posix_spawn_file_actions_t actions;
    int ends[2];

    program_path("dlmpctl", program, sizeof program);
    file_path("world.yaml", world);
    file_path("log", log);
    ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
    ck_assert_int_eq(posix_spawn_file_actions_init(&actions), 0);
    ck_assert_int_eq(posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO), 0);
    ck_assert_int_eq(
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log, O_WRONLY | O_CREAT, S_IRUSR | S_IWUSR),
        0);
    ck_assert_int_eq(posix_spawn(&town.cluster, program, &actions, NULL, arguments, environ), 0);
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

static void show_log(void)
{
    char path[64];
    char line[512];
    FILE *file;

    file_path("log", path);
    file = fopen(path, "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        (void)fputs(line, stderr);
    if (file != NULL)
        (void)fclose(file);
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
            show_log();
            town_raze();
            ck_abort_msg("the cluster did not come up");
        }
    }
    read_gateways(line);
    (void)close(fd);
}

void town_build(const char *world)
{
    town = (struct town){ .folder = "/tmp/dlmp-town-XXXXXX" };
    ck_assert_ptr_nonnull(mkdtemp(town.folder));
    write_world(world);
    wait_until_ready(start_cluster());
}

void town_raze(void)
{
    static const char *const files[] = { "world.yaml", "log" };
    uint64_t until_ms = clock_ms() + END_MS;

    if (town.cluster > 0) {
        (void)kill(town.cluster, SIGTERM);
        while (waitpid(town.cluster, NULL, WNOHANG) == 0 && clock_ms() < until_ms)
            (void)poll(NULL, 0, STEP_MS);
        (void)kill(town.cluster, SIGTERM); /* a second one ends everything at once */
        town.cluster = 0;
    }
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char path[64];

        file_path(files[i], path);
        (void)unlink(path);
    }
    (void)rmdir(town.folder);
}

/* ---- residents */

static void send_datagram(void *context, struct span datagram)
{
    struct resident *resident = context;

    if (!rng_chance(&resident->rng, resident->loss))
        (void)send(resident->fd, datagram.data, datagram.size, 0);
}

static void hear(void *context, const struct wire_packet *packet, const union wire_any *any)
{
    struct resident *resident = context;

    if (packet->lane != WIRE_RELIABLE)
        return;
    if (resident->heard_count == TOWN_HEARD_MAX) {
        memmove(resident->heard, resident->heard + 1, (TOWN_HEARD_MAX - 1) * sizeof *resident->heard);
        resident->heard_count--;
    }
    resident->heard[resident->heard_count++] = (struct heard){ .id = packet->id, .any = *any };
}

struct resident *town_join(const char *name)
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
    resident->fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    ck_assert_int_ge(resident->fd, 0);
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

void town_forget(void)
{
    for (size_t i = 0; i < town.count; i++)
        town.residents[i]->heard_count = 0;
}
