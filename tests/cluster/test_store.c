/* The coordinator's store against a Redis of its own: a redis-server on a unix socket in a temporary
 * folder, which is killed, restarted, stopped, emptied, and given values that are not ours. */
#include "coordinator/store.h"

#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <hiredis/hiredis.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "tests/cluster/suites.h"

enum { GATEWAY = 1, SHARD = 11, WAIT_MS = 8000 };

static char folder[] = "/tmp/dlmp-store-XXXXXX";
static char socket_path[64];
static pid_t server;
static struct event_base *base;
static struct coordinator *coordinator;
static struct store *store;
static struct cluster_settings settings;
static char password[64];
static uint64_t request;

/* ---- Redis ---- */

static void set_password(const char *text)
{
    (void)snprintf(password, sizeof password, "%s", text);
}

static void start_redis(void)
{
    char text[] = "redis-server";
    char *arguments[] = { text,     "--port",     "0",       "--unixsocket",  socket_path, "--dir",
                          folder,   "--save",     "",        "--appendonly",  "yes",       "--appendfsync",
                          "always", "--loglevel", "warning", "--requirepass", password,    NULL };
    posix_spawn_file_actions_t actions;

    ck_assert_int_eq(posix_spawn_file_actions_init(&actions), 0);
    ck_assert_int_eq(posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0), 0);
    ck_assert_int_eq(posix_spawnp(&server, "redis-server", &actions, NULL, arguments, environ), 0);
    (void)posix_spawn_file_actions_destroy(&actions);
}

static void stop_redis(int signal_number)
{
    if (server == 0)
        return;
    (void)kill(server, SIGCONT);
    (void)kill(server, signal_number);
    (void)waitpid(server, NULL, 0);
    server = 0;
    (void)unlink(socket_path);
}

/* A connection of the test's own, that waits for its answers. */
static redisContext *connect_redis(void)
{
    uint64_t until_ms = clock_ms() + WAIT_MS;

    for (;;) {
        redisContext *redis = redisConnectUnix(socket_path);

        ck_assert_ptr_nonnull(redis);
        if (redis->err == 0) {
            if (password[0] != '\0')
                freeReplyObject(redisCommand(redis, "AUTH %s", password));
            return redis;
        }
        redisFree(redis);
        ck_assert_msg(clock_ms() < until_ms, "redis-server does not come up");
        (void)usleep(2000);
    }
}

/* The answer as a text: "(nil)", an error, a number, or what it is. The format is hiredis'. */
static const char *ask(const char *format, ...)
{
    static char text[512];
    redisContext *redis = connect_redis();
    va_list arguments;
    redisReply *reply;

    va_start(arguments, format);
    reply = redisvCommand(redis, format, arguments);
    va_end(arguments);
    ck_assert_ptr_nonnull(reply);
    if (reply->type == REDIS_REPLY_NIL)
        (void)snprintf(text, sizeof text, "(nil)");
    else if (reply->type == REDIS_REPLY_INTEGER)
        (void)snprintf(text, sizeof text, "%lld", reply->integer);
    else if (reply->type == REDIS_REPLY_ARRAY)
        (void)snprintf(text, sizeof text, "%zu elements", reply->elements);
    else
        (void)snprintf(text, sizeof text, "%s", reply->str);
    freeReplyObject(reply);
    redisFree(redis);
    return text;
}

/* ---- the coordinator ---- */

static void start_coordinator(void)
{
    const struct coordinator_config config = { .name = "coordinator", .slots = 1, .settings = &settings };
    const struct store_config where = {
        .socket = socket_path, .host = "", .password = password, .prefix = "t"
    };

    coordinator = coordinator_new(&config, clock_ms());
    ck_assert_ptr_nonnull(coordinator);
    store = store_open(&where, base, coordinator);
    ck_assert_ptr_nonnull(store);
}

static void stop_coordinator(void)
{
    store_close(&store);
    coordinator_free(&coordinator);
}

static void turn(void)
{
    const struct timeval moment = { .tv_usec = 1000 };

    ck_assert_int_eq(event_base_loopexit(base, &moment), 0);
    ck_assert_int_ge(event_base_dispatch(base), 0);
    if (clock_ms() >= coordinator_wakes_at(coordinator))
        coordinator_tick(coordinator, clock_ms());
    store_run(store, clock_ms());
    coordinator_check(coordinator);
}

#define UNTIL(condition)                                                        \
    do {                                                                        \
        uint64_t until_ms_ = clock_ms() + WAIT_MS;                              \
        while (!(condition)) {                                                  \
            turn();                                                             \
            ck_assert_msg(clock_ms() < until_ms_, "waited for %s", #condition); \
        }                                                                       \
    } while (0)

static bool is_connected(void)
{
    return coordinator_stats(coordinator)->store_is_connected != 0;
}

/* All that was to be stored is. */
static bool is_idle(void)
{
    return is_connected() && coordinator_stats(coordinator)->store_waiting == 0;
}

static bool is_ready(void)
{
    return coordinator_unready(coordinator) == NULL;
}

static bool has_error(const char *part)
{
    return strstr(coordinator_store_error(coordinator), part) != NULL;
}

static void come_up(void)
{
    char endpoint[] = "ipc://shard";
    Bus__GatewayState gateway = BUS__GATEWAY_STATE__INIT;
    Bus__ShardState shard = BUS__SHARD_STATE__INIT;
    Bus__Item item = BUS__ITEM__INIT;

    coordinator_peer_up(coordinator, clock_ms(), GATEWAY, BUS__ROLE__ROLE_GATEWAY, "gateway-1", 1);
    coordinator_peer_up(coordinator, clock_ms(), SHARD, BUS__ROLE__ROLE_SHARD, "shard-1", 2);
    item.item_case = BUS__ITEM__ITEM_GATEWAY_STATE;
    item.gateway_state = &gateway;
    coordinator_on_item(coordinator, clock_ms(), GATEWAY, &item);
    shard.bus_endpoint = endpoint;
    item.item_case = BUS__ITEM__ITEM_SHARD_STATE;
    item.shard_state = &shard;
    coordinator_on_item(coordinator, clock_ms(), SHARD, &item);
}

static const Bus__JoinAnswer *answer(void)
{
    const struct outbox *outbox = coordinator_outbox(coordinator);

    for (size_t i = 0; i < outbox->count; i++) {
        const Bus__Item *item = outbox->entries[i].item;

        if (item->item_case == BUS__ITEM__ITEM_JOIN_ANSWER && item->join_answer->request == request)
            return item->join_answer;
    }
    return NULL;
}

static struct member_ref join(const char *name)
{
    uint8_t ip[16] = { [10] = 0xFF, [11] = 0xFF, [12] = 10 };
    Bus__JoinRequest asked = BUS__JOIN_REQUEST__INIT;
    Bus__Item item = BUS__ITEM__INIT;

    char text[32];

    (void)snprintf(text, sizeof text, "%s", name);
    asked.request = ++request;
    asked.name = text;
    asked.name_valid = true;
    asked.password_valid = true;
    asked.address = (ProtobufCBinaryData){ .len = sizeof ip, .data = ip };
    item.item_case = BUS__ITEM__ITEM_JOIN_REQUEST;
    item.join_request = &asked;
    coordinator_on_item(coordinator, clock_ms(), GATEWAY, &item);
    UNTIL(answer() != NULL);
    ck_assert_uint_eq(answer()->reject, 0);
    return (struct member_ref){ answer()->player->id, answer()->player->token };
}

static void ban(const char *text, uint64_t left_ms)
{
    struct ban_subject subject;

    ck_assert(ban_subject_read(&subject, text));
    ck_assert_int_eq(
        coordinator_list_add(coordinator, clock_ms(), STORAGE_BANNED, &subject, left_ms, "Why not."),
        COORDINATOR_DONE);
}

static uint64_t store_errors(void)
{
    return coordinator_stats(coordinator)->store_errors;
}

static void setup_folder(void)
{
    static char name[] = "test";
    static char empty[] = "";

    ck_assert_ptr_nonnull(mkdtemp(folder));
    (void)snprintf(socket_path, sizeof socket_path, "%s/redis.sock", folder);
    settings = (struct cluster_settings){ .name = name,
                                          .gamemode = empty,
                                          .language = empty,
                                          .password = empty,
                                          .max_players = 1000,
                                          .connections_per_address = 1000 };
    password[0] = '\0';
    base = event_base_new();
    ck_assert_ptr_nonnull(base);
}

static void setup(void)
{
    setup_folder();
    start_redis();
    redisFree(connect_redis());
    start_coordinator();
}

static void setup_ready(void)
{
    setup();
    UNTIL(is_idle());
    come_up();
    UNTIL(is_ready());
}

static void remove_folder(void)
{
    char text[] = "rm";
    char option[] = "-rf";
    char *arguments[] = { text, option, folder, NULL };
    pid_t child;

    if (posix_spawnp(&child, text, NULL, NULL, arguments, environ) == 0)
        (void)waitpid(child, NULL, 0);
}

static void teardown(void)
{
    stop_coordinator();
    event_base_free(base);
    stop_redis(SIGKILL);
    remove_folder();
}

/* ---- what is stored ---- */

START_TEST(players_slots_processes_and_bans_are_found_by_the_next_coordinator)
{
    struct member_ref alice = join("Alice");
    const Bus__Item *map = NULL;
    char field[16];

    ban("10.7.0.0/16", 3600 * 1000);
    UNTIL(is_idle());
    (void)snprintf(field, sizeof field, "%u", alice.id);
    ck_assert_ptr_nonnull(strstr(ask("HGET t:players %s", field), " gateway-1 shard-1 10.0.0.0 0 Alice"));
    ck_assert_str_eq(ask("HGET t:slots 0"), "1 shard-1 0000000000000002");
    ck_assert_str_eq(ask("HGET t:processes gateway-1"), "gateway 0000000000000001");
    stop_coordinator();
    start_coordinator();
    UNTIL(is_idle());
    ck_assert_uint_eq(coordinator_stats(coordinator)->players, 1);
    ck_assert_uint_eq(coordinator_stats(coordinator)->bans, 1);
    come_up();
    UNTIL(is_ready());
    for (size_t i = 0; i < coordinator_outbox(coordinator)->count; i++) {
        if (coordinator_outbox(coordinator)->entries[i].item->item_case == BUS__ITEM__ITEM_MAP)
            map = coordinator_outbox(coordinator)->entries[i].item;
    }
    ck_assert_ptr_nonnull(map);
    ck_assert_uint_eq(map->map->slots[0]->fence, 1);
    ck_assert_uint_gt(join("bob").token, alice.token);
}
END_TEST

START_TEST(a_ban_is_stored_with_its_end_and_removed_after_it)
{
    struct ban_subject subject;
    uint64_t before_ms = clock_wall_ms();
    char *end;
    unsigned long long expires_ms;

    ban("name Bob", 60000);
    UNTIL(is_idle());
    expires_ms = strtoull(ask("HGET t:banned %s", "name bob"), &end, 10);
    ck_assert_uint_ge(expires_ms, before_ms + 60000);
    ck_assert_uint_le(expires_ms, clock_wall_ms() + 60000);
    ck_assert_str_eq(end, " Why not.");
    ck_assert(ban_subject_read(&subject, "name bob"));
    ck_assert_int_eq(coordinator_list_remove(coordinator, clock_ms(), STORAGE_BANNED, &subject),
                     COORDINATOR_DONE);
    UNTIL(is_idle());
    ck_assert_str_eq(ask("HGET t:banned %s", "name bob"), "(nil)");
}
END_TEST

START_TEST(many_joins_at_once_are_pipelined_and_all_stored)
{
    char name[16];

    for (int i = 0; i < 600; i++) {
        (void)snprintf(name, sizeof name, "p%d", i);
        join(name);
    }
    UNTIL(is_idle());
    ck_assert_str_eq(ask("HLEN t:players"), "600");
    ck_assert_uint_eq(store_errors(), 0);
}
END_TEST

static void use_ticket(struct member_ref ref)
{
    uint8_t id[STORAGE_TICKET_SIZE] = { 0xAB, 1 };
    Bus__Player player = BUS__PLAYER__INIT;
    Bus__TicketUse use = BUS__TICKET_USE__INIT;
    Bus__Item item = BUS__ITEM__INIT;

    player.id = ref.id;
    player.token = ref.token;
    use.request = 1;
    use.player = &player;
    use.ticket_id = (ProtobufCBinaryData){ .len = sizeof id, .data = id };
    use.valid_ms = 60000;
    use.account_id = 17;
    item.item_case = BUS__ITEM__ITEM_TICKET_USE;
    item.ticket_use = &use;
    coordinator_on_item(coordinator, clock_ms(), GATEWAY, &item);
    UNTIL(is_idle());
}

START_TEST(a_ticket_is_used_once_even_over_a_restart)
{
    struct member_ref alice = join("alice");

    use_ticket(alice);
    ck_assert_uint_eq(coordinator_stats(coordinator)->tickets_accepted, 1);
    ck_assert_int_gt(strtol(ask("PTTL t:ticket:ab010000000000000000000000000000"), NULL, 10), 50000);
    stop_coordinator();
    start_coordinator();
    UNTIL(is_idle());
    come_up();
    UNTIL(is_ready());
    use_ticket(join("bob"));
    ck_assert_uint_eq(coordinator_stats(coordinator)->tickets_accepted, 0);
    ck_assert_uint_eq(coordinator_stats(coordinator)->tickets_refused, 1);
}
END_TEST

/* ---- Redis comes and goes ---- */

START_TEST(redis_may_come_up_later)
{
    uint64_t until_ms = clock_ms() + 500;

    setup_folder();
    start_coordinator();
    while (clock_ms() < until_ms)
        turn();
    ck_assert(!is_connected());
    start_redis();
    UNTIL(is_idle());
}
END_TEST

START_TEST(joins_go_on_while_redis_is_killed_and_are_stored_when_it_is_back)
{
    struct member_ref alice = join("alice");
    struct member_ref bob;
    char field[16];

    UNTIL(is_idle());
    stop_redis(SIGKILL);
    UNTIL(!is_connected());
    bob = join("bob");
    ck_assert_uint_gt(bob.token, alice.token);
    ban("10.7.0.0/16", BAN_FOREVER);
    start_redis();
    UNTIL(is_idle());
    (void)snprintf(field, sizeof field, "%u", bob.id);
    ck_assert_ptr_nonnull(strstr(ask("HGET t:players %s", field), "bob"));
    ck_assert_str_eq(ask("HLEN t:players"), "2");
    ck_assert_str_eq(ask("HGET t:banned %s", "address 10.7.0.0/16"), "0 Why not.");
    ck_assert_uint_eq(coordinator_stats(coordinator)->store_losses, 1);
}
END_TEST

START_TEST(redis_killed_with_commands_under_way_costs_nothing)
{
    char name[16];

    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 100; i++) {
            (void)snprintf(name, sizeof name, "p%d_%d", round, i);
            join(name);
            if (i == 50)
                stop_redis(SIGKILL);
        }
        UNTIL(!is_connected());
        start_redis();
        UNTIL(is_idle());
    }
    ck_assert_str_eq(ask("HLEN t:players"), "300");
    ck_assert_str_eq(ask("HGET t:slots 0"), "1 shard-1 0000000000000002");
}
END_TEST

START_TEST(an_emptied_redis_gets_everything_again_and_tokens_still_grow)
{
    struct member_ref alice = join("alice");

    UNTIL(is_idle());
    (void)ask("FLUSHALL");
    stop_redis(SIGTERM);
    UNTIL(!is_connected());
    start_redis();
    UNTIL(is_idle());
    ck_assert_str_eq(ask("HLEN t:players"), "1");
    ck_assert_str_eq(ask("HGET t:slots 0"), "1 shard-1 0000000000000002");
    ck_assert_uint_gt(strtoull(ask("GET t:tokens"), NULL, 10), alice.token);
}
END_TEST

START_TEST(a_redis_that_hangs_counts_as_away_and_comes_back)
{
    UNTIL(is_idle());
    ck_assert_int_eq(kill(server, SIGSTOP), 0);
    join("alice");
    UNTIL(!is_connected());
    join("bob");
    ck_assert_int_eq(kill(server, SIGCONT), 0);
    UNTIL(is_idle());
    ck_assert_str_eq(ask("HLEN t:players"), "2");
}
END_TEST

START_TEST(something_that_is_not_redis_is_left_alone)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    uint64_t until_ms = clock_ms() + 400;
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    int accepted = 0;

    setup_folder();
    (void)snprintf(address.sun_path, sizeof address.sun_path, "%s", socket_path);
    ck_assert_int_ge(listener, 0);
    ck_assert_int_eq(bind(listener, (const struct sockaddr *)&address, sizeof address), 0);
    ck_assert_int_eq(listen(listener, 8), 0);
    start_coordinator();
    while (clock_ms() < until_ms) {
        int client = accept4(listener, NULL, NULL, SOCK_CLOEXEC);

        if (client >= 0) {
            ck_assert_int_gt(write(client, "HTTP/1.1 400 Bad Request\r\n\r\n", 28), 0);
            (void)close(client);
            accepted++;
        }
        turn();
    }
    (void)close(listener);
    ck_assert(!is_connected());
    ck_assert_int_ge(accepted, 1);
    ck_assert_int_le(accepted, 4); /* the pauses grow */
}
END_TEST

/* ---- passwords ---- */

START_TEST(a_password_opens_redis)
{
    setup_folder();
    set_password("secret words");
    start_redis();
    start_coordinator();
    UNTIL(is_idle());
}
END_TEST

START_TEST(a_wrong_password_is_tried_again_and_never_told)
{
    uint64_t until_ms = clock_ms() + 500;

    setup_folder();
    set_password("secret");
    start_redis();
    redisFree(connect_redis());
    set_password("wrong-one");
    start_coordinator();
    while (clock_ms() < until_ms)
        turn();
    ck_assert(!is_connected());
    ck_assert(!has_error("wrong-one"));
}
END_TEST

/* ---- what is not ours ---- */

/* Before the coordinator starts: it loads nothing, and says which key is wrong. */
static const struct damage {
    const char *key;
    const char *commands[4];
} damages[] = {
    { "t:tokens", { "SET", "t:tokens", "many", NULL } },
    { "t:tokens", { "SET", "t:tokens", "99999999999999999999", NULL } },
    { "t:tokens", { "SET", "t:tokens", "-5", NULL } },
    { "t:tokens", { "LPUSH", "t:tokens", "5", NULL } },
    { "t:vehicles", { "SET", "t:vehicles", "1.5", NULL } },
    { "t:revisions", { "SADD", "t:revisions", "x", NULL } },
    { "t:players", { "SET", "t:players", "x", NULL } },
    { "t:slots", { "LPUSH", "t:slots", "x", NULL } },
    { "t:slots", { "HSET", "t:slots", "0", "nobody" } },
    { "t:slots", { "HSET", "t:slots", "0", "18446744073709551615 s 0000000000000001" } },
    { "t:processes", { "SET", "t:processes", "x", NULL } },
    { "t:banned", { "ZADD", "t:banned", "1", "x" } },
    { "t:allowed", { "SET", "t:allowed", "x", NULL } },
    { "t:game", { "SET", "t:game", "x", NULL } },
    { "t:resources", { "SET", "t:resources", "x", NULL } },
};

static void do_damage(const struct damage *damage)
{
    const char *arguments[4];
    redisContext *redis = connect_redis();
    int count = 0;

    while (count < 4 && damage->commands[count] != NULL) {
        arguments[count] = damage->commands[count];
        count++;
    }

    redisReply *reply = redisCommandArgv(redis, count, arguments, NULL);
    ck_assert_ptr_nonnull(reply);
    ck_assert_int_ne(reply->type, REDIS_REPLY_ERROR);
    freeReplyObject(reply);
    redisFree(redis);
}

START_TEST(a_value_that_is_not_ours_stops_the_start_and_is_named)
{
    const struct damage *damage = &damages[_i];

    setup_folder();
    start_redis();
    do_damage(damage);
    start_coordinator();
    UNTIL(has_error(damage->key));
    ck_assert_ptr_nonnull(coordinator_unready(coordinator));
    ck_assert(is_connected());
}
END_TEST

START_TEST(a_value_that_was_put_right_lets_it_start)
{
    setup_folder();
    start_redis();
    do_damage(&damages[0]);
    start_coordinator();
    UNTIL(has_error(damages[0].key));
    (void)ask("DEL %s", damages[0].key);
    UNTIL(coordinator_store_error(coordinator)[0] == '\0');
    come_up();
    UNTIL(is_ready());
}
END_TEST

START_TEST(a_record_that_cannot_be_read_is_left_out)
{
    setup_folder();
    start_redis();
    (void)ask("HSET t:players 1 %s", "1047 3 gateway-1 shard-2 203.0.113.7 9 Alice");
    (void)ask("HSET t:players 2 %s", "garbage");
    (void)ask("HSET t:players x %s", "1048 3 gateway-1 shard-2 203.0.113.7 9 Bob");
    (void)ask("HSET t:players 3 %b", "\x00\xFF\n", (size_t)3);
    (void)ask("HSET t:banned %s %s", "name eve", "0 Out.");
    (void)ask("HSET t:banned %s %s", "everybody", "0 Out.");
    (void)ask("HSET t:processes gateway-9 %s", "king 0000000000000001");
    (void)ask("HSET t:resources ../race start");
    start_coordinator();
    UNTIL(is_idle());
    ck_assert_uint_eq(coordinator_stats(coordinator)->players, 1);
    ck_assert_uint_eq(coordinator_stats(coordinator)->bans, 1);
    ck_assert_uint_eq(coordinator_stats(coordinator)->store_unreadable, 6);
}
END_TEST

START_TEST(a_value_of_many_megabytes_is_left_out)
{
    size_t size = 8 << 20;
    char *value = malloc(size);

    ck_assert_ptr_nonnull(value);
    memset(value, '1', size);
    setup_folder();
    start_redis();
    (void)ask("HSET t:players 1 %b", value, size);
    (void)ask("HSET t:banned %b %s", value, size, "0 ");
    free(value);
    start_coordinator();
    UNTIL(is_idle());
    ck_assert_uint_eq(coordinator_stats(coordinator)->store_unreadable, 2);
}
END_TEST

START_TEST(damage_while_it_runs_is_named_and_hurts_nobody)
{
    uint64_t before;

    UNTIL(is_idle());
    before = store_errors();
    (void)ask("DEL t:players");
    (void)ask("SET t:players x");
    join("alice");
    UNTIL(store_errors() > before);
    ck_assert(has_error("t:players"));
    join("bob");
    (void)ask("DEL t:players");
    UNTIL(strcmp(ask("HLEN t:players"), "2") == 0);
}
END_TEST

START_TEST(a_fence_that_is_higher_in_redis_is_gone_past)
{
    (void)ask("HSET t:slots 0 %s", "40 shard-9 0000000000000009");
    coordinator_peer_down(coordinator, clock_ms(), SHARD);
    come_up();
    UNTIL(is_ready());
    UNTIL(is_idle());
    ck_assert_str_eq(ask("HGET t:slots 0"), "41 shard-1 0000000000000002");
}
END_TEST

START_TEST(a_fence_is_never_written_over_a_higher_or_equal_one)
{
    UNTIL(is_idle());
    /* The same fence, by somebody else. */
    (void)ask("HSET t:slots 0 %s", "2 shard-9 0000000000000009");
    coordinator_peer_down(coordinator, clock_ms(), SHARD);
    come_up();
    UNTIL(is_ready());
    UNTIL(is_idle());
    ck_assert_str_eq(ask("HGET t:slots 0"), "4 shard-1 0000000000000002");
}
END_TEST

START_TEST(a_lost_cache_of_scripts_is_filled_again)
{
    char name[16];

    UNTIL(is_idle());
    (void)ask("SCRIPT FLUSH");
    for (int i = 0; i < 700; i++) {
        (void)snprintf(name, sizeof name, "p%d", i);
        join(name);
    }
    use_ticket(join("alice"));
    ck_assert_uint_eq(coordinator_stats(coordinator)->tickets_accepted, 1);
    ck_assert(is_connected());
    ck_assert_str_eq(coordinator_store_error(coordinator), "");
}
END_TEST

/* The disk is full, memory is: Redis refuses to write, and says so. */
START_TEST(a_redis_that_takes_no_writes_is_told_and_gets_them_later)
{
    UNTIL(is_idle());
    (void)ask("CONFIG SET maxmemory 1");
    join("alice");
    UNTIL(has_error("t:players"));
    ck_assert(has_error("OOM"));
    (void)ask("CONFIG SET maxmemory 0");
    UNTIL(strcmp(ask("HLEN t:players"), "1") == 0);
    UNTIL(coordinator_store_error(coordinator)[0] == '\0');
}
END_TEST

/* ---- what operators wished of resources ---- */

static void order(Bus__ResourceOrder__Op op, char *resource)
{
    Bus__ResourceReport report = BUS__RESOURCE_REPORT__INIT;
    Bus__Item item = BUS__ITEM__INIT;

    ck_assert_int_eq(coordinator_order(coordinator, clock_ms(), op, resource, &report.number),
                     COORDINATOR_DONE);
    item.item_case = BUS__ITEM__ITEM_RESOURCE_REPORT;
    item.resource_report = &report;
    coordinator_on_item(coordinator, clock_ms(), SHARD, &item);
}

static const Bus__ResourceOrder *last_order(void)
{
    const struct outbox *outbox = coordinator_outbox(coordinator);

    for (size_t i = outbox->count; i-- > 0;) {
        if (outbox->entries[i].item->item_case == BUS__ITEM__ITEM_RESOURCE_ORDER)
            return outbox->entries[i].item->resource_order;
    }
    return NULL;
}

START_TEST(what_operators_wished_of_resources_is_told_by_the_next_coordinator)
{
    char race[] = "race";

    order(BUS__RESOURCE_ORDER__OP__OP_START, race);
    UNTIL(is_idle());
    ck_assert_str_eq(ask("HGET t:resources race"), "start");
    order(BUS__RESOURCE_ORDER__OP__OP_STOP, race);
    UNTIL(is_idle());
    ck_assert_str_eq(ask("HGET t:resources race"), "stop");
    stop_coordinator();
    start_coordinator();
    UNTIL(is_idle());
    come_up();
    UNTIL(last_order() != NULL);
    ck_assert_uint_eq(last_order()->number, 0);
    ck_assert_str_eq(last_order()->resource, "race");
    ck_assert_int_eq(last_order()->op, BUS__RESOURCE_ORDER__OP__OP_STOP);
}
END_TEST

/* ---- settings of the game, storage of resources ---- */

static void change(const struct game_change *change)
{
    Bus__GameChange message = BUS__GAME_CHANGE__INIT;
    Bus__GameAsk asked = BUS__GAME_ASK__INIT;
    Bus__Item item = BUS__ITEM__INIT;
    char resource[] = "freeroam";

    message.kind = change->kind;
    message.weapon = change->weapon;
    message.tier = change->tier;
    message.index = change->index;
    message.unset = change->unset;
    message.value = change->value;
    message.blend_ms = change->blend_ms;
    asked.request = ++request;
    asked.resource = resource;
    asked.change = &message;
    item.item_case = BUS__ITEM__ITEM_GAME_ASK;
    item.game_ask = &asked;
    coordinator_on_item(coordinator, clock_ms(), SHARD, &item);
}

static void set_clip(double clip)
{
    change(
        &(struct game_change){ .kind = GAME_PROPERTY, .weapon = 24, .tier = 1, .index = 3, .value = clip });
}

static void make_team(const char *name)
{
    Bus__GameTeam team = BUS__GAME_TEAM__INIT;
    Bus__GameAsk asked = BUS__GAME_ASK__INIT;
    Bus__Item item = BUS__ITEM__INIT;
    char resource[] = "freeroam";
    char text[64];

    (void)snprintf(text, sizeof text, "%s", name);
    team.resource = resource;
    team.name = text;
    asked.request = ++request;
    asked.resource = resource;
    asked.team = &team;
    asked.makes = true;
    item.item_case = BUS__ITEM__ITEM_GAME_ASK;
    item.game_ask = &asked;
    coordinator_on_item(coordinator, clock_ms(), SHARD, &item);
}

static const Bus__GameUpdate *last_update(void)
{
    const struct outbox *outbox = coordinator_outbox(coordinator);

    for (size_t i = outbox->count; i-- > 0;) {
        if (outbox->entries[i].item->item_case == BUS__ITEM__ITEM_GAME_UPDATE)
            return outbox->entries[i].item->game_update;
    }
    return NULL;
}

START_TEST(settings_of_the_game_are_found_by_the_next_coordinator_under_a_higher_revision)
{
    uint64_t revision;

    set_clip(14);
    change(&(struct game_change){ .kind = GAME_MULTIPLIER, .weapon = 51, .value = 0.1 });
    make_team("Police of Los Santos");
    revision = last_update()->revision;
    UNTIL(is_idle());
    ck_assert_str_eq(ask("HGET t:game %s", "property 24 std clip"), "14");
    ck_assert_str_eq(ask("HGET t:game %s", "multiplier 51"), "0.100000001");
    ck_assert_str_eq(ask("HGET t:game %s", "team 1"), "on freeroam Police of Los Santos");
    ck_assert_uint_eq(strtoull(ask("HGET t:game revision"), NULL, 10), revision);
    stop_coordinator();
    start_coordinator();
    UNTIL(is_idle());
    come_up();
    ck_assert(last_update()->whole);
    ck_assert_uint_gt(last_update()->revision, revision);
    ck_assert_uint_eq(last_update()->weapon_revision, 1);
    ck_assert_str_eq(last_update()->teams[0]->name, "Police of Los Santos");
}
END_TEST

START_TEST(settings_changed_while_redis_is_killed_are_written_in_one_go)
{
    set_clip(14);
    change(&(struct game_change){ .kind = GAME_MULTIPLIER, .weapon = 51, .value = 0.5 });
    UNTIL(is_idle());
    stop_redis(SIGKILL);
    UNTIL(!is_connected());
    set_clip(15);
    change(&(struct game_change){ .kind = GAME_MULTIPLIER, .weapon = 51, .value = 1 });
    start_redis();
    UNTIL(is_idle() && strcmp(ask("HGET t:game %s", "property 24 std clip"), "15") == 0);
    ck_assert_str_eq(ask("HGET t:game %s", "multiplier 51"), "(nil)");
    ck_assert_str_eq(ask("HGET t:game weapon_revision"), "2");
    ck_assert_str_eq(coordinator_store_error(coordinator), "");
}
END_TEST

START_TEST(settings_that_cannot_be_or_are_out_of_bounds_are_left_out)
{
    setup_folder();
    start_redis();
    (void)ask("HSET t:game %s 14", "property 24 std clip");
    (void)ask("HSET t:game %s 1001", "property 25 std damage");
    (void)ask("HSET t:game %s nan", "multiplier 51");
    (void)ask("HSET t:game %s inf", "weather rain");
    (void)ask("HSET t:game %s 11", "multiplier 46");
    (void)ask("HSET t:game %s %s", "team 1", "on Nobody x");
    (void)ask("HSET t:game %s 1", "gravity");
    start_coordinator();
    UNTIL(is_idle());
    come_up();
    ck_assert_uint_eq(coordinator_stats(coordinator)->store_unreadable, 6);
    for (size_t i = 0; i < last_update()->n_changes; i++)
        ck_assert(last_update()->changes[i]->kind != GAME_MULTIPLIER);
    ck_assert_uint_eq(last_update()->n_teams, 0);
}
END_TEST

static const Bus__KvAnswer *kv_answer(void)
{
    const struct outbox *outbox = coordinator_outbox(coordinator);

    for (size_t i = 0; i < outbox->count; i++) {
        const Bus__Item *item = outbox->entries[i].item;

        if (item->item_case == BUS__ITEM__ITEM_KV_ANSWER && item->kv_answer->request == request)
            return item->kv_answer;
    }
    return NULL;
}

static const Bus__KvAnswer *kv(Bus__KvAsk__Op op, const char *key, size_t key_size, Bus__KvValue *value)
{
    Bus__KvAsk asked = BUS__KV_ASK__INIT;
    Bus__Item item = BUS__ITEM__INIT;
    char resource[] = "freeroam";

    asked.request = ++request;
    asked.resource = resource;
    asked.op = op;
    asked.key = (ProtobufCBinaryData){ key_size, (uint8_t *)key };
    asked.value = value;
    item.item_case = BUS__ITEM__ITEM_KV_ASK;
    item.kv_ask = &asked;
    coordinator_on_item(coordinator, clock_ms(), SHARD, &item);
    UNTIL(kv_answer() != NULL);
    return kv_answer();
}

START_TEST(resources_keep_numbers_and_bytes)
{
    static uint8_t bytes[GAME_KV_VALUE_MAX] = { 1, 0, ':', '\n' };
    Bus__KvValue number = BUS__KV_VALUE__INIT;
    Bus__KvValue large = BUS__KV_VALUE__INIT;

    number.value_case = BUS__KV_VALUE__VALUE_NUMBER;
    number.number = -5;
    large.value_case = BUS__KV_VALUE__VALUE_BYTES;
    large.bytes = (ProtobufCBinaryData){ sizeof bytes, bytes };
    ck_assert(kv(BUS__KV_ASK__OP__OP_GET, "a\0b", 3, NULL)->ok);
    ck_assert_ptr_null(kv_answer()->value);
    ck_assert(kv(BUS__KV_ASK__OP__OP_SET, "a\0b", 3, &large)->ok);
    ck_assert(kv(BUS__KV_ASK__OP__OP_GET, "a\0b", 3, NULL)->ok);
    ck_assert_uint_eq(kv_answer()->value->bytes.len, sizeof bytes);
    ck_assert_mem_eq(kv_answer()->value->bytes.data, bytes, sizeof bytes);
    ck_assert_int_eq(kv(BUS__KV_ASK__OP__OP_INCR, "n", 1, &number)->value->number, -5);
    ck_assert_int_eq(kv(BUS__KV_ASK__OP__OP_INCR, "n", 1, &number)->value->number, -10);
    ck_assert_str_eq(ask("GET t:kv:freeroam:n"), "-10");
    ck_assert_int_eq(kv(BUS__KV_ASK__OP__OP_GET, "n", 1, NULL)->value->number, -10);
    ck_assert(!kv(BUS__KV_ASK__OP__OP_INCR, "a\0b", 3, &number)->ok);
    ck_assert(kv(BUS__KV_ASK__OP__OP_DEL, "n", 1, NULL)->ok);
    ck_assert_str_eq(ask("EXISTS t:kv:freeroam:n"), "0");
    ck_assert_str_eq(coordinator_store_error(coordinator), "");
}
END_TEST

START_TEST(a_value_that_is_not_a_resources_could_not_be_got)
{
    (void)ask("SET t:kv:freeroam:a garbage");
    (void)ask("LPUSH t:kv:freeroam:b x");
    ck_assert(!kv(BUS__KV_ASK__OP__OP_GET, "a", 1, NULL)->ok);
    ck_assert(!kv(BUS__KV_ASK__OP__OP_GET, "b", 1, NULL)->ok);
    ck_assert(is_connected());
}
END_TEST

START_TEST(what_resources_ask_for_while_redis_is_away_could_not_be_done)
{
    stop_redis(SIGKILL);
    UNTIL(!is_connected());
    ck_assert(!kv(BUS__KV_ASK__OP__OP_GET, "a", 1, NULL)->ok);
    start_redis();
    UNTIL(is_idle());
    ck_assert(kv(BUS__KV_ASK__OP__OP_GET, "a", 1, NULL)->ok);
}
END_TEST

#define COUNT(table) (int)(sizeof(table) / sizeof(table)[0])

Suite *store_suite(void)
{
    Suite *suite = suite_create("store");
    TCase *running = tcase_create("running");
    TCase *bare = tcase_create("bare");

    tcase_set_timeout(running, 60);
    tcase_add_checked_fixture(running, setup_ready, teardown);
    tcase_add_test(running, players_slots_processes_and_bans_are_found_by_the_next_coordinator);
    tcase_add_test(running, a_ban_is_stored_with_its_end_and_removed_after_it);
    tcase_add_test(running, many_joins_at_once_are_pipelined_and_all_stored);
    tcase_add_test(running, a_ticket_is_used_once_even_over_a_restart);
    tcase_add_test(running, joins_go_on_while_redis_is_killed_and_are_stored_when_it_is_back);
    tcase_add_test(running, redis_killed_with_commands_under_way_costs_nothing);
    tcase_add_test(running, an_emptied_redis_gets_everything_again_and_tokens_still_grow);
    tcase_add_test(running, a_redis_that_hangs_counts_as_away_and_comes_back);
    tcase_add_test(running, damage_while_it_runs_is_named_and_hurts_nobody);
    tcase_add_test(running, a_fence_that_is_higher_in_redis_is_gone_past);
    tcase_add_test(running, a_fence_is_never_written_over_a_higher_or_equal_one);
    tcase_add_test(running, a_lost_cache_of_scripts_is_filled_again);
    tcase_add_test(running, a_redis_that_takes_no_writes_is_told_and_gets_them_later);
    tcase_add_test(running, settings_of_the_game_are_found_by_the_next_coordinator_under_a_higher_revision);
    tcase_add_test(running, settings_changed_while_redis_is_killed_are_written_in_one_go);
    tcase_add_test(running, what_operators_wished_of_resources_is_told_by_the_next_coordinator);
    tcase_add_test(running, resources_keep_numbers_and_bytes);
    tcase_add_test(running, a_value_that_is_not_a_resources_could_not_be_got);
    tcase_add_test(running, what_resources_ask_for_while_redis_is_away_could_not_be_done);
    suite_add_tcase(suite, running);

    tcase_set_timeout(bare, 60);
    tcase_add_checked_fixture(bare, NULL, teardown);
    tcase_add_test(bare, redis_may_come_up_later);
    tcase_add_test(bare, something_that_is_not_redis_is_left_alone);
    tcase_add_test(bare, a_password_opens_redis);
    tcase_add_test(bare, a_wrong_password_is_tried_again_and_never_told);
    tcase_add_loop_test(bare, a_value_that_is_not_ours_stops_the_start_and_is_named, 0, COUNT(damages));
    tcase_add_test(bare, a_value_that_was_put_right_lets_it_start);
    tcase_add_test(bare, a_record_that_cannot_be_read_is_left_out);
    tcase_add_test(bare, a_value_of_many_megabytes_is_left_out);
    tcase_add_test(bare, settings_that_cannot_be_or_are_out_of_bounds_are_left_out);
    suite_add_tcase(suite, bare);
    return suite;
}
