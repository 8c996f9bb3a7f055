/* tool.h - how dlmp-packet complains and ends. */
#ifndef DLMP_PACKET_TOOL_H
#define DLMP_PACKET_TOOL_H

/* Exit statuses; `dlmp-packet --help` tells what they mean. */
enum { TOOL_OK, TOOL_FAILED, TOOL_USAGE };

/* Room for one line that says why not. */
enum { MESSAGE_ROOM = 512 };

/* "dlmp-packet: …" on stderr, as one line whatever the arguments hold. Returns TOOL_FAILED. */
__attribute__((format(printf, 1, 2))) int tool_fail(const char *format, ...);

/* The same with where to find help; `command` may be NULL. Returns TOOL_USAGE. */
__attribute__((format(printf, 2, 3))) int tool_fail_usage(const char *command, const char *format, ...);

/* Replaces control characters and what is not UTF-8, in place. */
void tool_clean(char *message);

/* Closes standard output. The status to exit with: a failed write is a failure. */
int tool_finish(int status);

#endif
