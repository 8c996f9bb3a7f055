/* api_docs.h - docs/gamemodes.md, written from the table of functions and the table of events. */
#ifndef DLMP_SHARD_SCRIPT_API_DOCS_H
#define DLMP_SHARD_SCRIPT_API_DOCS_H

#include <stdio.h>

#include "shard/event.h"

void api_docs_write(FILE *out);

/* When the event is raised, in a sentence or two. */
const char *api_event_about(enum event event);

#endif
