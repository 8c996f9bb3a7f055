/* table.h - a list of JSON objects as rows in columns, for people.
 *
 * A column is as wide as its widest cell, and numbers stand on the right. What a cell holds may come from
 * players: it is shown as one line, and nothing in it is obeyed by a terminal. */
#ifndef DLMP_CTL_TABLE_H
#define DLMP_CTL_TABLE_H

#include <stdio.h>

struct json_object; /* json-c's */

struct table_column {
    const char *head;
    const char *key; /* of the objects' member */
    enum table_type { TABLE_TEXT, TABLE_NUMBER, TABLE_REAL } type;
};

/* The columns end with a NULL head; at most 8. What is no list has no rows. */
void table_print_list(const struct table_column *columns, struct json_object *list, FILE *out);

#endif
