/* api_stage.h - a script lab (script_lab.h) with one resource, "test", and lines of Lua that run in it.
 *
 * What a line asserts fails the test. In its world are two cars that the resource has made, the globals `car`
 * at (0, 0) and `other` at (20, 0), and two players, `alice` with id 2 at (5, 0) and `bob` with id 3 at
 * (6, 0). */
#ifndef DLMP_TESTS_UNIT_API_STAGE_H
#define DLMP_TESTS_UNIT_API_STAGE_H

#include "tests/unit/script_lab.h"

enum { ALICE = 2, BOB = 3 };

struct api_stage {
    struct script_lab *lab;
    struct stage *stage;
    struct shard *shard;
    struct resource *resource;
    struct stage_client *alice;
    struct stage_client *bob;
    uint32_t car; /* id */
};

/* `main_lua`: what the resource does before anything is there. */
void api_stage_open(struct api_stage *api, const char *main_lua);
void api_stage_close(struct api_stage *api);

/* Runs the lines in the resource; what they leave in globals is there for the next. */
void api_run(struct api_stage *api, const char *lua);
/* Requires that the lines raise an error with that in it. */
void api_fails(struct api_stage *api, const char *lua, const char *expected);

#endif
