#include "coordinator/join.h"

#include <string.h>

/* Who counts in nothing: the connection that would be replaced, and perhaps the silent holder of the name. */
struct leaving {
    const struct member *replaced;
    const struct member *holder;
};

static bool leaves(const struct leaving *leaving, const struct member *member)
{
    return member != NULL && (member == leaving->replaced || member == leaving->holder);
}

static uint32_t count_from(const struct join_scene *scene, const struct join_request *request,
                           const struct leaving *leaving)
{
    uint32_t count = directory_count_from(scene->directory, request->ip);

    if (leaving->replaced != NULL && directory_same_source(leaving->replaced->ip, request->ip))
        count--;
    if (leaving->holder != NULL && directory_same_source(leaving->holder->ip, request->ip))
        count--;
    return count;
}

static uint32_t count_all(const struct join_scene *scene, const struct leaving *leaving)
{
    return scene->directory->count - (leaving->replaced != NULL) - (leaving->holder != NULL);
}

static const struct ban *ban_of(const struct join_scene *scene, const struct join_request *request)
{
    const struct ban *ban = ban_list_match_address(scene->banned, request->ip, scene->now_ms);

    return ban != NULL ? ban : ban_list_match_name(scene->banned, request->name, scene->now_ms);
}

/* By address or name; an account is only known after the join. */
static bool is_on_allow_list(const struct join_scene *scene, const struct join_request *request)
{
    return ban_list_match_address(scene->allowed, request->ip, scene->now_ms) != NULL ||
           ban_list_match_name(scene->allowed, request->name, scene->now_ms) != NULL;
}

static bool may_be_allowed(const struct join_scene *scene, const struct join_request *request)
{
    return !scene->settings->allow_list || is_on_allow_list(scene, request) ||
           (request->has_auth && scene->allowed->accounts > 0);
}

static bool is_name_taken(const struct join_scene *scene, const struct join_request *request,
                          const struct leaving *leaving)
{
    const struct member *holder = directory_find_name(scene->directory, request->name);

    return holder != NULL && !leaves(leaving, holder);
}

/* The list of the page, top to bottom. */
static enum join_answer judge(const struct join_scene *scene, const struct join_request *request,
                              const struct leaving *leaving)
{
    const struct cluster_settings *settings = scene->settings;
    uint32_t connections = count_from(scene, request, leaving);

    /* clang-format off */
    if (settings->shutting_down)                               return JOIN_SHUTTING_DOWN;
    if (ban_of(scene, request) != NULL)                        return JOIN_BANNED;
    if (!may_be_allowed(scene, request))                       return JOIN_NOT_ALLOWED;
    if (connections >= settings->connections_per_address)      return JOIN_TOO_MANY;
    if (!request->name_is_valid)                               return JOIN_BAD_NAME;
    if (!request->password_is_valid)                           return JOIN_WRONG_PASSWORD;
    if (is_name_taken(scene, request, leaving))                return JOIN_NAME_TAKEN;
    if (settings->require_account && !request->has_auth)       return JOIN_ACCOUNT_REQUIRED;
    if (count_all(scene, leaving) >= settings->max_players)    return JOIN_FULL;
    if (scene->world == JOIN_WORLD_NONE)                       return JOIN_NO_WORLD;
    if (scene->world == JOIN_WORLD_SOON)                       return JOIN_WAIT;
    /* clang-format on */
    return JOIN_ACCEPTED;
}

static struct join_verdict verdict_of(const struct join_scene *scene, const struct join_request *request,
                                      enum join_answer answer)
{
    struct join_verdict verdict = { .answer = answer, .detail = "" };

    if (answer == JOIN_BANNED)
        verdict.detail = ban_of(scene, request)->text;
    verdict.is_account_due = scene->settings->allow_list && !is_on_allow_list(scene, request);
    return verdict;
}

struct join_verdict join_decide(const struct join_scene *scene, const struct join_request *request)
{
    const struct member *holder = directory_find_name(scene->directory, request->name);
    struct leaving leaving = { .replaced = directory_find(scene->directory, request->replaces) };
    enum join_answer answer = judge(scene, request, &leaving);

    if (request->holder_is_asked || holder == NULL || holder == leaving.replaced ||
        memcmp(holder->ip, request->ip, sizeof request->ip) != 0 ||
        (answer != JOIN_NAME_TAKEN && answer != JOIN_TOO_MANY))
        return verdict_of(scene, request, answer);

    /* Only for one who would get in then: a refused attempt must not cost the holder its place. */
    leaving.holder = holder;

    enum join_answer without = judge(scene, request, &leaving);

    if (without == JOIN_ACCEPTED)
        return (struct join_verdict){ .answer = JOIN_ASK_HOLDER, .detail = "", .holder = holder->ref };
    return verdict_of(scene, request, without == JOIN_WAIT ? without : answer);
}
