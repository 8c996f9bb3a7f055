#include "bots/options.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: dlmp-bots [OPTION]...\n"
    "\n"
    "Simulated clients for a DarqlineMP server. They join, walk, drive and chat over the real protocol,\n"
    "and check all that the server sends back: malformed packets, events lost, doubled or out of order,\n"
    "players and vehicles shown though they are far, or not shown though they are near, revisions that go\n"
    "back, requests refused without a cause.\n"
    "\n"
    "The time that is measured begins when all have joined and reached their places.\n"
    "\n"
    "  --server HOST:PORT   the gateway; several with commas are shared out (127.0.0.1:7777)\n"
    "  --count N            how many bots (10)\n"
    "  --rate R             joins a second (50)\n"
    "  --time S             seconds that are measured, 0: until interrupted (30)\n"
    "  --hz F               frames a second while a bot moves (30)\n"
    "  --behaviour KIND     what they do (mixed); given several times, as KIND=SHARE each, it is shared\n"
    "                       out among them:\n"
    "                         lobby  connect and are never spawned: keepalives alone\n"
    "                         idle   stand still: heartbeats alone\n"
    "                         walk   walk about, so that every frame differs\n"
    "                         drive  take cars that are near and drive loops, otherwise walk\n"
    "                         mixed  all of it, with rests, chat, commands, rides and deaths\n"
    "                         traffic  walk among empty cars, and sync those: they roll to and fro\n"
    "                         tow    take tow trucks, and haul cars in them\n"
    "                         heli   take helicopters that have a magnet, and lift cars with it\n"
    "                         train  take trains and trams\n"
    "                         rc     take RCs by key, drive them and fire their guns\n"
    "                         gunner take what has a gun, and fire it\n"
    "                       what is not there they do without: they walk\n"
    "  --spread HOW         where they do it (none):\n"
    "                         none     around where each was spawned\n"
    "                         cluster  all of a scope within a few steps of each other\n"
    "                         area     so that each sees --neighbours others\n"
    "  --neighbours N       others that each sees on average; means --spread area (30)\n"
    "  --chat S             seconds between two lines of a bot, 0: never (60 for mixed, otherwise 0)\n"
    "  --stay S             seconds until a bot leaves and comes back as somebody else (to the end)\n"
    "  --addresses N        local addresses of 127.0.0.0/8 they share (one for every 8 bots, if the\n"
    "                       server is on this machine)\n"
    "  --name PREFIX        of their names, before a number (bot)\n"
    "  --seed N             of what they choose (1)\n"
    "  --loss P             share of datagrams lost on purpose, either way, 0 to 0.9 (0)\n"
    "  --allow-refusals     what a bot asks for and does not get is no violation, though nothing it sees\n"
    "                       forbids it: the gamemode may refuse as it likes\n"
    "  --allow-rejects      whoever is turned away or thrown out is no failure\n"
    "  --json FILE          the report as JSON as well; - writes it to standard output, alone\n"
    "  --flood hello        nothing but ClientHello without a cookie, from --sources local addresses and\n"
    "                       ports (10000), --rate a second (100000), for --time seconds (5)\n"
    "  --help, --version\n"
    "\n"
    "The server's password, if it has one, is taken from DLMP_BOTS_PASSWORD.\n"
    "\n"
    "exit status: 0 all is well, 1 a violation, or not all were let in and stayed, 2 wrong usage,\n"
    "3 something needed at the start is not there\n"
    "\n"
    "examples:\n"
    "  dlmp-bots --count 40\n"
    "  dlmp-bots --count 100 --spread cluster --behaviour walk --time 60 --json report.json\n"
    "  dlmp-bots --count 500 --neighbours 30 --rate 100 --server 127.0.0.1:7777,127.0.0.1:7778\n"
    "  dlmp-bots --count 30 --behaviour tow=2 --behaviour heli --behaviour traffic=3 --time 60\n"
    "  dlmp-bots --count 10000 --rate 500 --behaviour lobby --time 60\n"
    "  dlmp-bots --count 50 --stay 20 --loss 0.05\n"
    "  dlmp-bots --flood hello --rate 100000 --sources 10000 --time 5\n";

void options_print_help(FILE *out)
{
    (void)fputs(help, out);
}

enum option_letter {
    OPTION_SERVER = 256,
    OPTION_COUNT,
    OPTION_RATE,
    OPTION_TIME,
    OPTION_HZ,
    OPTION_BEHAVIOUR,
    OPTION_SPREAD,
    OPTION_NEIGHBOURS,
    OPTION_CHAT,
    OPTION_STAY,
    OPTION_ADDRESSES,
    OPTION_NAME,
    OPTION_SEED,
    OPTION_LOSS,
    OPTION_ALLOW_REJECTS,
    OPTION_ALLOW_REFUSALS,
    OPTION_JSON,
    OPTION_FLOOD,
    OPTION_SOURCES,
    OPTION_HELP,
    OPTION_VERSION,
};

static const struct option long_options[] = {
    { "server", required_argument, NULL, OPTION_SERVER },
    { "count", required_argument, NULL, OPTION_COUNT },
    { "rate", required_argument, NULL, OPTION_RATE },
    { "time", required_argument, NULL, OPTION_TIME },
    { "hz", required_argument, NULL, OPTION_HZ },
    { "behaviour", required_argument, NULL, OPTION_BEHAVIOUR },
    { "spread", required_argument, NULL, OPTION_SPREAD },
    { "neighbours", required_argument, NULL, OPTION_NEIGHBOURS },
    { "chat", required_argument, NULL, OPTION_CHAT },
    { "stay", required_argument, NULL, OPTION_STAY },
    { "addresses", required_argument, NULL, OPTION_ADDRESSES },
    { "name", required_argument, NULL, OPTION_NAME },
    { "seed", required_argument, NULL, OPTION_SEED },
    { "loss", required_argument, NULL, OPTION_LOSS },
    { "allow-rejects", no_argument, NULL, OPTION_ALLOW_REJECTS },
    { "allow-refusals", no_argument, NULL, OPTION_ALLOW_REFUSALS },
    { "json", required_argument, NULL, OPTION_JSON },
    { "flood", required_argument, NULL, OPTION_FLOOD },
    { "sources", required_argument, NULL, OPTION_SOURCES },
    { "help", no_argument, NULL, OPTION_HELP },
    { "version", no_argument, NULL, OPTION_VERSION },
    { 0 },
};

/* What has been given, besides what it means: some defaults depend on it. */
struct given {
    const char *option; /* that is being read */
    FILE *complaints;
    double rate;
    double time_s;
    double chat_s;
    bool has_rate;
    bool has_time;
    bool has_chat;
    bool has_spread;
    bool has_neighbours;
    bool has_sources;
    bool is_wrong;
};

__attribute__((format(printf, 2, 3))) static void complain(struct given *given, const char *format, ...)
{
    va_list arguments;

    if (given->is_wrong)
        return;
    given->is_wrong = true;
    (void)fputs("dlmp-bots: ", given->complaints);
    va_start(arguments, format);
    (void)vfprintf(given->complaints, format, arguments);
    va_end(arguments);
    (void)fputs("; see --help\n", given->complaints);
}

static double number(struct given *given, const char *text, double low, double high)
{
    char *end = NULL;
    double value;

    errno = 0;
    value = strtod(text, &end);
    if (end == text || *end != '\0' || errno != 0 || !isfinite(value) || value < low || value > high) {
        complain(given, "--%s wants a number from %g to %g, not '%s'", given->option, low, high, text);
        return low;
    }
    return value;
}

static uint32_t whole(struct given *given, const char *text, uint32_t low, uint32_t high)
{
    double value = number(given, text, low, high);

    if (value != floor(value))
        complain(given, "--%s wants a whole number, not '%s'", given->option, text);
    return (uint32_t)value;
}

static uint64_t seed(struct given *given, const char *text)
{
    char *end = NULL;
    uint64_t value;

    errno = 0;
    value = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end != '\0' || errno != 0)
        complain(given, "--seed wants a whole number, not '%s'", text);
    return value;
}

static bool is_server(const char *at, size_t size)
{
    const char *colon = memrchr(at, ':', size);
    size_t digits = colon != NULL ? size - (size_t)(colon + 1 - at) : 0;

    return colon > at && digits > 0 && digits <= 5 && strspn(colon + 1, "0123456789") == digits;
}

/* Its form alone: whether there is such a server is found out when it is asked for. */
static const char *servers(struct given *given, const char *text)
{
    for (const char *at = text;; at++) {
        size_t size = strcspn(at, ",");

        if (!is_server(at, size)) {
            complain(given, "--server wants HOST:PORT, several with commas, not '%s'", text);
            return text;
        }
        at += size;
        if (*at == '\0')
            return text;
    }
}

/* Connection, Opening a connection: the letters of a name. The digits are ours to add. */
static const char *name(struct given *given, const char *text)
{
    enum { PREFIX_MAX = CLIENT_NAME_MAX - 5 }; /* OPTIONS_BOTS_MAX has five digits */
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-[]()$@=";

    if (strlen(text) > PREFIX_MAX || strspn(text, letters) != strlen(text))
        complain(given, "--name wants at most %d of A-Z a-z 0-9 and _ . - [ ] ( ) $ @ =, not '%s'",
                 PREFIX_MAX, text);
    return text;
}

/* "walk", or "walk=3". */
static void behaviours(struct swarm_config *swarm, struct given *given, const char *text)
{
    enum { NAME_MAX_SIZE = 16, SHARE_MAX = 1000 };
    const char *equals = strchrnul(text, '=');
    size_t size = (size_t)(equals - text);
    enum behaviour_kind kind;
    char kind_text[NAME_MAX_SIZE];

    if (size < sizeof kind_text) {
        memcpy(kind_text, text, size);
        kind_text[size] = '\0';
    }
    if (size >= sizeof kind_text || !behaviour_parse(kind_text, &kind))
        complain(given, "--behaviour wants one of those in --help, not '%s'", text);
    else
        swarm->shares[kind] += *equals == '\0' ? 1 : whole(given, equals + 1, 1, SHARE_MAX);
}

static void take(struct options *options, struct given *given, int option, const char *text)
{
    struct swarm_config *swarm = &options->swarm;

    switch (option) {
    case OPTION_SERVER:
        options->servers = servers(given, text);
        break;
    case OPTION_COUNT:
        swarm->bots = whole(given, text, 1, OPTIONS_BOTS_MAX);
        break;
    case OPTION_RATE:
        given->rate = number(given, text, 0.1, 10e6);
        given->has_rate = true;
        break;
    case OPTION_TIME:
        given->time_s = number(given, text, 0, 1e7);
        given->has_time = true;
        break;
    case OPTION_HZ:
        swarm->frames_per_s = whole(given, text, 1, 100);
        break;
    case OPTION_BEHAVIOUR:
        behaviours(swarm, given, text);
        break;
    case OPTION_SPREAD:
        given->has_spread = true;
        if (!swarm_spread_parse(text, &swarm->spread))
            complain(given, "--spread wants none, cluster or area, not '%s'", text);
        break;
    case OPTION_NEIGHBOURS:
        given->has_neighbours = true;
        swarm->neighbours = whole(given, text, 1, OPTIONS_BOTS_MAX);
        break;
    case OPTION_CHAT:
        given->has_chat = true;
        given->chat_s = number(given, text, 0, 1e6);
        break;
    case OPTION_STAY:
        swarm->stay_ms = (uint32_t)(number(given, text, 0.1, 1e6) * 1000.0);
        break;
    case OPTION_ADDRESSES:
        options->addresses = whole(given, text, 1, OPTIONS_ADDRESSES_MAX);
        break;
    case OPTION_NAME:
        swarm->name = name(given, text);
        break;
    case OPTION_SEED:
        swarm->seed = seed(given, text);
        break;
    case OPTION_LOSS:
        options->loss = number(given, text, 0.0, 0.9);
        break;
    case OPTION_ALLOW_REJECTS:
        swarm->allows_rejects = true;
        break;
    case OPTION_ALLOW_REFUSALS:
        swarm->allows_refusals = true;
        break;
    case OPTION_JSON:
        options->json = text;
        break;
    case OPTION_FLOOD:
        options->wants_flood = true;
        if (strcmp(text, "hello") != 0)
            complain(given, "--flood wants hello, not '%s'", text);
        break;
    case OPTION_SOURCES:
        given->has_sources = true;
        options->flood_sources = whole(given, text, 1, 1000 * 1000);
        break;
    default:
        given->is_wrong = true; /* getopt has said what */
        break;
    }
}

static void finish(struct options *options, struct given *given)
{
    struct swarm_config *swarm = &options->swarm;
    double time_s = given->has_time ? given->time_s : options->wants_flood ? 5.0 : 30.0;
    bool is_default = true;
    double chat_s;

    for (int kind = 0; kind < BEHAVIOUR_KINDS; kind++)
        is_default = is_default && swarm->shares[kind] == 0;
    if (is_default)
        swarm->shares[BEHAVIOUR_MIXED] = 1;
    chat_s = given->has_chat ? given->chat_s : swarm->shares[BEHAVIOUR_MIXED] > 0 ? 60.0 : 0.0;

    if (given->has_sources && !options->wants_flood)
        complain(given, "--sources goes with --flood hello");
    if (options->wants_flood && time_s == 0.0)
        complain(given, "--flood wants a --time");
    if (!options->wants_flood && given->has_rate && given->rate > 100e3)
        complain(given, "--rate wants at most 100000 joins a second");
    if (given->has_neighbours && given->has_spread && swarm->spread != SWARM_SPREAD_AREA)
        complain(given, "--neighbours goes with --spread area");
    if (given->has_neighbours)
        swarm->spread = SWARM_SPREAD_AREA;
    swarm->joins_per_s = given->has_rate ? given->rate : 50.0;
    options->flood_per_s = given->has_rate ? given->rate : 100e3;
    swarm->time_ms = (uint64_t)(time_s * 1000.0);
    swarm->chat_every_ms = (uint32_t)(chat_s * 1000.0);
    swarm->is_lossy = options->loss > 0.0;
}

enum options_verdict options_parse(struct options *options, int argc, char **argv, FILE *complaints)
{
    struct given given = { .complaints = complaints };
    int option;
    int index = 0;

    *options = (struct options){
        .servers = "127.0.0.1:7777",
        .flood_sources = 10000,
        .swarm = { .bots = 10,
                   .seed = 1,
                   .frames_per_s = 30,
                   .neighbours = 30,
                   .name = "bot",
                   .password = "" },
    };
    optind = 0; /* also for a second command line in one process */
    opterr = 0;
    while ((option = getopt_long(argc, argv, ":", long_options, &index)) != -1) {
        if (option == OPTION_HELP)
            return OPTIONS_HELP;
        if (option == OPTION_VERSION)
            return OPTIONS_VERSION;
        if (option == '?')
            complain(&given, "there is no option '%s'", argv[optind - 1]);
        else if (option == ':')
            complain(&given, "'%s' wants a value", argv[optind - 1]);
        else
            given.option = long_options[index].name;
        take(options, &given, option, optarg);
        if (given.is_wrong)
            return OPTIONS_WRONG;
    }
    if (optind < argc)
        complain(&given, "'%s' is no option", argv[optind]);
    finish(options, &given);
    return given.is_wrong ? OPTIONS_WRONG : OPTIONS_RUN;
}
