#include "shard/account.h"

#include <string.h>

#include "common/text.h"
#include "shard/shard.h"

void account_on_auth(struct shard *shard, struct player *player, const Bus__PlayerAuth *auth)
{
    struct span name = { (const uint8_t *)auth->account_name, strlen(auth->account_name) };

    if (auth->account_id == 0 || name.size == 0 || name.size > ACCOUNT_NAME_MAX || !text_is_utf8(name)) {
        shard_count(shard, REASON_BUS_MALFORMED);
        return;
    }
    player->account.id = auth->account_id;
    memcpy(player->account.name, auth->account_name, name.size + 1);
    (void)EVENT_RAISE(shard, EVENT_PLAYER_AUTH, event_player(player),
                      event_integer((int64_t)auth->account_id), event_text(player->account.name));
}

bool account_lets_spawn(const struct shard *shard, const struct player *player)
{
    return !shard->require_account || player->account.id != 0;
}
