/* tool.h - how a command-line tool complains and ends: in its own name, as it was called. */
#ifndef DLMP_COMMON_TOOL_H
#define DLMP_COMMON_TOOL_H

#include <stdbool.h>
#include <stdint.h>

/* Exit statuses; a tool's --help tells what they mean. */
enum { TOOL_OK, TOOL_FAILED, TOOL_USAGE, TOOL_MISSING };

/* "NAME: …" on stderr, as one line whatever the arguments hold. Returns TOOL_FAILED. */
__attribute__((format(printf, 1, 2))) int tool_fail(const char *format, ...);

/* The same with where to find help; `command` may be NULL. Returns TOOL_USAGE. */
__attribute__((format(printf, 2, 3))) int tool_fail_usage(const char *command, const char *format, ...);

/* Replaces what a terminal obeys and what is not UTF-8, in place. */
void tool_clean(char *text);

/* A whole decimal number without a sign. False: it is none, or out of the range. */
bool tool_number(const char *text, uint64_t min, uint64_t max, uint64_t *number);

/* Closes standard output. The status to exit with: a failed write is a failure. */
int tool_finish(int status);

#endif
