#include "bots/violation.h"

#include <assert.h>

/* clang-format off: a line for each */
static const struct {
    const char *name;
    const char *says;
} violations[VIOLATIONS] = {
    [VIOLATION_MALFORMED] = { "malformed", "the server sent a malformed packet" },
    [VIOLATION_EVENT_ZERO] = { "event_zero", "an event has the number 0" },
    [VIOLATION_EVENT_CHANGED] = { "event_changed", "an event's number came again with other bytes" },
    [VIOLATION_EVENT_OVERRUN] = { "event_overrun",
                                  "an event is farther ahead than a server may have unacked" },
    [VIOLATION_ACK_AHEAD] = { "ack_ahead", "the server acked an event that was never sent" },
    [VIOLATION_HELLO_CHANGED] = { "hello_changed", "a repeated ServerHello names another player or token" },
    [VIOLATION_OWN_FRAME] = { "own_frame", "a client's own frame was relayed to itself" },
    [VIOLATION_LEFT_PLAYER] = { "left_player", "an event shows a player whose leave came before it" },
    [VIOLATION_UNKNOWN_VEHICLE] = { "unknown_vehicle", "an event is about a vehicle that is not shown" },
    [VIOLATION_SHOWN_TWICE] = { "shown_twice",
                                "what is shown was shown again, or what is not shown was hidden" },
    [VIOLATION_BARRIER] = { "barrier", "something of the old scope is still shown at the scope's change" },
    [VIOLATION_REVISION_BACK] = { "revision_back", "a vehicle's life, serial or revision went back" },
    [VIOLATION_OLD_SERIAL] = { "old_serial",
                               "a vehicle's frame came that is older than what was told of it" },
    [VIOLATION_UNSHOWN_FRAME] = { "unshown_frame", "frames keep coming of a vehicle that is not shown" },
    [VIOLATION_REFUSED] = { "refused", "a request was refused that nothing the client sees forbids" },
    [VIOLATION_KEPT_SEAT] = { "kept_seat",
                              "a vehicle has a new life, and the client still sits in it or drives it" },
    [VIOLATION_UNSEEN_PLAYER] = { "unseen_player", "a player who is near is not shown" },
    [VIOLATION_FAR_PLAYER] = { "far_player", "a player who is far or elsewhere is shown" },
    [VIOLATION_STALE_PLAYER] = { "stale_player", "a shown player's frames have stopped coming" },
    [VIOLATION_MISPLACED_PLAYER] = { "misplaced_player", "a player is shown where it has not been" },
    [VIOLATION_GONE_PLAYER] = { "gone_player", "a player who has left is shown" },
    [VIOLATION_OLD_GENERATION] = { "old_generation", "an id's former player is shown" },
    [VIOLATION_SAME_PLAYER] = { "same_player", "two connections were given the same player" },
    [VIOLATION_UNSEEN_VEHICLE] = { "unseen_vehicle", "a vehicle that is near is not shown" },
    [VIOLATION_FAR_VEHICLE] = { "far_vehicle", "a vehicle that is far or elsewhere is shown" },
    [VIOLATION_MISPLACED_VEHICLE] = { "misplaced_vehicle", "a vehicle is shown where it has not been" },
};
/* clang-format on */

const char *violation_name(enum violation violation)
{
    assert(violation < VIOLATIONS);
    return violations[violation].name;
}

const char *violation_says(enum violation violation)
{
    assert(violation < VIOLATIONS);
    return violations[violation].says;
}
