/* What a gamemode tells everybody. */
#include "common/text.h"
#include "shard/chat.h"
#include "shard/script/api_answer.h"
#include "shard/script/api_table.h"

static int message_all(lua_State *L, struct shard *shard, const struct api_value *values)
{
    return api_answer(L, chat_message_all(shard, values[0].text, (uint32_t)values[1].integer));
}

static int chat(lua_State *L, struct shard *shard, const struct api_value *values)
{
    return api_answer(
        L, chat_say(shard, values[0].given ? values[0].player : NULL, values[1].player, values[2].text));
}

/* clang-format off */
static const struct api_function functions[] = {
    { "dlmp.message_all", message_all,
      .parameters = { API_A_TEXT("text", 1, CHAT_MESSAGE_TOTAL_MAX, text_is_line),
                      API_COLOR("color", .optional = true, .preset = CHAT_WHITE) },
      .returns = "true",
      .about = "Shows every player of the cluster a line in the chat box. `{RRGGBB}` in the text colors what "
               "follows.",
      .refusals = "more than 1 MiB in a second together with what else goes to everybody",
      .asks = true },
    { "dlmp.chat", chat,
      .parameters = { API_A_PLAYER("player", .optional = true, .otherwise = "every player of this shard"),
                      API_A_PLAYER("from"), API_A_TEXT("text", 1, CHAT_TEXT_MAX, text_is_line) },
      .returns = "true", .about = "Shows the player a line as if `from` had typed it." },
};
/* clang-format on */

const struct api_noun api_chat = {
    .prefix = "dlmp.",
    .title = "Chat",
    .about = "Local chat, for one: refuse `player_chat` and send the line to whom it concerns.",
    .self = API_NONE,
    .functions = functions,
    .count = sizeof functions / sizeof functions[0],
};
