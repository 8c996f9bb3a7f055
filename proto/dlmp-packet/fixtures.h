/* fixtures.h - the golden packets as files. */
#ifndef DLMP_PACKET_FIXTURES_H
#define DLMP_PACKET_FIXTURES_H

/* Writes NAME.bin for each of wire_examples and an index.json that tells what they are, one a line, sorted by
 * name. The folder is made when it is not there; each file is replaced at once or not at all. Returns an exit
 * status. */
int fixtures_write(const char *path);

#endif
