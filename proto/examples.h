/* examples.h - the golden examples: at least one valid packet of each kind, from proto/examples/.
 *
 * They are the source of fixtures/protocol/ and the ground the tests and the fuzzer start from. */
#ifndef DLMP_PROTO_EXAMPLES_H
#define DLMP_PROTO_EXAMPLES_H

#include <stddef.h>

struct wire_example {
    const char *name;   /* of its fixture: "vehicle_sync" */
    const char *packet; /* "VehicleSync" */
    const char *fields; /* JSON */
};

/* Sorted by name. */
extern const struct wire_example wire_examples[];
extern const size_t wire_examples_count;

#endif
