/* child.h - a program that dlmpctl runs.
 *
 * It has a process group of its own, so that a Ctrl-C at the terminal reaches dlmpctl alone, which ends its
 * children in their order; it is killed by the kernel when dlmpctl dies in whatever way; and when it has
 * ended itself, so has everything it started. Its standard output and error come back through one pipe, its
 * input is empty. */
#ifndef DLMP_CTL_CHILD_H
#define DLMP_CTL_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct child {
    pid_t pid;  /* 0: does not run */
    int output; /* the pipe's end to read from, which does not block; -1: none */
};

struct child_program {
    char *const *arguments;   /* the first is the path; ends with NULL */
    char *const *environment; /* ends with NULL */
};

/* -1: it cannot be started, errno says why. */
int child_start(struct child *child, const struct child_program *program);
void child_signal(const struct child *child, int signal);
/* True: it has ended, and `status` is as waitpid gives it. What it printed can still be read. */
bool child_ended(struct child *child, int *status);
void child_close_output(struct child *child);

/* "exit status 1", "signal 9 (Killed)". Returns `text`. */
enum { CHILD_STATUS_SIZE = 64 };
char *child_describe(int status, char text[CHILD_STATUS_SIZE]);

/* Runs a program to its end, which must come within the time. What it printed, at most size - 1 bytes, and a
 * terminator are written to `output`. Returns its status as waitpid gives it; -1: it could not be started, or
 * took too long, and errno says which. */
int child_run(const struct child_program *program, unsigned timeout_ms, char *output, size_t size);

#endif
