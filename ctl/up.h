/* up.h - dlmpctl up: a whole cluster on this machine, for as long as the command runs. */
#ifndef DLMP_CTL_UP_H
#define DLMP_CTL_UP_H

/* The status to exit with. */
int up_run(int argc, char **argv);

#endif
