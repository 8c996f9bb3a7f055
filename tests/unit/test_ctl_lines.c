#include "ctl/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/unit/suites.h"

static int fds[2]; /* what is written to fds[1] is read from fds[0] */
static struct lines *lines;
static struct lines_source *one;
static struct lines_source *two;
static char got[4 * LINES_BUFFER_SIZE];

static void open_lines(void)
{
    ck_assert_int_eq(fcntl(fds[0], F_SETFL, O_NONBLOCK), 0);
    lines = lines_open(fds[1]);
    ck_assert_ptr_nonnull(lines);
    one = lines_add(lines, "shard-1");
    two = lines_add(lines, "coordinator");
    ck_assert_ptr_nonnull(two);
}

static void setup(void)
{
    ck_assert_int_eq(sigaction(SIGPIPE, &(struct sigaction){ .sa_handler = SIG_IGN }, NULL), 0);
    ck_assert_int_eq(pipe(fds), 0);
    open_lines();
}

static void setup_socket(void)
{
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
    open_lines();
}

static void teardown(void)
{
    lines_close(&lines);
    close(fds[0]);
    close(fds[1]);
}

static void put(struct lines_source *source, const char *text)
{
    lines_put(source, text, strlen(text));
}

/* All that can be read now, added to `got` after the first `size` bytes. */
static size_t read_more(size_t size)
{
    ssize_t more;

    while ((more = read(fds[0], got + size, sizeof got - 1 - size)) > 0)
        size += (size_t)more;
    got[size] = '\0';
    return size;
}

static const char *read_all(void)
{
    (void)read_more(0);
    return got;
}

static size_t count_of(const char *needle)
{
    size_t count = 0;

    for (const char *at = strstr(got, needle); at != NULL; at = strstr(at + 1, needle))
        count++;
    return count;
}

START_TEST(a_line_has_the_name_of_its_source)
{
    put(one, "hello\n");
    put(two, "you\n");
    ck_assert_str_eq(read_all(), "shard-1     | hello\ncoordinator | you\n");
}
END_TEST

START_TEST(a_line_is_written_when_its_end_comes)
{
    put(one, "hel");
    put(two, "you\n");
    ck_assert_str_eq(read_all(), "coordinator | you\n");
    put(one, "lo\n\nsecond");
    ck_assert_str_eq(read_all(), "shard-1     | hello\nshard-1     | \n");
}
END_TEST

START_TEST(a_line_without_an_end_can_be_ended)
{
    put(one, "hello");
    lines_end(one);
    lines_end(one);
    ck_assert_str_eq(read_all(), "shard-1     | hello\n");
    put(one, "last words");
    lines_close(&lines);
    ck_assert_str_eq(read_all(), "shard-1     | last words\n");
}
END_TEST

START_TEST(a_long_line_becomes_several)
{
    static char text[3 * LINES_SIZE_MAX + 1];
    size_t letters = 0;

    memset(text, 'x', sizeof text - 2);
    text[sizeof text - 2] = '\n';
    put(one, text);
    (void)read_all();
    ck_assert_uint_eq(count_of("shard-1     | x"), 4);
    for (const char *at = got; *at != '\0'; at++)
        letters += *at == 'x';
    ck_assert_uint_eq(letters, sizeof text - 2);
    for (const char *line = got; *line != '\0'; line = strchr(line, '\n') + 1)
        ck_assert_uint_lt(strcspn(line, "\n"), LINES_SIZE_MAX);
}
END_TEST

START_TEST(a_character_is_not_cut_in_two)
{
    static const char letter[] = "\xE2\x82\xAC";
    static char text[2 * LINES_SIZE_MAX];

    for (size_t at = 0; at + 3 < sizeof text; at += 3)
        memcpy(text + at, letter, 3);
    put(one, text);
    lines_end(one);
    for (const char *line = read_all(); *line != '\0'; line = strchr(line, '\n') + 1)
        ck_assert_msg(strncmp(strchr(line, '\n') - 3, letter, 3) == 0, "%s", line);
}
END_TEST

START_TEST(nothing_waits_for_a_reader_that_stands_still)
{
    char line[64];
    size_t size = 0;

    for (int i = 0; i < 20000; i++) { /* more than pipe and buffer hold */
        int length = snprintf(line, sizeof line, "line %d of many, with some text\n", i);

        lines_put(one, line, (size_t)length);
    }
    ck_assert(lines_drain(lines));
    do
        size = read_more(size);
    while (lines_drain(lines));
    (void)read_more(size);
    ck_assert_uint_eq(count_of(" lines were left out: the output is not read fast enough)\n"), 1);
    ck_assert_uint_eq(count_of("\nshard-1     | line 1000 of many"), 1);
    put(one, "now there is room\n");
    ck_assert_str_eq(read_all(), "shard-1     | now there is room\n");
}
END_TEST

START_TEST(the_lines_that_are_left_out_are_all_counted)
{
    enum { LINES = 20000 };
    size_t size = 0;

    for (int i = 0; i < LINES; i++)
        put(one, "some text that fills the pipe and the buffer\n");
    do
        size = read_more(size);
    while (lines_drain(lines));
    (void)read_more(size);
    ck_assert_uint_eq(count_of("some text") + strtoul(strchr(strstr(got, " | ("), '(') + 1, NULL, 10), LINES);
}
END_TEST

START_TEST(a_flood_costs_the_others_nothing)
{
    size_t size = 0;

    for (int i = 0; i < 20000; i++)
        put(one, "flood, flood, flood, flood, flood, flood, flood\n");
    for (int i = 0; i < 100; i++)
        put(two, "one line that matters\n");
    do
        size = read_more(size);
    while (lines_drain(lines));
    (void)read_more(size);
    ck_assert_uint_eq(count_of("coordinator | one line that matters\n"), 100);
    /* Their turn comes after one piece of the flood, not after all of it. */
    ck_assert(strstr(got, "coordinator") < got + 65536 + 3 * LINES_SIZE_MAX);
}
END_TEST

START_TEST(a_reader_that_has_gone_harms_nobody)
{
    close(fds[0]);
    for (int i = 0; i < 5000; i++)
        put(one, "is anybody there?\n");
    ck_assert(!lines_drain(lines));
    fds[0] = -1;
}
END_TEST

START_TEST(the_descriptor_keeps_its_flags)
{
    int before = fcntl(fds[1], F_GETFL);

    put(one, "hello\n");
    ck_assert_int_eq(fcntl(fds[1], F_GETFL), before);
    lines_close(&lines);
    ck_assert_int_eq(fcntl(fds[1], F_GETFL), before);
}
END_TEST

Suite *ctl_lines_suite(void)
{
    Suite *suite = suite_create("ctl_lines");
    TCase *tcase = tcase_create("pipe");
    TCase *sockets = tcase_create("socket");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, a_line_has_the_name_of_its_source);
    tcase_add_test(tcase, a_line_is_written_when_its_end_comes);
    tcase_add_test(tcase, a_line_without_an_end_can_be_ended);
    tcase_add_test(tcase, a_long_line_becomes_several);
    tcase_add_test(tcase, a_character_is_not_cut_in_two);
    tcase_add_test(tcase, nothing_waits_for_a_reader_that_stands_still);
    tcase_add_test(tcase, the_lines_that_are_left_out_are_all_counted);
    tcase_add_test(tcase, a_flood_costs_the_others_nothing);
    tcase_add_test(tcase, a_reader_that_has_gone_harms_nobody);
    tcase_add_test(tcase, the_descriptor_keeps_its_flags);
    suite_add_tcase(suite, tcase);
    tcase_add_checked_fixture(sockets, setup_socket, teardown);
    tcase_add_test(sockets, a_line_has_the_name_of_its_source);
    tcase_add_test(sockets, nothing_waits_for_a_reader_that_stands_still);
    tcase_add_test(sockets, the_lines_that_are_left_out_are_all_counted);
    suite_add_tcase(suite, sockets);
    return suite;
}
