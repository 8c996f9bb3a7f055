#include "gateway/ticket.h"

#include <sodium.h>
#include <stdbool.h>

#include "common/text.h"

_Static_assert((int)TICKET_KEY_SIZE == (int)crypto_sign_ed25519_PUBLICKEYBYTES &&
                   (int)TICKET_SIGNATURE_SIZE == (int)crypto_sign_ed25519_BYTES,
               "tickets are signed with Ed25519");

static bool parse(struct ticket *ticket, struct span bytes, struct span *signature)
{
    struct reader in;
    uint8_t version;
    struct span id;
    struct span name;

    *ticket = (struct ticket){ 0 };
    reader_init(&in, bytes.data, bytes.size);
    version = read_u8(&in);
    ticket->account_id = read_u64(&in);
    ticket->cluster_id = read_u64(&in);
    ticket->expires_s = read_i64(&in);
    id = read_span(&in, sizeof ticket->id);
    name = read_span(&in, read_u8(&in));
    *signature = read_span(&in, TICKET_SIGNATURE_SIZE);
    if (!read_end(&in) || version != TICKET_VERSION || ticket->account_id == 0)
        return false;
    if (name.size == 0 || name.size > TICKET_NAME_MAX || !text_is_plain(name))
        return false;
    memcpy(ticket->id, id.data, id.size);
    memcpy(ticket->account_name, name.data, name.size);
    return true;
}

enum reason ticket_check(struct ticket *ticket, struct span bytes, const uint8_t (*keys)[TICKET_KEY_SIZE],
                         size_t keys_count, uint64_t cluster_id, int64_t unix_s)
{
    struct span signature;
    bool is_signed = false;

    if (!parse(ticket, bytes, &signature))
        return REASON_TICKET_MALFORMED;
    for (size_t i = 0; i < keys_count && !is_signed; i++)
        is_signed = crypto_sign_ed25519_verify_detached(signature.data, bytes.data,
                                                        bytes.size - signature.size, keys[i]) == 0;
    if (!is_signed)
        return REASON_TICKET_SIGNATURE;
    if (ticket->cluster_id != cluster_id)
        return REASON_TICKET_FOREIGN;
    if (ticket->expires_s <= unix_s)
        return REASON_TICKET_EXPIRED;
    if (ticket->expires_s > unix_s + TICKET_AHEAD_MAX_S)
        return REASON_TICKET_TOO_LONG;
    return REASON_NONE;
}
