/* complaint.h - what a program has against its settings file, for people who never wrote that file.
 *
 * dlmpctl up writes the settings files from its options and the world file. A complaint names a line of such
 * a file, which is gone when it is read; what it means is a line of the world file, or a --set. */
#ifndef DLMP_CTL_COMPLAINT_H
#define DLMP_CTL_COMPLAINT_H

#include <stdio.h>

/* What --check-config printed, with "WORLD:33: " for "FILE:9: " where line 9 holds an item of that line of
 * the world file, and neither where it holds anything else: the key follows. `world` may be NULL. */
void complaint_print(const char *listing, const char *file, const char *world, FILE *out);

#endif
