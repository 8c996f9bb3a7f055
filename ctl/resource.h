/* resource.h - the command about the resources of the gamemode: how they stand, and changing that. */
#ifndef DLMP_CTL_RESOURCE_H
#define DLMP_CTL_RESOURCE_H

/* The status to exit with. */
int resource_run(int argc, char **argv);

#endif
