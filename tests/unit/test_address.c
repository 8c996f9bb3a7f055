#include "common/address.h"

#include <arpa/inet.h>
#include <string.h>

#include "tests/unit/suites.h"

static struct address parsed(const char *text, uint16_t port)
{
    struct address address;

    ck_assert_msg(address_parse(&address, text, port), "%s", text);
    return address;
}

static const char *formatted(const struct address *address)
{
    static char text[ADDRESS_TEXT_SIZE];

    return address_format(address, text);
}

static const struct {
    const char *text;
    const char *formatted;
    bool is_ipv4;
} addresses[] = {
    { "127.0.0.1", "127.0.0.1:7777", true },
    { "0.0.0.0", "0.0.0.0:7777", true },
    { "255.255.255.255", "255.255.255.255:7777", true },
    { "::ffff:10.0.0.7", "10.0.0.7:7777", true },
    { "::1", "[::1]:7777", false },
    { "::", "[::]:7777", false },
    { "2001:db8::5", "[2001:db8::5]:7777", false },
    { "1111:2222:3333:4444:5555:6666:7777:8888", "[1111:2222:3333:4444:5555:6666:7777:8888]:7777", false },
};

enum { ADDRESSES = sizeof addresses / sizeof addresses[0] };

START_TEST(an_address_reads_and_prints)
{
    struct address address = parsed(addresses[_i].text, 7777);

    ck_assert_uint_eq(address.port, 7777);
    ck_assert(address_is_ipv4(&address) == addresses[_i].is_ipv4);
    ck_assert_str_eq(formatted(&address), addresses[_i].formatted);
}
END_TEST

START_TEST(an_address_prints_without_its_port)
{
    struct address four = parsed("10.0.0.7", 7777);
    struct address six = parsed("2001:db8::5", 7777);
    char text[ADDRESS_TEXT_SIZE];

    ck_assert_str_eq(address_format_ip(&four, text), "10.0.0.7");
    ck_assert_str_eq(address_format_ip(&six, text), "2001:db8::5");
}
END_TEST

START_TEST(the_longest_address_fits_its_text)
{
    struct address address = parsed("1111:2222:3333:4444:5555:6666:123.123.123.123", 65535);

    ck_assert_uint_lt(strlen(formatted(&address)), ADDRESS_TEXT_SIZE);
    ck_assert_str_eq(strrchr(formatted(&address), ':'), ":65535");
}
END_TEST

START_TEST(what_is_no_address_is_refused_and_leaves_the_old_one)
{
    static const char *const texts[] = { "",          " ",         "localhost",  "1.2.3",
                                         "1.2.3.4.5", "256.0.0.1", "1.2.3.4:80", "[::1]",
                                         "::1%lo",    ":::",       "1.2.3.4 ",   "fe80::1::2" };

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct address address = parsed("10.1.2.3", 9);

        ck_assert_msg(!address_parse(&address, texts[i], 80), "%s", texts[i]);
        ck_assert_str_eq(formatted(&address), "10.1.2.3:9");
    }
}
END_TEST

START_TEST(the_same_address_in_both_families_is_one)
{
    struct address plain = parsed("10.0.0.7", 80);
    struct address mapped = parsed("::ffff:10.0.0.7", 80);

    ck_assert(address_equal(&plain, &mapped));
    ck_assert_uint_eq(address_hash(&plain, 5), address_hash(&mapped, 5));
}
END_TEST

START_TEST(another_port_is_another_address_of_the_same_ip)
{
    struct address a = parsed("10.0.0.7", 80);
    struct address b = parsed("10.0.0.7", 81);
    struct address c = parsed("10.0.0.8", 80);

    ck_assert(!address_equal(&a, &b));
    ck_assert(address_same_ip(&a, &b));
    ck_assert(!address_equal(&a, &c));
    ck_assert(!address_same_ip(&a, &c));
}
END_TEST

START_TEST(a_socket_address_goes_and_comes_back)
{
    struct sockaddr_storage storage;
    struct address address = parsed(addresses[_i].text, 7777);
    struct address back = { 0 };
    socklen_t size = address_to_sockaddr(&address, AF_INET, &storage);

    ck_assert_int_eq(storage.ss_family, addresses[_i].is_ipv4 ? AF_INET : AF_INET6);
    ck_assert_uint_eq(size, addresses[_i].is_ipv4 ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6));
    ck_assert(address_from_sockaddr(&back, &storage));
    ck_assert(address_equal(&address, &back));

    size = address_to_sockaddr(&address, AF_INET6, &storage);
    ck_assert_int_eq(storage.ss_family, AF_INET6);
    ck_assert_uint_eq(size, sizeof(struct sockaddr_in6));
    ck_assert(address_from_sockaddr(&back, &storage));
    ck_assert(address_equal(&address, &back));
}
END_TEST

START_TEST(a_port_is_in_network_order_in_a_socket_address)
{
    struct sockaddr_storage storage;
    struct address address = parsed("127.0.0.1", 0x1234);

    ck_assert_uint_eq(address_to_sockaddr(&address, AF_INET, &storage), sizeof(struct sockaddr_in));
    ck_assert_uint_eq(((struct sockaddr_in *)&storage)->sin_port, htons(0x1234));
}
END_TEST

START_TEST(another_family_is_refused)
{
    struct sockaddr_storage storage = { .ss_family = AF_UNIX };
    struct address address;

    ck_assert(!address_from_sockaddr(&address, &storage));
}
END_TEST

START_TEST(every_part_of_an_address_and_the_key_change_the_hash)
{
    struct address address = parsed("10.0.0.7", 80);
    uint32_t hash = address_hash(&address, 1);
    struct address other = address;

    ck_assert_uint_eq(address_hash(&address, 1), hash);
    ck_assert_uint_ne(address_hash(&address, 2), hash);
    other.port = 81;
    ck_assert_uint_ne(address_hash(&other, 1), hash);
    for (size_t i = 0; i < sizeof address.ip; i++) {
        other = address;
        other.ip[i] ^= 1;
        ck_assert_uint_ne(address_hash(&other, 1), hash);
    }
}
END_TEST

Suite *address_suite(void)
{
    Suite *suite = suite_create("address");
    TCase *tcase = tcase_create("address");

    tcase_add_loop_test(tcase, an_address_reads_and_prints, 0, ADDRESSES);
    tcase_add_test(tcase, an_address_prints_without_its_port);
    tcase_add_test(tcase, the_longest_address_fits_its_text);
    tcase_add_test(tcase, what_is_no_address_is_refused_and_leaves_the_old_one);
    tcase_add_test(tcase, the_same_address_in_both_families_is_one);
    tcase_add_test(tcase, another_port_is_another_address_of_the_same_ip);
    tcase_add_loop_test(tcase, a_socket_address_goes_and_comes_back, 0, ADDRESSES);
    tcase_add_test(tcase, a_port_is_in_network_order_in_a_socket_address);
    tcase_add_test(tcase, another_family_is_refused);
    tcase_add_test(tcase, every_part_of_an_address_and_the_key_change_the_hash);
    suite_add_tcase(suite, tcase);
    return suite;
}
