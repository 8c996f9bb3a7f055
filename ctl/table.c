#include "ctl/table.h"

#include <assert.h>
#include <json-c/json.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/tool.h"
#include "ctl/ask.h"

enum { COLUMNS_MAX = 8, CELL_SIZE = 64 };

struct table {
    size_t columns;
    size_t cells; /* in use; a row after the other, the head first */
    size_t room;
    char (*text)[CELL_SIZE];
};

__attribute__((format(printf, 2, 3))) static void put(struct table *table, const char *format, ...)
{
    va_list arguments;

    if (table->cells == table->room) {
        size_t room = table->room == 0 ? 64 : 2 * table->room;
        void *more = realloc(table->text, room * sizeof table->text[0]);

        if (more == NULL)
            return;
        table->text = more;
        table->room = room;
    }
    va_start(arguments, format);
    (void)vsnprintf(table->text[table->cells], CELL_SIZE, format, arguments);
    va_end(arguments);
    tool_clean(table->text[table->cells++]);
}

static size_t characters(const char *text)
{
    size_t count = 0;

    for (; *text != '\0'; text++)
        count += ((unsigned char)*text & 0xC0) != 0x80;
    return count;
}

static bool is_number(const char *text)
{
    return text[0] != '\0' && text[strspn(text, "0123456789.")] == '\0';
}

/* A column whose cells below the head are numbers. */
static bool is_right(const struct table *table, size_t column)
{
    for (size_t i = table->columns + column; i < table->cells; i += table->columns) {
        if (!is_number(table->text[i]))
            return false;
    }
    return table->cells > table->columns;
}

/* Without spaces after the last cell that holds something. */
static void print_row(const struct table *table, size_t row, const size_t *widths, FILE *out)
{
    size_t spaces = 0;

    for (size_t column = 0; column < table->columns; column++) {
        const char *text = table->text[row + column];
        size_t padding = widths[column] - characters(text);
        bool on_the_right = is_right(table, column);

        spaces += on_the_right ? padding : 0;
        if (text[0] != '\0') {
            fprintf(out, "%*s%s", (int)spaces, "", text);
            spaces = 0;
        }
        spaces += (on_the_right ? 0 : padding) + 2;
    }
    fputc('\n', out);
}

static void print(const struct table *table, FILE *out)
{
    size_t widths[COLUMNS_MAX] = { 0 };

    for (size_t i = 0; i < table->cells; i++) {
        size_t width = characters(table->text[i]);

        if (width > widths[i % table->columns])
            widths[i % table->columns] = width;
    }
    for (size_t row = 0; row + table->columns <= table->cells; row += table->columns)
        print_row(table, row, widths, out);
}

void table_print_list(const struct table_column *columns, struct json_object *list, FILE *out)
{
    size_t count = json_object_is_type(list, json_type_array) ? json_object_array_length(list) : 0;
    struct table table = { 0 };

    while (columns[table.columns].head != NULL)
        table.columns++;
    assert(table.columns > 0 && table.columns <= COLUMNS_MAX);
    for (size_t column = 0; column < table.columns; column++)
        put(&table, "%s", columns[column].head);
    for (size_t i = 0; i < count; i++) {
        struct json_object *object = json_object_array_get_idx(list, i);

        for (size_t column = 0; column < table.columns; column++) {
            if (columns[column].type != TABLE_TEXT)
                put(&table, columns[column].type == TABLE_REAL ? "%.1f" : "%.0f",
                    ask_real(object, columns[column].key));
            else
                put(&table, "%s", ask_text(object, columns[column].key));
        }
    }
    print(&table, out);
    free(table.text);
}
