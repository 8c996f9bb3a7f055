/* status.h - dlmpctl status: what the coordinator knows of the cluster. */
#ifndef DLMP_CTL_STATUS_H
#define DLMP_CTL_STATUS_H

/* The status to exit with. */
int status_run(int argc, char **argv);

#endif
