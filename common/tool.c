#include "common/tool.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"

enum { MESSAGE_SIZE = 1024 };

void tool_clean(char *text)
{
    size_t left = strlen(text);

    while (left > 0) {
        size_t size = text_char_size((struct span){ (const uint8_t *)text, left });
        size_t step = size > 0 ? size : 1;

        if (!text_is_plain((struct span){ (const uint8_t *)text, step }))
            memset(text, '?', step);
        text += step;
        left -= step;
    }
}

/* Without a line end. What is said may quote a file's or a server's bytes: it stays one line. */
static void complain(const char *command, const char *format, va_list arguments)
{
    char message[MESSAGE_SIZE];

    (void)vsnprintf(message, sizeof message, format, arguments);
    tool_clean(message);
    fprintf(stderr, "%s: %s%s%s", program_invocation_short_name, command != NULL ? command : "",
            command != NULL ? ": " : "", message);
}

int tool_fail(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    complain(NULL, format, arguments);
    va_end(arguments);
    fputs("\n", stderr);
    return TOOL_FAILED;
}

int tool_fail_usage(const char *command, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    complain(command, format, arguments);
    va_end(arguments);
    fprintf(stderr, " (see %s %s%s--help)\n", program_invocation_short_name, command != NULL ? command : "",
            command != NULL ? " " : "");
    return TOOL_USAGE;
}

bool tool_number(const char *text, uint64_t min, uint64_t max, uint64_t *number)
{
    char *end;
    unsigned long long value;

    if (text[0] < '0' || text[0] > '9')
        return false;
    errno = 0;
    value = strtoull(text, &end, 10);
    if (*end != '\0' || errno != 0 || value < min || value > max)
        return false;
    *number = value;
    return true;
}

int tool_finish(int status)
{
    int failed = ferror(stdout);

    if (fclose(stdout) != 0 || failed)
        return tool_fail("standard output: %s", strerror(errno));
    return status;
}
