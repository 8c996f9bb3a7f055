/* decimal.h - a float as decimal text: the fewest digits that read back as the same float.
 *
 * printf and strtof have to be asked several times for that, and they ask the locale where the point is. */
#ifndef DLMP_PROTO_DECIMAL_H
#define DLMP_PROTO_DECIMAL_H

#include <stdio.h>

/* Always with a point or an exponent: "1.0", "-0.0", "0.008", "1e16". What is not finite is printed as null,
 * for JSON has no other word for it. */
void decimal_print(FILE *out, float value);

#endif
