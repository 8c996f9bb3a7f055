/* What the codec costs: CPU time of one decode and one encode, beside a memcpy of the same bytes in the
 * same run.
 *
 * Each packet is measured over an array of different valid ones, so that neither the branch predictor nor
 * the cache knows the next, and several times: the best and the median of the repetitions are printed. */
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "common/arena.h"
#include "common/random.h"
#include "gen/wire.h"
#include "proto/examples.h"
#include "proto/json.h"

/* ours: as many as a busy gateway handles in a moment; a repetition takes about a millisecond. */
enum { PACKETS = 512, ROUNDS = 200, REPETITIONS = 15, FLIPS = 200, SEED = 146 };

/* The figures the codec is held to. */
enum { FRAME_TARGET_NS = 60, COMBAT_TARGET_NS = 40 };

static const char *const help =
    "usage: bench-wire [--help]\n"
    "\n"
    "Prints what decoding and encoding cost: nanoseconds of CPU time a packet, best and median of 15\n"
    "repetitions, beside a memcpy of the same bytes and the ratio of the medians. The last lines say which\n"
    "targets hold: VehicleFrame and PlayerSync below 60 ns, every Combat packet below 40 ns.\n";

/* Beside every packet of the Combat page. */
static const char *const named[] = {
    "VehicleFrame", "RemoteVehicleFrame", "PlayerSync", "RemotePlayerSync", "ClientChat",
    "ChatMessage",  "DialogTable",        "MenuItems",  "ClientAck",
};

struct batch {
    const struct wire_packet *packet;
    uint8_t bytes[PACKETS][WIRE_PACKET_SIZE_MAX];
    size_t sizes[PACKETS];
    union wire_any values[PACKETS];
    size_t size; /* all bytes */
};

struct timing {
    double best;
    double median;
};

__attribute__((noreturn)) static void die(const char *what, const char *why)
{
    (void)fprintf(stderr, "bench-wire: %s: %s\n", what, why);
    exit(EXIT_FAILURE);
}

/* Keeps the compiler from dropping work whose result nobody reads. */
static inline void keep(const void *memory)
{
    __asm__ volatile("" : : "r"(memory) : "memory");
}

/* ---- packets ---- */

static size_t example_encode(const struct wire_example *example, const struct wire_packet *packet,
                             uint8_t *bytes)
{
    struct json_object *fields = json_tokener_parse(example->fields);
    struct arena arena;
    union wire_any value;
    struct wire_error error;
    char message[256];
    size_t size;

    arena_init(&arena, 4096, 1 << 20);
    if (!packet_json_read(packet, fields, &value, &arena, message, sizeof message))
        die(example->name, message);
    size = packet->encode(&value, bytes, WIRE_PACKET_SIZE_MAX, &error);
    if (size == 0)
        die(example->name, wire_error_format(&error, message, sizeof message));
    arena_fini(&arena);
    json_object_put(fields);
    return size;
}

/* Turns bits over and keeps what is still a valid packet of this kind. */
static void vary(struct rng *rng, const struct wire_packet *packet, uint8_t *bytes, size_t size)
{
    union wire_any value;
    struct wire_error error;

    for (int i = 0; i < FLIPS; i++) {
        size_t bit = rng_below(rng, 8 * size);

        bytes[bit / 8] ^= (uint8_t)(1U << bit % 8);
        if (!packet->decode(&value, bytes, size, &error))
            bytes[bit / 8] ^= (uint8_t)(1U << bit % 8);
    }
}

static void batch_fill(struct batch *batch, const struct wire_packet *packet, struct rng *rng)
{
    size_t count = 0;

    *batch = (struct batch){ .packet = packet };
    while (count < PACKETS) {
        size_t before = count;

        for (size_t i = 0; i < wire_examples_count && count < PACKETS; i++) {
            if (strcmp(wire_examples[i].packet, packet->layout->name) != 0)
                continue;
            batch->sizes[count] = example_encode(&wire_examples[i], packet, batch->bytes[count]);
            count++;
        }
        if (count == before)
            die(packet->layout->name, "has no example");
    }
    for (size_t i = 0; i < PACKETS; i++) {
        struct wire_error error;

        vary(rng, packet, batch->bytes[i], batch->sizes[i]);
        if (!packet->decode(&batch->values[i], batch->bytes[i], batch->sizes[i], &error))
            die(packet->layout->name, wire_why_name(error.why));
        batch->size += batch->sizes[i];
    }
}

/* ---- time ---- */

static double cpu_ns(void)
{
    struct timespec now;

    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) != 0)
        die("clock_gettime", "no CPU clock");
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void run_decode(const struct batch *batch)
{
    const struct wire_packet *packet = batch->packet;
    union wire_any value;
    struct wire_error error;

    for (size_t i = 0; i < PACKETS; i++) {
        if (!packet->decode(&value, batch->bytes[i], batch->sizes[i], &error))
            die(packet->layout->name, "decode refuses it");
        keep(&value);
    }
}

static void run_encode(const struct batch *batch)
{
    const struct wire_packet *packet = batch->packet;
    uint8_t buffer[WIRE_PACKET_SIZE_MAX];
    struct wire_error error;

    for (size_t i = 0; i < PACKETS; i++) {
        if (packet->encode(&batch->values[i], buffer, sizeof buffer, &error) != batch->sizes[i])
            die(packet->layout->name, "encode refuses it");
        keep(buffer);
    }
}

static void run_memcpy(const struct batch *batch)
{
    uint8_t buffer[WIRE_PACKET_SIZE_MAX];

    for (size_t i = 0; i < PACKETS; i++) {
        memcpy(buffer, batch->bytes[i], batch->sizes[i]);
        keep(buffer);
    }
}

static double time_once(const struct batch *batch, void (*run)(const struct batch *batch))
{
    double start = cpu_ns();

    for (int i = 0; i < ROUNDS; i++)
        run(batch);
    return (cpu_ns() - start) / ((double)ROUNDS * PACKETS);
}

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a;
    double right = *(const double *)b;

    return (left > right) - (left < right);
}

static struct timing timing_of(double times[REPETITIONS])
{
    qsort(times, REPETITIONS, sizeof *times, compare);
    return (struct timing){ .best = times[0], .median = times[REPETITIONS / 2] };
}

struct cost {
    struct timing decode;
    struct timing encode;
    struct timing copy;
};

/* The three take turns, so that a slow moment of the machine falls on all of them. */
static struct cost measure(const struct batch *batch)
{
    double decode[REPETITIONS];
    double encode[REPETITIONS];
    double copy[REPETITIONS];

    run_decode(batch); /* the caches are warm, as in a loop over a batch of datagrams */
    for (int i = 0; i < REPETITIONS; i++) {
        copy[i] = time_once(batch, run_memcpy);
        decode[i] = time_once(batch, run_decode);
        encode[i] = time_once(batch, run_encode);
    }
    return (struct cost){ timing_of(decode), timing_of(encode), timing_of(copy) };
}

/* ---- the table ---- */

/* 0: nothing is promised of this packet. */
static int target_ns(const struct wire_packet *packet)
{
    const char *name = packet->layout->name;

    if (strcmp(name, "VehicleFrame") == 0 || strcmp(name, "PlayerSync") == 0)
        return FRAME_TARGET_NS;
    return strcmp(packet->page, "Combat") == 0 ? COMBAT_TARGET_NS : 0;
}

static bool is_measured(const struct wire_packet *packet)
{
    for (size_t i = 0; i < sizeof named / sizeof named[0]; i++) {
        if (strcmp(named[i], packet->layout->name) == 0)
            return true;
    }
    return strcmp(packet->page, "Combat") == 0;
}

static void print_row(const struct batch *batch, const struct cost *cost)
{
    double size = (double)batch->size / PACKETS;

    printf("%-24s %6.0f %8.1f %8.1f %8.1f %8.1f %8.1f %7.1fx %7.1fx\n", batch->packet->layout->name, size,
           cost->decode.best, cost->decode.median, cost->encode.best, cost->encode.median, cost->copy.median,
           cost->decode.median / cost->copy.median, cost->encode.median / cost->copy.median);
}

struct verdict {
    int targets;
    int missed;
};

static void judge(struct verdict *verdict, const struct wire_packet *packet, const struct cost *cost)
{
    int target = target_ns(packet);
    const char *name = packet->layout->name;

    if (target == 0)
        return;
    verdict->targets += 2;
    if (cost->decode.median >= target) {
        printf("missed: %s decode takes %.1f ns, target below %d ns\n", name, cost->decode.median, target);
        verdict->missed++;
    }
    if (cost->encode.median >= target) {
        printf("missed: %s encode takes %.1f ns, target below %d ns\n", name, cost->encode.median, target);
        verdict->missed++;
    }
}

int main(int argc, char **argv)
{
    static struct batch batch;
    struct cost costs[WIRE_PACKETS];
    struct verdict verdict = { 0, 0 };
    struct rng rng;

    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        (void)fputs(help, stdout);
        return EXIT_SUCCESS;
    }
    if (argc != 1) {
        (void)fputs(help, stderr);
        return 2;
    }
    rng_init_seeded(&rng, SEED);
    printf("%-24s %6s %17s %17s %8s %8s %8s\n", "ns a packet", "bytes", "decode best/med", "encode best/med",
           "memcpy", "decode", "encode");
    for (size_t i = 0; i < WIRE_PACKETS; i++) {
        if (!is_measured(wire_packets[i]))
            continue;
        batch_fill(&batch, wire_packets[i], &rng);
        costs[i] = measure(&batch);
        print_row(&batch, &costs[i]);
    }
    printf("\n");
    for (size_t i = 0; i < WIRE_PACKETS; i++) {
        if (is_measured(wire_packets[i]))
            judge(&verdict, wire_packets[i], &costs[i]);
    }
    printf(
        "%d of %d targets hold by the medians: VehicleFrame and PlayerSync below %d ns, Combat below %d ns\n",
        verdict.targets - verdict.missed, verdict.targets, FRAME_TARGET_NS, COMBAT_TARGET_NS);
    return EXIT_SUCCESS;
}
