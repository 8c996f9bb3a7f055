/* plan.h - which processes a cluster on one machine consists of, and what each is told.
 *
 * Made before anything is started: the ports are tried, the settings files written, and each program is
 * asked whether it takes its file. So whatever is wrong is told in one sentence, and nothing has to be taken
 * back. */
#ifndef DLMP_CTL_PLAN_H
#define DLMP_CTL_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include "ctl/admin.h"
#include "ctl/folder.h"
#include "ctl/options.h"
#include "ctl/settings.h"

/* In the order of the start; they are ended the other way round. */
enum role { ROLE_REDIS, ROLE_COORDINATOR, ROLE_SHARD, ROLE_GATEWAY, ROLE_BOTS, ROLES };

enum {
    PLAN_PROCESSES_MAX = OPTIONS_SHARDS_MAX + OPTIONS_GATEWAYS_MAX + 3,
    PLAN_ARGUMENTS_MAX = 12,
    PLAN_READY_SIZE = 4096,
};

struct process {
    enum role role;
    char name[32];
    char *arguments[PLAN_ARGUMENTS_MAX]; /* ends with NULL */
    char **environment;                  /* ends with NULL; the texts are those of environ */
    struct settings settings;
    char file[FOLDER_PATH_SIZE]; /* with the settings; "" for Redis and the bots */
};

struct plan {
    struct process *processes; /* by role */
    size_t count;
    struct admin admin; /* of the coordinator */
    char redis_socket[FOLDER_PATH_SIZE];
    char ready[PLAN_READY_SIZE]; /* the line that is printed when clients can join */
};

/* The status to exit with; TOOL_OK: it can be started. Otherwise the reason was said on stderr. */
int plan_make(struct plan *plan, const struct up_options *options, const struct folder *folder);
void plan_free(struct plan *plan);

#endif
