#include "ctl/options.h"

#include <getopt.h>
#include <string.h>

#include "common/tool.h"

enum { PORT_STANDARD = 7777, ADMIN_PORT_STANDARD = 8080 };

static int set_number(const char *name, const char *text, uint64_t min, uint64_t max, uint64_t *number)
{
    if (tool_number(text, min, max, number))
        return TOOL_OK;
    return tool_fail_usage("up", "--%s: expected a whole number from %llu to %llu, not '%s'", name,
                           (unsigned long long)min, (unsigned long long)max, text);
}

static int add_set(struct up_options *options, const char *text)
{
    const char *equals = strchr(text, '=');

    if (equals == NULL || equals == text)
        return tool_fail_usage("up", "--set: expected KEY=VALUE, not '%s'", text);
    if (options->sets_count == OPTIONS_SETS_MAX)
        return tool_fail_usage("up", "--set: at most %d of them", OPTIONS_SETS_MAX);
    options->sets[options->sets_count++] = text;
    return TOOL_OK;
}

static int add_resource(struct up_options *options, const char *name)
{
    if (options->resource_names_count == OPTIONS_RESOURCES_MAX)
        return tool_fail_usage("up", "--resource: at most %d of them", OPTIONS_RESOURCES_MAX);
    options->resource_names[options->resource_names_count++] = name;
    return TOOL_OK;
}

static int take(struct up_options *options, int option, const char *name, const char *value)
{
    uint64_t number = 0;
    int status = TOOL_OK;

    switch (option) {
    case 's':
        status = set_number(name, value, 1, OPTIONS_SHARDS_MAX, &number);
        options->shards = (unsigned)number;
        break;
    case 'g':
        status = set_number(name, value, 1, OPTIONS_GATEWAYS_MAX, &number);
        options->gateways = (unsigned)number;
        break;
    case 'b':
        status = set_number(name, value, 0, OPTIONS_BOTS_MAX, &number);
        options->bots = (unsigned)number;
        break;
    case 'p':
        status = set_number(name, value, 0, UINT16_MAX, &number);
        options->port = (uint16_t)number;
        break;
    case 'a':
        status = set_number(name, value, 0, UINT16_MAX, &number);
        options->admin_port = (uint16_t)number;
        break;
    case 'd':
        options->state = value;
        break;
    case 'w':
        options->world = value;
        break;
    case 'f':
        options->resources = value;
        break;
    case 'r':
        status = add_resource(options, value);
        break;
    default:
        status = add_set(options, value);
        break;
    }
    return status;
}

int up_options_parse(struct up_options *options, int argc, char **argv)
{
    static const struct option long_options[] = {
        { "shards", required_argument, NULL, 's' },
        { "gateways", required_argument, NULL, 'g' },
        { "bots", required_argument, NULL, 'b' },
        { "port", required_argument, NULL, 'p' },
        { "admin-port", required_argument, NULL, 'a' },
        { "state", required_argument, NULL, 'd' },
        { "world", required_argument, NULL, 'w' },
        { "resources", required_argument, NULL, 'f' },
        { "resource", required_argument, NULL, 'r' },
        { "set", required_argument, NULL, 'k' },
        { 0 },
    };
    int status = TOOL_OK;
    int index = 0;
    int option;

    *options = (struct up_options){
        .shards = 2,
        .gateways = 1,
        .port = PORT_STANDARD,
        .admin_port = ADMIN_PORT_STANDARD,
    };
    opterr = 0;
    while (status == TOOL_OK && (option = getopt_long(argc, argv, ":", long_options, &index)) != -1) {
        if (option == '?')
            return tool_fail_usage("up", "unknown option '%s'", argv[optind - 1]);
        if (option == ':')
            return tool_fail_usage("up", "%s needs a value", argv[optind - 1]);
        status = take(options, option, long_options[index].name, optarg);
    }
    if (status != TOOL_OK)
        return status;
    if (optind < argc)
        return tool_fail_usage("up", "unexpected '%s'", argv[optind]);
    if (options->resource_names_count > 0 && options->resources == NULL)
        return tool_fail_usage("up", "--resource needs --resources, the folder that it is in");
    if (options->port != 0 && options->port + options->gateways - 1 > UINT16_MAX)
        return tool_fail_usage("up", "%u gateways from port %u on go beyond the last port", options->gateways,
                               (unsigned)options->port);
    return TOOL_OK;
}
