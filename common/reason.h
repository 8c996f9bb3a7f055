/* reason.h - why something was dropped, refused, clamped or rewritten.
 *
 * One list for the whole cluster: every packet, event or item that does not take its way has one of these,
 * counted by the process that judged it, under a name that stays the same in metrics, logs and
 * `dlmpctl player`. A new one goes to the end of its part. */
#ifndef DLMP_COMMON_REASON_H
#define DLMP_COMMON_REASON_H

/* clang-format off */
#define REASONS(X)                                                                                      \
    X(NONE,                 "none")                                                                     \
    /* Datagrams: what the strict decoder says, in the order of enum wire_why. */                       \
    X(MALFORMED_EMPTY,      "malformed_empty")                                                          \
    X(MALFORMED_UNKNOWN,    "malformed_unknown")                                                        \
    X(MALFORMED_SHORT,      "malformed_short")                                                          \
    X(MALFORMED_LONG,       "malformed_long")                                                           \
    X(MALFORMED_NOT_FINITE, "malformed_not_finite")                                                     \
    X(MALFORMED_RANGE,      "malformed_range")                                                          \
    X(MALFORMED_VALUE,      "malformed_value")                                                          \
    X(MALFORMED_BITS,       "malformed_bits")                                                           \
    X(MALFORMED_TEXT,       "malformed_text")                                                           \
    X(MALFORMED_RULE,       "malformed_rule")                                                           \
    X(OVERSIZE,             "oversize")              /* a datagram longer than any packet */            \
    /* Datagrams of strangers. */                                                                       \
    X(VERSION,              "version")               /* a hello of another protocol revision */         \
    X(CHALLENGE_BUDGET,     "challenge_budget")      /* a hello that the random share left out */       \
    X(LIMIT_HELLO,          "limit_hello")                                                              \
    X(LIMIT_QUERY,          "limit_query")                                                              \
    X(QUERY_BUDGET,         "query_budget")                                                             \
    X(HELLO_REPEATED,       "hello_repeated")        /* its connection has been used already */         \
    X(JOIN_PENDING,         "join_pending")          /* the cluster is deciding */                      \
    X(JOIN_TIMEOUT,         "join_timeout")          /* it did not decide in time */                    \
    X(JOIN_SUPERSEDED,      "join_superseded")       /* the client has begun anew */                    \
    X(JOINS_FULL,           "joins_full")            /* too many attempts wait for a decision */        \
    X(SESSIONS_FULL,        "sessions_full")                                                            \
    X(NO_COORDINATOR,       "no_coordinator")                                                           \
    X(NO_SESSION,           "no_session")            /* no connection has this token */                 \
    X(OTHER_ADDRESS,        "other_address")         /* the right token from another address */         \
    /* Datagrams of a connection. */                                                                    \
    X(LIMIT_DATAGRAMS,      "limit_datagrams")                                                          \
    X(LIMIT_PLAYER_SYNC,    "limit_player_sync")                                                        \
    X(LIMIT_VEHICLE_FRAME,  "limit_vehicle_frame")                                                      \
    X(LIMIT_SHOTS,          "limit_shots")                                                              \
    X(LIMIT_DAMAGE_REPORT,  "limit_damage_report")                                                      \
    X(LIMIT_RELIABLE,       "limit_reliable")                                                           \
    X(LIMIT_ACKS,           "limit_acks")                                                               \
    X(EVENT_REPEATED,       "event_repeated")        /* delivered before */                             \
    X(EVENT_AHEAD,          "event_ahead")           /* ahead of a gap */                               \
    X(ACK_AHEAD,            "ack_ahead")             /* an ack for what was never sent */               \
    X(STAMP_UNKNOWN,        "stamp_unknown")         /* a pong to no keepalive of the last 10 s */      \
    X(CLOSING,              "closing")               /* the connection has been told to go */           \
    X(NO_SHARD,             "no_shard")              /* no link to the shard that owns the player */    \
    X(BUS_FULL,             "bus_full")              /* the link is over its high-water mark */         \
    X(NOT_AUTHENTICATED,    "not_authenticated")                                                        \
    X(AUTH_REPEATED,        "auth_repeated")                                                            \
    X(TICKET_MALFORMED,     "ticket_malformed")                                                         \
    X(TICKET_FOREIGN,       "ticket_foreign")        /* of another cluster */                           \
    X(TICKET_EXPIRED,       "ticket_expired")                                                           \
    X(TICKET_TOO_LONG,      "ticket_too_long")       /* expires too far ahead */                        \
    X(TICKET_SIGNATURE,     "ticket_signature")                                                         \
    X(TICKET_REUSED,        "ticket_reused")                                                            \
    X(TICKET_MISSING,       "ticket_missing")        /* announced, and not sent in time */              \
    /* Packets to clients. */                                                                           \
    X(RECIPIENT_GONE,       "recipient_gone")        /* no connection has this id and token */          \
    X(RECIPIENT_FENCE,      "recipient_fence")       /* the item's fence is not the player's */         \
    X(LANE_DROPPABLE,       "lane_droppable")        /* 256 unacked events */                           \
    X(LANE_FULL,            "lane_full")             /* 512 unacked events */                           \
    X(EGRESS_FULL,          "egress_full")           /* too much to send in one loop iteration */       \
    X(SOCKET_FULL,          "socket_full")           /* the socket takes no more */                     \
    X(SOCKET_ERROR,         "socket_error")                                                             \
    /* Items of the bus. */                                                                             \
    X(BUS_MALFORMED,        "bus_malformed")         /* a part is missing or out of its range */        \
    X(BUS_FORBIDDEN,        "bus_forbidden")         /* not this sender's to say */                     \
    X(BUS_STALE,            "bus_stale")             /* about somebody or something that is gone */     \
    X(TABLE_FULL,           "table_full")            /* a table of fixed size has no room for it */     \
    /* What a shard refuses: any packet. */                                                             \
    X(ITEM_REPEATED,         "item_repeated")        /* a reliable item that was applied before */      \
    X(ITEM_GAP,              "item_gap")             /* a reliable item ahead of a gap */               \
    X(NO_HANDLER,            "no_handler")           /* a packet that the shard has no rule for */      \
    /* Players. */                                                                                      \
    X(NOT_SPAWNED,           "not_spawned")          /* before the first spawn grant */                 \
    X(OLD_LIFE,              "old_life")             /* of another life than the current one */         \
    X(OLD_SEQ,               "old_seq")              /* not newer than the last one accepted */         \
    X(OUT_OF_BOUNDS,         "out_of_bounds")        /* a value outside the bounds of its page */       \
    X(VEHICLE_TOO_FAR,       "vehicle_too_far")      /* seated, but far from the vehicle */             \
    X(OLD_POSE_REV,          "old_pose_rev")         /* from before the last position command */        \
    X(MOVED_TOO_FAR,         "moved_too_far")        /* faster than anybody moves */                    \
    X(SEAT_NOT_HELD,         "seat_not_held")        /* not the one the server knows */                 \
    X(ALREADY_SPAWNED,       "already_spawned")                                                         \
    X(NOT_DEAD,              "not_dead")                                                                \
    X(TOO_EARLY,             "too_early")            /* within 1 s of the death */                      \
    X(OTHER_SHARD,           "other_shard")          /* a scope of another shard */                     \
    /* Vehicles. */                                                                                     \
    X(NO_VEHICLE,            "no_vehicle")                                                              \
    X(NOT_STREAMED,          "not_streamed")         /* the vehicle is not shown to the player */       \
    X(OTHER_SCOPE,           "other_scope")                                                             \
    X(NOT_ALIVE,             "not_alive")                                                               \
    X(OUT_OF_RANGE,          "out_of_range")                                                            \
    X(NO_SEAT,               "no_seat")              /* the model has no such seat */                   \
    X(SEAT_TAKEN,            "seat_taken")                                                              \
    X(SEATED_ELSEWHERE,      "seated_elsewhere")                                                        \
    X(JACKING_OFF,           "jacking_off")                                                             \
    X(NOT_CONTROLLING,       "not_controlling")      /* neither its driver nor its syncer */            \
    X(OLD_EPOCH,             "old_epoch")            /* of another life of the vehicle */               \
    X(LIMIT_DRIVEN,          "limit_driven")         /* frames of a vehicle that the sender drives */   \
    X(LIMIT_SYNCED,          "limit_synced")         /* frames of a vehicle that the sender syncs */    \
    X(LIMIT_VEHICLES,        "limit_vehicles")       /* frames of all vehicles of the sender */         \
    X(LIMIT_SIREN,           "limit_siren")                                                             \
    X(LIMIT_VEHICLE_EVENTS,  "limit_vehicle_events")                                                    \
    X(FROZEN,                "frozen")               /* SetFrozen, or a vehicle that is held */         \
    X(WRECKED,               "wrecked")                                                                 \
    X(WRONG_MODEL,           "wrong_model")          /* not for vehicles of that model */               \
    X(OLD_DAMAGE_REV,        "old_damage_rev")       /* from before the last damage command */          \
    X(NOT_BURNING,           "not_burning")          /* not for long enough to explode */               \
    X(OLD_ORDER,             "old_order")            /* a shot not newer than the last */               \
    X(TOO_FAST,              "too_fast")             /* shots faster than the weapon fires */           \
    X(OLD_PROPS_REV,         "old_props_rev")        /* of a shot: weapon properties not in force */    \
    X(LOCKED,                "locked")               /* for the sender */                               \
    X(NO_SIREN,              "no_siren")                                                                \
    X(NO_COMPONENT,          "no_component")         /* no such part, or not on the vehicle */          \
    X(NO_NITRO,              "no_nitro")             /* burning without a charge, or too early */       \
    X(NOT_A_KEY,             "not_a_key")            /* a control that no driver has */                 \
    X(NO_MEMORY,             "no_memory")                                                               \
    X(HANDLER,               "handler")              /* a gamemode's handler said false */              \
    X(DERAILED,              "derailed")             /* nobody gets into a derailed train */            \
    X(NO_MODEL,              "no_model")             /* none that is spawned on its own has the number */ \
    X(NO_IDS,                "no_ids")               /* the coordinator has leased no more yet */       \
    X(UNCHANGED,             "unchanged")            /* it is so already */                             \
    X(DRIVEN,                "driven")               /* somebody drives it */                           \
    X(HANGS,                 "hangs")                /* on a tractor or on a winch */                   \
    X(TOWS,                  "tows")                 /* something already */                            \
    X(CHAIN_LOOP,            "chain_loop")                                                              \
    X(CHAIN_LONG,            "chain_long")           /* more than 4 links */                            \
    X(NO_PAIR,               "no_pair")              /* the game does not hitch these models */         \
    X(NO_WINCH,              "no_winch")                                                                \
    X(MAGNET,                "magnet")               /* the winch does not take the model */            \
    X(OCCUPIED,              "occupied")             /* somebody sits in it */                          \
    X(HITCHED,               "hitched")              /* at either end */                                \
    X(CARRIES,               "carries")              /* something already */                            \
    X(NOT_RC,                "not_rc")                                                                  \
    X(NOT_ON_FOOT,           "not_on_foot")                                                             \
    X(DRIVES_RC,             "drives_rc")            /* one already */                                  \
    X(NOT_DRIVING,           "not_driving")          /* that RC, or any */                              \
    X(NOT_TRAIN,             "not_train")                                                               \
    X(DETONATES,             "detonates")            /* the RC's fire key blows it up instead */        \
    /* Chat. */                                                                                         \
    X(LIMIT_CHAT,            "limit_chat")                                                              \
    X(LIMIT_COMMANDS,        "limit_commands")                                                          \
    X(EMPTY_LINE,            "empty_line")           /* nothing is left of it without codes and spaces */ \
    X(MUTED,                 "muted")                                                                   \
    X(BAD_TEXT,              "bad_text")             /* not UTF-8, or with control characters */        \
    X(TEXT_TOO_LONG,         "text_too_long")                                                           \
    /* What gamemodes ask for. */                                                                       \
    X(NO_WEAPON,             "no_weapon")            /* this weapon has no such setting */              \
    X(NO_TIER,               "no_tier")              /* the weapon has it not at this tier */           \
    X(NO_PROPERTY,           "no_property")                                                             \
    X(LOOP_BACKWARDS,        "loop_backwards")       /* a fire loop would end before it starts */       \
    X(BAD_NAME,              "bad_name")             /* empty, too long, or with odd characters */      \
    X(TOO_LARGE,             "too_large")                                                               \
    X(NO_TEAM,               "no_team")
/* clang-format on */

#define REASON_ENUM(name, text) REASON_##name,
enum reason { REASONS(REASON_ENUM) REASON_COUNT };
#undef REASON_ENUM

/* "malformed_short" */
const char *reason_name(enum reason reason);

#endif
