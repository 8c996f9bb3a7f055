/* people.h - the commands about players: who is here, who has to go, who may not come in. */
#ifndef DLMP_CTL_PEOPLE_H
#define DLMP_CTL_PEOPLE_H

/* The statuses to exit with. */
int players_run(int argc, char **argv);
int kick_run(int argc, char **argv);
int ban_run(int argc, char **argv);
int unban_run(int argc, char **argv);
int allow_run(int argc, char **argv);
int disallow_run(int argc, char **argv);
int bans_run(int argc, char **argv);
int say_run(int argc, char **argv);

#endif
