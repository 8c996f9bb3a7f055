/* dlmp-packet - packets of the protocol between bytes and JSON, for people, scripts and tests. */
#include <getopt.h>
#include <signal.h>
#include <stdio.h>

#include "common/tool.h"
#include "proto/dlmp-packet/convert.h"
#include "proto/dlmp-packet/fixtures.h"
#include "proto/dlmp-packet/input.h"
#include "proto/dlmp-packet/jsonl.h"
#include "proto/dlmp-packet/list.h"
#include "proto/document.h"
#include "proto/hex.h"
#include "proto/json.h"

static const char help_general[] =
    "usage: dlmp-packet COMMAND [OPTION]...\n"
    "\n"
    "Packets of the DarqlineMP protocol between bytes and JSON. Both ways are strict: what a server or\n"
    "a client has to refuse is refused here, with the field and what was expected of it.\n"
    "\n"
    "  decode     bytes or hex to JSON\n"
    "  encode     JSON to bytes or hex\n"
    "  fixtures   write the golden packets into a folder\n"
    "  list       every packet: id, direction, lane, delivery, size, page\n"
    "\n"
    "  --help     this text; of a command: dlmp-packet COMMAND --help\n"
    "  --version  the protocol's revision\n"
    "\n"
    "exit status: 0 done, 1 a malformed packet, bad input or a failed write, 2 wrong usage\n"
    "\n"
    "examples:\n"
    "  dlmp-packet decode fixtures/protocol/vehicle_enter.bin\n"
    "  dlmp-packet decode --hex 0f07000000\n"
    "  dlmp-packet decode packet.bin | dlmp-packet encode --hex\n";

static const char help_decode[] =
    "usage: dlmp-packet decode [--direction c2s|s2c] [FILE | --hex HEX | --jsonl]\n"
    "\n"
    "Prints one packet as {\"packet\":\"ServerAck\",\"fields\":{\"ack\":7}}, the fields in wire order.\n"
    "Without FILE, or with -, the bytes are read from standard input.\n"
    "\n"
    "  --direction c2s|s2c  an id of the other direction is unknown; without it the id tells\n"
    "  --hex HEX            the packet as hexadecimal digits\n"
    "  --jsonl              read {\"hex\":\"...\",\"direction\":\"...\"} a line from standard input and\n"
    "                       answer a line each, {\"error\":\"...\"} for what is malformed; a line without a\n"
    "                       direction has that of --direction, if any\n"
    "\n"
    "examples:\n"
    "  dlmp-packet decode fixtures/protocol/weapon_shot_object.bin\n"
    "  dlmp-packet decode --direction s2c --hex 0f07000000\n"
    "  echo '{\"hex\":\"0f07000000\"}' | dlmp-packet decode --jsonl\n";

static const char help_encode[] =
    "usage: dlmp-packet encode [--hex] [FILE]\n"
    "       dlmp-packet encode --jsonl\n"
    "\n"
    "Makes a packet of the object that decode prints and writes its bytes to standard output. Every\n"
    "field must be there. Without FILE, or with -, the JSON is read from standard input.\n"
    "\n"
    "  --hex    write hexadecimal digits and a line end instead of the bytes\n"
    "  --jsonl  read such an object a line from standard input and answer {\"hex\":\"...\"} a line each,\n"
    "           {\"error\":\"...\"} for what is refused\n"
    "\n"
    "examples:\n"
    "  dlmp-packet encode ack.json > ack.bin\n"
    "  echo '{\"packet\":\"ServerAck\",\"fields\":{\"ack\":7}}' | dlmp-packet encode --hex\n";

static const char help_fixtures[] =
    "usage: dlmp-packet fixtures FOLDER\n"
    "\n"
    "Writes NAME.bin for every golden packet, and index.json, which tells of each its packet,\n"
    "direction, size and fields. The folder is made when it is not there. A file is replaced at once\n"
    "or not at all.\n"
    "\n"
    "example:\n"
    "  dlmp-packet fixtures fixtures/protocol\n";

static const char help_list[] =
    "usage: dlmp-packet list [--json]\n"
    "\n"
    "Every packet of the protocol, by id. The server query, 0xFF, is listed as its four shapes.\n"
    "\n"
    "  --json  an array of objects, one a line\n"
    "\n"
    "example:\n"
    "  dlmp-packet list | grep Vehicle\n";

struct arguments {
    enum side side;
    const char *hex; /* of decode */
    bool as_hex;     /* of encode */
    bool as_json;
    bool by_line;
    const char *operand;
};

static int run_decode(const struct arguments *arguments)
{
    uint8_t bytes[WIRE_PACKET_SIZE_MAX];
    char message[MESSAGE_ROOM];
    const struct wire_packet *packet;
    const char *source = arguments->hex != NULL ? "--hex" : input_name(arguments->operand);
    union wire_any value;
    size_t size;

    if ((arguments->operand != NULL) + (arguments->hex != NULL) + arguments->by_line > 1)
        return tool_fail_usage("decode", "a packet comes from FILE, --hex or --jsonl, only one of them");
    if (arguments->by_line)
        return jsonl_decode(arguments->side);
    if (arguments->hex != NULL) {
        struct span digits = { (const uint8_t *)arguments->hex, strlen(arguments->hex) };

        if (!convert_hex(digits, bytes, &size, message))
            return tool_fail("--%s", message);
    } else if (!input_read(arguments->operand, bytes, sizeof bytes, &size)) {
        return TOOL_FAILED;
    }
    packet = convert_decode(arguments->side, (struct span){ bytes, size }, &value, message);
    if (packet == NULL)
        return tool_fail("%s: %s", source, message);
    packet_json_print(stdout, packet, &value);
    putchar('\n');
    return TOOL_OK;
}

static int run_encode(const struct arguments *arguments)
{
    static uint8_t text[DOCUMENT_SIZE_MAX];
    uint8_t bytes[WIRE_PACKET_SIZE_MAX];
    char message[MESSAGE_ROOM];
    size_t size;

    if (arguments->by_line && (arguments->operand != NULL || arguments->as_hex))
        return tool_fail_usage("encode",
                               "--jsonl reads standard input and answers in hex, it goes with nothing else");
    if (arguments->by_line)
        return jsonl_encode();
    if (!input_read(arguments->operand, text, sizeof text, &size))
        return TOOL_FAILED;
    size = convert_encode((struct span){ text, size }, bytes, message);
    if (size == 0)
        return tool_fail("%s: %s", input_name(arguments->operand), message);
    if (arguments->as_hex) {
        hex_print(stdout, (struct span){ bytes, size });
        putchar('\n');
    } else {
        fwrite(bytes, 1, size, stdout);
    }
    return TOOL_OK;
}

static int run_fixtures(const struct arguments *arguments)
{
    if (arguments->operand == NULL)
        return tool_fail_usage("fixtures", "expected the folder to write into");
    return fixtures_write(arguments->operand);
}

static int run_list(const struct arguments *arguments)
{
    if (arguments->operand != NULL)
        return tool_fail_usage("list", "unexpected \"%s\"", arguments->operand);
    if (arguments->as_json)
        list_print_json();
    else
        list_print_table();
    return TOOL_OK;
}

/* Above every character, so that they differ from a short option in what getopt_long complains about. */
enum { OPTION_HELP = 256, OPTION_DIRECTION, OPTION_HEX, OPTION_AS_HEX, OPTION_JSONL, OPTION_JSON };

/* clang-format off */
static const struct command {
    const char *name;
    const char *help;
    int (*run)(const struct arguments *arguments);
    struct option options[5];
} commands[] = {
    { "decode", help_decode, run_decode, {
        { "help",      no_argument,       NULL, OPTION_HELP },
        { "direction", required_argument, NULL, OPTION_DIRECTION },
        { "hex",       required_argument, NULL, OPTION_HEX },
        { "jsonl",     no_argument,       NULL, OPTION_JSONL } } },
    { "encode", help_encode, run_encode, {
        { "help",      no_argument,       NULL, OPTION_HELP },
        { "hex",       no_argument,       NULL, OPTION_AS_HEX },
        { "jsonl",     no_argument,       NULL, OPTION_JSONL } } },
    { "fixtures", help_fixtures, run_fixtures, {
        { "help",      no_argument,       NULL, OPTION_HELP } } },
    { "list", help_list, run_list, {
        { "help",      no_argument,       NULL, OPTION_HELP },
        { "json",      no_argument,       NULL, OPTION_JSON } } },
};
/* clang-format on */

static int complain_option(const struct command *command, int result, const char *word)
{
    if (result == ':')
        return tool_fail_usage(command->name, "%s needs a value", word);
    if (optopt > OPTION_HELP - 1)
        return tool_fail_usage(command->name, "%s: this option takes no value", word);
    if (optopt > 0)
        return tool_fail_usage(command->name, "unknown option -%c", optopt);
    return tool_fail_usage(command->name, "unknown option %s", word);
}

static int run_command(const struct command *command, int argc, char **argv)
{
    struct arguments arguments = { .side = SIDE_EITHER };
    int option;

    opterr = 0;
    while ((option = getopt_long(argc, argv, ":", command->options, NULL)) != -1) {
        switch (option) {
        case OPTION_HELP:
            fputs(command->help, stdout);
            return TOOL_OK;
        case OPTION_DIRECTION:
            if (!side_read(optarg, &arguments.side))
                return tool_fail_usage(command->name, "--direction is c2s or s2c, not \"%s\"", optarg);
            break;
        case OPTION_HEX:
            arguments.hex = optarg;
            break;
        case OPTION_AS_HEX:
            arguments.as_hex = true;
            break;
        case OPTION_JSONL:
            arguments.by_line = true;
            break;
        case OPTION_JSON:
            arguments.as_json = true;
            break;
        default:
            return complain_option(command, option, argv[optind - 1]);
        }
    }
    if (optind + 1 < argc)
        return tool_fail_usage(command->name, "unexpected \"%s\"", argv[optind + 1]);
    arguments.operand = argv[optind];
    return command->run(&arguments);
}

static int run(int argc, char **argv)
{
    if (argc < 2) {
        fputs(help_general, stderr);
        return TOOL_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0) {
        fputs(help_general, stdout);
        return TOOL_OK;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("dlmp-packet, wire revision %d\n", WIRE_VERSION);
        return TOOL_OK;
    }
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        if (strcmp(argv[1], commands[i].name) == 0)
            return run_command(&commands[i], argc - 1, argv + 1);
    }
    return tool_fail_usage(NULL, "there is no command \"%s\"", argv[1]);
}

int main(int argc, char **argv)
{
    struct sigaction ignore = { .sa_handler = SIG_IGN };

    (void)sigaction(SIGPIPE, &ignore, NULL); /* a reader that has gone is a write error like any other */
    return tool_finish(run(argc, argv));
}
