/* dlmpctl - the operator's command line. */
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "common/tool.h"
#include "ctl/people.h"
#include "ctl/resource.h"
#include "ctl/status.h"
#include "ctl/up.h"
#include "gen/wire.h"

static const char help_general[] =
    "usage: dlmpctl COMMAND [OPTION]...\n"
    "\n"
    "Runs a cluster on this machine, and looks after one wherever it runs.\n"
    "\n"
    "  up       run a whole cluster here, until interrupted\n"
    "  status   processes, shards and gateways with their load\n"
    "  players  who is playing\n"
    "  kick     send a player away\n"
    "  ban      let an address, a name or an account in no more\n"
    "  unban    let it in again\n"
    "  allow, disallow\n"
    "           the same for the allow list, if the cluster has one\n"
    "  bans     who is not let in, and the allow list\n"
    "  say      a line of chat for everybody\n"
    "  resource\n"
    "           how the gamemode's resources stand; start, stop, restart or reload one\n"
    "\n"
    "  --help     this text; of a command: dlmpctl COMMAND --help\n"
    "  --version  the protocol's revision\n"
    "\n"
    "All but `up` ask the coordinator: --admin URL, or the variable DLMPCTL_ADMIN, says where, if it is\n"
    "not http://127.0.0.1:8080.\n"
    "\n"
    "exit status: 0 done, or stopped as asked, 1 failed, 2 wrong usage or settings, 3 something needed at\n"
    "the start is not there\n"
    "\n"
    "examples:\n"
    "  dlmpctl up --bots 40 --world deploy/world.yaml\n"
    "  dlmpctl status\n"
    "  dlmpctl kick 17 'please read the rules'\n";

static const char help_up[] =
    "usage: dlmpctl up [OPTION]...\n"
    "\n"
    "Runs a whole cluster on this machine: a Redis of its own, a coordinator, shards, gateways. Prints one\n"
    "line, `ready gateway=127.0.0.1:7777 admin=http://127.0.0.1:8080`, on standard output once clients can\n"
    "join; everything else, the processes' logs too, goes to standard error. A process that dies is started\n"
    "again. A first SIGINT or SIGTERM ends everything within 5 s, a second one at once.\n"
    "\n"
    "  --shards N        how many world shards (2)\n"
    "  --gateways N      how many gateways; they take --port and the ports after it (1)\n"
    "  --port P          for clients, UDP; 0: any that are free (7777)\n"
    "  --admin-port P    of the coordinator's admin server, TCP; the other processes' metrics are on the\n"
    "                    ports after it, as far as they are free; 0: any (8080)\n"
    "  --state DIR       keep everything in this folder, and begin with what is in it; without it the state\n"
    "                    is in a private folder and gone at the end\n"
    "  --world FILE      YAML: vehicles, and where players start\n"
    "  --resources DIR   the gamemode: has a folder with a main.lua for each resource\n"
    "  --resource NAME   of one to start; may be given several times\n"
    "  --bots N          that many simulated clients (0)\n"
    "  --set KEY=VALUE   a setting, for all processes that have it; may be given several times\n"
    "\n"
    "It listens on this machine alone; --set udp.address=0.0.0.0 lets others play.\n"
    "\n"
    "examples:\n"
    "  dlmpctl up\n"
    "  dlmpctl up --bots 40 --world deploy/world.yaml --resources deploy/resources --resource freeroam\n"
    "  dlmpctl up --state /var/lib/dlmp --set server.name='My server' --set udp.address=0.0.0.0\n";

static const char help_status[] =
    "usage: dlmpctl status [--json] [--admin URL]\n"
    "\n"
    "What the coordinator knows: every process with its state, the shards with their slots of virtual\n"
    "worlds, players and vehicles, the gateways with their connections and packets a second.\n"
    "\n"
    "examples:\n"
    "  dlmpctl status\n"
    "  dlmpctl status --json --admin http://10.0.0.5:8080 | jq .players\n";

static const char help_players[] =
    "usage: dlmpctl players [--json] [--admin URL]\n"
    "\n"
    "Every player of the cluster: id, name, gateway, shard, round trip, address.\n"
    "\n"
    "example:\n"
    "  dlmpctl players | grep shard-2\n";

static const char help_kick[] =
    "usage: dlmpctl kick ID|name NAME [TEXT] [--admin URL]\n"
    "\n"
    "Sends a player away, who is shown the text. `dlmpctl players` lists ids and names.\n"
    "\n"
    "examples:\n"
    "  dlmpctl kick 17 'please read the rules'\n"
    "  dlmpctl kick name alice\n";

static const char help_ban[] =
    "usage: dlmpctl ban WHO [TEXT] [--for TIME] [--admin URL]\n"
    "\n"
    "Lets nobody in any more who is WHO, and sends away who is here; they are shown the text. WHO is an\n"
    "address, a network, `name NAME` or `account ID`.\n"
    "\n"
    "  --for TIME  90s, 30m, 2h, 7d; without it for ever\n"
    "\n"
    "examples:\n"
    "  dlmpctl ban 203.0.113.9 --for 2h\n"
    "  dlmpctl ban 2001:db8::/32 'this network is closed'\n"
    "  dlmpctl ban name alice 'see you next week' --for 7d\n";

static const char help_unban[] = "usage: dlmpctl unban WHO [--admin URL]\n"
                                 "\n"
                                 "Takes a ban back. `dlmpctl bans` lists them.\n"
                                 "\n"
                                 "example:\n"
                                 "  dlmpctl unban name alice\n";

static const char help_allow[] =
    "usage: dlmpctl allow WHO [TEXT] [--for TIME] [--admin URL]\n"
    "\n"
    "Puts WHO on the allow list: an address, a network, `name NAME` or `account ID`. With\n"
    "allow_list.enabled in the coordinator's settings nobody else comes in.\n"
    "\n"
    "  --for TIME  90s, 30m, 2h, 7d; without it for ever\n"
    "\n"
    "example:\n"
    "  dlmpctl allow name alice --for 7d\n";

static const char help_disallow[] = "usage: dlmpctl disallow WHO [--admin URL]\n"
                                    "\n"
                                    "Takes WHO off the allow list. `dlmpctl bans` shows it.\n"
                                    "\n"
                                    "example:\n"
                                    "  dlmpctl disallow name alice\n";

static const char help_bans[] = "usage: dlmpctl bans [--json] [--admin URL]\n"
                                "\n"
                                "Who is not let in, for how long, and why; and the same of the allow list.\n"
                                "\n"
                                "example:\n"
                                "  dlmpctl bans\n";

static const char help_say[] = "usage: dlmpctl say TEXT [--admin URL]\n"
                               "\n"
                               "A line of chat for every player of the cluster.\n"
                               "\n"
                               "example:\n"
                               "  dlmpctl say 'restart in five minutes'\n";

static const char help_resource[] =
    "usage: dlmpctl resource list [--json] [--admin URL]\n"
    "       dlmpctl resource start|stop|restart|reload NAME [--json] [--admin URL]\n"
    "\n"
    "The gamemode's resources on each shard: how they stand, or one of them started, stopped, restarted or\n"
    "reloaded on every shard. A reload starts the new main.lua first and keeps the old one if that fails; a\n"
    "restart stops first. Both fill the world anew. Waits up to 5 s for the shards' answers and prints a\n"
    "line for each. What was started or stopped stays so on shards that come later, over restarts too.\n"
    "\n"
    "exit status: 0 all shards did it, 1 some did not, and their lines say why, 3 no coordinator\n"
    "\n"
    "examples:\n"
    "  dlmpctl resource list\n"
    "  dlmpctl resource reload freeroam\n";

static const struct command {
    const char *name;
    const char *help;
    int (*run)(int argc, char **argv); /* argv[0] is the command's name */
} commands[] = {
    { "up", help_up, up_run },
    { "status", help_status, status_run },
    { "players", help_players, players_run },
    { "kick", help_kick, kick_run },
    { "ban", help_ban, ban_run },
    { "unban", help_unban, unban_run },
    { "allow", help_allow, allow_run },
    { "disallow", help_disallow, disallow_run },
    { "bans", help_bans, bans_run },
    { "say", help_say, say_run },
    { "resource", help_resource, resource_run },
};

static const struct command *find_command(const char *name)
{
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    }
    return NULL;
}

static int run(int argc, char **argv)
{
    const struct command *command;

    if (argc < 2)
        return tool_fail_usage(NULL, "a command is missing");
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        fputs(help_general, stdout);
        return TOOL_OK;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("dlmpctl, protocol revision %d\n", WIRE_VERSION);
        return TOOL_OK;
    }
    command = find_command(argv[1]);
    if (command == NULL)
        return tool_fail_usage(NULL, "unknown command '%s'", argv[1]);
    for (int i = 2; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            fputs(command->help, stdout);
            return TOOL_OK;
        }
    }
    return command->run(argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
    const struct sigaction ignore = { .sa_handler = SIG_IGN };

    (void)sigaction(SIGPIPE, &ignore, NULL);
    return tool_finish(run(argc, argv));
}
