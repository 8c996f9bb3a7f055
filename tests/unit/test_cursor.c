#include "common/cursor.h"

#include <math.h>

#include "tests/unit/suites.h"

static const uint8_t sample[] = { 0x01, 0x02, 0x83, 0x04, 0x05, 0x06, 0x07, 0x88, 0x99 };

START_TEST(integers_are_little_endian)
{
    uint8_t bytes[8];

    ck_assert_uint_eq(load_u16(sample), 0x0201);
    ck_assert_uint_eq(load_u32(sample), 0x04830201);
    ck_assert_uint_eq(load_u64(sample), UINT64_C(0x8807060504830201));
    store_u16(bytes, 0x0201);
    ck_assert_mem_eq(bytes, sample, 2);
    store_u32(bytes, 0x04830201);
    ck_assert_mem_eq(bytes, sample, 4);
    store_u64(bytes, UINT64_C(0x8807060504830201));
    ck_assert_mem_eq(bytes, sample, 8);
}
END_TEST

START_TEST(signed_integers_keep_their_sign)
{
    uint8_t bytes[8];

    store_i8(bytes, INT8_MIN);
    ck_assert_int_eq(load_i8(bytes), INT8_MIN);
    store_i16(bytes, INT16_MIN);
    ck_assert_int_eq(load_i16(bytes), INT16_MIN);
    store_i32(bytes, INT32_MIN);
    ck_assert_int_eq(load_i32(bytes), INT32_MIN);
    store_i64(bytes, INT64_MIN);
    ck_assert_int_eq(load_i64(bytes), INT64_MIN);
    store_i64(bytes, -1);
    ck_assert_int_eq(load_i16(bytes + 3), -1);
}
END_TEST

/* A NaN with a payload would become another one in floating point registers that normalise it. */
START_TEST(a_float_keeps_its_bits)
{
    static const uint32_t bits[] = {
        0, 0x80000000, 0x3F800000, 0x00000001, 0x7F800000, 0x7FC01234, 0x7F7FFFFF
    };

    for (size_t i = 0; i < sizeof bits / sizeof bits[0]; i++) {
        uint8_t bytes[4];
        uint8_t again[4];

        store_u32(bytes, bits[i]);
        store_f32(again, load_f32(bytes));
        ck_assert_mem_eq(bytes, again, 4);
    }
    ck_assert(isnan(load_f32((const uint8_t[]){ 0x00, 0x00, 0xC0, 0x7F })));
    ck_assert(load_f32((const uint8_t[]){ 0x00, 0x00, 0x80, 0x3F }) == 1.0f);
}
END_TEST

START_TEST(no_address_need_be_aligned)
{
    uint8_t bytes[16];

    for (size_t at = 0; at < 8; at++) {
        store_u64(bytes + at, UINT64_C(0x1122334455667788));
        ck_assert_uint_eq(load_u64(bytes + at), UINT64_C(0x1122334455667788));
        store_f32(bytes + at, 2.5f);
        ck_assert(load_f32(bytes + at) == 2.5f);
    }
}
END_TEST

START_TEST(a_reader_reads_straight_through)
{
    struct reader in;

    reader_init(&in, sample, sizeof sample);
    ck_assert_uint_eq(read_u8(&in), 0x01);
    ck_assert_uint_eq(read_u16(&in), 0x8302);
    ck_assert_uint_eq(read_u32(&in), 0x07060504);
    ck_assert_uint_eq(reader_left(&in), 2);
    ck_assert(!read_end(&in));
    ck_assert_int_eq(read_i16(&in), (int16_t)0x9988);
    ck_assert(read_end(&in));
}
END_TEST

START_TEST(a_short_read_gives_zero_and_stays_bad)
{
    struct reader in;

    reader_init(&in, sample, 3);
    ck_assert_uint_eq(read_u32(&in), 0);
    ck_assert(in.bad);
    /* There are three bytes, but a decoder that went on would take them for another field. */
    ck_assert_uint_eq(read_u8(&in), 0);
    ck_assert_uint_eq(read_u64(&in), 0);
    ck_assert(read_f32(&in) == 0.0f);
    ck_assert_ptr_null(read_span(&in, 1).data);
    ck_assert(!read_end(&in));
}
END_TEST

START_TEST(a_read_of_everything_is_no_short_read)
{
    struct reader in;

    reader_init(&in, sample, 8);
    ck_assert_uint_eq(read_u64(&in), UINT64_C(0x8807060504830201));
    ck_assert(read_end(&in));
    ck_assert_uint_eq(read_u8(&in), 0);
    ck_assert(!read_end(&in));
}
END_TEST

START_TEST(a_span_is_borrowed_and_measured)
{
    struct reader in;

    reader_init(&in, sample, 4);
    struct span span = read_span(&in, 3);
    ck_assert_ptr_eq(span.data, sample);
    ck_assert_uint_eq(span.size, 3);
    ck_assert_ptr_null(read_span(&in, 2).data);
    ck_assert(in.bad);
}
END_TEST

START_TEST(a_length_from_the_wire_cannot_wrap)
{
    struct reader in;

    reader_init(&in, sample, 4);
    read_u8(&in);
    ck_assert_uint_eq(read_span(&in, SIZE_MAX).size, 0);
    ck_assert(in.bad);
}
END_TEST

/* UndefinedBehaviorSanitizer stopped here while NULL + 0 was computed. */
START_TEST(nothing_at_all_can_be_read_and_written)
{
    struct reader in;
    struct writer out;

    reader_init(&in, NULL, 0);
    ck_assert_uint_eq(read_span(&in, 0).size, 0);
    ck_assert(read_end(&in));
    ck_assert_uint_eq(read_u8(&in), 0);
    ck_assert(!read_end(&in));

    writer_init(&out, NULL, 0);
    write_span(&out, (struct span){ 0 });
    ck_assert(!out.bad);
    write_u8(&out, 1);
    ck_assert(out.bad);
    ck_assert_uint_eq(writer_size(&out), 0);
}
END_TEST

START_TEST(a_writer_fills_to_the_last_byte)
{
    uint8_t bytes[10] = { [9] = 0xEE };
    struct writer out;

    writer_init(&out, bytes, 9);
    write_u8(&out, 0x01);
    write_u32(&out, 0x05048302);
    write_i16(&out, 0x0706);
    write_span(&out, (struct span){ .data = sample + 7, .size = 2 });
    ck_assert_uint_eq(writer_size(&out), 9);
    ck_assert_mem_eq(bytes, sample, 9);
    ck_assert_uint_eq(bytes[9], 0xEE);
}
END_TEST

START_TEST(a_writer_that_ran_out_stays_bad_and_touches_nothing)
{
    uint8_t bytes[4] = { 0xEE, 0xEE, 0xEE, 0xEE };
    struct writer out;

    writer_init(&out, bytes, 3);
    write_u32(&out, 0);
    ck_assert(out.bad);
    write_u8(&out, 0);
    write_span(&out, (struct span){ .data = sample, .size = 1 });
    ck_assert_ptr_null(write_room(&out, 1));
    ck_assert_uint_eq(writer_size(&out), 0);
    ck_assert_uint_eq(load_u32(bytes), 0xEEEEEEEE);
}
END_TEST

START_TEST(what_is_written_reads_the_same)
{
    uint8_t bytes[64];
    struct writer out;
    struct reader in;

    writer_init(&out, bytes, sizeof bytes);
    write_u8(&out, 0xFF);
    write_i8(&out, -2);
    write_u16(&out, 0xFFFE);
    write_i16(&out, -3);
    write_u32(&out, 0xFFFFFFFD);
    write_i32(&out, -4);
    write_u64(&out, UINT64_MAX - 4);
    write_i64(&out, -5);
    write_f32(&out, -0.5f);

    reader_init(&in, bytes, writer_size(&out));
    ck_assert_uint_eq(read_u8(&in), 0xFF);
    ck_assert_int_eq(read_i8(&in), -2);
    ck_assert_uint_eq(read_u16(&in), 0xFFFE);
    ck_assert_int_eq(read_i16(&in), -3);
    ck_assert_uint_eq(read_u32(&in), 0xFFFFFFFD);
    ck_assert_int_eq(read_i32(&in), -4);
    ck_assert_uint_eq(read_u64(&in), UINT64_MAX - 4);
    ck_assert_int_eq(read_i64(&in), -5);
    ck_assert(read_f32(&in) == -0.5f);
    ck_assert(read_end(&in));
}
END_TEST

Suite *cursor_suite(void)
{
    Suite *suite = suite_create("cursor");
    TCase *tcase = tcase_create("cursor");

    tcase_add_test(tcase, integers_are_little_endian);
    tcase_add_test(tcase, signed_integers_keep_their_sign);
    tcase_add_test(tcase, a_float_keeps_its_bits);
    tcase_add_test(tcase, no_address_need_be_aligned);
    tcase_add_test(tcase, a_reader_reads_straight_through);
    tcase_add_test(tcase, a_short_read_gives_zero_and_stays_bad);
    tcase_add_test(tcase, a_read_of_everything_is_no_short_read);
    tcase_add_test(tcase, a_span_is_borrowed_and_measured);
    tcase_add_test(tcase, a_length_from_the_wire_cannot_wrap);
    tcase_add_test(tcase, nothing_at_all_can_be_read_and_written);
    tcase_add_test(tcase, a_writer_fills_to_the_last_byte);
    tcase_add_test(tcase, a_writer_that_ran_out_stays_bad_and_touches_nothing);
    tcase_add_test(tcase, what_is_written_reads_the_same);
    suite_add_tcase(suite, tcase);
    return suite;
}
