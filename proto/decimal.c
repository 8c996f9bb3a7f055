#include "proto/decimal.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* digits × 10^exponent */
struct decimal {
    uint32_t digits;
    int exponent;
};

/* For a float between 1e-4 and 1e6, which has 24 significant bits. 5^12 has 28, so multiplied by 10^12 or
 * less it is still an exact double. Nor is any decimal of 9 digits here so near to the middle of two floats
 * that rounding it to a double first would move it there. So plain arithmetic gives what printf and strtof
 * give, ten times faster. */
static struct decimal decimal_exact(double value)
{
    static const double powers[] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12 };
    size_t places = 0;
    double digits;

    /* Begin with FLT_DIG digits: a decimal of no more is always the one that is nearest to its float. */
    while (value * powers[places] < 1e5)
        places++;
    for (;; places++) {
        assert(places < sizeof powers / sizeof powers[0]);
        digits = rint(value * powers[places]);
        if ((float)(digits / powers[places]) == (float)value)
            return (struct decimal){ (uint32_t)digits, -(int)places };
    }
}

static bool decimal_is(struct decimal decimal, float value)
{
    char text[32];

    /* No point, so no locale. */
    snprintf(text, sizeof text, "%ue%d", (unsigned)decimal.digits, decimal.exponent);
    return strtof(text, NULL) == value;
}

static struct decimal decimal_rounded(float value, int digits)
{
    struct decimal decimal = { 0, 0 };
    char text[32];
    const char *at = text;

    snprintf(text, sizeof text, "%.*e", digits - 1, (double)value);
    for (; *at != 'e'; at++) {
        if (*at >= '0' && *at <= '9') /* not the point, which may be a locale's comma */
            decimal.digits = decimal.digits * 10 + (uint32_t)(*at - '0');
    }
    decimal.exponent = (int)strtol(at + 1, NULL, 10) - (digits - 1);
    return decimal;
}

/* The fewest digits that read back as the same float. */
static struct decimal decimal_shortest(float value)
{
    struct decimal decimal;

    if (value >= 1e-4 && value < 1e6)
        return decimal_exact((double)value);
    for (int digits = value < FLT_MIN ? 1 : FLT_DIG; digits < FLT_DECIMAL_DIG; digits++) {
        decimal = decimal_rounded(value, digits);
        if (decimal_is(decimal, value))
            return decimal;
        /* Below a power of two floats lie denser than above it: the nearest decimal, below, may miss what the
         * next one, above, does not. */
        decimal.digits++;
        if (decimal_is(decimal, value))
            return decimal;
    }
    return decimal_rounded(value, FLT_DECIMAL_DIG);
}

/* From the end of `text`. */
static const char *digits_of(uint32_t value, char *text, size_t room)
{
    char *at = text + room - 1;

    *at = '\0';
    do {
        *--at = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    return at;
}

static void print_zeros(FILE *out, int count)
{
    for (; count > 0; count--)
        putc('0', out);
}

void decimal_print(FILE *out, float value)
{
    struct decimal decimal = { 0, 0 };
    char text[16];
    const char *digits;
    int count, whole; /* digits, and those before the point */

    if (!isfinite(value)) {
        fputs("null", out);
        return;
    }
    if (signbit(value))
        putc('-', out);
    if (value != 0.0f)
        decimal = decimal_shortest(fabsf(value));
    while (decimal.digits != 0 && decimal.digits % 10 == 0) {
        decimal.digits /= 10;
        decimal.exponent++;
    }
    digits = digits_of(decimal.digits, text, sizeof text);
    count = (int)strlen(digits);
    whole = count + decimal.exponent;
    if (whole < -3 || whole > 16) { /* where Python changes over as well */
        fprintf(out, "%c%s%se%d", digits[0], count > 1 ? "." : "", digits + 1, whole - 1);
    } else if (whole <= 0) {
        fputs("0.", out);
        print_zeros(out, -whole);
        fputs(digits, out);
    } else if (whole >= count) {
        fputs(digits, out);
        print_zeros(out, whole - count);
        fputs(".0", out);
    } else {
        fwrite(digits, 1, (size_t)whole, out);
        putc('.', out);
        fputs(digits + whole, out);
    }
}
