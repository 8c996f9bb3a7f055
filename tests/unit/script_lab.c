#include "tests/unit/script_lab.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/log.h"

static uint64_t spent_us;

static uint64_t false_us(void)
{
    return spent_us;
}

static uint64_t log_wall_ms(void)
{
    return 0;
}

void lab_spend_ms(uint64_t ms)
{
    spent_us += ms * 1000;
}

struct script_lab *lab_new_with(const struct script_config *config)
{
    struct script_lab *lab = calloc(1, sizeof *lab);
    struct script_config all = *config;
    const struct log_config log = {
        .process = "test", .level = LOG_LEVEL_DEBUG, .now_ms = log_wall_ms, .wall_ms = log_wall_ms
    };

    ck_assert_ptr_nonnull(lab);
    memcpy(lab->folder, "/tmp/dlmp-script-XXXXXX", sizeof "/tmp/dlmp-script-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(lab->folder));
    lab->log = memfd_create("log", MFD_CLOEXEC);
    ck_assert_int_ge(lab->log, 0);

    struct log_config with_fd = log;

    with_fd.fd = lab->log;
    ck_assert_int_eq(log_open(&with_fd), 0);
    spent_us = 0;
    lab->stage = stage_new(NULL, 0);
    all.folder = lab->folder;
    all.now_ms = lab->stage->now_ms;
    if (all.clock.wall_us == NULL)
        all.clock.wall_us = false_us;
    lab->script = script_new(lab->stage->shard, &all);
    ck_assert_ptr_nonnull(lab->script);
    return lab;
}

struct script_lab *lab_new(void)
{
    return lab_new_with(&(struct script_config){ 0 });
}

static int remove_one(const char *path, const struct stat *stat, int type, struct FTW *ftw)
{
    (void)stat;
    (void)type;
    (void)ftw;
    return remove(path);
}

void lab_free(struct script_lab *lab)
{
    script_free(&lab->script);
    stage_free(lab->stage);
    log_close();
    (void)close(lab->log);
    (void)nftw(lab->folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    free(lab);
}

void lab_write(struct script_lab *lab, const char *resource, const char *file, const char *text)
{
    char path[256];
    FILE *out;

    (void)snprintf(path, sizeof path, "%s/%s", lab->folder, resource);
    (void)mkdir(path, 0700);
    (void)snprintf(path, sizeof path, "%s/%s/%s", lab->folder, resource, file);
    for (char *slash = path + strlen(lab->folder) + strlen(resource) + 2;
         (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        (void)mkdir(path, 0700);
        *slash = '/';
    }
    out = fopen(path, "w");
    ck_assert_ptr_nonnull(out);
    ck_assert_uint_eq(fwrite(text, 1, strlen(text), out), strlen(text));
    ck_assert_int_eq(fclose(out), 0);
}

void lab_start(struct script_lab *lab, const char *resource, const char *main)
{
    char error[SCRIPT_ERROR_SIZE] = "";

    lab_write(lab, resource, "main.lua", main);
    ck_assert_msg(script_start(lab->script, resource, error) == 0, "%s", error);
}

void lab_start_fails(struct script_lab *lab, const char *resource, const char *main, const char *error)
{
    char got[SCRIPT_ERROR_SIZE] = "";

    if (main != NULL)
        lab_write(lab, resource, "main.lua", main);
    ck_assert_int_eq(script_start(lab->script, resource, got), -1);
    ck_assert_msg(strstr(got, error) != NULL, "'%s' has no '%s'", got, error);
}

void lab_run(struct script_lab *lab, uint64_t ms)
{
    for (uint64_t passed = 0; passed < ms; passed += 10) {
        stage_run(lab->stage, 10);
        script_tick(lab->script, lab->stage->now_ms);
    }
}

const char *lab_log(struct script_lab *lab)
{
    static char text[1 << 17];
    ssize_t size;

    log_tick();
    size = pread(lab->log, text, sizeof text - 1, 0);
    ck_assert_int_ge(size, 0);
    text[size] = '\0';
    ck_assert_int_eq(ftruncate(lab->log, 0), 0);
    ck_assert_int_eq(lseek(lab->log, 0, SEEK_SET), 0);
    return text;
}

void lab_logs(struct script_lab *lab, const char *part)
{
    const char *log = lab_log(lab);

    ck_assert_msg(strstr(log, part) != NULL, "no '%s' in:\n%s", part, log);
}

void lab_passes(struct script_lab *lab, const char *main)
{
    char error[SCRIPT_ERROR_SIZE] = "";

    lab_start(lab, "passes", main);
    ck_assert_int_eq(script_stop(lab->script, "passes", error), 0);
    ck_assert_uint_eq(script_stats(lab->script)->errors, 0);
}
