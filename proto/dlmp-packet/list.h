/* list.h - all packets of the protocol, as a table for people or as JSON. */
#ifndef DLMP_PACKET_LIST_H
#define DLMP_PACKET_LIST_H

void list_print_table(void);
/* An array with one packet a line. */
void list_print_json(void);

#endif
