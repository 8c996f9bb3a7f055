/* programs.h - where the programs of a cluster are: ours beside dlmpctl, others in $PATH. */
#ifndef DLMP_CTL_PROGRAMS_H
#define DLMP_CTL_PROGRAMS_H

enum { PROGRAM_PATH_SIZE = 4096 };

/* -1: there is no such program; that was said on stderr. */
int program_find_ours(const char *name, char path[PROGRAM_PATH_SIZE]);
int program_find(const char *name, const char *package, char path[PROGRAM_PATH_SIZE]);

#endif
