#include "proto/dlmp-packet/tool.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "common/text.h"

void tool_clean(char *message)
{
    size_t left = strlen(message);

    while (left > 0) {
        size_t size = text_char_size((struct span){ (const uint8_t *)message, left });
        size_t step = size > 0 ? size : 1;

        if (!text_is_plain((struct span){ (const uint8_t *)message, step }))
            memset(message, '?', step);
        message += step;
        left -= step;
    }
}

/* "dlmp-packet: decode: …" without a line end. */
static void complain(const char *command, const char *format, va_list arguments)
{
    char message[2 * MESSAGE_ROOM];

    vsnprintf(message, sizeof message, format, arguments);
    tool_clean(message);
    fprintf(stderr, "dlmp-packet: %s%s%s", command != NULL ? command : "", command != NULL ? ": " : "",
            message);
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
    fprintf(stderr, " (see dlmp-packet %s%s--help)\n", command != NULL ? command : "",
            command != NULL ? " " : "");
    return TOOL_USAGE;
}

int tool_finish(int status)
{
    int failed = ferror(stdout);

    if (fclose(stdout) != 0 || failed)
        return tool_fail("stdout: %s", strerror(errno));
    return status;
}
