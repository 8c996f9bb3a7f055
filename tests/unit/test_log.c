#include "common/log.h"

#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/unit/suites.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

enum { REPEATS_MAX = 3, WINDOW_MS = 1000, NO_LIMIT = 1000 * 1000 };

static uint64_t now_ms;
static int fds[2] = { -1, -1 }; /* what the log writes to fds[1] is read from fds[0] */
static char got[4 * LOG_BUFFER_SIZE];

static uint64_t virtual_now_ms(void)
{
    return now_ms;
}

static uint64_t virtual_wall_ms(void)
{
    return 1772366400250; /* 2026-03-01T12:00:00.250Z */
}

#define STAMP "2026-03-01T12:00:00.250Z"

static void open_log_with(enum log_format format, uint32_t repeats_max)
{
    struct log_config config = {
        .process = "gateway-1",
        .level = LOG_LEVEL_INFO,
        .format = format,
        .fd = fds[1],
        .repeats_max = repeats_max,
        .repeats_window_ms = WINDOW_MS,
        .now_ms = virtual_now_ms,
        .wall_ms = virtual_wall_ms,
    };

    ck_assert_int_eq(log_open(&config), 0);
}

static void open_log(void)
{
    open_log_with(LOG_FORMAT_LOGFMT, NO_LIMIT);
}

static void open_json(void)
{
    open_log_with(LOG_FORMAT_JSON, NO_LIMIT);
}

static void open_log_that_counts_repeats(void)
{
    open_log_with(LOG_FORMAT_LOGFMT, REPEATS_MAX);
}

static void setup(void)
{
    now_ms = 5000;
    ck_assert_int_eq(sigaction(SIGPIPE, &(struct sigaction){ .sa_handler = SIG_IGN }, NULL), 0);
    ck_assert_int_eq(pipe(fds), 0);
    ck_assert_int_eq(fcntl(fds[0], F_SETFL, O_NONBLOCK), 0);
}

static void close_ends(void)
{
    for (size_t i = 0; i < 2; i++) {
        if (fds[i] >= 0)
            close(fds[i]);
        fds[i] = -1;
    }
}

static void teardown(void)
{
    close_ends();
    log_close();
}

static void setup_socket(void)
{
    now_ms = 5000;
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
    ck_assert_int_eq(fcntl(fds[0], F_SETFL, O_NONBLOCK), 0);
}

/* Reads what has arrived, behind what `got` holds. */
static size_t read_more(void)
{
    size_t before = strlen(got);
    size_t size = before;
    ssize_t count;

    while ((count = read(fds[0], got + size, sizeof got - 1 - size)) > 0)
        size += (size_t)count;
    got[size] = '\0';
    return size - before;
}

/* What has arrived since the last call, as one string. */
static const char *output(void)
{
    got[0] = '\0';
    read_more();
    return got;
}

/* The same, and what the log still holds back: its reader has all the time it needs. */
static const char *whole_output(void)
{
    output();
    do
        log_tick();
    while (read_more() > 0);
    return got;
}

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;

    for (const char *at = strstr(text, part); at != NULL; at = strstr(at + 1, part))
        count++;
    return count;
}

static struct span span_of(const char *text)
{
    return (struct span){ .data = (const uint8_t *)text, .size = strlen(text) };
}

/* ---- lines ---- */

START_TEST(a_line_of_logfmt)
{
    open_log();
    LOG(INFO, "session_closed", KV("player", 17), KV("reason", "timeout"), KV("unacked", 41u));
    ck_assert_str_eq(output(), STAMP " info gateway-1 session_closed player=17 reason=timeout unacked=41\n");
}
END_TEST

START_TEST(a_line_of_json)
{
    open_json();
    LOG(WARN, "session_closed", KV("player", 17), KV("reason", "time out"));
    ck_assert_str_eq(output(), "{\"time\":\"" STAMP "\",\"level\":\"warn\",\"process\":\"gateway-1\","
                               "\"event\":\"session_closed\",\"player\":17,\"reason\":\"time out\"}\n");
}
END_TEST

START_TEST(an_event_needs_no_fields)
{
    open_log();
    LOG(ERROR, "bus_closed");
    ck_assert_str_eq(output(), STAMP " error gateway-1 bus_closed\n");
    log_close();
    open_json();
    LOG(ERROR, "bus_closed");
    ck_assert_str_eq(output(), "{\"time\":\"" STAMP "\",\"level\":\"error\",\"process\":\"gateway-1\","
                               "\"event\":\"bus_closed\"}\n");
}
END_TEST

START_TEST(a_value_is_written_by_its_type)
{
    enum color { RED, GREEN } color = GREEN;
    const bool yes = true;
    const uint8_t u8 = 255;
    const int8_t i8 = -128;
    char array[] = "array";
    char *pointer = array;

    open_log();
    LOG(INFO, "t", KV("a", yes), KV("b", (bool)false), KV("c", u8), KV("d", i8), KV("e", (uint16_t)65535),
        KV("f", (int16_t)-1), KV("g", UINT32_MAX), KV("h", INT32_MIN), KV("i", UINT64_MAX),
        KV("j", INT64_MIN), KV("k", (size_t)9), KV("l", color));
    ck_assert_str_eq(output(),
                     STAMP " info gateway-1 t a=true b=false c=255 d=-128 e=65535 f=-1 g=4294967295 "
                           "h=-2147483648 i=18446744073709551615 j=-9223372036854775808 k=9 l=1\n");
    LOG(INFO, "t", KV("a", 0.1f), KV("b", 15.1f), KV("c", 0.1), KV("d", 1234567.891), KV("e", -0.0f),
        KV("f", 1e30f), KV("g", 3.0));
    ck_assert_str_eq(output(), STAMP " info gateway-1 t a=0.1 b=15.1 c=0.1 d=1234567.891 e=-0 f=1e+30 g=3\n");
    LOG(INFO, "t", KV("a", "literal"), KV("b", array), KV("c", pointer), KV("d", (const char *)NULL),
        KV("e", span_of("span")), KV("f", (struct span){ 0 }));
    ck_assert_str_eq(output(), STAMP " info gateway-1 t a=literal b=array c=array d=null e=span f=\"\"\n");
}
END_TEST

START_TEST(what_is_not_finite_is_a_text_in_json)
{
    volatile float zero = 0;

    open_json();
    LOG(INFO, "t", KV("a", 1 / zero), KV("b", -1 / zero), KV("c", zero / zero));
    ck_assert_ptr_nonnull(strstr(output(), "\"a\":\"inf\",\"b\":\"-inf\",\"c\":\"nan\"}\n"));
    log_close();
    open_log();
    LOG(INFO, "t", KV("a", 1 / zero), KV("b", -1 / zero), KV("c", zero / zero));
    ck_assert_ptr_nonnull(strstr(output(), " a=inf b=-inf c=nan\n"));
}
END_TEST

static int evaluated;

static int evaluate(void)
{
    return ++evaluated;
}

START_TEST(a_level_that_is_not_wanted_costs_no_arguments)
{
    open_log();
    LOG(DEBUG, "t", KV("a", evaluate()));
    ck_assert_str_eq(output(), "");
    ck_assert_int_eq(evaluated, 0);
    log_set_level(LOG_LEVEL_DEBUG);
    LOG(DEBUG, "t", KV("a", evaluate()));
    ck_assert_str_eq(output(), STAMP " debug gateway-1 t a=1\n");
    log_set_level(LOG_LEVEL_OFF);
    LOG(ERROR, "t", KV("a", evaluate()));
    ck_assert_str_eq(output(), "");
    ck_assert_int_eq(evaluated, 1);
}
END_TEST

START_TEST(a_log_that_is_not_open_is_silent)
{
    ck_assert(!log_wants(LOG_LEVEL_ERROR));
    LOG(ERROR, "t", KV("a", evaluate()));
    log_write(LOG_LEVEL_ERROR, "t", NULL, 0);
    log_tick();
    log_close();
    open_log();
    log_close();
    LOG(ERROR, "t");
    log_tick();
    ck_assert_str_eq(output(), "");
}
END_TEST

/* ---- texts of strangers ---- */

START_TEST(a_text_stays_in_its_place)
{
    static const struct {
        const char *text;
        const char *written;
    } cases[] = {
        { "", "\"\"" },
        { "Tommy", "Tommy" },
        { "[CLAN]Tommy_V!", "[CLAN]Tommy_V!" },
        { "two words", "\"two words\"" },
        { "a=b", "\"a=b\"" },
        { "say \"hi\"", "\"say \\\"hi\\\"\"" },
        { "back\\slash", "\"back\\\\slash\"" },
        { "x\n" STAMP " error gateway-1 forged", "\"x\\n" STAMP " error gateway-1 forged\"" },
        { "\r\t", "\"\\r\\t\"" },
        { "\x01\x1B[2J\x7F", "\"\\u0001\\u001b[2J\\u007f\"" },
        { "\xC2\x85\xC2\x9B", "\"\\u0085\\u009b\"" },
        { "\xE2\x80\xA8\xE2\x80\xA9", "\"\\u2028\\u2029\"" },
        { "\xE2\x80\xAEgnol\xE2\x81\xA6", "\"\\u202egnol\\u2066\"" },
        { "\xD0\x98\xD0\xB2\xD0\xB0\xD0\xBD", "\"\xD0\x98\xD0\xB2\xD0\xB0\xD0\xBD\"" },
        { "\xF0\x9F\x98\x80", "\"\xF0\x9F\x98\x80\"" },
        { "a\xFF\xC0\xAF z", "\"a\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD z\"" },
        { "\xF0\x9F\x98", "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"" },
    };

    open_log();
    for (size_t i = 0; i < COUNT(cases); i++) {
        char expected[LOG_LINE_MAX];

        LOG(INFO, "chat_sent", KV("text", span_of(cases[i].text)), KV("after", 1));
        (void)snprintf(expected, sizeof expected, STAMP " info gateway-1 chat_sent text=%s after=1\n",
                       cases[i].written);
        ck_assert_str_eq(output(), expected);
    }
}
END_TEST

START_TEST(a_nul_in_a_span_ends_nothing)
{
    open_log();
    LOG(INFO, "t", KV("a", ((struct span){ .data = (const uint8_t *)"x\0y", .size = 3 })), KV("b", 1));
    ck_assert_str_eq(output(), STAMP " info gateway-1 t a=\"x\\u0000y\" b=1\n");
}
END_TEST

/* Every pair of bytes, a few hundred a line: JSON stays JSON, and what was UTF-8 comes back as it was. */
START_TEST(json_holds_any_bytes)
{
    open_json();
    for (int first = 0; first < 256; first++) {
        char text[6] = { 'a', (char)first, (char)(255 - first), (char)first, 'z' };

        LOG(INFO, "t", KV("text", ((struct span){ .data = (const uint8_t *)text, .size = 5 })));
        const char *line = output();
        ck_assert_uint_eq(count_of(line, "\n"), 1);

        struct json_object *object = json_tokener_parse(line);
        struct json_object *value;
        ck_assert_msg(object != NULL, "%s", line);
        ck_assert(json_object_object_get_ex(object, "text", &value));
        if (first < 0x80 && 255 - first < 0x80) {
            ck_assert_int_eq(json_object_get_string_len(value), 5);
            ck_assert_mem_eq(json_object_get_string(value), text, 5);
        }
        json_object_put(object);
    }
}
END_TEST

START_TEST(ascii_comes_back_from_json_as_it_was)
{
    char text[128];

    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)i;
    open_json();
    for (size_t at = 0; at < sizeof text; at += 32) {
        struct json_object *value;

        LOG(INFO, "t", KV("text", ((struct span){ .data = (const uint8_t *)text + at, .size = 32 })));
        struct json_object *object = json_tokener_parse(output());
        ck_assert(json_object_object_get_ex(object, "text", &value));
        ck_assert_int_eq(json_object_get_string_len(value), 32);
        ck_assert_mem_eq(json_object_get_string(value), text + at, 32);
        json_object_put(object);
    }
}
END_TEST

/* ---- limits of size ---- */

/* Logs a text of the character so many times. */
static void log_text_of(size_t count, const char *character)
{
    size_t character_size = strlen(character);
    size_t size = count * character_size;
    uint8_t *text = malloc(size);

    for (size_t i = 0; i < size; i++)
        text[i] = (uint8_t)character[i % character_size];
    LOG(INFO, "t", KV("a", ((struct span){ .data = text, .size = size })), KV("b", 1));
    free(text);
}

START_TEST(a_long_value_is_cut_visibly)
{
    open_log();
    log_text_of(LOG_TEXT_MAX, "x");
    ck_assert_uint_eq(count_of(output(), "x"), LOG_TEXT_MAX);
    log_text_of(LOG_TEXT_MAX + 1, "x");
    ck_assert_uint_eq(count_of(output(), "x"), LOG_TEXT_MAX - 3);
    ck_assert_ptr_nonnull(strstr(got, "x\xE2\x80\xA6\" b=1\n"));

    /* What counts is what is written: one character of the text may be six. */
    log_text_of(LOG_TEXT_MAX / 6, "\x01");
    ck_assert_uint_eq(count_of(output(), "\\u0001"), LOG_TEXT_MAX / 6);
    ck_assert_ptr_null(strstr(got, "\xE2\x80\xA6"));
    log_text_of(LOG_TEXT_MAX / 6 + 1, "\x01");
    ck_assert_ptr_nonnull(strstr(output(), "\\u0001\xE2\x80\xA6\" b=1\n"));

    /* No character is cut in two. */
    log_text_of(100000, "\xF0\x9F\x98\x80");
    ck_assert_ptr_nonnull(strstr(output(), "\xF0\x9F\x98\x80\xE2\x80\xA6\" b=1\n"));
}
END_TEST

START_TEST(a_long_line_is_cut_visibly)
{
    char text[LOG_TEXT_MAX + 1];

    memset(text, 'x', LOG_TEXT_MAX);
    text[LOG_TEXT_MAX] = '\0';
    open_log();
    LOG(INFO, "t", KV("a", text), KV("b", text), KV("c", text), KV("d", text), KV("e", 5));
    ck_assert_uint_le(strlen(output()), LOG_LINE_MAX);
    ck_assert_uint_eq(count_of(got, "x"), LOG_TEXT_MAX * UINT64_C(3));
    ck_assert_ptr_nonnull(strstr(got, "x truncated=true\n"));
    ck_assert_ptr_null(strstr(got, " d="));
    ck_assert_uint_eq(log_stats().truncated, 1);
    log_close();

    open_json();
    LOG(INFO, "t", KV("a", text), KV("b", text), KV("c", text), KV("d", text), KV("e", 5));
    ck_assert_uint_le(strlen(output()), LOG_LINE_MAX);
    struct json_object *object = json_tokener_parse(got);
    ck_assert_ptr_nonnull(object);
    ck_assert(json_object_object_get_ex(object, "c", NULL));
    ck_assert(!json_object_object_get_ex(object, "d", NULL));
    ck_assert(json_object_object_get_ex(object, "truncated", NULL));
    json_object_put(object);
}
END_TEST

/* Lines of every length around the limit: whole, or cut at a field, never longer than the limit. */
START_TEST(a_line_may_be_as_long_as_the_limit)
{
    static const enum log_format formats[] = { LOG_FORMAT_LOGFMT, LOG_FORMAT_JSON };
    char text[LOG_TEXT_MAX + 1];
    char last[LOG_TEXT_MAX + 1];
    size_t longest = 0;

    memset(text, 'x', LOG_TEXT_MAX);
    text[LOG_TEXT_MAX] = '\0';
    for (size_t f = 0; f < COUNT(formats); f++) {
        open_log_with(formats[f], NO_LIMIT);
        for (size_t size = 1; size <= LOG_TEXT_MAX; size++) {
            memset(last, 'q', size);
            last[size] = '\0';
            LOG(INFO, "t", KV("a", text), KV("b", text), KV("c", text), KV("d", last));
            size_t length = strlen(output());
            bool cut = strstr(got, "truncated") != NULL;

            ck_assert_uint_le(length, LOG_LINE_MAX);
            ck_assert_uint_eq(count_of(got, "q"), cut ? 0 : size);
            longest = !cut && length > longest ? length : longest;
        }
        log_close();
    }
    ck_assert_uint_gt(longest, LOG_LINE_MAX - 20);
}
END_TEST

START_TEST(a_process_name_is_cut)
{
    struct log_config config = { .process =
                                     "a-process-name-of-more-than-sixty-three-bytes-which-nobody-will-choose",
                                 .fd = fds[1] };

    ck_assert_int_eq(log_open(&config), 0);
    LOG(INFO, "t");
    ck_assert_ptr_nonnull(
        strstr(output(), " a-process-name-of-more-than-sixty-three-bytes-which-nobody-will t\n"));
}
END_TEST

START_TEST(without_hooks_the_real_clocks_are_read)
{
    struct log_config config = { .process = "p", .fd = fds[1] };

    ck_assert_int_eq(log_open(&config), 0);
    LOG(INFO, "t");
    ck_assert_uint_gt(strlen(output()), 24);
    ck_assert_int_eq(strncmp(got, "20", 2), 0);
    ck_assert_int_eq(got[23], 'Z');
}
END_TEST

/* ---- repeats ---- */

static void log_refusals(int count)
{
    for (int i = 0; i < count; i++)
        LOG(WARN, "packet_refused", KV("n", i));
}

START_TEST(repeats_are_collapsed_and_counted)
{
    open_log_that_counts_repeats();
    log_refusals(REPEATS_MAX);
    ck_assert_uint_eq(count_of(output(), "packet_refused"), REPEATS_MAX);
    log_refusals(997);
    ck_assert_str_eq(output(), "");
    ck_assert_uint_eq(log_stats().suppressed, 997);

    now_ms += WINDOW_MS - 1;
    log_tick();
    ck_assert_str_eq(output(), "");
    now_ms += 1;
    log_tick();
    ck_assert_str_eq(output(),
                     STAMP " warn gateway-1 log_repeats_suppressed name=packet_refused count=997\n");
    now_ms += WINDOW_MS;
    log_tick();
    ck_assert_str_eq(output(), "");
}
END_TEST

START_TEST(the_next_window_begins_with_the_report_of_the_last)
{
    open_log_that_counts_repeats();
    log_refusals(REPEATS_MAX + 2);
    now_ms += WINDOW_MS;
    output();
    log_refusals(REPEATS_MAX + 1);
    ck_assert_str_eq(output(), STAMP " warn gateway-1 log_repeats_suppressed name=packet_refused count=2\n" //
                     STAMP " warn gateway-1 packet_refused n=0\n"                                           //
                     STAMP " warn gateway-1 packet_refused n=1\n"                                           //
                     STAMP " warn gateway-1 packet_refused n=2\n");
}
END_TEST

START_TEST(a_window_begins_with_its_first_line)
{
    open_log_that_counts_repeats();
    now_ms += WINDOW_MS - 1;
    log_refusals(REPEATS_MAX);
    output();
    now_ms += WINDOW_MS - 1;
    log_refusals(1);
    ck_assert_str_eq(output(), "");
}
END_TEST

START_TEST(each_event_has_a_limit_of_its_own)
{
    open_log_that_counts_repeats();
    log_refusals(100);
    output();
    LOG(INFO, "session_closed");
    ck_assert_uint_eq(count_of(output(), "session_closed"), 1);
}
END_TEST

START_TEST(a_report_has_the_highest_level_it_stands_for)
{
    open_log_that_counts_repeats();
    log_refusals(REPEATS_MAX);
    LOG(INFO, "packet_refused");
    LOG(ERROR, "packet_refused");
    LOG(INFO, "packet_refused");
    output();
    now_ms += WINDOW_MS;
    log_tick();
    ck_assert_str_eq(output(), STAMP " error gateway-1 log_repeats_suppressed name=packet_refused count=3\n");
}
END_TEST

START_TEST(levels_that_are_not_wanted_do_not_count)
{
    open_log_that_counts_repeats();
    for (int i = 0; i < 10; i++)
        LOG(DEBUG, "packet_refused");
    log_refusals(1);
    ck_assert_uint_eq(count_of(output(), "packet_refused"), 1);
    ck_assert_uint_eq(log_stats().suppressed, 0);
}
END_TEST

START_TEST(closing_reports_what_was_left_out)
{
    open_log_that_counts_repeats();
    log_refusals(REPEATS_MAX + 5);
    output();
    log_close();
    ck_assert_str_eq(output(), STAMP " warn gateway-1 log_repeats_suppressed name=packet_refused count=5\n");
}
END_TEST

START_TEST(a_window_goes_on_across_the_wrap_of_the_clock)
{
    now_ms = UINT64_MAX - 100;
    open_log_that_counts_repeats();
    log_refusals(REPEATS_MAX + 1);
    output();
    now_ms += WINDOW_MS - 1;
    log_refusals(1);
    log_tick();
    ck_assert_str_eq(output(), "");
    now_ms += 1;
    log_tick();
    ck_assert_uint_eq(count_of(output(), "count=2\n"), 1);
}
END_TEST

/* Half a year after the start a signed 32-bit count of milliseconds has wrapped seven times. */
START_TEST(a_window_ends_in_time_at_any_age)
{
    now_ms = (UINT64_C(1) << 31) - 10;
    for (int i = 0; i < 8; i++) {
        open_log_that_counts_repeats();
        log_refusals(REPEATS_MAX + 1);
        output();
        now_ms += WINDOW_MS - 1;
        log_tick();
        ck_assert_str_eq(output(), "");
        now_ms += 1;
        log_tick();
        ck_assert_uint_eq(count_of(output(), "count=1\n"), 1);
        log_close();
        now_ms += UINT64_C(1) << 31;
    }
}
END_TEST

START_TEST(names_past_the_table_share_one_limit)
{
    static char names[LOG_EVENTS_MAX + 50][16];

    open_log_that_counts_repeats();
    for (size_t i = 0; i < COUNT(names); i++) {
        (void)snprintf(names[i], sizeof names[i], "event_%zu", i);
        log_write(LOG_LEVEL_INFO, names[i], NULL, 0);
    }
    ck_assert_uint_eq(count_of(output(), " event_"), LOG_EVENTS_MAX + REPEATS_MAX);
    now_ms += WINDOW_MS;
    log_tick();
    ck_assert_str_eq(output(), STAMP " info gateway-1 log_repeats_suppressed name=other_events count=47\n");

    /* The names in the table still have limits of their own. */
    for (size_t i = 0; i < LOG_EVENTS_MAX; i++)
        log_write(LOG_LEVEL_INFO, names[i], NULL, 0);
    ck_assert_uint_eq(count_of(output(), " event_"), LOG_EVENTS_MAX);
}
END_TEST

/* ---- an output that does not take it ---- */

static void fill(int lines)
{
    for (int i = 0; i < lines; i++)
        LOG(INFO, "player_moved", KV("n", i), KV("text", "a line of an ordinary length, more or less"));
}

/* Each line is whole, and the numbers go up. */
static size_t whole_lines(const char *text)
{
    size_t lines = 0;
    long last = -1;

    while (*text != '\0') {
        const char *end = strchr(text, '\n');

        ck_assert_msg(end != NULL && strncmp(text, STAMP " ", strlen(STAMP) + 1) == 0, "%.80s", text);
        if (strncmp(text + strlen(STAMP), " info gateway-1 player_moved n=", 31) == 0) {
            long n = strtol(text + strlen(STAMP) + 31, NULL, 10);
            ck_assert_int_gt(n, last);
            ck_assert_int_eq(end[-1], '"');
            last = n;
            lines++;
        }
        text = end + 1;
    }
    return lines;
}

START_TEST(a_full_pipe_costs_lines_and_nothing_else)
{
    enum { LINES = 10 * 1000 };

    open_log();
    fill(LINES);
    struct log_stats stats = log_stats();
    ck_assert_uint_eq(stats.written + stats.dropped, LINES);
    ck_assert_uint_gt(stats.dropped, 0);

    ck_assert_uint_eq(whole_lines(whole_output()), stats.written);
    char report[100];
    (void)snprintf(report, sizeof report, STAMP " warn gateway-1 log_lines_dropped count=%llu\n",
                   (unsigned long long)stats.dropped);
    ck_assert_uint_eq(count_of(got, report), 1);

    LOG(INFO, "t");
    ck_assert_str_eq(whole_output(), STAMP " info gateway-1 t\n");
}
END_TEST

START_TEST(a_slow_reader_sees_every_drop_accounted_for)
{
    enum { ROUNDS = 20, LINES = 1500, ALL_LINES = ROUNDS * LINES };
    size_t lines = 0;
    uint64_t reported = 0;

    open_log();
    for (int round = 0; round <= ROUNDS; round++) {
        if (round < ROUNDS)
            fill(LINES);
        const char *text = round % 4 == 3 ? output() : whole_output();
        lines += count_of(text, " player_moved n=");
        for (const char *at = strstr(text, "_dropped count="); at != NULL;
             at = strstr(at + 1, "_dropped count="))
            reported += strtoull(at + strlen("_dropped count="), NULL, 10);
    }
    ck_assert_uint_gt(reported, 0);
    ck_assert_uint_eq(reported, log_stats().dropped);
    ck_assert_uint_eq(lines + reported, ALL_LINES);
}
END_TEST

START_TEST(a_report_that_finds_no_room_is_not_lost)
{
    open_log_that_counts_repeats();
    log_refusals(REPEATS_MAX + 7);
    log_set_level(LOG_LEVEL_ERROR);
    static char names[200][16];
    for (size_t i = 0; i < COUNT(names); i++) {
        char text[LOG_TEXT_MAX + 1];

        memset(text, 'x', LOG_TEXT_MAX);
        text[LOG_TEXT_MAX] = '\0';
        (void)snprintf(names[i], sizeof names[i], "filler_%zu", i);
        for (int j = 0; j < REPEATS_MAX; j++)
            log_write(LOG_LEVEL_ERROR, names[i], (struct log_field[]){ KV("a", text) }, 1);
    }
    ck_assert_uint_gt(log_stats().dropped, 0);
    now_ms += WINDOW_MS;
    log_tick();
    ck_assert_uint_eq(count_of(whole_output(), "log_repeats_suppressed name=packet_refused count=7\n"), 1);
}
END_TEST

START_TEST(a_full_disk_costs_lines_and_nothing_else)
{
    close_ends();
    fds[1] = open("/dev/full", O_WRONLY);
    ck_assert_int_ge(fds[1], 0);
    open_log();
    fill(5000);
    ck_assert_uint_gt(log_stats().dropped, 0);
    log_tick();
    log_close();
}
END_TEST

START_TEST(a_reader_that_is_gone_costs_lines_and_nothing_else)
{
    open_log();
    close(fds[0]);
    fds[0] = -1;
    fill(5000);
    ck_assert_uint_gt(log_stats().dropped, 0);
    log_tick();
    log_close();
}
END_TEST

START_TEST(closing_does_not_wait_for_a_reader_that_stands_still)
{
    open_log();
    fill(5000);
    log_close();
    ck_assert(!log_wants(LOG_LEVEL_ERROR));
    whole_lines(output());
}
END_TEST

START_TEST(a_socket_that_is_full_costs_lines_and_nothing_else)
{
    int size = 4096;

    ck_assert_int_eq(setsockopt(fds[1], SOL_SOCKET, SO_SNDBUF, &size, sizeof size), 0);
    open_log();
    fill(5000);
    struct log_stats stats = log_stats();
    ck_assert_uint_gt(stats.dropped, 0);

    /* A stream socket may take half a line: the other half is the first to follow. */
    ck_assert_uint_eq(whole_lines(whole_output()), stats.written);
    ck_assert_uint_eq(count_of(got, "log_lines_dropped"), 1);
}
END_TEST

/* A terminal is shared with the shell, a pipe with other programs: neither expects EAGAIN. */
START_TEST(the_callers_descriptor_stays_as_it_is)
{
    open_log();
    LOG(INFO, "t");
    ck_assert_int_eq(fcntl(fds[1], F_GETFL) & O_NONBLOCK, 0);
    log_close();
    ck_assert_int_eq(fcntl(fds[1], F_GETFL) & O_NONBLOCK, 0);
    ck_assert_int_eq(write(fds[1], "x", 1), 1);
}
END_TEST

START_TEST(a_file_is_appended_to)
{
    FILE *file = tmpfile();
    char text[200] = "";

    close_ends();
    ck_assert_int_gt(fprintf(file, "before\n"), 0);
    ck_assert_int_eq(fflush(file), 0);
    fds[1] = dup(fileno(file));
    open_log();
    LOG(INFO, "t");
    log_close();
    rewind(file);
    ck_assert_uint_gt(fread(text, 1, sizeof text - 1, file), 0);
    ck_assert_str_eq(text, "before\n" STAMP " info gateway-1 t\n");
    fclose(file);
}
END_TEST

START_TEST(what_cannot_be_written_to_is_refused)
{
    struct log_config config = { .process = "p", .fd = -1 };

    ck_assert_int_eq(log_open(&config), -1);
    ck_assert_int_eq(errno, EBADF);
    config.fd = fds[0];
    ck_assert_int_eq(log_open(&config), -1);
    ck_assert_int_eq(errno, EBADF);
    ck_assert(!log_wants(LOG_LEVEL_ERROR));
    open_log();
    LOG(INFO, "t");
    ck_assert_str_eq(output(), STAMP " info gateway-1 t\n");
}
END_TEST

Suite *log_suite(void)
{
    Suite *suite = suite_create("log");
    TCase *lines = tcase_create("lines");
    TCase *repeats = tcase_create("repeats");
    TCase *outputs = tcase_create("outputs");
    TCase *sockets = tcase_create("sockets");

    tcase_add_checked_fixture(lines, setup, teardown);
    tcase_add_test(lines, a_line_of_logfmt);
    tcase_add_test(lines, a_line_of_json);
    tcase_add_test(lines, an_event_needs_no_fields);
    tcase_add_test(lines, a_value_is_written_by_its_type);
    tcase_add_test(lines, what_is_not_finite_is_a_text_in_json);
    tcase_add_test(lines, a_level_that_is_not_wanted_costs_no_arguments);
    tcase_add_test(lines, a_log_that_is_not_open_is_silent);
    tcase_add_test(lines, a_text_stays_in_its_place);
    tcase_add_test(lines, a_nul_in_a_span_ends_nothing);
    tcase_add_test(lines, json_holds_any_bytes);
    tcase_add_test(lines, ascii_comes_back_from_json_as_it_was);
    tcase_add_test(lines, a_long_value_is_cut_visibly);
    tcase_add_test(lines, a_long_line_is_cut_visibly);
    tcase_add_test(lines, a_line_may_be_as_long_as_the_limit);
    tcase_add_test(lines, a_process_name_is_cut);
    tcase_add_test(lines, without_hooks_the_real_clocks_are_read);
    suite_add_tcase(suite, lines);

    tcase_add_checked_fixture(repeats, setup, teardown);
    tcase_add_test(repeats, repeats_are_collapsed_and_counted);
    tcase_add_test(repeats, the_next_window_begins_with_the_report_of_the_last);
    tcase_add_test(repeats, a_window_begins_with_its_first_line);
    tcase_add_test(repeats, each_event_has_a_limit_of_its_own);
    tcase_add_test(repeats, a_report_has_the_highest_level_it_stands_for);
    tcase_add_test(repeats, levels_that_are_not_wanted_do_not_count);
    tcase_add_test(repeats, closing_reports_what_was_left_out);
    tcase_add_test(repeats, a_window_goes_on_across_the_wrap_of_the_clock);
    tcase_add_test(repeats, a_window_ends_in_time_at_any_age);
    tcase_add_test(repeats, names_past_the_table_share_one_limit);
    suite_add_tcase(suite, repeats);

    tcase_add_checked_fixture(outputs, setup, teardown);
    tcase_add_test(outputs, a_full_pipe_costs_lines_and_nothing_else);
    tcase_add_test(outputs, a_slow_reader_sees_every_drop_accounted_for);
    tcase_add_test(outputs, a_report_that_finds_no_room_is_not_lost);
    tcase_add_test(outputs, a_full_disk_costs_lines_and_nothing_else);
    tcase_add_test(outputs, a_reader_that_is_gone_costs_lines_and_nothing_else);
    tcase_add_test(outputs, closing_does_not_wait_for_a_reader_that_stands_still);
    tcase_add_test(outputs, the_callers_descriptor_stays_as_it_is);
    tcase_add_test(outputs, a_file_is_appended_to);
    tcase_add_test(outputs, what_cannot_be_written_to_is_refused);
    suite_add_tcase(suite, outputs);

    tcase_add_checked_fixture(sockets, setup_socket, teardown);
    tcase_add_test(sockets, a_socket_that_is_full_costs_lines_and_nothing_else);
    suite_add_tcase(suite, sockets);
    return suite;
}
