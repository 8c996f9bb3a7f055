#include "common/metrics.h"

#include <assert.h>
#include <dirent.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { MS_PER_S = 1000, US_PER_S = 1000000 };

/* Names of metrics and labels: what Prometheus takes, less the colon and capital letters, which we do not
 * use. */
static bool is_name(const char *text)
{
    return text[0] >= 'a' && text[0] <= 'z' &&
           text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_")] == '\0';
}

/* No value of ours needs escaping. */
static bool is_label_value(const char *text)
{
    return text[0] != '\0' && text[strcspn(text, "\"\\\n")] == '\0';
}

static bool ends_in_total(const char *name)
{
    static const char ending[] = "_total";
    size_t size = strlen(name);

    return size > sizeof ending - 1 && strcmp(name + size - (sizeof ending - 1), ending) == 0;
}

static void check(const struct metric *metric)
{
    assert(is_name(metric->name));
    assert(ends_in_total(metric->name) == (metric->kind == COUNTER));
    assert(metric->help[strcspn(metric->help, "\\\n")] == '\0');
    assert(metric->label == NULL || is_name(metric->label->key));
}

static void print_head(const char *name, enum metric_kind kind, const char *help, FILE *out)
{
    fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind == COUNTER ? "counter" : "gauge");
}

/* As few digits as read back as the same number; what is not finite as Prometheus writes it. */
static void print_real(double value, int digits, FILE *out)
{
    if (isnan(value))
        fputs("NaN", out);
    else if (isinf(value))
        fputs(value > 0 ? "+Inf" : "-Inf", out);
    else
        fprintf(out, "%.*g", digits, value);
}

/* Without a detour over floating point: a counter of years keeps its last digit. */
static void print_ratio(uint64_t value, uint64_t unit, int digits, FILE *out)
{
    fprintf(out, "%llu.%0*llu", (unsigned long long)(value / unit), digits,
            (unsigned long long)(value % unit));
}

static size_t type_size(enum metric_type type)
{
    return type == METRIC_U32 || type == METRIC_F32 || type == METRIC_F32_MS ? 4 : 8;
}

static void print_value(enum metric_type type, const void *at, FILE *out)
{
    uint32_t u32;
    uint64_t u64;
    float f32;
    double f64;

    switch (type) {
    case METRIC_U32:
        memcpy(&u32, at, sizeof u32);
        fprintf(out, "%lu", (unsigned long)u32);
        break;
    case METRIC_U64:
        memcpy(&u64, at, sizeof u64);
        fprintf(out, "%llu", (unsigned long long)u64);
        break;
    case METRIC_F32:
        memcpy(&f32, at, sizeof f32);
        print_real((double)f32, 9, out);
        break;
    case METRIC_F64:
        memcpy(&f64, at, sizeof f64);
        print_real(f64, 17, out);
        break;
    case METRIC_MS:
        memcpy(&u64, at, sizeof u64);
        print_ratio(u64, MS_PER_S, 3, out);
        break;
    case METRIC_US:
        memcpy(&u64, at, sizeof u64);
        print_ratio(u64, US_PER_S, 6, out);
        break;
    case METRIC_F32_MS:
        memcpy(&f32, at, sizeof f32);
        print_real((double)f32 / MS_PER_S, 9, out);
        break;
    }
}

void metrics_print(const struct metric *table, const void *stats, FILE *out)
{
    for (const struct metric *metric = table; metric->name != NULL; metric++) {
        const char *at = (const char *)stats + metric->offset;
        size_t count = metric->label == NULL ? 1 : metric->label->count;

        check(metric);
        print_head(metric->name, metric->kind, metric->help, out);
        for (size_t i = 0; i < count; i++, at += type_size(metric->type)) {
            if (metric->label == NULL) {
                fprintf(out, "%s ", metric->name);
            } else {
                const char *value = metric->label->name(i);

                if (value == NULL)
                    continue;
                assert(is_label_value(value));
                fprintf(out, "%s{%s=\"%s\"} ", metric->name, metric->label->key, value);
            }
            print_value(metric->type, at, out);
            fputc('\n', out);
        }
    }
}

/* ---- the process ---- */

/* /proc/self/statm: the second number is the resident pages. 0 when it cannot be read. */
static uint64_t resident_bytes(void)
{
    char text[256];
    FILE *file = fopen("/proc/self/statm", "re");
    size_t size = file == NULL ? 0 : fread(text, 1, sizeof text - 1, file);
    char *second;

    if (file != NULL)
        (void)fclose(file);
    text[size] = '\0';
    second = strchr(text, ' ');
    return second == NULL ? 0 : strtoull(second, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE);
}

static uint64_t open_files(void)
{
    DIR *folder = opendir("/proc/self/fd");
    uint64_t count = 0;

    if (folder == NULL)
        return 0;
    /* cppcheck-suppress readdirCalled ; one thread, one folder */
    while (readdir(folder) != NULL)
        count++;
    (void)closedir(folder);
    return count - 3; /* "." and "..", and the folder itself */
}

static uint64_t timeval_us(struct timeval time)
{
    return (uint64_t)time.tv_sec * US_PER_S + (uint64_t)time.tv_usec;
}

void metrics_print_process(FILE *out)
{
    struct process {
        uint64_t cpu_us;
        uint64_t resident;
        uint64_t files;
        uint64_t files_max;
    };
    static const struct metric table[] = {
        { "process_cpu_seconds_total", COUNTER, "CPU time, user and system.",
          offsetof(struct process, cpu_us), METRIC_US, NULL },
        { "process_resident_memory_bytes", GAUGE, "Memory in use.", offsetof(struct process, resident),
          METRIC_U64, NULL },
        { "process_open_fds", GAUGE, "Open files and sockets.", offsetof(struct process, files), METRIC_U64,
          NULL },
        { "process_max_fds", GAUGE, "How many files and sockets may be open.",
          offsetof(struct process, files_max), METRIC_U64, NULL },
        { .name = NULL },
    };
    struct rusage usage = { 0 };
    struct rlimit limit = { 0 };
    struct process process;

    (void)getrusage(RUSAGE_SELF, &usage);
    (void)getrlimit(RLIMIT_NOFILE, &limit);
    process = (struct process){
        .cpu_us = timeval_us(usage.ru_utime) + timeval_us(usage.ru_stime),
        .resident = resident_bytes(),
        .files = open_files(),
        .files_max = limit.rlim_cur,
    };
    metrics_print(table, &process, out);
}
