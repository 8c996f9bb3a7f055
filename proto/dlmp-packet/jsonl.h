/* jsonl.h - many packets in one process: a JSON object a line in, an answer a line out, in the same order.
 *
 * What a line asks and cannot have is answered with {"error":"…"} and is no failure of the run. */
#ifndef DLMP_PACKET_JSONL_H
#define DLMP_PACKET_JSONL_H

#include "proto/dlmp-packet/convert.h"

/* {"hex":"…","direction":"…"} to {"packet":"…","fields":{…}}. `side` is that of a line without a direction.
 * Both return an exit status. */
int jsonl_decode(enum side side);
/* {"packet":"…","fields":{…}} to {"hex":"…"}. */
int jsonl_encode(void);

#endif
