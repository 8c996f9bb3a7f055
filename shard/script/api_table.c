#include "shard/script/api_table.h"

#include <assert.h>
#include <stdio.h>

#include "common/text.h"

/* In the order of the document. */
const struct api_noun *const api_nouns[] = {
    &api_resource,     &api_settings,      &api_player,         &api_player_set,
    &api_player_place, &api_player_team,   &api_player_data,    &api_teams,
    &api_team,         &api_chat,          &api_vehicle,        &api_vehicle_data,
    &api_vehicles,     &api_vehicle_state, &api_vehicle_params, &api_vehicle_links,
};
const size_t api_nouns_count = sizeof api_nouns / sizeof api_nouns[0];

int api_parameters_count(const struct api_parameter parameters[API_PARAMETERS_MAX])
{
    int count = 0;

    while (count < API_PARAMETERS_MAX && parameters[count].kind != API_NONE)
        count++;
    return count;
}

int api_fields_count(const struct api_parameter *fields)
{
    int count = 0;

    while (fields[count].kind != API_NONE)
        count++;
    return count;
}

/* cppcheck-suppress constParameter ; a function cannot be written through its pointer */
const char *api_text_rule(bool (*is_text)(struct span text))
{
    if (is_text == text_is_line)
        return "one line of UTF-8 without control characters";
    if (is_text == text_is_identifier)
        return "of a-z, 0-9 and _, beginning with a letter";
    assert(is_text == text_is_utf8);
    return "UTF-8";
}

void api_write_words(const char *const *words, char *out, size_t size)
{
    size_t used = 0;

    for (size_t i = 0; words[i] != NULL; i++) {
        const char *before = i == 0 ? "" : words[i + 1] == NULL ? " or " : ", ";
        int wrote = snprintf(out + used, size - used, "%s'%s'", before, words[i]);

        assert(wrote > 0 && (size_t)wrote < size - used);
        used += (size_t)wrote;
    }
}
