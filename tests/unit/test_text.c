#include "common/text.h"

#include <stdlib.h>

#include "tests/unit/suites.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* A text that may hold NULs; the literal's own terminator is left out. */
#define TEXT(literal) ((struct span){ .data = (const uint8_t *)(literal), .size = sizeof(literal) - 1 })

/* A copy on the heap, of exactly its size, so that AddressSanitizer sees a read past it. */
static bool accepts(bool (*is)(struct span), struct span text)
{
    uint8_t *data = malloc(text.size + 1);

    memcpy(data + 1, text.data, text.size);
    bool accepted = is((struct span){ .data = data + 1, .size = text.size });
    free(data);
    return accepted;
}

/* Written after the definition and not after table 3-7: decode, then ask what the value is. */
static size_t char_size_by_definition(const uint8_t *at, size_t left)
{
    static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    size_t size = at[0] < 0x80 ? 1 : at[0] >> 5 == 6 ? 2 : at[0] >> 4 == 14 ? 3 : at[0] >> 3 == 30 ? 4 : 0;

    if (size == 0 || size > left)
        return 0;

    uint32_t value = size == 1 ? at[0] : at[0] & (0xFFU >> (size + 1));
    for (size_t i = 1; i < size; i++) {
        if (at[i] >> 6 != 2)
            return 0;
        value = value << 6 | (at[i] & 0x3FU);
    }
    bool surrogate = value >= 0xD800 && value <= 0xDFFF;
    return value >= least[size] && value <= 0x10FFFF && !surrogate ? size : 0;
}

static size_t encode(uint32_t value, uint8_t bytes[4])
{
    if (value < 0x80) {
        bytes[0] = (uint8_t)value;
        return 1;
    }
    size_t size = value < 0x800 ? 2 : value < 0x10000 ? 3 : 4;
    for (size_t i = size - 1; i > 0; i--) {
        bytes[i] = (uint8_t)(0x80 | (value & 0x3F));
        value >>= 6;
    }
    bytes[0] = (uint8_t)(0xF00U >> size | value);
    return size;
}

START_TEST(every_code_point_but_the_surrogates_is_utf8)
{
    for (uint32_t value = 0; value < 0x110100; value++) {
        uint8_t bytes[4];
        size_t size = encode(value, bytes);
        bool valid = value <= 0x10FFFF && !(value >= 0xD800 && value <= 0xDFFF);

        if (text_is_utf8((struct span){ bytes, size }) != valid)
            ck_abort_msg("U+%04X", value);
    }
}
END_TEST

START_TEST(every_beginning_is_judged_as_by_definition)
{
    uint8_t bytes[4];

    for (uint32_t lead = 0; lead < 0x10000; lead++) {
        static const uint8_t thirds[] = { 0x00, 0x7F, 0x80, 0xBF, 0xC0, 0xFF };

        bytes[0] = (uint8_t)(lead >> 8);
        bytes[1] = (uint8_t)lead;
        for (size_t tail = 0; tail < COUNT(thirds) * COUNT(thirds); tail++) {
            bytes[2] = thirds[tail / COUNT(thirds)];
            bytes[3] = thirds[tail % COUNT(thirds)];
            for (size_t size = 1; size <= 4; size++) {
                if (text_char_size((struct span){ bytes, size }) != char_size_by_definition(bytes, size))
                    ck_abort_msg("%02x %02x %02x %02x, %zu bytes", bytes[0], bytes[1], bytes[2], bytes[3],
                                 size);
            }
        }
    }
}
END_TEST

START_TEST(what_is_not_utf8_is_in_no_class)
{
    static const struct {
        const char *why;
        struct span text;
    } cases[] = {
        { "a continuation byte alone", TEXT("\x80") },
        { "a lead byte alone", TEXT("\xC3") },
        { "a lead byte before ASCII", TEXT("\xC3(") },
        { "overlong /", TEXT("\xC0\xAF") },
        { "overlong NUL", TEXT("\xC0\x80") },
        { "overlong U+007F", TEXT("\xC1\xBF") },
        { "overlong in three bytes", TEXT("\xE0\x9F\xBF") },
        { "overlong in four bytes", TEXT("\xF0\x8F\xBF\xBF") },
        { "the first surrogate", TEXT("\xED\xA0\x80") },
        { "the last surrogate", TEXT("\xED\xBF\xBF") },
        { "U+110000", TEXT("\xF4\x90\x80\x80") },
        { "five bytes", TEXT("\xF8\x88\x80\x80\x80") },
        { "three bytes of four", TEXT("\xF0\x9F\x98") },
        { "two bytes of three", TEXT("\xE2\x82") },
        { "0xFF", TEXT("\xFF") },
        { "0xFE", TEXT("\xFE") },
    };
    static bool (*const classes[])(struct span) = {
        text_is_utf8,       text_is_plain,    text_is_line, text_is_block, text_is_data,
        text_is_identifier, text_is_resource, text_is_path, text_is_url,
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        for (size_t class = 0; class < COUNT(classes); class ++)
            ck_assert_msg(!accepts(classes[class], cases[i].text), "%s, class %zu", cases[i].why, class);
    }
}
END_TEST

START_TEST(the_edges_of_utf8_are_accepted)
{
    static const struct span cases[] = {
        TEXT("\x7F"),         TEXT("\xC2\x80"),         TEXT("\xDF\xBF"),          TEXT("\xE0\xA0\x80"),
        TEXT("\xED\x9F\xBF"), TEXT("\xEE\x80\x80"),     TEXT("\xEF\xBF\xBF"),      TEXT("\xF0\x90\x80\x80"),
        TEXT("\x00"),         TEXT("\xF4\x8F\xBF\xBF"), TEXT("a\xF0\x9F\x98\x80"),
    };

    for (size_t i = 0; i < COUNT(cases); i++)
        ck_assert_msg(accepts(text_is_utf8, cases[i]), "case %zu", i);
}
END_TEST

/* Which single characters a class has: the page's table, character by character. */
START_TEST(each_class_has_its_characters)
{
    for (uint32_t value = 0; value < 0x300; value++) {
        uint8_t bytes[4];
        struct span text = { bytes, encode(value, bytes) };
        bool low = value <= 0x1F;
        bool del = value == 0x7F;
        bool c1 = value >= 0x80 && value <= 0x9F;
        bool line_feed_or_tab = value == '\n' || value == '\t';

        ck_assert_msg(accepts(text_is_utf8, text), "U+%04X", value);
        ck_assert_msg(accepts(text_is_plain, text) == (!low && !del && !c1), "U+%04X", value);
        ck_assert_msg(accepts(text_is_line, text) == (!low && !del), "U+%04X", value);
        ck_assert_msg(accepts(text_is_block, text) == ((!low && !del) || line_feed_or_tab), "U+%04X", value);
        ck_assert_msg(accepts(text_is_data, text) == ((!low && !del) || line_feed_or_tab || value == '\r'),
                      "U+%04X", value);
    }
}
END_TEST

/* ASCII is read eight bytes at a time: a bad character must be found wherever it stands among good ones, at
 * any alignment, next to characters that could hide it by a carry or a borrow. */
START_TEST(a_bad_character_is_found_at_any_place)
{
    static const uint8_t neighbors[] = { ' ', '~', 'a', 0x7E, 0x21 };
    static const uint8_t bad[] = { 0x00, 0x01, 0x1F, 0x7F, 0x80, 0xFF };

    for (size_t neighbor = 0; neighbor < COUNT(neighbors); neighbor++) {
        for (size_t size = 1; size <= 40; size++) {
            uint8_t *bytes = malloc(size);

            memset(bytes, neighbors[neighbor], size);
            ck_assert(text_is_line((struct span){ bytes, size }));
            for (size_t at = 0; at < size; at++) {
                for (size_t i = 0; i < COUNT(bad); i++) {
                    bytes[at] = bad[i];
                    if (text_is_line((struct span){ bytes, size }) ||
                        text_is_utf8((struct span){ bytes, size }) != (bad[i] < 0x80))
                        ck_abort_msg("0x%02x at %zu of %zu", bad[i], at, size);
                }
                bytes[at] = neighbors[neighbor];
            }
            free(bytes);
        }
    }
}
END_TEST

START_TEST(a_long_character_may_stand_at_any_place)
{
    for (size_t before = 0; before < 20; before++) {
        uint8_t bytes[40];

        memset(bytes, 'a', sizeof bytes);
        encode(0x1F600, bytes + before);
        ck_assert(accepts(text_is_plain, (struct span){ bytes, sizeof bytes }));
        ck_assert(accepts(text_is_plain, (struct span){ bytes, before + 4 }));
        for (size_t cut = 1; cut < 4; cut++)
            ck_assert(!accepts(text_is_plain, (struct span){ bytes, before + cut }));
    }
}
END_TEST

START_TEST(the_empty_text)
{
    static const struct span empty = { NULL, 0 };

    ck_assert(text_is_utf8(empty));
    ck_assert(text_is_plain(empty));
    ck_assert(text_is_line(empty));
    ck_assert(text_is_block(empty));
    ck_assert(text_is_data(empty));
    ck_assert(text_is_url(empty));
    ck_assert(!text_is_identifier(empty));
    ck_assert(!text_is_resource(empty));
    ck_assert(!text_is_path(empty));
    ck_assert(!text_is_integer(empty));
    ck_assert(!text_starts_with(empty, "ab"));
    ck_assert_int_eq(text_integer(empty), 0);
    ck_assert_uint_eq(text_lines(empty), 0);
    ck_assert(text_is_chars(NULL, 0, "A-Z"));
    ck_assert_uint_eq(text_char_size(empty), 0);
}
END_TEST

struct text_case {
    struct span text;
    bool accepted;
};

static void check_cases(bool (*is)(struct span), const struct text_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ck_assert_msg(accepts(is, cases[i].text) == cases[i].accepted, "case %zu: %.*s", i,
                      (int)cases[i].text.size, (const char *)cases[i].text.data);
}

START_TEST(identifiers)
{
    static const struct text_case cases[] = {
        { TEXT("a"), true },       { TEXT("race_2"), true },     { TEXT("z__9"), true },
        { TEXT("2race"), false },  { TEXT("_race"), false },     { TEXT("Race"), false },
        { TEXT("raCe"), false },   { TEXT("race-2"), false },    { TEXT("race 2"), false },
        { TEXT("race\0"), false }, { TEXT("r\xC3\xA4"), false }, { TEXT("race."), false },
        { TEXT("`"), false },      { TEXT("{"), false },         { TEXT("a:"), false },
    };

    check_cases(text_is_identifier, cases, COUNT(cases));
}
END_TEST

START_TEST(resources)
{
    static const struct text_case cases[] = {
        { TEXT("a"), true },      { TEXT("race-mode_2"), true }, { TEXT("a-"), true },
        { TEXT("-race"), false }, { TEXT("2race"), false },      { TEXT("_race"), false },
        { TEXT("Race"), false },  { TEXT("race/2"), false },     { TEXT("race.lua"), false },
    };

    check_cases(text_is_resource, cases, COUNT(cases));
}
END_TEST

START_TEST(paths)
{
    static const struct text_case cases[] = {
        { TEXT("a"), true },           { TEXT("client/main.lua"), true },
        { TEXT("A/b-c_d/E.9"), true }, { TEXT(".hidden"), true },
        { TEXT("..."), true },         { TEXT("a/..b/c.."), true },
        { TEXT("/a"), false },         { TEXT("a/"), false },
        { TEXT("a//b"), false },       { TEXT("/"), false },
        { TEXT("."), false },          { TEXT(".."), false },
        { TEXT("a/./b"), false },      { TEXT("a/../b"), false },
        { TEXT("../a"), false },       { TEXT("a/.."), false },
        { TEXT("a/."), false },        { TEXT("./a"), false },
        { TEXT("a\\b"), false },       { TEXT("a b"), false },
        { TEXT("a\0b"), false },       { TEXT("C:"), false },
        { TEXT("\xC3\xA4/b"), false }, { TEXT("a~"), false },
    };

    check_cases(text_is_path, cases, COUNT(cases));
}
END_TEST

START_TEST(urls)
{
    static const struct text_case cases[] = {
        { TEXT(""), true },
        { TEXT("http://a"), true },
        { TEXT("https://radio.example/stream?x=1&y=%20#top"), true },
        { TEXT("https://~!\""), true },
        { TEXT("http:/a"), false },
        { TEXT("http"), false },
        { TEXT("ftp://a"), false },
        { TEXT("HTTP://a"), false },
        { TEXT(" http://a"), false },
        { TEXT("http://a b"), false },
        { TEXT("http://a\n"), false },
        { TEXT("http://a\x7F"), false },
        { TEXT("http://\xC3\xA4"), false },
        { TEXT("javascript:http://"), false },
        { TEXT("http://a\0b"), false },
    };

    check_cases(text_is_url, cases, COUNT(cases));
}
END_TEST

START_TEST(integers)
{
    static const struct {
        struct span text;
        bool accepted;
        int64_t value;
    } cases[] = {
        { TEXT("0"), true, 0 },
        { TEXT("7"), true, 7 },
        { TEXT("-1"), true, -1 },
        { TEXT("10"), true, 10 },
        { TEXT("2147483648"), true, 2147483648 },
        { TEXT("9999999999"), true, 9999999999 },
        { TEXT("-9999999999"), true, -9999999999 },
        { TEXT("-0"), true, 0 },
        { TEXT("10000000000"), false, 0 },
        { TEXT("-10000000000"), false, 0 },
        { TEXT("-"), false, 0 },
        { TEXT("--1"), false, 0 },
        { TEXT("+1"), false, 0 },
        { TEXT("00"), false, 0 },
        { TEXT("07"), false, 0 },
        { TEXT("-07"), false, 0 },
        { TEXT(" 7"), false, 0 },
        { TEXT("7 "), false, 0 },
        { TEXT("7\0"), false, 0 },
        { TEXT("1.5"), false, 0 },
        { TEXT("1e3"), false, 0 },
        { TEXT("0x1"), false, 0 },
        { TEXT("1-"), false, 0 },
        { TEXT("\xD9\xA1"), false, 0 }, /* ARABIC-INDIC DIGIT ONE */
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        ck_assert_msg(accepts(text_is_integer, cases[i].text) == cases[i].accepted, "case %zu", i);
        ck_assert_int_eq(text_integer(cases[i].text), cases[i].value);
    }
}
END_TEST

START_TEST(first_characters)
{
    ck_assert(text_starts_with(TEXT("/help"), "/ "));
    ck_assert(text_starts_with(TEXT(" help"), "/ "));
    ck_assert(!text_starts_with(TEXT("help"), "/ "));
    ck_assert(!text_starts_with(TEXT("h/"), "/ "));
    ck_assert(!text_starts_with(TEXT("\0/"), "/ "));
    ck_assert(!text_starts_with(TEXT("a"), ""));
}
END_TEST

START_TEST(lines)
{
    ck_assert_uint_eq(text_lines(TEXT("one")), 1);
    ck_assert_uint_eq(text_lines(TEXT("one\ntwo")), 2);
    ck_assert_uint_eq(text_lines(TEXT("a\nb\nc\nd")), 4);
    ck_assert_uint_eq(text_lines(TEXT(" \n\t")), 2);
    ck_assert_uint_eq(text_lines(TEXT("\n")), 0);
    ck_assert_uint_eq(text_lines(TEXT("one\n")), 0);
    ck_assert_uint_eq(text_lines(TEXT("\none")), 0);
    ck_assert_uint_eq(text_lines(TEXT("one\n\ntwo")), 0);
}
END_TEST

START_TEST(tables)
{
    static const struct {
        struct span text;
        size_t rows;
        size_t columns;
        size_t cell_max;
        bool accepted;
    } cases[] = {
        { TEXT("a\tb\nc\td"), 2, 2, 1, true },
        { TEXT("a\tb\nc\td"), 1, 2, 1, false },
        { TEXT("a\tb\nc\td"), 3, 2, 1, false },
        { TEXT("a\tb\nc\td"), 2, 1, 1, false },
        { TEXT("a\tb\nc\td"), 2, 3, 1, false },
        { TEXT("a\tb\nc"), 2, 2, 1, false },
        { TEXT("a\nc\td"), 2, 2, 1, false },
        { TEXT("a\tb\tc\nd"), 2, 2, 1, false },
        { TEXT("a\tb\n"), 1, 2, 1, false },
        { TEXT("\t\n\t"), 2, 2, 0, true },
        { TEXT("1234\t12345"), 1, 2, 5, true },
        { TEXT("1234\t123456"), 1, 2, 5, false },
        { TEXT("123456\t1"), 1, 2, 5, false },
        { TEXT("\xC3\xA4"), 1, 1, 2, true },
        { TEXT("\xC3\xA4"), 1, 1, 1, false },
        { TEXT("\xC3\tb"), 1, 2, 9, false },
        { TEXT("a\r\tb"), 1, 2, 9, false },
        { TEXT("a\0\tb"), 1, 2, 9, false },
        { TEXT("a\x7F\tb"), 1, 2, 9, false },
        { TEXT(""), 0, 2, 9, true },
        { TEXT("a"), 0, 1, 9, false },
        { TEXT(""), 1, 1, 9, true },
        { TEXT(""), 1, 2, 9, false },
        { TEXT(""), 1, 0, 9, false },
        { TEXT(""), 0, 0, 9, true },
    };

    for (size_t i = 0; i < COUNT(cases); i++)
        ck_assert_msg(text_is_table(cases[i].text, cases[i].rows, cases[i].columns, cases[i].cell_max) ==
                          cases[i].accepted,
                      "case %zu", i);
}
END_TEST

static bool all_in(struct span text, const char *set)
{
    return text_is_chars(text.data, text.size, set);
}

START_TEST(characters_of_a_set)
{
    ck_assert(all_in(TEXT("LV 4U2   "), "A-Z0-9 "));
    ck_assert(all_in(TEXT("AZ09"), "A-Z0-9 "));
    ck_assert(!all_in(TEXT("lv"), "A-Z0-9 "));
    ck_assert(!all_in(TEXT("@"), "A-Z0-9 "));
    ck_assert(!all_in(TEXT("["), "A-Z0-9 "));
    ck_assert(!all_in(TEXT("/"), "A-Z0-9 "));
    ck_assert(!all_in(TEXT(":"), "A-Z0-9 "));
    ck_assert(!all_in(TEXT("A-B"), "A-Z0-9 "));
    ck_assert(!all_in(TEXT("A\0"), "A-Z0-9 "));
    ck_assert(!all_in(TEXT("\xC3\xA4"), "A-Z0-9 "));
    ck_assert(!all_in(TEXT("A"), ""));
    ck_assert(all_in(TEXT("a-b"), "-a-z"));
    ck_assert(all_in(TEXT("a-b"), "a-z-"));
    ck_assert(all_in(TEXT("a-9"), "a-z-9"));
    ck_assert(!all_in(TEXT("8"), "a-z-9"));
}
END_TEST

Suite *text_suite(void)
{
    Suite *suite = suite_create("text");
    TCase *tcase = tcase_create("text");

    tcase_add_test(tcase, every_code_point_but_the_surrogates_is_utf8);
    tcase_add_test(tcase, every_beginning_is_judged_as_by_definition);
    tcase_add_test(tcase, what_is_not_utf8_is_in_no_class);
    tcase_add_test(tcase, the_edges_of_utf8_are_accepted);
    tcase_add_test(tcase, each_class_has_its_characters);
    tcase_add_test(tcase, a_bad_character_is_found_at_any_place);
    tcase_add_test(tcase, a_long_character_may_stand_at_any_place);
    tcase_add_test(tcase, the_empty_text);
    tcase_add_test(tcase, identifiers);
    tcase_add_test(tcase, resources);
    tcase_add_test(tcase, paths);
    tcase_add_test(tcase, urls);
    tcase_add_test(tcase, integers);
    tcase_add_test(tcase, first_characters);
    tcase_add_test(tcase, lines);
    tcase_add_test(tcase, tables);
    tcase_add_test(tcase, characters_of_a_set);
    suite_add_tcase(suite, tcase);
    return suite;
}
