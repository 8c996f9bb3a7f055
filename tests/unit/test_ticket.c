#include "gateway/ticket.h"

#include <sodium.h>
#include <stdbool.h>
#include <string.h>

#include "tests/unit/suites.h"

enum { CLUSTER = 77, ACCOUNT = 4711, NOW_S = 1700000000, TICKET_MAX = 256 };

static uint8_t keys[2][TICKET_KEY_SIZE];
static uint8_t secrets[2][crypto_sign_ed25519_SECRETKEYBYTES];

/* What a ticket is made of; the standard one is good. */
struct recipe {
    uint8_t version;
    uint64_t account_id;
    uint64_t cluster_id;
    int64_t expires_s;
    const char *name;
    int signer;
};

static const struct recipe good = { TICKET_VERSION, ACCOUNT, CLUSTER, NOW_S + 60, "ann", 0 };

static void setup(void)
{
    static const uint8_t seeds[2][crypto_sign_ed25519_SEEDBYTES] = { { 1 }, { 2 } };

    ck_assert_int_ge(sodium_init(), 0);
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(crypto_sign_ed25519_seed_keypair(keys[i], secrets[i], seeds[i]), 0);
}

static size_t make(const struct recipe *recipe, uint8_t bytes[TICKET_MAX])
{
    struct writer out;
    size_t size;

    writer_init(&out, bytes, TICKET_MAX);
    write_u8(&out, recipe->version);
    write_u64(&out, recipe->account_id);
    write_u64(&out, recipe->cluster_id);
    write_i64(&out, recipe->expires_s);
    for (uint8_t i = 0; i < TICKET_ID_SIZE; i++)
        write_u8(&out, i);
    write_u8(&out, (uint8_t)strlen(recipe->name));
    write_span(&out, (struct span){ (const uint8_t *)recipe->name, strlen(recipe->name) });
    size = writer_size(&out);
    ck_assert_int_eq(crypto_sign_ed25519_detached(bytes + size, NULL, bytes, size, secrets[recipe->signer]),
                     0);
    return size + TICKET_SIGNATURE_SIZE;
}

static enum reason check_with(const struct recipe *recipe, size_t keys_count)
{
    uint8_t bytes[TICKET_MAX];
    struct ticket ticket;
    size_t size = make(recipe, bytes);

    return ticket_check(&ticket, (struct span){ bytes, size }, (const uint8_t(*)[TICKET_KEY_SIZE])keys,
                        keys_count, CLUSTER, NOW_S);
}

START_TEST(a_good_ticket_tells_who_it_is_for)
{
    uint8_t bytes[TICKET_MAX];
    struct ticket ticket;
    size_t size = make(&good, bytes);

    ck_assert_int_eq(ticket_check(&ticket, (struct span){ bytes, size },
                                  (const uint8_t(*)[TICKET_KEY_SIZE])keys, 1, CLUSTER, NOW_S),
                     REASON_NONE);
    ck_assert_uint_eq(ticket.account_id, ACCOUNT);
    ck_assert_str_eq(ticket.account_name, "ann");
    ck_assert_int_eq(ticket.expires_s, NOW_S + 60);
    for (uint8_t i = 0; i < TICKET_ID_SIZE; i++)
        ck_assert_uint_eq(ticket.id[i], i);
}
END_TEST

START_TEST(each_fault_of_a_ticket_has_its_name)
{
    static const struct {
        struct recipe recipe;
        enum reason reason;
    } cases[] = {
        { { 2, ACCOUNT, CLUSTER, NOW_S + 60, "ann", 0 }, REASON_TICKET_MALFORMED },
        { { 1, 0, CLUSTER, NOW_S + 60, "ann", 0 }, REASON_TICKET_MALFORMED },
        { { 1, ACCOUNT, CLUSTER, NOW_S + 60, "", 0 }, REASON_TICKET_MALFORMED },
        { { 1, ACCOUNT, CLUSTER, NOW_S + 60, "abcdefghijklmnopqrstuvwxyz0123456", 0 },
          REASON_TICKET_MALFORMED },
        { { 1, ACCOUNT, CLUSTER, NOW_S + 60, "abcdefghijklmnopqrstuvwxyz012345", 0 }, REASON_NONE },
        { { 1, ACCOUNT, CLUSTER, NOW_S + 60, "a\nb", 0 }, REASON_TICKET_MALFORMED },
        { { 1, ACCOUNT, CLUSTER, NOW_S + 60, "a\xFF", 0 }, REASON_TICKET_MALFORMED },
        { { 1, ACCOUNT, CLUSTER + 1, NOW_S + 60, "ann", 0 }, REASON_TICKET_FOREIGN },
        { { 1, ACCOUNT, CLUSTER, NOW_S, "ann", 0 }, REASON_TICKET_EXPIRED },
        { { 1, ACCOUNT, CLUSTER, NOW_S + 1, "ann", 0 }, REASON_NONE },
        { { 1, ACCOUNT, CLUSTER, NOW_S + 600, "ann", 0 }, REASON_NONE },
        { { 1, ACCOUNT, CLUSTER, NOW_S + 601, "ann", 0 }, REASON_TICKET_TOO_LONG },
        { { 1, ACCOUNT, CLUSTER, INT64_MAX, "ann", 0 }, REASON_TICKET_TOO_LONG },
        { { 1, ACCOUNT, CLUSTER, INT64_MIN, "ann", 0 }, REASON_TICKET_EXPIRED },
        { { 1, ACCOUNT, CLUSTER, NOW_S + 60, "ann", 1 }, REASON_TICKET_SIGNATURE },
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        ck_assert_msg(check_with(&cases[i].recipe, 1) == cases[i].reason, "case %zu", i);
}
END_TEST

START_TEST(any_of_the_configured_keys_will_do)
{
    struct recipe other = good;

    other.signer = 1;
    ck_assert_int_eq(check_with(&other, 2), REASON_NONE);
    ck_assert_int_eq(check_with(&good, 2), REASON_NONE);
    ck_assert_int_eq(check_with(&good, 0), REASON_TICKET_SIGNATURE);
}
END_TEST

START_TEST(a_ticket_of_any_other_length_is_malformed)
{
    uint8_t bytes[TICKET_MAX + 1] = { 0 };
    struct ticket ticket;
    size_t size = make(&good, bytes);

    for (size_t cut = 0; cut < size; cut++)
        ck_assert_int_eq(ticket_check(&ticket, (struct span){ bytes, cut },
                                      (const uint8_t(*)[TICKET_KEY_SIZE])keys, 1, CLUSTER, NOW_S),
                         REASON_TICKET_MALFORMED);
    ck_assert_int_eq(ticket_check(&ticket, (struct span){ bytes, size + 1 },
                                  (const uint8_t(*)[TICKET_KEY_SIZE])keys, 1, CLUSTER, NOW_S),
                     REASON_TICKET_MALFORMED);
}
END_TEST

START_TEST(no_bit_of_a_ticket_can_be_changed)
{
    uint8_t bytes[TICKET_MAX];
    struct ticket ticket;
    size_t size = make(&good, bytes);

    for (size_t bit = 0; bit < size * 8; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1U << bit % 8);
        ck_assert_int_ne(ticket_check(&ticket, (struct span){ bytes, size },
                                      (const uint8_t(*)[TICKET_KEY_SIZE])keys, 1, CLUSTER, NOW_S),
                         REASON_NONE);
        bytes[bit / 8] ^= (uint8_t)(1U << bit % 8);
    }
}
END_TEST

Suite *ticket_suite(void)
{
    Suite *suite = suite_create("ticket");
    TCase *tickets = tcase_create("tickets");

    tcase_add_checked_fixture(tickets, setup, NULL);
    tcase_add_test(tickets, a_good_ticket_tells_who_it_is_for);
    tcase_add_test(tickets, each_fault_of_a_ticket_has_its_name);
    tcase_add_test(tickets, any_of_the_configured_keys_will_do);
    tcase_add_test(tickets, a_ticket_of_any_other_length_is_malformed);
    tcase_add_test(tickets, no_bit_of_a_ticket_can_be_changed);
    suite_add_tcase(suite, tickets);
    return suite;
}
