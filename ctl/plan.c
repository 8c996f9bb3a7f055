#include "ctl/plan.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/tool.h"
#include "ctl/child.h"
#include "ctl/complaint.h"
#include "ctl/ports.h"
#include "ctl/programs.h"
#include "ctl/world.h"

enum { CHECK_MS = 10 * 1000, LISTING_SIZE = 64 * 1024 };

static const char loopback[] = "127.0.0.1";

/* Where players start when the world file does not say: a yard in Doherty, San Fierro. */
static const char standard_spawns[] = "  - { x: -2033.0, y: 148.0, z: 28.84, heading: 270, skin: 7 }\n";

static const struct {
    const char *program;
    const char *prefix; /* of its environment variables */
} roles[ROLES] = {
    [ROLE_REDIS] = { "redis-server", NULL },
    [ROLE_COORDINATOR] = { "dlmp-coordinator", "DLMP_COORDINATOR_" },
    [ROLE_SHARD] = { "dlmp-shard", "DLMP_SHARD_" },
    [ROLE_GATEWAY] = { "dlmp-gateway", "DLMP_GATEWAY_" },
    [ROLE_BOTS] = { "dlmp-bots", NULL },
};

/* What the steps of the making share. */
struct making {
    struct plan *plan;
    const struct up_options *options;
    const struct folder *folder;
    char programs[ROLES][PROGRAM_PATH_SIZE];
    struct ports ports;
    struct world_lists world;
    uint16_t admin_port;
    uint16_t next_port; /* to try for the next process' admin server */
    uint16_t udp_ports[OPTIONS_GATEWAYS_MAX];
    const char *udp_address; /* as --set says, or the loopback */
    const char *admin_address;
    char listings[ROLES][LISTING_SIZE]; /* what --check-config printed */
};

/* ---- what a process is told */

static struct process *add(struct making *making, enum role role, const char *name)
{
    struct process *process = &making->plan->processes[making->plan->count++];

    assert(making->plan->count <= PLAN_PROCESSES_MAX);
    process->role = role;
    (void)snprintf(process->name, sizeof process->name, "%s", name);
    settings_init(&process->settings);
    return process;
}

/* "ipc:///tmp/dlmp-x/shard-1.bus" */
static bool set_endpoint(const struct making *making, struct process *process, const char *key,
                         const char *of)
{
    return settings_set_to(&process->settings, key, "ipc://%s/%s.bus", making->folder->path, of);
}

/* The admin servers of gateways and shards take the ports after the coordinator's, as far as these are
 * free. */
static uint16_t hold_admin_port(struct making *making)
{
    uint16_t port = 0;

    while (port == 0 && making->next_port != 0 && making->next_port < UINT16_MAX)
        port = ports_hold(&making->ports, PORTS_TCP, making->admin_address, making->next_port++);
    return port != 0 ? port : ports_hold(&making->ports, PORTS_TCP, making->admin_address, 0);
}

static bool set_admin(struct process *process, const char *address, uint16_t port)
{
    return port != 0 && settings_set(&process->settings, "admin.listen", address) &&
           settings_set_to(&process->settings, "admin.port", "%u", (unsigned)port);
}

static bool add_coordinator(struct making *making)
{
    struct process *process = add(making, ROLE_COORDINATOR, "coordinator");
    const char *spawns = making->world.spawns;

    if (spawns == NULL || spawns[0] == '\0')
        spawns = standard_spawns;
    return set_endpoint(making, process, "bus.endpoint", process->name) &&
           settings_set(&process->settings, "redis.socket", making->plan->redis_socket) &&
           settings_set_to(&process->settings, "cluster.shards", "%u", making->options->shards) &&
           set_admin(process, making->admin_address, making->admin_port) &&
           settings_set_list(&process->settings, "spawns", spawns);
}

/* The names, as the items of a list. */
static bool set_resources(const struct making *making, struct process *process)
{
    const struct up_options *options = making->options;
    char folder[PATH_MAX];
    char name[64];
    char off[FOLDER_PATH_SIZE];
    char *items = NULL;
    size_t size = 0;
    FILE *out;
    bool done;

    if (options->resources == NULL)
        return true;
    out = open_memstream(&items, &size);
    if (out == NULL || realpath(options->resources, folder) == NULL) {
        if (out != NULL)
            (void)fclose(out);
        free(items);
        return false;
    }
    for (size_t i = 0; i < options->resource_names_count; i++) {
        fputs("  - ", out);
        settings_put_scalar(out, options->resource_names[i]);
        fputc('\n', out);
    }
    (void)snprintf(name, sizeof name, "%s.off", process->name);
    done = fclose(out) == 0 && settings_set(&process->settings, "resources.folder", folder) &&
           settings_set(&process->settings, "resources.off_file", folder_join(making->folder, name, off)) &&
           settings_set_list(&process->settings, "resources.start", items);
    free(items);
    return done;
}

static bool add_shard(struct making *making, unsigned number)
{
    char name[16];
    struct process *process;

    (void)snprintf(name, sizeof name, "shard-%u", number);
    process = add(making, ROLE_SHARD, name);
    return settings_set(&process->settings, "name", name) &&
           set_endpoint(making, process, "bus.endpoint", name) &&
           set_endpoint(making, process, "bus.coordinator", "coordinator") &&
           set_admin(process, making->admin_address, hold_admin_port(making)) &&
           settings_set_list(&process->settings, "vehicles",
                             making->world.vehicles != NULL ? making->world.vehicles : "") &&
           set_resources(making, process);
}

static bool add_gateway(struct making *making, unsigned number)
{
    char name[16];
    struct process *process;

    (void)snprintf(name, sizeof name, "gateway-%u", number);
    process = add(making, ROLE_GATEWAY, name);
    return settings_set(&process->settings, "name", name) &&
           settings_set(&process->settings, "udp.address", making->udp_address) &&
           settings_set_to(&process->settings, "udp.port", "%u", (unsigned)making->udp_ports[number - 1]) &&
           set_endpoint(making, process, "bus.coordinator", "coordinator") &&
           set_admin(process, making->admin_address, hold_admin_port(making));
}

/* What Redis' configuration reads as one word. */
static void put_redis_word(FILE *out, const char *key, const char *word)
{
    fprintf(out, "%s \"", key);
    for (; *word != '\0'; word++)
        fprintf(out, *word == '"' || *word == '\\' ? "\\%c" : "%c", *word);
    fputs("\"\n", out);
}

/* A Redis of its own: no port, only a socket in the folder; everything is written down as it comes. */
static int write_redis(struct making *making, const char *path)
{
    char data[FOLDER_PATH_SIZE];
    FILE *out;
    int failed;

    if (mkdir(folder_join(making->folder, "redis", data), 0700) != 0 && errno != EEXIST)
        return -1;
    out = fopen(path, "we");
    if (out == NULL)
        return -1;
    fputs("# Written by dlmpctl up.\nport 0\n", out);
    put_redis_word(out, "unixsocket", making->plan->redis_socket);
    put_redis_word(out, "dir", data);
    fputs("unixsocketperm 700\nappendonly yes\nappendfsync everysec\nsave \"\"\nmaxmemory-policy noeviction\n"
          "daemonize no\nlogfile \"\"\nloglevel notice\n",
          out);
    failed = ferror(out);
    return fclose(out) == 0 && !failed ? 0 : -1;
}

static bool set_arguments(struct process *process, int count, ...)
{
    va_list arguments;
    bool done = true;

    assert(count < PLAN_ARGUMENTS_MAX);
    va_start(arguments, count);
    for (int i = 0; i < count; i++) {
        process->arguments[i] = strdup(va_arg(arguments, const char *));
        done = done && process->arguments[i] != NULL;
    }
    va_end(arguments);
    return done;
}

static bool add_redis(struct making *making)
{
    struct process *process = add(making, ROLE_REDIS, "redis");
    char path[FOLDER_PATH_SIZE];

    (void)folder_join(making->folder, "redis.sock", making->plan->redis_socket);
    return write_redis(making, folder_join(making->folder, "redis.conf", path)) == 0 &&
           set_arguments(process, 2, making->programs[ROLE_REDIS], path);
}

/* Gateways as clients reach them: "127.0.0.1:7777,127.0.0.1:7778". */
static void list_gateways(const struct making *making, char *list, size_t size)
{
    const char *address = making->udp_address;
    size_t taken = 0;

    if (strcmp(address, "0.0.0.0") == 0)
        address = loopback;
    else if (strcmp(address, "::") == 0)
        address = "::1";
    for (unsigned i = 0; i < making->options->gateways && taken < size; i++)
        taken += (size_t)snprintf(list + taken, size - taken,
                                  strchr(address, ':') == NULL ? "%s%s:%u" : "%s[%s]:%u", i > 0 ? "," : "",
                                  address, (unsigned)making->udp_ports[i]);
}

static bool add_bots(struct making *making)
{
    struct process *process;
    char servers[PLAN_READY_SIZE / 2];
    char count[16];

    if (making->options->bots == 0)
        return true;
    process = add(making, ROLE_BOTS, "bots");
    list_gateways(making, servers, sizeof servers);
    (void)snprintf(count, sizeof count, "%u", making->options->bots);
    return set_arguments(process, 7, making->programs[ROLE_BOTS], "--server", servers, "--count", count,
                         "--time", "0");
}

static void write_ready(struct making *making)
{
    struct plan *plan = making->plan;
    const char *admin = making->admin_address;
    char gateways[PLAN_READY_SIZE / 2];

    if (strcmp(admin, "0.0.0.0") == 0)
        admin = loopback;
    else if (strcmp(admin, "::") == 0)
        admin = "::1";
    list_gateways(making, gateways, sizeof gateways);
    (void)snprintf(plan->admin.host, sizeof plan->admin.host, "%s", admin);
    plan->admin.port = making->admin_port;
    (void)snprintf(plan->ready, sizeof plan->ready,
                   strchr(admin, ':') == NULL ? "ready gateway=%s admin=http://%s:%u\n"
                                              : "ready gateway=%s admin=http://[%s]:%u\n",
                   gateways, admin, (unsigned)making->admin_port);
}

static int add_all(struct making *making)
{
    bool done = add_redis(making) && add_coordinator(making);

    for (unsigned i = 1; i <= making->options->shards; i++)
        done = done && add_shard(making, i);
    for (unsigned i = 1; i <= making->options->gateways; i++)
        done = done && add_gateway(making, i);
    done = done && add_bots(making);
    write_ready(making);
    return done ? TOOL_OK
                : tool_fail("cannot write the settings files into %s: %s", making->folder->path,
                            strerror(errno));
}

/* ---- before that: programs and ports */

static int find_programs(struct making *making)
{
    for (enum role role = ROLE_COORDINATOR; role < ROLES; role++) {
        if (role == ROLE_BOTS && making->options->bots == 0)
            continue;
        if (program_find_ours(roles[role].program, making->programs[role]) != 0)
            return TOOL_MISSING;
    }
    return program_find(roles[ROLE_REDIS].program, "redis-server", making->programs[ROLE_REDIS]) == 0
               ? TOOL_OK
               : TOOL_FAILED;
}

static int fail_port(const char *kind, const char *address, uint16_t port, const char *option)
{
    if (errno == EADDRINUSE)
        return tool_fail("%s port %u of %s is in use: is a cluster running? %s takes another one", kind,
                         (unsigned)port, address, option);
    return tool_fail("cannot use %s port %u of %s: %s", kind, (unsigned)port, address, strerror(errno));
}

static int hold_ports(struct making *making)
{
    const struct up_options *options = making->options;

    making->admin_port = ports_hold(&making->ports, PORTS_TCP, making->admin_address, options->admin_port);
    if (making->admin_port == 0)
        return fail_port("TCP", making->admin_address, options->admin_port, "--admin-port");
    making->next_port = options->admin_port == 0 ? 0 : (uint16_t)(options->admin_port + 1);
    for (unsigned i = 0; i < options->gateways; i++) {
        uint16_t port = options->port == 0 ? 0 : (uint16_t)(options->port + i);

        making->udp_ports[i] = ports_hold(&making->ports, PORTS_UDP, making->udp_address, port);
        if (making->udp_ports[i] == 0)
            return fail_port("UDP", making->udp_address, port, "--port");
    }
    return TOOL_OK;
}

/* ---- after it: files and what the programs say to them */

/* DLMP_GATEWAY_UDP_PORT for udp.port; `name` has room for it. */
static void variable_name(enum role role, const char *key, char name[2 * SETTINGS_KEY_SIZE])
{
    size_t size = (size_t)snprintf(name, 2 * SETTINGS_KEY_SIZE, "%s%s", roles[role].prefix, key);

    for (size_t i = 0; i < size; i++)
        name[i] = name[i] == '.' ? '_' : (char)toupper((unsigned char)name[i]);
}

/* Does this variable set what the file sets? Files are ours for the run, so the file has the last word. */
static bool is_overridden(const struct process *process, const char *variable)
{
    char name[2 * SETTINGS_KEY_SIZE];

    if (roles[process->role].prefix == NULL)
        return false;
    for (size_t i = 0; i < process->settings.count; i++) {
        variable_name(process->role, process->settings.items[i].key, name);
        if (strncmp(variable, name, strlen(name)) == 0 && variable[strlen(name)] == '=')
            return true;
    }
    return false;
}

static int make_environment(struct process *process)
{
    size_t count = 0;
    size_t kept = 0;

    while (environ[count] != NULL)
        count++;
    free(process->environment);
    process->environment = calloc(count + 1, sizeof *process->environment);
    if (process->environment == NULL)
        return tool_fail("no memory");
    for (size_t i = 0; i < count; i++) {
        if (!is_overridden(process, environ[i]))
            process->environment[kept++] = environ[i];
    }
    return TOOL_OK;
}

static int write_file(const struct making *making, struct process *process)
{
    char name[64];

    if (process->role == ROLE_REDIS || process->role == ROLE_BOTS)
        return make_environment(process);
    (void)snprintf(name, sizeof name, "%s.yaml", process->name);
    (void)folder_join(making->folder, name, process->file);
    if (settings_write(&process->settings, process->file) != 0)
        return tool_fail("cannot write %s: %s", process->file, strerror(errno));
    if (process->arguments[0] == NULL &&
        !set_arguments(process, 3, making->programs[process->role], "--config", process->file))
        return tool_fail("no memory");
    return make_environment(process);
}

/* Asks the program whether it takes its file; what it says to that is the listing, or what is wrong. */
static int check_file(struct making *making, const struct process *process)
{
    char check[] = "--check-config";
    char *const arguments[] = { process->arguments[0], process->arguments[1], process->arguments[2], check,
                                NULL };
    const struct child_program program = { arguments, process->environment };
    char *listing = making->listings[process->role];
    char described[CHILD_STATUS_SIZE];
    int status = child_run(&program, CHECK_MS, listing, LISTING_SIZE);

    if (status == 0)
        return TOOL_OK;
    if (status < 0)
        return tool_fail("cannot run %s: %s", arguments[0], strerror(errno));
    complaint_print(listing, process->file, making->options->world, stderr);
    (void)tool_fail("%s does not take its settings (%s); it said why", process->name,
                    child_describe(status, described));
    return WIFEXITED(status) && WEXITSTATUS(status) == TOOL_USAGE ? TOOL_USAGE : TOOL_FAILED;
}

/* Files for all; one of each role is tried, since the others differ in names and ports alone. */
static int write_files(struct making *making)
{
    const struct plan *plan = making->plan;
    int status = TOOL_OK;

    for (size_t i = 0; i < plan->count && status == TOOL_OK; i++) {
        struct process *process = &plan->processes[i];

        status = write_file(making, process);
        if (status == TOOL_OK && process->file[0] != '\0' &&
            (i == 0 || plan->processes[i - 1].role != process->role))
            status = check_file(making, process);
    }
    return status;
}

/* ---- --set */

/* These have an option of their own, or hold the cluster together. */
static bool is_fixed(const char *key)
{
    static const char *const fixed[] = {
        "name",     "udp.port",         "admin.port",      "cluster.shards",    "spawns",
        "vehicles", "resources.folder", "resources.start", "resources.off_file"
    };
    static const char *const fixed_sections[] = { "bus.", "redis." };

    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++) {
        if (strcmp(key, fixed[i]) == 0)
            return true;
    }
    for (size_t i = 0; i < sizeof fixed_sections / sizeof fixed_sections[0]; i++) {
        if (strncmp(key, fixed_sections[i], strlen(fixed_sections[i])) == 0)
            return true;
    }
    return false;
}

static int apply_set(struct making *making, const char *text)
{
    char key[SETTINGS_KEY_SIZE];
    size_t size = strcspn(text, "=");
    bool is_known = false;

    (void)snprintf(key, sizeof key, "%.*s", (int)size, text);
    if (size < sizeof key && is_fixed(key))
        return tool_fail_usage("up", "--set %s: this one dlmpctl up sets itself", key);
    for (size_t i = 0; i < making->plan->count; i++) {
        struct process *process = &making->plan->processes[i];

        if (size >= sizeof key || !settings_listing_has(making->listings[process->role], key))
            continue;
        is_known = true;
        if (!settings_set(&process->settings, key, text + size + 1))
            return tool_fail_usage("up", "--set %s: too many settings", key);
    }
    return is_known ? TOOL_OK
                    : tool_fail_usage("up", "--set: no process has a setting '%.*s'", (int)size, text);
}

static int apply_sets(struct making *making)
{
    int status = TOOL_OK;

    for (size_t i = 0; i < making->options->sets_count && status == TOOL_OK; i++)
        status = apply_set(making, making->options->sets[i]);
    return status;
}

/* The last value that --set gives it, or the standard. */
static const char *set_value(const struct up_options *options, const char *key, const char *standard)
{
    size_t size = strlen(key);

    for (size_t i = options->sets_count; i > 0; i--) {
        if (strncmp(options->sets[i - 1], key, size) == 0 && options->sets[i - 1][size] == '=')
            return options->sets[i - 1] + size + 1;
    }
    return standard;
}

/* ---- the whole */

static int make(struct making *making)
{
    const struct up_options *options = making->options;
    int status = find_programs(making);

    if (status == TOOL_OK && options->world != NULL && world_load(&making->world, options->world) != 0)
        status = TOOL_FAILED;
    if (status == TOOL_OK && options->resources != NULL && access(options->resources, R_OK | X_OK) != 0)
        status = tool_fail("--resources %s: %s", options->resources, strerror(errno));
    if (status == TOOL_OK)
        status = hold_ports(making);
    if (status == TOOL_OK)
        status = add_all(making);
    if (status == TOOL_OK)
        status = write_files(making);
    if (status == TOOL_OK && options->sets_count > 0) {
        status = apply_sets(making);
        if (status == TOOL_OK)
            status = write_files(making);
    }
    return status;
}

int plan_make(struct plan *plan, const struct up_options *options, const struct folder *folder)
{
    struct making *making = calloc(1, sizeof *making);
    int status;

    *plan = (struct plan){ .processes = calloc(PLAN_PROCESSES_MAX, sizeof *plan->processes) };
    if (making == NULL || plan->processes == NULL) {
        free(making);
        return tool_fail("no memory");
    }
    making->plan = plan;
    making->options = options;
    making->folder = folder;
    making->udp_address = set_value(options, "udp.address", loopback);
    making->admin_address = set_value(options, "admin.listen", loopback);
    status = make(making);
    ports_release(&making->ports);
    world_free(&making->world);
    free(making);
    return status;
}

void plan_free(struct plan *plan)
{
    for (size_t i = 0; i < plan->count; i++) {
        struct process *process = &plan->processes[i];

        for (size_t j = 0; process->arguments[j] != NULL; j++)
            free(process->arguments[j]);
        free(process->environment);
        settings_fini(&process->settings);
    }
    free(plan->processes);
    *plan = (struct plan){ 0 };
}
