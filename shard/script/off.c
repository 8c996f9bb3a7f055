#include "shard/script/off.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* NULL: there is nothing in it. */
static char *read_all(const char *file)
{
    FILE *in = file[0] != '\0' ? fopen(file, "re") : NULL;
    char *text = in != NULL ? calloc(1, OFF_FILE_MAX + 1) : NULL;

    if (text != NULL)
        text[fread(text, 1, OFF_FILE_MAX, in)] = '\0';
    if (in != NULL)
        (void)fclose(in);
    return text;
}

/* The next line as a text of its own; NULL: that was the last. */
static char *next_line(char **rest)
{
    char *line = *rest;
    char *end = strchr(line, '\n');

    if (line[0] == '\0')
        return NULL;
    *rest = end != NULL ? end + 1 : line + strlen(line);
    if (end != NULL)
        *end = '\0';
    return line;
}

bool off_names(const char *file, const char *resource)
{
    char *text = read_all(file);
    char *rest = text;
    const char *line;
    bool names = false;

    while (text != NULL && (line = next_line(&rest)) != NULL)
        names |= strcmp(line, resource) == 0;
    free(text);
    return names;
}

bool off_remove(const char *file, const char *resource)
{
    char *text = read_all(file);
    char *rest = text;
    const char *line;
    FILE *out = text != NULL ? fopen(file, "we") : NULL;
    bool wrote = out != NULL;

    while (wrote && (line = next_line(&rest)) != NULL)
        if (strcmp(line, resource) != 0)
            wrote = fprintf(out, "%s\n", line) > 0;
    free(text);
    return out != NULL && fclose(out) == 0 && wrote;
}
