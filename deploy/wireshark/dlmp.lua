-- Generated from proto/schema/ by proto/gen/emit_wireshark.py. Do not edit.
--
-- Wireshark dissector of the DarqlineMP protocol. Copy it into the personal Lua plugins folder (Help, About Wireshark,
-- Folders), or start with `wireshark -X lua_script:dlmp.lua`.
--
-- UDP port 7777 is the protocol's until the preference or "Decode As" says otherwise. The direction follows from the packet
-- id. Filters: dlmp.packet == "VehicleEnter", dlmp.vehicle_enter.seat > 0, dlmp.event_id == 7, dlmp.malformed, dlmp.refused.
--
-- Lengths are judged as strictly as the server judges them, and so are the bounds of a single number, text or list.
-- UTF-8, the characters of a text and rules over several fields are not: that is what `dlmp-packet decode` is for.
--
-- A field is { name, type, doc }, with of = the struct or scalar it is made of, array = its elements, and what it may be:
-- min, max, values, exclude, mask, finite, nonzero. `hex` and `explain` say how it is shown.

local structs = {
    DamageReportBody = {
        { "damage_seq", "u32", "the victim's report counter, assigned at send time" },
        { "attacker_id", "u32", "0xFFFFFFFF (NO_PLAYER) for environmental damage" },
        { "attacker_token", "u32", "the attacker's generation; 0 for environmental damage" },
        { "shot_order", "u32", ">= 1: the order of the shot (a bullet); 0: no bullet" },
        { "weapon", "u32", "weapon id / damage cause" },
        { "body_part", "u32", "body part hit, documented 0..=9" },
        { "requested_damage", "f32", "damage requested (before armor)", finite = true },
        { "applied_hp_delta", "f32", "actual change of health (negative)", finite = true },
        { "applied_armor_delta", "f32", "actual change of armor (negative)", finite = true },
        { "hp_after", "f32", "health after the hit", finite = true },
        { "armor_after", "f32", "armor after the hit", finite = true },
        { "vital_rev", "u16", "revision of the last health / armor command the client had taken" },
    },
    FormField = {
        { "kind", "u8", "0 text, 1 password, 2 number, 3 check, 4 choice, 5 slider", max = 5, explain = true },
        { "flags", "u8", "bit0 must be filled in", mask = 0x1, hex = true, explain = true },
        { "low", "i32", "least length in bytes (0, 1) or least value" },
        { "high", "i32", "greatest length in bytes (0, 1) or greatest value" },
        { "label", "str8", "shown beside the field", min = 1, max = 64 },
        { "value", "str8", "initial value; check 0 / 1, choice its index", max = 90 },
        { "options", "str8", "choice: one line each", max = 160 },
    },
    FormValue = {
        { "text", "str8", "as FormField.value", max = 90 },
    },
    Frame = {
        { "pos", "f32", "world position, m", array = 3, finite = true },
        { "heading", "f32", "degrees, counter-clockwise from north (+y)", finite = true },
        { "move_speed", "f32", "units per physics step (1/50 s)", array = 3, finite = true },
        { "aim", "f32", "camera direction, unit vector, or zeros", array = 3, finite = true },
        { "hp", "f32", "health", finite = true },
        { "armor", "f32", "", finite = true },
        { "weapon", "u8", "held weapon", max = 46 },
        { "clip", "u16", "rounds in the clip of the held weapon" },
        { "total", "u16", "all rounds of the held weapon" },
        { "move_state", "u8", "0 still, 1 turn, 2 walk start, 3 walk, 4 walk stop, 5 jog, 6 run, 7 sprint, 8 swim", max = 8, explain = true },
        { "flags", "u16", "bit0 crouched, 1 fire, 2 aims, 3 paused, 4 on fire, 5 in the air, 6 under water, 7 enters or leaves a vehicle", mask = 0xFF, hex = true, explain = true },
        { "special_action", "u8", "0 none, 1 jetpack, 2 hands up, 3 phone, 4 carry, 5 parachute, 6..25 gamemode", max = 25, explain = true },
        { "anim_group", "u16" },
        { "anim", "u16" },
        { "vehicle_id", "u32", "the vehicle it sits in; 0xFFFFFFFF on foot" },
        { "seat", "u8", "", max = 31 },
        { "life", "u8", "the last spawn grant the client took" },
        { "pose_rev", "u16", "revision of the last server position command the client took" },
        { "weapon_rev", "u16", "revision of the last inventory command the client took" },
        { "vital_rev", "u16", "revision of the last health or armor command the client took" },
        { "damage_seq", "u32", "number of the last DamageReport sent" },
    },
    MenuItem = {
        { "kind", "u8", "0 action, 1 check box, 2 changes with left and right", max = 2, explain = true },
        { "flags", "u8", "bit0 greyed out, bit1 checked", mask = 0x3, hex = true, explain = true },
        { "label", "str8", "left side", min = 1, max = 64 },
        { "value", "str8", "right side; kind 2: the present choice", max = 48 },
    },
    ObjectMaterial = {
        { "slot", "u8", "material index of the object's model", max = 15 },
        { "model", "u16", "model whose txd holds the texture; 0 = keep the texture, color only", max = 19999 },
        { "txd", "str8", "txd name", max = 24 },
        { "texture", "str8", "texture name", max = 31 },
        { "color", "u32", "RGBA; 0 = the material's own", hex = true },
    },
    PlayerStat = {
        { "stat", "u16", "", max = 342 },
        { "value", "f32", "", min = -1000000.0, max = 1000000.0, finite = true },
    },
    Point2 = {
        { "x", "f32", "world x", min = -6000.0, max = 6000.0, finite = true },
        { "y", "f32", "world y", min = -6000.0, max = 6000.0, finite = true },
    },
    QueryPlayer = {
        { "player_id", "u32" },
        { "ping", "u16" },
        { "score", "u16" },
        { "name", "str8", "", min = 1, max = 24 },
    },
    QueryRule = {
        { "key", "str8", "", min = 1, max = 32 },
        { "value", "str8", "", max = 64 },
    },
    Ray = {
        { "start_x", "f32", "", finite = true },
        { "start_y", "f32", "", finite = true },
        { "start_z", "f32", "", finite = true },
        { "end_x", "f32", "", finite = true },
        { "end_y", "f32", "", finite = true },
        { "end_z", "f32", "", finite = true },
    },
    ResourceFile = {
        { "size", "u32", "bytes, at most 64 MiB", max = 67108864 },
        { "sha256", "u8", "of the file's bytes", array = 32 },
        { "path", "str8", "place inside the resource", min = 1, max = 96 },
    },
    ShotRewind = {
        { "rewound", "u8", "0 none, 1 the recipient's body, 2 the vehicle it sits in", max = 2, explain = true },
        { "x", "f32", "position of the body or the vehicle; 0 with rewound = 0", finite = true },
        { "y", "f32", "", finite = true },
        { "z", "f32", "", finite = true },
        { "vehicle_id", "u32", "the vehicle with rewound = 2, else 0" },
        { "vehicle_epoch", "u8", "its generation with rewound = 2, else 0" },
        { "rot", "f32", "its rotation, unit quaternion x, y, z, w with rewound = 2, else zeros", array = 4, finite = true },
    },
    TableColumn = {
        { "align", "u8", "0 left, 1 center, 2 right", max = 2, explain = true },
        { "width", "u8", "share of the table, percent; 0 = by content", max = 100 },
        { "title", "str8", "column heading", max = 48 },
    },
    VehicleDamageStatus = {
        { "panels", "u32", "4 bits a panel, 0..=3: LF fender, RF, LR, RR, windscreen, front bumper, rear bumper; bits 28..31 are 0" },
        { "doors", "u8", "bonnet, boot, LF, RF, LR, RR; 0 intact, 2 damaged, 4 missing", array = 6 },
        { "lights", "u32", "2 bits a light, 1 = broken (mask 0x55)", explain = true },
        { "wheels", "u8", "0 intact, 1 burst, 2 fallen off", array = 4 },
    },
    VehicleState = {
        { "pos", "f32", "world position", array = 3, finite = true },
        { "rot", "f32", "unit quaternion x, y, z, w (axes: x right, y forward, z up)", array = 4, finite = true },
        { "move_speed", "f32", "velocity, game units per physics step", array = 3, finite = true },
        { "turn_speed", "f32", "angular velocity, radians per physics step", array = 3, finite = true },
        { "raw_steer", "f32", "steering input -1..1", finite = true },
        { "steer", "f32", "steering angle of the wheels, radians", finite = true },
        { "gas", "f32", "-1..1, negative = reverse", finite = true },
        { "brake", "f32", "0..1", finite = true },
        { "flags", "u8", "bit0 handbrake, 1 horn, 2 siren, 3 bicycle hop took off, 4 water cannon sprays, 5 train derailed, 6 searchlight of a police Maverick", explain = true },
        { "health", "f32", "vehicle health at the sender", finite = true },
        { "epoch", "u8", "vehicle generation the state belongs to" },
        { "doors", "u8", "open share: bonnet, boot, LF, RF, LR, RR; 0 closed ..= 255 open", array = 6 },
        { "lean", "f32", "bike rider's lean: -1 forward ..= 1 back; 0 for other vehicles", finite = true },
        { "lean_angle", "f32", "bike's sideways tilt, radians; 0 for other vehicles", finite = true },
        { "pedal", "f32", "bicycle pedalling effort: above 5 sprints, 0 coasts; 0 for other vehicles", finite = true },
        { "hop", "f32", "bicycle hop charge: 0 ..= 25; 0 for other vehicles", finite = true },
        { "yaw", "f32", "helicopter / plane control -1..1; 0 for other vehicles", finite = true },
        { "pitch", "f32", "helicopter / plane control -1..1; 0 for other vehicles", finite = true },
        { "roll", "f32", "helicopter / plane control -1..1; 0 for other vehicles", finite = true },
        { "throttle", "f32", "helicopter / plane control -1..1; 0 for other vehicles", finite = true },
        { "rotor", "f32", "rotor / propeller speed; 0 for other vehicles", finite = true },
        { "part", "u16", "moving part position, 0 ..= 2500, 5000 or 20000 by model; 0 for other vehicles" },
        { "gear", "u8", "plane landing gear: 0 down ..= 255 up; 0 for other vehicles" },
        { "health_rev", "u16", "revision of the last gamemode health command the sender's copy took" },
        { "turret_yaw", "f32", "turret yaw relative to the vehicle, radians, -pi..pi, 0 forward; 0 for other vehicles", finite = true },
        { "turret_pitch", "f32", "turret pitch, radians, at most pi/2 either way; 0 for other vehicles", finite = true },
        { "rail", "f32", "train on rails: distance of the locomotive along the track, meters", finite = true },
        { "rail_speed", "f32", "speed along the track, units per physics step, + = distance grows", finite = true },
        { "track", "u8", "track 0..=3; 0 for other vehicles" },
        { "rope", "f32", "winch rope wound in: 0.01 lowered ..= 0.84 raised; 0 without a winch", finite = true },
        { "siren_rev", "u16", "revision of the last gamemode siren switch the sender's copy took" },
        { "nitro", "f32", "1 ready, -1..0 burning, 0..1 refilling; 1 without nitro", finite = true },
        { "hydraulics", "u16", "0 off, 20..=59 on, 60 posed, 500..=504 raised; 0 without hydraulics" },
        { "hydraulic_lr", "i16", "hydraulics pose axis left-right, -128..=128; 0 while the pose control is off" },
        { "hydraulic_ud", "i16", "hydraulics pose axis front-back, -128..=128; 0 while the pose control is off" },
        { "pose_rev", "u16", "revision of the last gamemode transform the sender's copy took" },
    },
}

local packets = {
    { id = 0x01, name = "ClientHello", filter = "client_hello", direction = "C2S", lane = "unreliable", fields = {
        { "protocol_version", "u16", "146; any other value gets no answer, whatever follows" },
        { "client_nonce", "u64", "chosen at random for each attempt", nonzero = true, hex = true },
        { "cookie", "u64", "0, then the ConnectChallenge's", hex = true },
        { "name", "str8", "player name; which letters it may have: reason 3 of ConnectReject, not the decoder's", min = 1, max = 24 },
        { "password", "str8", "server password, empty when none", max = 63 },
        { "auth", "u8", "1: an AuthAssertion will follow the ServerHello", values = { 0, 1 } },
    } },
    { id = 0x02, name = "ServerHello", filter = "server_hello", direction = "S2C", lane = "unreliable", fields = {
        { "client_nonce", "u64", "", nonzero = true, hex = true },
        { "session_token", "u64", "random, secret; every later C->S packet carries it", nonzero = true, hex = true },
        { "player_id", "u32", "", max = 4294967294 },
        { "player_token", "u32", "the generation of player_id", nonzero = true },
        { "max_players", "u16", "", nonzero = true },
        { "heartbeat_ms", "u16", "longest time between two PlayerSync of a spawned client", min = 20, max = 1000 },
        { "driveby_interval", "u16", "weapons 22..=33 in order, as DriveByIntervals: 0 = the on-foot rate, else ms between shots", array = 12 },
        { "server_time", "u32", "server clock, ms, wraps" },
        { "server_name", "str8", "", max = 64 },
    } },
    { id = 0x03, name = "PlayerSync", filter = "player_sync", direction = "C2S", lane = "unreliable", fields = {
        { "session_token", "u64", "", hex = true },
        { "seq", "u32", "the sender's frame counter, cyclic" },
        { "frame", "struct", "", of = "Frame" },
    } },
    { id = 0x04, name = "RemotePlayerSync", filter = "remote_player_sync", direction = "S2C", lane = "unreliable", fields = {
        { "player_id", "u32" },
        { "player_token", "u32" },
        { "seq", "u32", "the sender's seq" },
        { "frame", "struct", "hp and armor are the server's ledger", of = "Frame" },
        { "relation_rev", "u32" },
        { "teammate", "u8", "", max = 1 },
    } },
    { id = 0x05, name = "ClientBye", filter = "client_bye", direction = "C2S", lane = "unreliable", fields = {
        { "token", "u64", "", hex = true },
    } },
    { id = 0x06, name = "PlayerLeave", filter = "player_leave", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32" },
        { "player_id", "u32" },
        { "player_token", "u32" },
        { "reason", "u8", "0 quit, 1 timeout, 2 kicked, 3 banned, 4 server", max = 4, explain = true },
    } },
    { id = 0x07, name = "ClientChat", filter = "client_chat", direction = "C2S", lane = "reliable", event_id_at = 9, fields = {
        { "token", "u64", "the sender's session token", hex = true },
        { "event_id", "u32", "position in the Client → Server stream" },
        { "text", "str8", "what the player typed", min = 1, max = 255 },
    } },
    { id = 0x08, name = "ChatMessage", filter = "chat_message", direction = "S2C", lane = "reliable, droppable", event_id_at = 1, fields = {
        { "event_id", "u32", "position in the Server → Client stream" },
        { "player_id", "u32", "who speaks; 0xFFFFFFFF = no player" },
        { "player_token", "u32", "generation; 0 with no player" },
        { "name_color", "u32", "RGBA of the name", hex = true },
        { "name", "str8", "shown before the text", min = 1, max = 72 },
        { "text", "str8", "the message", min = 1, max = 255 },
    } },
    { id = 0x09, name = "WeaponShot", filter = "weapon_shot", direction = "C2S", lane = "unreliable", fields = {
        { "session_token", "u64", "the sender's token; a mismatch drops the packet", hex = true },
        { "order", "u32", "the sender's monotonic shot counter, shared with VehicleShot" },
        { "weapon", "u32", "weapon id" },
        { "start_x", "f32", "start of the ray (the muzzle)", finite = true },
        { "start_y", "f32", "", finite = true },
        { "start_z", "f32", "", finite = true },
        { "end_x", "f32", "far end of the ray (the resolved aim or impact point)", finite = true },
        { "end_y", "f32", "", finite = true },
        { "end_z", "f32", "", finite = true },
        { "props_rev", "u16", "weapon properties revision applied when the shot was fired" },
        { "hit_kind", "u8", "0 the world or nothing, 1 a player, 2 a vehicle, 3 an object", max = 3, explain = true },
        { "hit_id", "u32", "id of the player, vehicle or object" },
        { "hit_gen", "u32", "player_token of the player or epoch of the vehicle" },
    } },
    { id = 0x0A, name = "RemoteWeaponShot", filter = "remote_weapon_shot", direction = "S2C", lane = "unreliable", fields = {
        { "player_id", "u32" },
        { "player_token", "u32", "the shooter's generation" },
        { "order", "u32", "relayed from WeaponShot" },
        { "weapon", "u32" },
        { "start_x", "f32", "", finite = true },
        { "start_y", "f32", "", finite = true },
        { "start_z", "f32", "", finite = true },
        { "end_x", "f32", "", finite = true },
        { "end_y", "f32", "", finite = true },
        { "end_z", "f32", "", finite = true },
        { "props_rev", "u16", "weapon properties revision of the accepted WeaponShot" },
        { "relation_rev", "u32" },
        { "teammate", "u8" },
        { "rewind", "struct", "where the recipient stood at the moment the shooter saw", of = "ShotRewind" },
    } },
    { id = 0x0B, name = "DamageReport", filter = "damage_report", direction = "C2S", lane = "unreliable", fields = {
        { "session_token", "u64", "the VICTIM's token; a mismatch drops the packet", hex = true },
        { "report", "struct", "", of = "DamageReportBody" },
    } },
    { id = 0x0C, name = "RespawnRequest", filter = "respawn_request", direction = "C2S", lane = "reliable", event_id_at = 9, fields = {
        { "token", "u64", "", hex = true },
        { "event_id", "u32" },
    } },
    { id = 0x0D, name = "RespawnPlayer", filter = "respawn_player", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32" },
        { "life", "u8", "", nonzero = true },
        { "pos", "f32", "", array = 3, finite = true },
        { "heading", "f32", "", finite = true },
        { "skin", "u16", "", max = 311 },
        { "interior", "u8" },
        { "virtual_world", "u32" },
        { "pose_rev", "u16" },
        { "weapon_rev", "u16" },
    } },
    { id = 0x0E, name = "ClientAck", filter = "client_ack", direction = "C2S", lane = "unreliable", fields = {
        { "token", "u64", "", hex = true },
        { "ack", "u32", "highest S->C event_id delivered without a gap; 0 none" },
    } },
    { id = 0x0F, name = "ServerAck", filter = "server_ack", direction = "S2C", lane = "unreliable", fields = {
        { "ack", "u32", "highest C->S event_id delivered without a gap; 0 none" },
    } },
    { id = 0x10, name = "PlayerSkills", filter = "player_skills", direction = "S2C", lane = "reliable, droppable", event_id_at = 1, fields = {
        { "event_id", "u32" },
        { "player_id", "u32" },
        { "player_token", "u32" },
        { "skills", "u16", "weapons 22..=32 in order", array = 11, max = 1000 },
    } },
    { id = 0x11, name = "SetWanted", filter = "set_wanted", direction = "S2C", lane = "reliable, droppable", event_id_at = 1, fields = {
        { "event_id", "u32" },
        { "level", "u8", "", max = 6 },
    } },
    { id = 0x12, name = "PickupSync", filter = "pickup_sync", direction = "S2C", lane = "reliable, droppable", event_id_at = 1, fields = {
        { "event_id", "u32", "position in the Server → Client stream" },
        { "pickup_id", "u32", "the server's pickup id, not reused", exclude = { 4294967295 } },
        { "active", "u8", "1 show, 0 hide", max = 1, explain = true },
        { "model", "u16", "object model", max = 19999 },
        { "x", "f32", "world position", min = -6000.0, max = 6000.0, finite = true },
        { "y", "f32", "", min = -6000.0, max = 6000.0, finite = true },
        { "z", "f32", "", min = -200.0, max = 4000.0, finite = true },
        { "flags", "u8", "bit0 touched on foot, bit1 from a vehicle, bit2 stands still, bit3 pick-up sound", mask = 0xF, hex = true, explain = true },
    } },
    { id = 0x13, name = "PickupTouch", filter = "pickup_touch", direction = "C2S", lane = "reliable", event_id_at = 9, fields = {
        { "token", "u64", "the sender's session token", hex = true },
        { "event_id", "u32", "position in the Client → Server stream" },
        { "pickup_id", "u32", "the pickup walked or driven into", exclude = { 4294967295 } },
    } },
    { id = 0x14, name = "KickNotify", filter = "kick_notify", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32" },
        { "reason", "u8", "as PlayerLeave", min = 2, max = 4 },
        { "text", "str8", "", max = 127 },
    } },
    { id = 0x15, name = "TeleportPlayer", filter = "teleport_player", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32" },
        { "pos", "f32", "", array = 3, finite = true },
        { "heading", "f32", "", finite = true },
        { "interior", "u8" },
        { "pose_rev", "u16" },
    } },
    { id = 0x16, name = "GiveWeapon", filter = "give_weapon", direction = "S2C", lane = "reliable, droppable", event_id_at = 1, fields = {
        { "event_id", "u32" },
        { "weapon_type", "u32", "grantable weapon id, documented 1..=46 except 19..=21 (the server validates it before sending)" },
        { "ammo", "u32", "documented <= 65535" },
        { "set_as_current", "u8", "1 = equip it, 0 = put it in the inventory", explain = true },
        { "rev", "u16", "inventory revision after this change; echoed in Frame.weapon_rev" },
    } },
    { id = 0x17, name = "GiveHealth", filter = "give_health", direction = "S2C", lane = "reliable, droppable", event_id_at = 1, fields = {
        { "event_id", "u32" },
        { "amount", "f32", "how much to add; documented > 0 and <= 200", finite = true },
        { "max", "f32", "ceiling of the sum; documented > 0 and <= 200", finite = true },
        { "rev", "u16", "the connection's health / armor command revision" },
    } },
    { id = 0x18, name = "GiveArmor", filter = "give_armor", direction = "S2C", lane = "reliable, droppable", event_id_at = 1, fields = {
        { "event_id", "u32" },
        { "amount", "f32", "how much to add; documented > 0 and <= 200", finite = true },
        { "max", "f32", "ceiling of the sum; documented > 0 and <= 200", finite = true },
        { "rev", "u16", "the connection's health / armor command revision" },
    } },
    { id = 0x19, name = "ClientCommand", filter = "client_command", direction = "C2S", lane = "reliable", event_id_at = 9, fields = {
        { "token", "u64", "the sender's session token", hex = true },
        { "event_id", "u32", "position in the Client → Server stream" },
        { "text", "str8", "the command line without its '/'", min = 1, max = 255 },
    } },
    { id = 0x1A, name = "ServerMessage", filter = "server_message", direction = "S2C", lane = "reliable, droppable", event_id_at = 1, fields = {
        { "event_id", "u32", "position in the Server → Client stream" },
        { "color", "u32", "RGBA", hex = true },
        { "text", "str16", "one chat line; the client wraps it", min = 1, max = 512 },
    } },
    { id = 0x1B, name = "DeathReport", filter = "death_report", direction = "C2S", lane = "reliable", event_id_at = 9, fields = {
        { "token", "u64", "", hex = true },
        { "event_id", "u32" },
        { "life", "u8", "", nonzero = true },
        { "pose_weapon", "u16" },
        { "pose_anim_group", "u16" },
        { "pose_anim", "u16" },
    } },
    { id = 0x1C, name = "PlayerWasted", filter = "player_wasted", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32" },
        { "player_id", "u32" },
        { "player_token", "u32" },
        { "killer_id", "u32", "0xFFFFFFFF none" },
        { "killer_token", "u32" },
        { "weapon", "u8", "the cause", max = 54 },
        { "pose_weapon", "u16" },
        { "pose_anim_group", "u16" },
        { "pose_anim", "u16" },
    } },
    { id = 0x1D, name = "PlayerSpawned", filter = "player_spawned", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32" },
        { "player_id", "u32" },
        { "player_token", "u32" },
        { "pos", "f32", "", array = 3, finite = true },
        { "heading", "f32", "", finite = true },
        { "skin", "u16", "", max = 311 },
    } },
    { id = 0x1E, name = "SetHealth", filter = "set_health", direction = "S2C", lane = "reliable, droppable", event_id_at = 1, fields = {
        { "event_id", "u32" },
        { "value", "f32", "absolute target value; documented 0..=200, the client clamps", finite = true },
        { "rev", "u16", "the connection's health / armor command revision" },
    } },
    { id = 0x1F, name = "SetArmor", filter = "set_armor", direction = "S2C", lane = "reliable, droppable", event_id_at = 1, fields = {
        { "event_id", "u32" },
        { "value", "f32", "absolute target value; documented 0..=200, the client clamps", finite = true },
        { "rev", "u16", "the connection's health / armor command revision" },
    } },
    { id = 0x20, name = "SetSkin", filter = "set_skin", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32" },
        { "player_id", "u32" },
        { "player_token", "u32" },
        { "skin", "u16", "", max = 311 },
    } },
    { id = 0x21, name = "SetTime", filter = "set_time", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32", "position in the Server → Client stream" },
        { "hour", "u8", "game clock, hours", max = 23 },
        { "minute", "u8", "minutes", max = 59 },
        { "second", "u8", "seconds", max = 59 },
    } },
    { id = 0x22, name = "SetWeather", filter = "set_weather", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32", "position in the Server → Client stream" },
        { "weather", "u8", "the game's weather type", max = 45 },
        { "blend_ms", "u32", "time of the change, ms; 0 = at once", max = 600000 },
        { "mask", "u8", "bit i = values[i] is set by the gamemode", mask = 0x3F, hex = true, explain = true },
        { "values", "f32", "rain, fog_start, far_clip, wave_height, wind_x, wind_y; 0 for one not set", array = 6, finite = true },
    } },
    { id = 0x23, name = "RunClock", filter = "run_clock", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32", "position in the Server → Client stream" },
        { "running", "u8", "1 the clock runs, 0 it stands still", max = 1, explain = true },
        { "minute_ms", "u32", "real ms a game minute takes (the game's own: 1000); 0 when not running", max = 3600000 },
    } },
    { id = 0x24, name = "TakeWeapon", filter = "take_weapon", direction = "S2C", lane = "reliable, droppable", event_id_at = 1, fields = {
        { "event_id", "u32" },
        { "weapon_type", "u32", "grantable id, documented 1..=46 except 19..=21" },
        { "rev", "u16", "inventory revision after the change" },
    } },
    { id = 0x25, name = "SetWeaponAmmo", filter = "set_weapon_ammo", direction = "S2C", lane = "reliable, droppable", event_id_at = 1, fields = {
        { "event_id", "u32" },
        { "weapon_type", "u32", "grantable id, documented 1..=46 except 19..=21" },
        { "ammo", "u32", "TOTAL ammo, documented <= 65535" },
        { "clip", "u16", "explicit ammo in the clip; 0xFFFF = not set" },
        { "rev", "u16", "inventory revision after the change" },
    } },
    { id = 0x26, name = "ClearWeapons", filter = "clear_weapons", direction = "S2C", lane = "reliable, droppable", event_id_at = 1, fields = {
        { "event_id", "u32" },
        { "rev", "u16", "inventory revision after the change" },
    } },
    { id = 0x27, name = "SetArmedWeapon", filter = "set_armed_weapon", direction = "S2C", lane = "reliable, droppable", event_id_at = 1, fields = {
        { "event_id", "u32" },
        { "weapon_type", "u32", "0 = fists, or a grantable id" },
        { "rev", "u16", "inventory revision after the change" },
    } },
    { id = 0x28, name = "SetMoney", filter = "set_money", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32" },
        { "money", "i32" },
    } },
    { id = 0x29, name = "RequestSpawn", filter = "request_spawn", direction = "C2S", lane = "reliable", event_id_at = 9, fields = {
        { "token", "u64", "", hex = true },
        { "event_id", "u32" },
    } },
    { id = 0x2A, name = "SpawnPlayer", filter = "spawn_player", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32" },
        { "life", "u8", "1..=255, then 1 again", nonzero = true },
        { "pos", "f32", "", array = 3, finite = true },
        { "heading", "f32", "", finite = true },
        { "skin", "u16", "", max = 311 },
        { "interior", "u8" },
        { "virtual_world", "u32" },
        { "pose_rev", "u16" },
        { "weapon_rev", "u16" },
    } },
    { id = 0x2B, name = "ApplyAnimation", filter = "apply_animation", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32" },
        { "player_id", "u32" },
        { "player_token", "u32" },
        { "library", "str8", "", min = 1, max = 23 },
        { "name", "str8", "", min = 1, max = 24 },
        { "speed", "f32", "", min = 0.0, max = 10.0, finite = true },
        { "flags", "u8", "bit0 loop, 1 keep x, 2 keep y, 3 freeze at the end", mask = 0xF, hex = true, explain = true },
        { "time_ms", "u32", "0 until it ends", max = 3600000 },
    } },
    { id = 0x2C, name = "ClearAnimations", filter = "clear_animations", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32" },
        { "player_id", "u32" },
        { "player_token", "u32" },
    } },
    { id = 0x2D, name = "SetWalkingStyle", filter = "set_walking_style", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32" },
        { "player_id", "u32" },
        { "player_token", "u32" },
        { "style", "u16", "", max = 138 },
    } },
    { id = 0x2E, name = "SetAnimationProgress", filter = "set_animation_progress", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32" },
        { "player_id", "u32" },
        { "player_token", "u32" },
        { "progress", "f32", "", min = 0.0, max = 1.0, finite = true },
    } },
    { id = 0x2F, name = "SetAnimationSpeed", filter = "set_animation_speed", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32" },
        { "player_id", "u32" },
        { "player_token", "u32" },
        { "speed", "f32", "", min = 0.0, max = 10.0, finite = true },
    } },
    { id = 0x30, name = "ProjectileCreate", filter = "projectile_create", direction = "C2S", lane = "reliable", event_id_at = 9, fields = {
        { "token", "u64", "the sender's session token", hex = true },
        { "event_id", "u32" },
        { "weapon", "u32", "projectile type: 16 grenade, 17 teargas, 18 molotov, 19 rocket, 20 heat-seeking rocket, 39 satchel; from a vehicle 19, 20, 58 flare" },
        { "origin_x", "f32", "spawn point of the projectile", finite = true },
        { "origin_y", "f32", "", finite = true },
        { "origin_z", "f32", "", finite = true },
        { "velocity_x", "f32", "launch velocity, units per physics step (1/50 s)", finite = true },
        { "velocity_y", "f32", "", finite = true },
        { "velocity_z", "f32", "", finite = true },
        { "forward_x", "f32", "rocket orientation; zero for thrown projectiles and the flare", finite = true },
        { "forward_y", "f32", "", finite = true },
        { "forward_z", "f32", "", finite = true },
        { "from_vehicle", "u8", "1 launched by the vehicle the sender drives, 0 by the sender itself", max = 1, explain = true },
        { "target_id", "u32", "vehicle the heat-seeking rocket 20 locked onto; 0xFFFFFFFF none" },
        { "target_epoch", "u8", "its life at the moment of the lock; 0 with no target" },
        { "seen_event", "u32", "the last server-to-client reliable event the client had received when it threw" },
    } },
    { id = 0x31, name = "RemoteProjectileCreate", filter = "remote_projectile_create", direction = "S2C", lane = "reliable, droppable", event_id_at = 9, fields = {
        { "player_id", "u32" },
        { "player_token", "u32", "the sender's generation" },
        { "event_id", "u32" },
        { "weapon", "u32" },
        { "origin_x", "f32", "", finite = true },
        { "origin_y", "f32", "", finite = true },
        { "origin_z", "f32", "", finite = true },
        { "velocity_x", "f32", "the sender's resolved launch velocity, applied as is", finite = true },
        { "velocity_y", "f32", "", finite = true },
        { "velocity_z", "f32", "", finite = true },
        { "forward_x", "f32", "rocket orientation (aim); zero for thrown projectiles", finite = true },
        { "forward_y", "f32", "", finite = true },
        { "forward_z", "f32", "", finite = true },
        { "launcher_id", "u32", "vehicle that launched the projectile; 0xFFFFFFFF on foot" },
        { "launcher_epoch", "u8", "its life; 0 with no vehicle" },
        { "target_id", "u32", "the target of a rocket 20 the server accepted; 0xFFFFFFFF none" },
        { "target_epoch", "u8", "the target's life; 0 with no target" },
        { "relation_rev", "u32" },
        { "teammate", "u8" },
    } },
    { id = 0x32, name = "SatchelDetonate", filter = "satchel_detonate", direction = "C2S", lane = "reliable", event_id_at = 9, fields = {
        { "token", "u64", "the sender's session token", hex = true },
        { "event_id", "u32" },
    } },
    { id = 0x33, name = "RemoteSatchelDetonate", filter = "remote_satchel_detonate", direction = "S2C", lane = "reliable, critical", event_id_at = 9, fields = {
        { "player_id", "u32" },
        { "player_token", "u32", "the owner's generation" },
        { "event_id", "u32" },
        { "relation_rev", "u32" },
        { "teammate", "u8" },
    } },
    { id = 0x34, name = "StealthKillRequest", filter = "stealth_kill_request", direction = "C2S", lane = "reliable", event_id_at = 9, fields = {
        { "session_token", "u64", "", hex = true },
        { "event_id", "u32" },
        { "target_id", "u32", "the victim" },
        { "target_token", "u32", "the victim's generation" },
    } },
    { id = 0x35, name = "RemoteStealthKill", filter = "remote_stealth_kill", direction = "S2C", lane = "reliable, critical", event_id_at = 17, fields = {
        { "attacker_id", "u32" },
        { "attacker_token", "u32" },
        { "victim_id", "u32" },
        { "victim_token", "u32" },
        { "event_id", "u32" },
    } },
    { id = 0x36, name = "VehicleSync", filter = "vehicle_sync", direction = "S2C", lane = "reliable, droppable", event_id_at = 1, fields = {
        { "event_id", "u32" },
        { "vehicle_id", "u32", "the server's vehicle id" },
        { "active", "u8", "1 = show (all fields apply), 0 = hide (only vehicle_id matters, the server sends zeros)", explain = true },
        { "model", "u16", "vehicle model, 400..=611 (the server validates it before sending)" },
        { "x", "f32", "world spawn position", finite = true },
        { "y", "f32", "", finite = true },
        { "z", "f32", "", finite = true },
        { "heading", "f32", "spawn heading, degrees", finite = true },
        { "color1", "u8", "primary color index, 0..=127" },
        { "color2", "u8", "secondary color index, 0..=127" },
        { "health", "f32", "vehicle health, 1000 is full", finite = true },
        { "flags", "u8", "bit0 wrecked, bit1 drowned (only with bit0); trains: bit2 faces along the track (clockwise), bit3 derailed", explain = true },
        { "epoch", "u8", "the vehicle's generation (life)" },
        { "damage", "struct", "", of = "VehicleDamageStatus" },
        { "params", "u16", "bit0 engine, 1 lights, 2 locked, 3 magnet, 4 small magnet, 5..8 as in VehicleParams", explain = true },
        { "doors", "u8", "doors open by the last command: bit = bonnet, boot, LF, RF, LR, RR" },
        { "relay_seq", "u32", "the vehicle's relay serial at the time of the show; 0 on a hide" },
        { "health_rev", "u16", "revision of the last gamemode health command the show includes" },
        { "damage_rev", "u16", "revision of the last gamemode damage command the show includes" },
        { "tractor_id", "u32", "the vehicle towing this one; 0xFFFFFFFF = not hitched" },
        { "lifter_id", "u32", "the helicopter whose winch carries this one; 0xFFFFFFFF = none" },
        { "part", "u16", "the moving part at relay_seq, as VehicleState.part; 0 on a hide" },
        { "siren_rev", "u16", "revision of the last gamemode siren switch" },
        { "pose_rev", "u16", "revision of the last gamemode transform" },
    } },
    { id = 0x37, name = "VehicleEnter", filter = "vehicle_enter", direction = "C2S", lane = "reliable", event_id_at = 9, fields = {
        { "token", "u64", "the sender's session token", hex = true },
        { "event_id", "u32" },
        { "vehicle_id", "u32" },
        { "seat", "u8", "0 = driver, 1.. = passenger seat" },
    } },
    { id = 0x38, name = "VehicleExit", filter = "vehicle_exit", direction = "C2S", lane = "reliable", event_id_at = 9, fields = {
        { "token", "u64", "the sender's session token", hex = true },
        { "event_id", "u32" },
        { "vehicle_id", "u32" },
    } },
    { id = 0x39, name = "VehicleOccupancy", filter = "vehicle_occupancy", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32" },
        { "vehicle_id", "u32" },
        { "player_id", "u32", "whose seat changed" },
        { "player_token", "u32", "that player's generation" },
        { "seat", "u8", "0 = driver, 1.. = passenger" },
        { "kind", "u8", "0 exit, 1 enter, 2 warp, 3 deny, 4 jacked", max = 4, explain = true },
    } },
    { id = 0x3A, name = "VehicleFrame", filter = "vehicle_frame", direction = "C2S", lane = "unreliable", fields = {
        { "token", "u64", "the sender's session token", hex = true },
        { "seq", "u32", "the sender's vehicle frame counter over all its vehicles, cyclic" },
        { "vehicle_id", "u32" },
        { "state", "struct", "", of = "VehicleState" },
    } },
    { id = 0x3B, name = "RemoteVehicleFrame", filter = "remote_vehicle_frame", direction = "S2C", lane = "unreliable", fields = {
        { "source_id", "u32", "the sender: the player in seat 0, or the syncer" },
        { "source_token", "u32", "its generation" },
        { "seq", "u32", "the vehicle's relay serial: +1 for every frame the server accepts, cyclic" },
        { "vehicle_id", "u32" },
        { "state", "struct", "health, health_rev, siren_rev, nitro, hydraulics and pose_rev are the server's", of = "VehicleState" },
        { "relation_rev", "u32" },
        { "teammate", "u8" },
    } },
    { id = 0x3C, name = "VehicleSyncer", filter = "vehicle_syncer", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32" },
        { "vehicle_id", "u32" },
        { "active", "u8", "1 = start syncing, 0 = stop", explain = true },
    } },
    { id = 0x3D, name = "VehicleExplode", filter = "vehicle_explode", direction = "C2S", lane = "reliable", event_id_at = 9, fields = {
        { "token", "u64", "the sender's session token", hex = true },
        { "event_id", "u32" },
        { "vehicle_id", "u32" },
        { "epoch", "u8", "the vehicle generation that blew up" },
        { "cause", "u8", "0 exploded, 1 drowned", max = 1, explain = true },
        { "has_attacker", "u8", "1 = an attacker follows, 0 = none (the fields are zero)", explain = true },
        { "attacker_id", "u32", "the player the copy holds as the last to damage it" },
        { "attacker_token", "u32", "its generation" },
    } },
    { id = 0x3E, name = "VehicleDeath", filter = "vehicle_death", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32" },
        { "vehicle_id", "u32" },
        { "epoch", "u8" },
        { "cause", "u8", "as in VehicleExplode: 0 exploded, 1 drowned" },
        { "has_killer", "u8", "1 = a killer follows, 0 = none (the fields are zero)", explain = true },
        { "killer_id", "u32", "the killer the server credited" },
        { "killer_token", "u32", "its generation" },
    } },
    { id = 0x3F, name = "VehicleDamage", filter = "vehicle_damage", direction = "C2S", lane = "reliable", event_id_at = 9, fields = {
        { "token", "u64", "the sender's session token", hex = true },
        { "event_id", "u32" },
        { "vehicle_id", "u32" },
        { "epoch", "u8", "the vehicle generation" },
        { "status", "struct", "", of = "VehicleDamageStatus" },
        { "damage_rev", "u16", "revision of the last gamemode damage command the copy took" },
    } },
    { id = 0x40, name = "RemoteVehicleDamage", filter = "remote_vehicle_damage", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32" },
        { "vehicle_id", "u32" },
        { "epoch", "u8" },
        { "status", "struct", "", of = "VehicleDamageStatus" },
        { "damage_rev", "u16", "revision of the last gamemode damage command" },
    } },
    { id = 0x41, name = "VehicleHealth", filter = "vehicle_health", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32" },
        { "vehicle_id", "u32" },
        { "epoch", "u8", "the vehicle generation" },
        { "health", "f32", "1000 is full", min = 0.0, max = 100000.0, finite = true },
        { "health_rev", "u16", "the new health command revision" },
    } },
    { id = 0x42, name = "VehicleParams", filter = "vehicle_params", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32" },
        { "vehicle_id", "u32" },
        { "params", "u16", "bit0 engine, 1 lights, 2 locked for the recipient, 3 magnet, 4 small magnet (at most one of the two), 5 alarm, 6 siren, 7 objective marker for the recipient, 8 has a siren", explain = true },
        { "doors", "u8", "doors open by the last command (bit = bonnet, boot, LF, RF, LR, RR)" },
        { "doors_set", "u8", "doors this command opened or closed" },
        { "siren_rev", "u16", "revision of the last gamemode siren switch" },
    } },
    { id = 0x43, name = "VehicleControl", filter = "vehicle_control", direction = "C2S", lane = "reliable", event_id_at = 9, fields = {
        { "token", "u64", "the sender's session token", hex = true },
        { "event_id", "u32" },
        { "vehicle_id", "u32" },
        { "control", "u8", "0 engine, 1 lights, 2 lock", explain = true },
        { "value", "u8", "1 on / lock, 0 off / unlock", explain = true },
    } },
    { id = 0x44, name = "LethalDamageReport", filter = "lethal_damage_report", direction = "C2S", lane = "reliable", event_id_at = 9, fields = {
        { "session_token", "u64", "the VICTIM's token", hex = true },
        { "event_id", "u32" },
        { "report", "struct", "", of = "DamageReportBody" },
    } },
    { id = 0x45, name = "PlayerStreamOut", filter = "player_stream_out", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32" },
        { "player_id", "u32" },
        { "player_token", "u32" },
        { "last_seq", "u32", "seq of the last frame relayed to this recipient" },
        { "last_shot_order", "u32" },
    } },
    { id = 0x46, name = "DriveByIntervals", filter = "drive_by_intervals", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32" },
        { "driveby_interval", "u16", "weapons 22..=33 in order: 0 = the on-foot rate, else ms between shots", array = 12 },
    } },
    { id = 0x47, name = "VehicleShot", filter = "vehicle_shot", direction = "C2S", lane = "unreliable", fields = {
        { "token", "u64", "the sender's session token", hex = true },
        { "order", "u32", "number of the first ray; the salvo takes order..order+count-1 in the counter shared with WeaponShot" },
        { "vehicle_id", "u32", "the vehicle the sender drives" },
        { "count", "u8", "rays in the salvo", min = 1, max = 2 },
        { "rays", "struct", "an unused slot is zeros", of = "Ray", array = 2 },
        { "props_rev", "u16", "as in WeaponShot" },
    } },
    { id = 0x48, name = "RemoteVehicleShot", filter = "remote_vehicle_shot", direction = "S2C", lane = "unreliable", fields = {
        { "id", "u32", "the shooter" },
        { "player_token", "u32", "its generation" },
        { "order", "u32", "from VehicleShot" },
        { "vehicle_id", "u32" },
        { "count", "u8", "rays in the salvo", min = 1, max = 2 },
        { "rays", "struct", "an unused slot is zeros", of = "Ray", array = 2 },
        { "props_rev", "u16", "from VehicleShot" },
        { "relation_rev", "u32" },
        { "teammate", "u8" },
        { "rewind", "struct", "always rewound = 0 for the cannon", of = "ShotRewind" },
    } },
    { id = 0x49, name = "VehicleTow", filter = "vehicle_tow", direction = "C2S", lane = "reliable", event_id_at = 9, fields = {
        { "token", "u64", "the sender's session token", hex = true },
        { "event_id", "u32" },
        { "trailer_id", "u32", "the trailer (or towed vehicle), never 0xFFFFFFFF", exclude = { 4294967295 } },
        { "trailer_epoch", "u8" },
        { "tractor_id", "u32", "the towing vehicle; 0xFFFFFFFF = unhitch" },
        { "tractor_epoch", "u8", "0 on unhitch" },
    } },
    { id = 0x4A, name = "VehicleTrailer", filter = "vehicle_trailer", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32" },
        { "trailer_id", "u32" },
        { "tractor_id", "u32", "0xFFFFFFFF = hitched to nothing" },
        { "place", "u8", "1 = the gamemode hitched it: the trailer is placed at the tractor's hook", max = 1 },
    } },
    { id = 0x4B, name = "TrainState", filter = "train_state", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32" },
        { "vehicle_id", "u32", "the locomotive" },
        { "flags", "u8", "bit0 faces along the track (clockwise), bit1 derailed, bit2 the packet sets the speed", mask = 0x7, hex = true, explain = true },
        { "speed", "f32", "speed along the track, units per step, + = distance grows", min = -4.0, max = 4.0, finite = true },
    } },
    { id = 0x4C, name = "VehicleRemote", filter = "vehicle_remote", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32" },
        { "vehicle_id", "u32", "the RC the recipient now drives; 0xFFFFFFFF = none any more" },
        { "detonation", "u8", "1 = the fire key and an RC Bandit crash blow it up", max = 1 },
    } },
    { id = 0x4D, name = "VehicleRemoteExit", filter = "vehicle_remote_exit", direction = "C2S", lane = "reliable", event_id_at = 9, fields = {
        { "token", "u64", "the sender's session token", hex = true },
        { "event_id", "u32" },
        { "vehicle_id", "u32", "the RC the sender drives" },
    } },
    { id = 0x4E, name = "VehicleRemoteEnter", filter = "vehicle_remote_enter", direction = "C2S", lane = "reliable", event_id_at = 9, fields = {
        { "token", "u64", "the sender's session token", hex = true },
        { "event_id", "u32" },
        { "vehicle_id", "u32", "an RC near the sender" },
    } },
    { id = 0x4F, name = "VehicleWinch", filter = "vehicle_winch", direction = "C2S", lane = "reliable", event_id_at = 9, fields = {
        { "token", "u64", "the sender's session token", hex = true },
        { "event_id", "u32" },
        { "vehicle_id", "u32", "the load, never 0xFFFFFFFF", exclude = { 4294967295 } },
        { "vehicle_epoch", "u8" },
        { "heli_id", "u32", "the helicopter whose magnet picked it up; 0xFFFFFFFF = released" },
        { "heli_epoch", "u8", "0 on release" },
    } },
    { id = 0x50, name = "VehicleLift", filter = "vehicle_lift", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32" },
        { "vehicle_id", "u32", "the load" },
        { "heli_id", "u32", "the helicopter whose winch carries it; 0xFFFFFFFF = none" },
    } },
    { id = 0x51, name = "GarageDoors", filter = "garage_doors", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32", "position in the Server → Client stream" },
        { "open", "u64", "bit i = the door of the game's garage i (0..=49) is open", mask = 0x3FFFFFFFFFFFF, hex = true, explain = true },
    } },
    { id = 0x52, name = "VehicleTuning", filter = "vehicle_tuning", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32" },
        { "vehicle_id", "u32" },
        { "components", "u16", "the part of each kind (index = kind), 0 = none, else 1000..=1193", array = 17 },
        { "paintjob", "u8", "0..=7, 0xFF = plain colors", values = { 0, 1, 2, 3, 4, 5, 6, 7, 255 } },
        { "plate", "u8", "ASCII A-Z, 0-9, space; all 0 = the game's plate", array = 8 },
        { "dirt", "u8", "0..=15, 0xFF = not set", values = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 255 } },
        { "flags", "u8", "bit0 taxi light", mask = 0x1, hex = true, explain = true },
        { "nitro", "u8", "nitro charges left, 0..=100; 0 without nitro", max = 100 },
    } },
    { id = 0x53, name = "VehicleHandling", filter = "vehicle_handling", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32" },
        { "vehicle_id", "u32" },
        { "mask", "u32", "bit i = property i is set by the gamemode", mask = 0x1FFFFF, hex = true, explain = true },
        { "values", "f32", "the value of a set property (HANDLING.CFG units), 0 for one not set", array = 21, finite = true },
    } },
    { id = 0x54, name = "VehicleTransform", filter = "vehicle_transform", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32" },
        { "vehicle_id", "u32" },
        { "epoch", "u8", "the vehicle generation" },
        { "relay_seq", "u32", "the vehicle's relay serial at the time of the command" },
        { "pose_rev", "u16", "the new transform revision" },
        { "flags", "u8", "bit0 position, 1 rotation, 2 velocity, 3 angular velocity, 4 frozen (only with bit0 and bit1)", mask = 0x1F, hex = true, explain = true },
        { "pos", "f32", "world position", array = 3, finite = true },
        { "rot", "f32", "unit quaternion x, y, z, w", array = 4, finite = true },
        { "move_speed", "f32", "velocity, units per physics step", array = 3, finite = true },
        { "turn_speed", "f32", "angular velocity, radians per physics step", array = 3, finite = true },
    } },
    { id = 0x55, name = "VehicleColors", filter = "vehicle_colors", direction = "S2C", lane = "reliable, droppable", event_id_at = 1, fields = {
        { "event_id", "u32" },
        { "vehicle_id", "u32" },
        { "color1", "u8", "primary color index", max = 127 },
        { "color2", "u8", "secondary color index", max = 127 },
    } },
    { id = 0x56, name = "SetFightingStyle", filter = "set_fighting_style", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32" },
        { "player_id", "u32" },
        { "player_token", "u32" },
        { "style", "u8", "", values = { 4, 5, 6, 7, 15, 16 } },
    } },
    { id = 0x57, name = "SetHeadless", filter = "set_headless", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32" },
        { "player_id", "u32" },
        { "player_token", "u32" },
        { "headless", "u8", "", max = 1 },
    } },
    { id = 0x58, name = "SetOnFire", filter = "set_on_fire", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32" },
        { "on_fire", "u8", "", max = 1 },
    } },
    { id = 0x59, name = "SetSpecialAction", filter = "set_special_action", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32" },
        { "action", "u8", "", max = 25 },
    } },
    { id = 0x5A, name = "CreateExplosion", filter = "create_explosion", direction = "S2C", lane = "reliable, droppable", event_id_at = 1, fields = {
        { "event_id", "u32" },
        { "x", "f32", "explosion point", min = -6000.0, max = 6000.0, finite = true },
        { "y", "f32", "", min = -6000.0, max = 6000.0, finite = true },
        { "z", "f32", "", min = -200.0, max = 4000.0, finite = true },
        { "type", "u8", "0 grenade, 1 molotov, 2 rocket, 3 weak rocket, 4 car, 5 quick car, 6 boat, 7 aircraft, 8 mine, 9 object, 10 tank shell, 11 small, 12 tiny", max = 12, explain = true },
        { "creator_present", "u8", "1 there is a creator, 0 none", max = 1, explain = true },
        { "creator_id", "u32" },
        { "creator_token", "u32", "the creator's generation" },
        { "relation_rev", "u32", "ignored without a creator" },
        { "teammate", "u8" },
    } },
    { id = 0x5B, name = "DetonateSatchels", filter = "detonate_satchels", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32" },
        { "through_event", "u32", "the last client-to-server reliable event of this player the server processed" },
    } },
    { id = 0x5C, name = "DestroySatchels", filter = "destroy_satchels", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32" },
        { "from_event", "u32", "first client-to-server reliable event of the throws; 0 also covers satchels the server does not know of" },
        { "through_event", "u32", "last client-to-server reliable event of the throws" },
    } },
    { id = 0x5D, name = "ScopeChanged", filter = "scope_changed", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32" },
        { "interior", "u8" },
        { "virtual_world", "u32" },
    } },
    { id = 0x5E, name = "CreateFire", filter = "create_fire", direction = "S2C", lane = "reliable, droppable", event_id_at = 1, fields = {
        { "event_id", "u32" },
        { "x", "f32", "fire point", min = -6000.0, max = 6000.0, finite = true },
        { "y", "f32", "", min = -6000.0, max = 6000.0, finite = true },
        { "z", "f32", "", min = -200.0, max = 4000.0, finite = true },
        { "size", "f32", "fire strength: flame size", min = 1.0, max = 3.0, finite = true },
        { "creator_present", "u8", "1 there is a creator, 0 none", max = 1, explain = true },
        { "creator_id", "u32" },
        { "creator_token", "u32", "the creator's generation" },
        { "relation_rev", "u32", "ignored without a creator" },
        { "teammate", "u8" },
    } },
    { id = 0x5F, name = "ExtinguishFire", filter = "extinguish_fire", direction = "S2C", lane = "reliable, droppable", event_id_at = 1, fields = {
        { "event_id", "u32" },
        { "x", "f32", "center", min = -6000.0, max = 6000.0, finite = true },
        { "y", "f32", "", min = -6000.0, max = 6000.0, finite = true },
        { "z", "f32", "", min = -200.0, max = 4000.0, finite = true },
        { "radius", "f32", "meters, (0, 100]", min = 0.0, max = 100.0, finite = true, nonzero = true },
    } },
    { id = 0x60, name = "WeaponProperties", filter = "weapon_properties", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32" },
        { "weapon", "u8", "", values = { 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 38 } },
        { "skill", "u8", "tier: 0 poor, 1 std, 2 pro", max = 2 },
        { "mask", "u16", "bit i = property i is set by the gamemode", mask = 0x3FFF, hex = true, explain = true },
        { "values", "f32", "0 when not set; damage, range, accuracy, clip, fire loop start / end / fire time, the same crouched, move_speed, move_and_aim, move_and_fire, heavy", array = 14, finite = true },
        { "rev", "u16", "the properties revision this record belongs to" },
        { "following", "u8", "how many records of the same revision follow: documented 0..=35, 0 for a change" },
    } },
    { id = 0x61, name = "UiTheme", filter = "ui_theme", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32", "position in the Server → Client stream" },
        { "colors", "u32", "RGBA: background, panel, text, dim text, accent, success, warning, error", array = 8, hex = true },
        { "rounding", "u8", "corner radius, px", max = 32 },
        { "opacity", "u8", "of backgrounds, percent", min = 20, max = 100 },
        { "font_scale", "u8", "percent", min = 50, max = 200 },
    } },
    { id = 0x62, name = "PlatformKeys", filter = "platform_keys", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32", "position in the Server → Client stream" },
        { "disabled", "u16", "bit0 chat, bit1 player list, bit2 map, bit3 hide HUD, bit4 hide nametags, bit5 offer keys", mask = 0x3F, hex = true, explain = true },
    } },
    { id = 0x63, name = "ActionDeclare", filter = "action_declare", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32", "position in the Server → Client stream" },
        { "action_id", "u32", "the server's action id", exclude = { 4294967295 } },
        { "key", "u8", "default key, a Windows virtual-key code (1, 2, 4..6 are mouse buttons)", min = 1, max = 254 },
        { "modifiers", "u8", "held with it: bit0 Ctrl, bit1 Shift, bit2 Alt", mask = 0x7, hex = true, explain = true },
        { "flags", "u8", "bit0 releases are sent too; works bit1 on foot, bit2 in a vehicle, bit3 while not alive", mask = 0xF, hex = true, explain = true },
        { "name", "str8", "identifier the client keeps a player's own key under", min = 1, max = 32 },
        { "label", "str8", "shown in the key settings and prompts", min = 1, max = 64 },
    } },
    { id = 0x64, name = "ActionRemove", filter = "action_remove", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32", "position in the Server → Client stream" },
        { "action_id", "u32", "0xFFFFFFFF = every action" },
    } },
    { id = 0x65, name = "ActionInput", filter = "action_input", direction = "C2S", lane = "reliable", event_id_at = 9, fields = {
        { "token", "u64", "the sender's session token", hex = true },
        { "event_id", "u32", "position in the Client → Server stream" },
        { "action_id", "u32", "from ActionDeclare", exclude = { 4294967295 } },
        { "pressed", "u8", "1 pressed, 0 released", max = 1, explain = true },
    } },
    { id = 0x66, name = "Label3D", filter = "label_3d", direction = "S2C", lane = "reliable, droppable", event_id_at = 1, fields = {
        { "event_id", "u32", "position in the Server → Client stream" },
        { "label_id", "u32", "the server's label id, not reused", exclude = { 4294967295 } },
        { "active", "u8", "1 show, 0 hide", max = 1, explain = true },
        { "parent_kind", "u8", "0 none, 1 player, 2 vehicle, 3 object", max = 3, explain = true },
        { "parent_id", "u32", "what it hangs on; 0xFFFFFFFF = nothing" },
        { "parent_token", "u32", "generation of a player, otherwise 0" },
        { "x", "f32", "world position, or offset in the parent's axes", min = -6000.0, max = 6000.0, finite = true },
        { "y", "f32", "", min = -6000.0, max = 6000.0, finite = true },
        { "z", "f32", "", min = -200.0, max = 4000.0, finite = true },
        { "color", "u32", "RGBA", hex = true },
        { "draw_distance", "u16", "m; drawn up to this distance from the camera", max = 300 },
        { "flags", "u8", "bit0 hidden behind walls", mask = 0x1, hex = true, explain = true },
        { "text", "str16", "one or more lines", max = 600 },
    } },
    { id = 0x67, name = "Checkpoint", filter = "checkpoint", direction = "S2C", lane = "reliable, droppable", event_id_at = 1, fields = {
        { "event_id", "u32", "position in the Server → Client stream" },
        { "checkpoint_id", "u32", "the server's checkpoint id, not reused", exclude = { 4294967295 } },
        { "active", "u8", "1 show, 0 hide", max = 1, explain = true },
        { "kind", "u8", "0 cylinder, 1 race, 2 race finish, 3 air ring, 4 air finish, 5 arrow, 6 corona", max = 6, explain = true },
        { "x", "f32", "world position: the foot of kinds 0..=2, the center of the others", min = -6000.0, max = 6000.0, finite = true },
        { "y", "f32", "", min = -6000.0, max = 6000.0, finite = true },
        { "z", "f32", "", min = -200.0, max = 4000.0, finite = true },
        { "next_x", "f32", "where the next one is (kinds 1 and 3 point there); 0 without bit1", min = -6000.0, max = 6000.0, finite = true },
        { "next_y", "f32", "", min = -6000.0, max = 6000.0, finite = true },
        { "next_z", "f32", "", min = -200.0, max = 4000.0, finite = true },
        { "radius", "f32", "m", min = 0.0, max = 100.0, finite = true },
        { "color", "u32", "RGBA", hex = true },
        { "flags", "u8", "bit0 radar dot, bit1 next point set", mask = 0x3, hex = true, explain = true },
    } },
    { id = 0x68, name = "Blip", filter = "blip", direction = "S2C", lane = "reliable, droppable", event_id_at = 1, fields = {
        { "event_id", "u32", "position in the Server → Client stream" },
        { "blip_id", "u32", "the server's blip id, not reused", exclude = { 4294967295 } },
        { "active", "u8", "1 show, 0 hide", max = 1, explain = true },
        { "icon", "u8", "the game's radar icon; 0 = a square of the blip's color", max = 63 },
        { "parent_kind", "u8", "0 none, 1 player, 2 vehicle, 3 object", max = 3, explain = true },
        { "parent_id", "u32", "what it follows; 0xFFFFFFFF = nothing" },
        { "parent_token", "u32", "generation of a player, otherwise 0" },
        { "x", "f32", "world position; of a parent: where it last was", min = -6000.0, max = 6000.0, finite = true },
        { "y", "f32", "", min = -6000.0, max = 6000.0, finite = true },
        { "z", "f32", "", min = -200.0, max = 4000.0, finite = true },
        { "color", "u32", "RGBA; of icon 0", hex = true },
        { "size", "u8", "1..=4, 2 is the game's; of icon 0", max = 4 },
        { "flags", "u8", "bit0 not kept at the radar's edge, bit1 flashes, bit2 not on the map screen", mask = 0x7, hex = true, explain = true },
        { "draw_distance", "u16", "m from the player; 0 = any distance", max = 12000 },
        { "text", "str8", "name in the map's legend; empty = none", max = 64 },
    } },
    { id = 0x69, name = "DialogShow", filter = "dialog_show", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32", "position in the Server → Client stream" },
        { "dialog_id", "u32", "this showing's id, not reused on the connection", exclude = { 4294967295 } },
        { "part", "u8", "0 for the first packet", max = 4 },
        { "following", "u8", "how many packets of this dialog follow", max = 4 },
        { "kind", "u8", "0 message, 1 input, 2 password input", max = 2, explain = true },
        { "max_length", "u8", "of the input, bytes; 0 for a message" },
        { "title", "str8", "heading", max = 96 },
        { "body", "str16", "text, or its next piece", max = 800 },
        { "button1", "str8", "the confirming button", max = 32 },
        { "button2", "str8", "the other one; empty = none", max = 32 },
        { "value", "str8", "initial input", max = 128 },
    } },
    { id = 0x6A, name = "DialogHide", filter = "dialog_hide", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32", "position in the Server → Client stream" },
        { "dialog_id", "u32", "0xFFFFFFFF = whichever is open" },
    } },
    { id = 0x6B, name = "DialogResponse", filter = "dialog_response", direction = "C2S", lane = "reliable", event_id_at = 9, fields = {
        { "token", "u64", "the sender's session token", hex = true },
        { "event_id", "u32", "position in the Client → Server stream" },
        { "dialog_id", "u32", "from DialogShow or DialogTable", exclude = { 4294967295 } },
        { "button", "u8", "1 = button1, 0 = button2 or Escape", max = 1, explain = true },
        { "row", "u16", "table: the chosen row; 0xFFFF = none" },
        { "text", "str8", "input: what was typed", max = 255 },
    } },
    { id = 0x6C, name = "HudAnnouncement", filter = "hud_announcement", direction = "S2C", lane = "reliable, droppable", event_id_at = 1, fields = {
        { "event_id", "u32", "position in the Server → Client stream" },
        { "style", "u8", "0 center, 1 banner at the top, 2 subtitle at the bottom, 3 mission passed, 4 wasted", max = 4, explain = true },
        { "color", "u32", "RGBA of text", hex = true },
        { "duration_ms", "u32", "ms on the screen, fades included", min = 200, max = 60000 },
        { "text", "str16", "large text", min = 1, max = 256 },
        { "subtext", "str8", "smaller line below; empty = none", max = 128 },
    } },
    { id = 0x6D, name = "HudCountdown", filter = "hud_countdown", direction = "S2C", lane = "reliable, droppable", event_id_at = 1, fields = {
        { "event_id", "u32", "position in the Server → Client stream" },
        { "active", "u8", "1 show or restart, 0 remove", max = 1, explain = true },
        { "style", "u8", "0 a timer mm:ss, 1 large seconds with a beep", max = 1, explain = true },
        { "duration_ms", "u32", "left when the packet is sent, ms", max = 86400000 },
        { "color", "u32", "RGBA", hex = true },
        { "text", "str8", "caption", max = 64 },
        { "end_text", "str8", "shown for 1.5 s at the end (GO!); empty = nothing", max = 32 },
    } },
    { id = 0x6E, name = "HudStatusLine", filter = "hud_status_line", direction = "S2C", lane = "reliable, droppable", event_id_at = 1, fields = {
        { "event_id", "u32", "position in the Server → Client stream" },
        { "slot", "u8", "line, from the top", max = 7 },
        { "active", "u8", "1 show, 0 remove", max = 1, explain = true },
        { "color", "u32", "RGBA", hex = true },
        { "text", "str8", "the line", max = 128 },
    } },
    { id = 0x6F, name = "HudKillFeedAdd", filter = "hud_kill_feed_add", direction = "S2C", lane = "reliable, droppable", event_id_at = 1, fields = {
        { "event_id", "u32", "position in the Server → Client stream" },
        { "weapon", "u8", "icon: the weapon of player_death, 0..=54; 55 = a skull", max = 55 },
        { "flags", "u8", "bit0 headshot mark", mask = 0x1, hex = true, explain = true },
        { "killer_color", "u32", "RGBA; 0 without a killer", hex = true },
        { "victim_color", "u32", "RGBA", hex = true },
        { "killer", "str8", "name; empty = no killer", max = 72 },
        { "victim", "str8", "name", min = 1, max = 72 },
    } },
    { id = 0x70, name = "HudKillFeedClear", filter = "hud_kill_feed_clear", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32", "position in the Server → Client stream" },
    } },
    { id = 0x71, name = "GangZone", filter = "gang_zone", direction = "S2C", lane = "reliable, droppable", event_id_at = 1, fields = {
        { "event_id", "u32", "position in the Server → Client stream" },
        { "zone_id", "u32", "the server's zone id, not reused", exclude = { 4294967295 } },
        { "active", "u8", "1 show, 0 hide", max = 1, explain = true },
        { "min_x", "f32", "south-west corner", min = -6000.0, max = 6000.0, finite = true },
        { "min_y", "f32", "", min = -6000.0, max = 6000.0, finite = true },
        { "max_x", "f32", "north-east corner", min = -6000.0, max = 6000.0, finite = true },
        { "max_y", "f32", "", min = -6000.0, max = 6000.0, finite = true },
        { "color", "u32", "RGBA", hex = true },
        { "flash_color", "u32", "RGBA it flashes in; 0 = does not flash", hex = true },
    } },
    { id = 0x72, name = "SetFrozen", filter = "set_frozen", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32" },
        { "frozen", "u8", "", max = 1 },
    } },
    { id = 0x73, name = "SetCamera", filter = "set_camera", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32" },
        { "active", "u8", "0 gives the camera back", max = 1 },
        { "pos", "f32", "", array = 3, finite = true },
        { "target", "f32", "", array = 3, finite = true },
        { "move_ms", "u32", "0 cuts", max = 600000 },
    } },
    { id = 0x74, name = "PlayerNametag", filter = "player_nametag", direction = "S2C", lane = "reliable, droppable", event_id_at = 1, fields = {
        { "event_id", "u32", "position in the Server → Client stream" },
        { "player_id", "u32", "whose nametag", exclude = { 4294967295 } },
        { "player_token", "u32", "its generation" },
        { "active", "u8", "1 as given here, 0 the default nametag", max = 1, explain = true },
        { "flags", "u8", "bit0 name, bit1 health bar, bit2 armor bar, bit3 seen through walls", mask = 0xF, hex = true, explain = true },
        { "color", "u32", "RGBA of the name", hex = true },
        { "draw_distance", "u16", "m, 5..=300; 0 = the default 70", max = 300 },
        { "name", "str8", "instead of the player's name; empty = its name", max = 96 },
        { "title", "str8", "line above the name; empty = none", max = 96 },
    } },
    { id = 0x75, name = "PlayerListEntry", filter = "player_list_entry", direction = "S2C", lane = "reliable, droppable", event_id_at = 1, fields = {
        { "event_id", "u32", "position in the Server → Client stream" },
        { "player_id", "u32", "whose entry", exclude = { 4294967295 } },
        { "player_token", "u32", "its generation" },
        { "active", "u8", "1 listed, 0 not listed", max = 1, explain = true },
        { "color", "u32", "RGBA of the name, here and in the default nametag", hex = true },
        { "score", "i32", "set by the gamemode" },
        { "ping", "u16", "round trip, ms, rounded to 5" },
        { "name", "str8", "the player's name", max = 72 },
        { "info", "str8", "free column (team, rank); empty = none", max = 32 },
    } },
    { id = 0x76, name = "ConnectReject", filter = "connect_reject", direction = "S2C", lane = "unreliable", fields = {
        { "client_nonce", "u64", "", nonzero = true, hex = true },
        { "reason", "u8", "1 full, 2 banned, 3 bad name, 4 name taken, 5 wrong password, 6 account required, 7 not on the allow list, 8 shutting down, 9 too many connections from this address, 10 no world to join", min = 1, max = 10, explain = true },
        { "detail", "str8", "", max = 127 },
    } },
    { id = 0x77, name = "DialogTableRows", filter = "dialog_table_rows", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32", "position in the Server → Client stream" },
        { "dialog_id", "u32", "the table these rows are for", exclude = { 4294967295 } },
        { "first", "u16", "index of the first row in the packet", max = 999 },
        { "count", "u8", "rows in the packet", min = 1 },
        { "columns", "u8", "cells in a row", min = 1, max = 8 },
        { "text", "str16", "cells separated by TAB, rows by LF", max = 1150 },
    } },
    { id = 0x78, name = "DialogTable", filter = "dialog_table", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32", "position in the Server → Client stream" },
        { "dialog_id", "u32", "this showing's id, not reused on the connection", exclude = { 4294967295 } },
        { "rows", "u16", "rows of the table, all of them already sent", max = 1000 },
        { "flags", "u8", "bit0 column headings, bit1 a search box", mask = 0x3, hex = true, explain = true },
        { "title", "str8", "heading", max = 96 },
        { "body", "str16", "text above the table", max = 300 },
        { "button1", "str8", "the confirming button", min = 1, max = 32 },
        { "button2", "str8", "the other one; empty = none", max = 32 },
        { "columns", "list8", "left to right", of = "TableColumn", min = 1, max = 8 },
    } },
    { id = 0x79, name = "ActionPrompt", filter = "action_prompt", direction = "S2C", lane = "reliable, droppable", event_id_at = 1, fields = {
        { "event_id", "u32", "position in the Server → Client stream" },
        { "action_id", "u32", "the action whose key is shown", exclude = { 4294967295 } },
        { "active", "u8", "1 show, 0 remove", max = 1, explain = true },
        { "anchor", "u8", "0 on the HUD, 1 at a point in the world", max = 1, explain = true },
        { "x", "f32", "the point; 0 on the HUD", min = -6000.0, max = 6000.0, finite = true },
        { "y", "f32", "", min = -6000.0, max = 6000.0, finite = true },
        { "z", "f32", "", min = -200.0, max = 4000.0, finite = true },
        { "hold_ms", "u16", "how long the key must be held; 0 = a press", max = 10000 },
        { "text", "str8", "beside the key; empty = the action's label", max = 96 },
    } },
    { id = 0x7A, name = "HudProgress", filter = "hud_progress", direction = "S2C", lane = "reliable, droppable", event_id_at = 1, fields = {
        { "event_id", "u32", "position in the Server → Client stream" },
        { "slot", "u8", "bar, from the bottom", max = 3 },
        { "active", "u8", "1 show, 0 remove", max = 1, explain = true },
        { "value", "f32", "share filled when the packet is sent", min = 0.0, max = 1.0, finite = true },
        { "target", "f32", "share filled at the end", min = 0.0, max = 1.0, finite = true },
        { "duration_ms", "u32", "from value to target, ms; 0 = stands still", max = 3600000 },
        { "color", "u32", "RGBA", hex = true },
        { "text", "str8", "caption; empty = none", max = 96 },
    } },
    { id = 0x7B, name = "HudNotificationAdd", filter = "hud_notification_add", direction = "S2C", lane = "reliable, droppable", event_id_at = 1, fields = {
        { "event_id", "u32", "position in the Server → Client stream" },
        { "notification_id", "u32", "the server's id, not reused on the connection", exclude = { 4294967295 } },
        { "kind", "u8", "0 info, 1 success, 2 warning, 3 error", max = 3, explain = true },
        { "duration_ms", "u32", "ms, at least 500; 0 = until cleared", max = 600000 },
        { "title", "str8", "heading; empty = none", max = 64 },
        { "text", "str16", "one or more lines", min = 1, max = 300 },
    } },
    { id = 0x7C, name = "HudNotificationClear", filter = "hud_notification_clear", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32", "position in the Server → Client stream" },
        { "notification_id", "u32", "0xFFFFFFFF = all" },
    } },
    { id = 0x7D, name = "DialogForm", filter = "dialog_form", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32", "position in the Server → Client stream" },
        { "dialog_id", "u32", "this showing's id, not reused on the connection", exclude = { 4294967295 } },
        { "part", "u8", "0 for the first packet", max = 11 },
        { "following", "u8", "how many packets of this form follow", max = 11 },
        { "title", "str8", "heading", max = 96 },
        { "body", "str16", "text above the fields", max = 240 },
        { "button1", "str8", "the confirming button", max = 32 },
        { "button2", "str8", "the other one; empty = none", max = 32 },
        { "inputs", "list8", "the next fields, top to bottom", of = "FormField", min = 1, max = 2 },
    } },
    { id = 0x7E, name = "DialogFormResponse", filter = "dialog_form_response", direction = "C2S", lane = "reliable", event_id_at = 9, fields = {
        { "token", "u64", "the sender's session token", hex = true },
        { "event_id", "u32", "position in the Client → Server stream" },
        { "dialog_id", "u32", "from DialogForm", exclude = { 4294967295 } },
        { "button", "u8", "1 = button1, 0 = button2 or Escape", max = 1, explain = true },
        { "values", "list8", "one for each field, in order", of = "FormValue", max = 12 },
    } },
    { id = 0x7F, name = "MenuItems", filter = "menu_items", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32", "position in the Server → Client stream" },
        { "menu_id", "u32", "the menu these items are for", exclude = { 4294967295 } },
        { "first", "u8", "index of the first item in the packet", max = 99 },
        { "items", "list8", "items first, first + 1, …", of = "MenuItem", min = 1, max = 10 },
    } },
    { id = 0x80, name = "MenuShow", filter = "menu_show", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32", "position in the Server → Client stream" },
        { "menu_id", "u32", "this showing's id, not reused on the connection", exclude = { 4294967295 } },
        { "items", "u8", "items of the menu, all of them already sent", min = 1, max = 100 },
        { "selected", "u8", "item highlighted first", max = 99 },
        { "flags", "u8", "bit0 movement keys are off, bit1 the player cannot close it, bit2 highlights are sent", mask = 0x7, hex = true, explain = true },
        { "anchor", "u8", "place on the screen, a 3 × 3 grid row by row from the top left", max = 8 },
        { "title", "str8", "heading", max = 64 },
        { "subtitle", "str8", "line below it; empty = none", max = 96 },
    } },
    { id = 0x81, name = "MenuHide", filter = "menu_hide", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32", "position in the Server → Client stream" },
        { "menu_id", "u32", "0xFFFFFFFF = whichever is open" },
    } },
    { id = 0x82, name = "MenuInput", filter = "menu_input", direction = "C2S", lane = "reliable", event_id_at = 9, fields = {
        { "token", "u64", "the sender's session token", hex = true },
        { "event_id", "u32", "position in the Client → Server stream" },
        { "menu_id", "u32", "from MenuShow", exclude = { 4294967295 } },
        { "input", "u8", "0 chosen, 1 highlighted, 2 left, 3 right, 4 closed", max = 4, explain = true },
        { "item", "u8", "the item; 0 when closed", max = 99 },
    } },
    { id = 0x83, name = "OfferShow", filter = "offer_show", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32", "position in the Server → Client stream" },
        { "offer_id", "u32", "the server's offer id, not reused on the connection", exclude = { 4294967295 } },
        { "player_id", "u32", "who makes the offer; 0xFFFFFFFF = no player" },
        { "player_token", "u32", "generation; 0 with no player" },
        { "timeout_ms", "u32", "left to answer when the packet is sent, ms; 0 = no limit", max = 300000 },
        { "title", "str8", "heading", min = 1, max = 64 },
        { "text", "str16", "what is offered", min = 1, max = 300 },
        { "accept", "str8", "word for accepting; empty = the client's", max = 24 },
        { "decline", "str8", "word for declining; empty = the client's", max = 24 },
    } },
    { id = 0x84, name = "OfferHide", filter = "offer_hide", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32", "position in the Server → Client stream" },
        { "offer_id", "u32", "0xFFFFFFFF = all" },
    } },
    { id = 0x85, name = "OfferResponse", filter = "offer_response", direction = "C2S", lane = "reliable", event_id_at = 9, fields = {
        { "token", "u64", "the sender's session token", hex = true },
        { "event_id", "u32", "position in the Client → Server stream" },
        { "offer_id", "u32", "from OfferShow", exclude = { 4294967295 } },
        { "accepted", "u8", "1 accepted, 0 declined", max = 1, explain = true },
    } },
    { id = 0x86, name = "ObjectiveMarker", filter = "objective_marker", direction = "S2C", lane = "reliable, droppable", event_id_at = 1, fields = {
        { "event_id", "u32", "position in the Server → Client stream" },
        { "marker_id", "u32", "the server's marker id, not reused", exclude = { 4294967295 } },
        { "active", "u8", "1 show, 0 remove", max = 1, explain = true },
        { "parent_kind", "u8", "0 none, 1 player, 2 vehicle, 3 object", max = 3, explain = true },
        { "parent_id", "u32", "what it follows; 0xFFFFFFFF = nothing" },
        { "parent_token", "u32", "generation of a player, otherwise 0" },
        { "x", "f32", "world position; of a parent: where it last was", min = -6000.0, max = 6000.0, finite = true },
        { "y", "f32", "", min = -6000.0, max = 6000.0, finite = true },
        { "z", "f32", "", min = -200.0, max = 4000.0, finite = true },
        { "color", "u32", "RGBA", hex = true },
        { "icon", "u8", "as Blip.icon; 0 = an arrow", max = 63 },
        { "flags", "u8", "bit0 distance shown, bit1 kept at the screen's edge, bit2 on the radar too", mask = 0x7, hex = true, explain = true },
        { "text", "str8", "beside it; empty = none", max = 64 },
    } },
    { id = 0x87, name = "HudGauge", filter = "hud_gauge", direction = "S2C", lane = "reliable, droppable", event_id_at = 1, fields = {
        { "event_id", "u32", "position in the Server → Client stream" },
        { "slot", "u8", "gauge, from the top", max = 7 },
        { "active", "u8", "1 show, 0 remove", max = 1, explain = true },
        { "icon", "u8", "0 none, 1 food, 2 drink, 3 energy, 4 fuel, 5 oxygen, 6 heat, 7 star", max = 7, explain = true },
        { "value", "f32", "low..=high", finite = true },
        { "low", "f32", "empty", finite = true },
        { "high", "f32", "full", finite = true },
        { "color", "u32", "RGBA", hex = true },
        { "flags", "u8", "bit0 the number is shown, bit1 blinks in the lowest fifth", mask = 0x3, hex = true, explain = true },
        { "text", "str8", "caption; empty = none", max = 32 },
    } },
    { id = 0x88, name = "HudSpeedometer", filter = "hud_speedometer", direction = "S2C", lane = "reliable, droppable", event_id_at = 1, fields = {
        { "event_id", "u32", "position in the Server → Client stream" },
        { "active", "u8", "1 shown while in a vehicle, 0 off", max = 1, explain = true },
        { "unit", "u8", "0 km/h, 1 mph", max = 1, explain = true },
        { "max_speed", "u16", "end of the scale, in unit", max = 1000 },
        { "flags", "u8", "bit0 gear, bit1 vehicle health, bit2 engine / lights / lock lamps, bit3 fuel", mask = 0xF, hex = true, explain = true },
        { "fuel", "f32", "share of a full tank; 0 without bit3", min = 0.0, max = 1.0, finite = true },
    } },
    { id = 0x89, name = "PlayerChatBubble", filter = "player_chat_bubble", direction = "S2C", lane = "reliable, droppable", event_id_at = 1, fields = {
        { "event_id", "u32", "position in the Server → Client stream" },
        { "player_id", "u32", "above whose head", exclude = { 4294967295 } },
        { "player_token", "u32", "its generation" },
        { "color", "u32", "RGBA", hex = true },
        { "draw_distance", "u16", "m", min = 1, max = 100 },
        { "duration_ms", "u32", "ms", min = 500, max = 60000 },
        { "text", "str8", "what is shown", min = 1, max = 255 },
    } },
    { id = 0x8A, name = "ObjectState", filter = "object_state", direction = "S2C", lane = "reliable, droppable", event_id_at = 1, fields = {
        { "event_id", "u32", "position in the Server → Client stream" },
        { "object_id", "u32", "the server's object id, not reused", exclude = { 4294967295 } },
        { "active", "u8", "1 show, 0 hide", max = 1, explain = true },
        { "model", "u16", "object model", max = 19999 },
        { "flags", "u8", "bit0 collision, bit1 broken, bit2 the camera passes through, bit3 moving", mask = 0xF, hex = true, explain = true },
        { "parent_kind", "u8", "0 none, 1 player, 2 vehicle, 3 object", max = 3, explain = true },
        { "parent_id", "u32", "what it is attached to; 0xFFFFFFFF = nothing" },
        { "parent_token", "u32", "generation of a player, otherwise 0" },
        { "bone", "u8", "the player's bone, see the table; 0 = the body", max = 18 },
        { "x", "f32", "world position (moving: at the start of the move), or offset in the parent's axes", min = -6000.0, max = 6000.0, finite = true },
        { "y", "f32", "", min = -6000.0, max = 6000.0, finite = true },
        { "z", "f32", "", min = -200.0, max = 4000.0, finite = true },
        { "rx", "f32", "rotation, degrees (moving: at the start); of an attached object relative to the parent", min = -36000.0, max = 36000.0, finite = true },
        { "ry", "f32", "", min = -36000.0, max = 36000.0, finite = true },
        { "rz", "f32", "", min = -36000.0, max = 36000.0, finite = true },
        { "scale", "f32", "along the object's x, y, z; 1 = the model's", array = 3, min = 0.0, max = 50.0, finite = true },
        { "draw_distance", "u16", "m; 0 = the model's own", max = 1000 },
        { "move_x", "f32", "end of the move: position", min = -6000.0, max = 6000.0, finite = true },
        { "move_y", "f32", "", min = -6000.0, max = 6000.0, finite = true },
        { "move_z", "f32", "", min = -200.0, max = 4000.0, finite = true },
        { "move_rx", "f32", "end of the move: rotation, degrees", min = -36000.0, max = 36000.0, finite = true },
        { "move_ry", "f32", "", min = -36000.0, max = 36000.0, finite = true },
        { "move_rz", "f32", "", min = -36000.0, max = 36000.0, finite = true },
        { "move_ms", "u32", "length of the move, ms", max = 3600000 },
        { "move_elapsed", "u32", "how long it has been running when the packet is sent, ms", max = 3600000 },
        { "easing", "u8", "0 linear, 1 slow start, 2 slow end, 3 both", max = 3, explain = true },
        { "materials", "list8", "replaced materials; the others are the model's", of = "ObjectMaterial", max = 8 },
    } },
    { id = 0x8B, name = "ConnectChallenge", filter = "connect_challenge", direction = "S2C", lane = "unreliable", fields = {
        { "client_nonce", "u64", "", nonzero = true, hex = true },
        { "cookie", "u64", "", nonzero = true, hex = true },
    } },
    { id = 0x8C, name = "ServerKeepalive", filter = "server_keepalive", direction = "S2C", lane = "unreliable", fields = {
        { "stamp", "u32", "server clock, ms, wraps" },
        { "rtt", "u16", "the server's smoothed round trip of this connection, ms, capped at 65535" },
    } },
    { id = 0x8D, name = "EntityEdit", filter = "entity_edit", direction = "C2S", lane = "reliable", event_id_at = 9, fields = {
        { "token", "u64", "the sender's session token", hex = true },
        { "event_id", "u32", "position in the Client → Server stream" },
        { "session", "u32", "from EditState", nonzero = true },
        { "op", "u8", "0 select, 1 drag, 2 place, 3 create, 4 clone, 5 delete, 6 release", max = 6, explain = true },
        { "kind", "u8", "0 object, 1 vehicle, 2 pickup, 3 label, 4 checkpoint", max = 4, explain = true },
        { "entity_id", "u32", "the entity (clone: the one copied); 0xFFFFFFFF for create" },
        { "model", "u16", "create: the model; otherwise 0", max = 19999 },
        { "x", "f32", "where it goes; of an attached object its offset", min = -6000.0, max = 6000.0, finite = true },
        { "y", "f32", "", min = -6000.0, max = 6000.0, finite = true },
        { "z", "f32", "", min = -200.0, max = 4000.0, finite = true },
        { "rx", "f32", "rotation, degrees", min = -36000.0, max = 36000.0, finite = true },
        { "ry", "f32", "", min = -36000.0, max = 36000.0, finite = true },
        { "rz", "f32", "", min = -36000.0, max = 36000.0, finite = true },
        { "scale", "f32", "objects: as ObjectState.scale", array = 3, min = 0.0, max = 50.0, finite = true },
    } },
    { id = 0x8E, name = "EditCamera", filter = "edit_camera", direction = "C2S", lane = "unreliable", fields = {
        { "token", "u64", "the sender's session token", hex = true },
        { "seq", "u32", "the sender's camera counter, newer by serial number arithmetic" },
        { "session", "u32", "from EditState", nonzero = true },
        { "x", "f32", "the free camera", min = -6000.0, max = 6000.0, finite = true },
        { "y", "f32", "", min = -6000.0, max = 6000.0, finite = true },
        { "z", "f32", "", min = -200.0, max = 4000.0, finite = true },
    } },
    { id = 0x8F, name = "EditState", filter = "edit_state", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32", "position in the Server → Client stream" },
        { "session", "u32", "the edit session, not reused on the connection", nonzero = true },
        { "active", "u8", "1 the session runs, 0 it has ended", max = 1, explain = true },
        { "kinds", "u8", "bit i = entities of EntityEdit.kind i may be edited", mask = 0x1F, hex = true, explain = true },
        { "flags", "u8", "bit0 may create and clone, bit1 may delete, bit2 only the selected entity, bit3 free camera", mask = 0xF, hex = true, explain = true },
        { "selected_kind", "u8", "as EntityEdit.kind", max = 4 },
        { "selected_id", "u32", "the selected entity; 0xFFFFFFFF = none" },
        { "answered", "u32", "event_id of the EntityEdit answered; 0 = none" },
        { "result", "u8", "0 no answer, 1 accepted, 2 refused", max = 2, explain = true },
        { "grid", "f32", "positions snap to it, m; 0 = free", min = 0.0, max = 100.0, finite = true },
        { "angle_step", "f32", "rotations snap to it, degrees; 0 = free", min = 0.0, max = 180.0, finite = true },
        { "budget", "u16", "entities the player may still create" },
    } },
    { id = 0x90, name = "SetVelocity", filter = "set_velocity", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32" },
        { "velocity", "f32", "units per physics step", array = 3, min = -4.0, max = 4.0, finite = true },
    } },
    { id = 0x91, name = "SetGravity", filter = "set_gravity", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32" },
        { "gravity", "f32", "units per physics step squared; the game's is 0.008", min = -0.10000000149011612, max = 0.10000000149011612, finite = true },
    } },
    { id = 0x92, name = "SetDrunkLevel", filter = "set_drunk_level", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32" },
        { "level", "u16", "", max = 50000 },
    } },
    { id = 0x93, name = "SetPlayerStats", filter = "set_player_stats", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32" },
        { "stats", "list8", "", of = "PlayerStat", min = 1, max = 64 },
    } },
    { id = 0x94, name = "SetWorldBounds", filter = "set_world_bounds", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32" },
        { "active", "u8", "", max = 1 },
        { "min_x", "f32", "", finite = true },
        { "min_y", "f32", "", finite = true },
        { "max_x", "f32", "", finite = true },
        { "max_y", "f32", "", finite = true },
    } },
    { id = 0x95, name = "ColshapeShape", filter = "colshape_shape", direction = "S2C", lane = "reliable, droppable", event_id_at = 1, fields = {
        { "event_id", "u32", "position in the Server → Client stream" },
        { "colshape_id", "u32", "the server's colshape id, not reused", exclude = { 4294967295 } },
        { "active", "u8", "1 show, 0 hide", max = 1, explain = true },
        { "kind", "u8", "0 sphere, 1 circle, 2 tube, 3 cuboid, 4 rectangle, 5 polygon", max = 5, explain = true },
        { "x", "f32", "center (kinds 0..=2) or least corner (3, 4); polygon: 0, 0, floor", min = -6000.0, max = 6000.0, finite = true },
        { "y", "f32", "", min = -6000.0, max = 6000.0, finite = true },
        { "z", "f32", "", min = -200.0, max = 4000.0, finite = true },
        { "size_x", "f32", "radius (kinds 0..=2) or width", min = 0.0, max = 12000.0, finite = true },
        { "size_y", "f32", "depth", min = 0.0, max = 12000.0, finite = true },
        { "size_z", "f32", "height upward from z; polygon: 0 = any height", min = 0.0, max = 4200.0, finite = true },
        { "color", "u32", "RGBA of the outline", hex = true },
        { "points", "list8", "corners of a polygon in order, none repeated at the end", of = "Point2", max = 64 },
    } },
    { id = 0x96, name = "ResourceFiles", filter = "resource_files", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32", "position in the Server → Client stream" },
        { "revision", "u32", "the resource's file revision, from 1", nonzero = true },
        { "part", "u8", "0 for the first packet of the revision", max = 63 },
        { "following", "u8", "how many packets of the revision follow", max = 63 },
        { "resource", "str8", "its name", min = 1, max = 48 },
        { "base_url", "str8", "where the files are fetched; empty = from the server itself", max = 160 },
        { "files", "list8", "the next files", of = "ResourceFile", max = 7 },
    } },
    { id = 0x97, name = "ResourceRemove", filter = "resource_remove", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32", "position in the Server → Client stream" },
        { "resource", "str8", "its name", min = 1, max = 48 },
    } },
    { id = 0x98, name = "ViewOpen", filter = "view_open", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32", "position in the Server → Client stream" },
        { "view_id", "u32", "the server's view id, not reused on the connection", exclude = { 4294967295 } },
        { "revision", "u32", "revision of the resource's files it is made of", nonzero = true },
        { "flags", "u8", "bit0 takes the keyboard, bit1 the mouse, bit2 hides the HUD, bit3 Escape closes it", mask = 0xF, hex = true, explain = true },
        { "x", "f32", "rectangle, shares of the screen: left", min = 0.0, max = 1.0, finite = true },
        { "y", "f32", "top", min = 0.0, max = 1.0, finite = true },
        { "width", "f32", "width", min = 0.0, max = 1.0, finite = true, nonzero = true },
        { "height", "f32", "height", min = 0.0, max = 1.0, finite = true, nonzero = true },
        { "resource", "str8", "whose files", min = 1, max = 48 },
        { "path", "str8", "the page to open, one of those files", min = 1, max = 96 },
    } },
    { id = 0x99, name = "ViewClose", filter = "view_close", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32", "position in the Server → Client stream" },
        { "view_id", "u32", "0xFFFFFFFF = all" },
    } },
    { id = 0x9A, name = "ViewData", filter = "view_data", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32", "position in the Server → Client stream" },
        { "view_id", "u32", "from ViewOpen", exclude = { 4294967295 } },
        { "part", "u8", "0 for the first packet of the message", max = 63 },
        { "following", "u8", "how many packets of the message follow", max = 63 },
        { "name", "str8", "what the message is; only in part 0", max = 48 },
        { "data", "str16", "JSON, or its next piece", max = 1024 },
    } },
    { id = 0x9B, name = "ViewStatus", filter = "view_status", direction = "C2S", lane = "reliable", event_id_at = 9, fields = {
        { "token", "u64", "the sender's session token", hex = true },
        { "event_id", "u32", "position in the Client → Server stream" },
        { "view_id", "u32", "from ViewOpen", exclude = { 4294967295 } },
        { "status", "u8", "0 ready, 1 failed, 2 closed by the player", max = 2, explain = true },
        { "reason", "str8", "why it failed", max = 128 },
    } },
    { id = 0x9C, name = "ViewAction", filter = "view_action", direction = "C2S", lane = "reliable", event_id_at = 9, fields = {
        { "token", "u64", "the sender's session token", hex = true },
        { "event_id", "u32", "position in the Client → Server stream" },
        { "view_id", "u32", "from ViewOpen", exclude = { 4294967295 } },
        { "name", "str8", "what the page asks for", min = 1, max = 48 },
        { "data", "str16", "JSON; empty = none", max = 1024 },
    } },
    { id = 0x9D, name = "PlayerWaypoint", filter = "player_waypoint", direction = "C2S", lane = "reliable", event_id_at = 9, fields = {
        { "token", "u64", "the sender's session token", hex = true },
        { "event_id", "u32", "position in the Client → Server stream" },
        { "active", "u8", "1 set, 0 cleared", max = 1, explain = true },
        { "x", "f32", "world position", min = -6000.0, max = 6000.0, finite = true },
        { "y", "f32", "", min = -6000.0, max = 6000.0, finite = true },
        { "z", "f32", "the ground there as far as the client knows, otherwise 0", min = -200.0, max = 4000.0, finite = true },
    } },
    { id = 0x9E, name = "SetWaypoint", filter = "set_waypoint", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32", "position in the Server → Client stream" },
        { "active", "u8", "1 set, 0 clear", max = 1, explain = true },
        { "x", "f32", "world position", min = -6000.0, max = 6000.0, finite = true },
        { "y", "f32", "", min = -6000.0, max = 6000.0, finite = true },
        { "z", "f32", "", min = -200.0, max = 4000.0, finite = true },
    } },
    { id = 0x9F, name = "ClientPong", filter = "client_pong", direction = "C2S", lane = "unreliable", fields = {
        { "token", "u64", "", hex = true },
        { "stamp", "u32", "the ServerKeepalive's" },
    } },
    { id = 0xA0, name = "DamageMultipliers", filter = "damage_multipliers", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32" },
        { "multipliers", "f32", "classes 0..=15, 46, 37, 41, 42, 51, 52; 1 = the game's damage", array = 22, min = 0.0, max = 10.0, finite = true },
    } },
    { id = 0xA1, name = "AuthAccepted", filter = "auth_accepted", direction = "S2C", lane = "reliable, critical", event_id_at = 1, fields = {
        { "event_id", "u32" },
        { "account_id", "u64", "", nonzero = true },
        { "account_name", "str8", "", max = 32 },
    } },
    { id = 0xA2, name = "AuthAssertion", filter = "auth_assertion", direction = "C2S", lane = "reliable", event_id_at = 9, fields = {
        { "token", "u64", "", hex = true },
        { "event_id", "u32" },
        { "ticket", "bytes16", "", min = 90, max = 512 },
    } },
    { id = 0xFF, name = "QueryRequest", filter = "query_request", direction = "C2S", lane = "unreliable", kinds = { 0, 2 }, fields = {
        { "kind", "u8", "0 info, 1 players, 2 rules", max = 2, explain = true },
        { "nonce", "u32", "echoed in the answer" },
        { "offset", "u16", "first row wanted, for players and rules" },
        { "padding", "u8", "zeros: an answer is never longer than its request", array = 504 },
    } },
    { id = 0xFF, name = "QueryInfo", filter = "query_info", direction = "S2C", lane = "unreliable", kinds = { 128, 128 }, fields = {
        { "kind", "u8", "", values = { 128 } },
        { "nonce", "u32" },
        { "protocol_version", "u16" },
        { "players", "u16" },
        { "max_players", "u16" },
        { "flags", "u8", "bit0 password, bit1 account required", mask = 0x3, hex = true, explain = true },
        { "server_name", "str8", "", max = 64 },
        { "gamemode", "str8", "", max = 32 },
        { "language", "str8", "", max = 16 },
        { "format", "u8", "the query format's own version", values = { 1 } },
    } },
    { id = 0xFF, name = "QueryPlayers", filter = "query_players", direction = "S2C", lane = "unreliable", kinds = { 129, 129 }, fields = {
        { "kind", "u8", "", values = { 129 } },
        { "nonce", "u32" },
        { "total", "u16" },
        { "offset", "u16" },
        { "players", "list8", "", of = "QueryPlayer", max = 15 },
    } },
    { id = 0xFF, name = "QueryRules", filter = "query_rules", direction = "S2C", lane = "unreliable", kinds = { 130, 130 }, fields = {
        { "kind", "u8", "", values = { 130 } },
        { "nonce", "u32" },
        { "total", "u16" },
        { "offset", "u16" },
        { "rules", "list8", "", of = "QueryRule", max = 5 },
    } },
}

local dlmp = Proto("dlmp", "DarqlineMP")

-- How a scalar is read: its bytes, the method of a range that gives its value, and what it is to a filter.
local scalars = {
    u8 = { 1, "le_uint", ftypes.UINT8 },
    u16 = { 2, "le_uint", ftypes.UINT16 },
    u32 = { 4, "le_uint", ftypes.UINT32 },
    u64 = { 8, "le_uint64", ftypes.UINT64 },
    i8 = { 1, "le_int", ftypes.INT8 },
    i16 = { 2, "le_int", ftypes.INT16 },
    i32 = { 4, "le_int", ftypes.INT32 },
    i64 = { 8, "le_int64", ftypes.INT64 },
    f32 = { 4, "le_float", ftypes.FLOAT },
}
local prefixes = { str8 = 1, str16 = 2, bytes16 = 2, list8 = 1, list16 = 2 }
local SUMMARY_MAX = 4 -- numbers of an array shown beside its name
local BLOB_MIN = 17 -- a u8 array this long is shown as bytes, not as items

-- ---- fields: one of every field of every packet

local general = {
    id = ProtoField.uint8("dlmp.id", "Packet id", base.HEX),
    packet = ProtoField.string("dlmp.packet", "Packet"),
    direction = ProtoField.string("dlmp.direction", "Direction"),
    lane = ProtoField.string("dlmp.lane", "Lane"),
    event_id = ProtoField.uint32("dlmp.event_id", "event_id", base.DEC, nil, nil, "Of any packet of the reliable lane"),
    token = ProtoField.uint64("dlmp.token", "token", base.HEX, nil, nil, "The session token, of any packet"),
    trailing = ProtoField.bytes("dlmp.trailing", "Trailing bytes"),
}
local malformed = ProtoExpert.new("dlmp.malformed", "Malformed", expert.group.MALFORMED, expert.severity.ERROR)
local refused = ProtoExpert.new("dlmp.refused", "Refused by a strict decoder", expert.group.PROTOCOL, expert.severity.WARN)
local cut = ProtoExpert.new("dlmp.cut", "Cut short by the capture", expert.group.UNDECODED, expert.severity.NOTE)

-- Fields of any packet that have a filter of their own besides.
local also = { event_id = general.event_id, token = general.token, session_token = general.token }

local all_fields = {}
for _, field in pairs(general) do
    all_fields[#all_fields + 1] = field
end

local function is_blob(field)
    return field.type == "bytes16" or (field.type == "u8" and (field.array or 0) >= BLOB_MIN)
end

local function proto_field(field, filter)
    local ftype, shown = ftypes.NONE, base.NONE
    local scalar = scalars[field.type] or (prefixes[field.type] and scalars[field.of])

    if is_blob(field) then
        ftype = ftypes.BYTES
    elseif field.type == "str8" or field.type == "str16" then
        ftype = ftypes.STRING
    elseif scalar then
        ftype = scalar[3]
        if ftype ~= ftypes.FLOAT then
            shown = field.hex and base.HEX or base.DEC
        end
    end
    return ProtoField.new(field.name, filter, ftype, nil, shown, nil, field.doc)
end

-- Registers the fields of a packet or struct; returns them with their filters bound, for the walker.
local function bind(fields, filter)
    local bound = {}

    for i, raw in ipairs(fields) do
        local field = { name = raw[1], type = raw[2], doc = raw[3] }
        for key, value in pairs(raw) do
            if type(key) == "string" then
                field[key] = value
            end
        end
        local here = filter .. "." .. field.name
        field.field = proto_field(field, here)
        all_fields[#all_fields + 1] = field.field
        if structs[field.of] then
            field.fields = bind(structs[field.of], here)
        end
        field.also = also[field.name]
        bound[i] = field
    end
    return bound
end

local by_id = {}
for _, packet in ipairs(packets) do
    packet.bound = bind(packet.fields, "dlmp." .. packet.filter)
    by_id[packet.id] = by_id[packet.id] or {}
    table.insert(by_id[packet.id], packet)
end
dlmp.fields = all_fields
dlmp.experts = { malformed, refused, cut }

-- ---- what a strict decoder refuses in one value

local function has_bit_outside(value, mask)
    while value > 0 do
        if value % 2 >= 1 and mask % 2 < 1 then
            return true
        end
        value, mask = math.floor(value / 2), math.floor(mask / 2)
    end
    return false
end

local function contains(list, value)
    for _, one in ipairs(list) do
        if one == value then
            return true
        end
    end
    return false
end

-- The words for what is wrong with it, nil when nothing is. `unit` names what a length or count counts.
local function why_refused(field, value, unit)
    if field.finite and (value ~= value or value == math.huge or value == -math.huge) then
        return "is not finite"
    elseif field.nonzero and value == 0 then
        return "is 0"
    elseif (field.min and value < field.min) or (field.max and value > field.max) then
        local least = field.min or ((unit or field.type:find("^u")) and 0) or ""
        local bounds = tostring(least) .. "..=" .. tostring(field.max or "")
        return unit and string.format("has %d %s, expected %s", value, unit, bounds)
            or string.format("is %s, expected %s", tostring(value), bounds)
    elseif field.mask and has_bit_outside(value, field.mask) then
        return string.format("has a bit outside the mask 0x%X", field.mask)
    elseif (field.values and not contains(field.values, value)) or (field.exclude and contains(field.exclude, value)) then
        return "is " .. tostring(value) .. ", which is not allowed"
    end
    return nil
end

-- ---- the walker: what it returns is false or nil where the packet ends too early

-- The next `size` bytes; nil when they are not all there, which is said once.
local function take(cursor, size, field)
    local at, left = cursor.at, cursor.size - cursor.at

    if size > left then
        cursor.flaw = "malformed"
        cursor.root:add_proto_expert_info(malformed,
            string.format("%s: %d bytes expected, %d left of the packet", field.name, size, left))
        return nil
    elseif at + size > cursor.captured then
        cursor.flaw = "cut short"
        cursor.root:add_proto_expert_info(cut, field.name .. ": not captured")
        return nil
    end
    cursor.at = at + size
    return cursor.tvb(at, size)
end

local function judge(cursor, item, field, value, unit)
    local why = why_refused(field, value, unit)

    if why then
        cursor.flaw = cursor.flaw or "refused"
        item:add_proto_expert_info(refused, field.name .. " " .. why)
    end
end

local function walk_scalar(cursor, tree, field, kind, index)
    local scalar = scalars[kind]
    local range = take(cursor, scalar[1], field)

    if not range then
        return false
    end
    local value = range[scalar[2]](range)
    local shown = kind == "f32" and string.format("%.6g", value) or tostring(value)
    local item = tree:add_le(field.field, range)
    if scalar[1] == 8 then
        value = value:tonumber() -- near enough for a bound
    elseif kind == "u32" and value == 0xFFFFFFFF and not field.hex then
        item:append_text(" (0xFFFFFFFF)")
    end
    if index then
        item:prepend_text("[" .. index .. "] ")
    elseif field.explain then
        item:append_text(" (" .. field.doc .. ")")
    end
    if field.also then
        tree:add_le(field.also, range):set_hidden()
    end
    if not prefixes[field.type] then
        judge(cursor, item, field, value)
    end
    return shown
end

local function walk_prefix(cursor, field)
    local range = take(cursor, prefixes[field.type], field)

    return range and range:le_uint()
end

-- A text or bytes behind their length; of an empty one, the item is the length.
local function walk_span(cursor, tree, field)
    local start = cursor.at
    local size = walk_prefix(cursor, field)
    if not size then
        return false
    end
    local range = size == 0 and cursor.tvb(start, prefixes[field.type]) or take(cursor, size, field)
    if not range then
        return false
    end
    local item
    if is_blob(field) then
        item = tree:add(field.field, range)
    elseif size == 0 then
        item = tree:add(field.field, range, "")
    else
        item = tree:add_packet_field(field.field, range, ENC_UTF_8)
    end
    judge(cursor, item, field, size, "bytes")
    return true
end

local walk_fields

-- One element of an array or list: a struct or a scalar.
local function walk_element(cursor, tree, field, kind, index)
    if not field.fields then
        return walk_scalar(cursor, tree, field, kind, index)
    end
    local start = cursor.at
    local item = tree:add(cursor.tvb(start), "[" .. index .. "] " .. field.of)
    local whole = walk_fields(cursor, item, field.fields)
    item:set_len(cursor.at - start)
    return whole
end

-- The elements of a subtree, with the first numbers of an array as its summary.
local function walk_elements(cursor, branch, field, kind, count)
    local summary = {}

    for index = 0, count - 1 do
        local shown = (cursor.at < cursor.captured or take(cursor, 1, field))
            and walk_element(cursor, branch, field, kind, index)
        if not shown then
            return false
        elseif not field.fields and index <= SUMMARY_MAX then
            summary[index + 1] = index < SUMMARY_MAX and shown or "…"
        end
    end
    branch:append_text((count > 0 and not field.fields and ": " or "") .. table.concat(summary, ", "))
    return true
end

-- An array, a list or a struct: a subtree over its bytes. A filter finds a scalar's elements by the field's name, so
-- only what holds structs is a field itself.
local function walk_branch(cursor, tree, field)
    local start, count = cursor.at, field.array
    if start >= cursor.captured then
        return take(cursor, 1, field) ~= nil
    end
    local branch
    if field.fields then
        branch = tree:add(field.field, cursor.tvb(start))
    else
        branch = tree:add(cursor.tvb(start), field.name)
    end
    if prefixes[field.type] then
        count = walk_prefix(cursor, field)
        if not count then
            return false
        end
        judge(cursor, branch, field, count, "items")
    end
    local whole
    if count then
        branch:append_text(string.format(" [%d]", count))
        whole = walk_elements(cursor, branch, field, field.of or field.type, count)
    else
        branch:append_text(" (" .. field.of .. ")")
        whole = walk_fields(cursor, branch, field.fields)
    end
    branch:set_len(cursor.at - start)
    return whole
end

local function walk_blob(cursor, tree, field)
    local range = take(cursor, field.array, field)

    return range and tree:add(field.field, range) ~= nil
end

walk_fields = function(cursor, tree, fields)
    for _, field in ipairs(fields) do
        local walk = walk_branch

        if field.type == "str8" or field.type == "str16" or field.type == "bytes16" then
            walk = walk_span
        elseif is_blob(field) then
            walk = walk_blob
        elseif scalars[field.type] and not field.array then
            walk = walk_scalar
        end
        if not walk(cursor, tree, field, field.type) then
            return false
        end
    end
    return true
end

-- ---- the packet

-- By its id, and where several packets share one by the kind behind it.
local function identify(tvb)
    local candidates = by_id[tvb(0, 1):uint()] or {}

    for _, packet in ipairs(candidates) do
        if not packet.kinds then
            return packet
        elseif tvb:len() > 1 then
            local kind = tvb(1, 1):uint()
            if packet.kinds[1] <= kind and kind <= packet.kinds[2] then
                return packet
            end
        end
    end
    return nil
end

local function add_general(tree, field, range, text)
    tree:add(field, range, text):set_generated()
end

local function walk_packet(cursor, packet, tree)
    local range = cursor.tvb(0, 1)

    add_general(tree, general.packet, range, packet.name)
    add_general(tree, general.direction, range, packet.direction)
    add_general(tree, general.lane, range, packet.lane)
    if walk_fields(cursor, tree, packet.bound) and cursor.at < cursor.size then
        cursor.flaw = "malformed"
        if cursor.at < cursor.captured then
            tree:add(general.trailing, cursor.tvb(cursor.at))
        end
        tree:add_proto_expert_info(malformed, string.format("%d bytes behind the packet's end", cursor.size - cursor.at))
    end
end

local function event_id_of(packet, tvb)
    local at = packet.event_id_at

    return at and tvb:len() >= at + 4 and " event_id=" .. tvb(at, 4):le_uint() or ""
end

function dlmp.dissector(tvb, pinfo, root)
    local tree = root:add(dlmp, tvb:len() > 0 and tvb() or tvb)
    local cursor = { tvb = tvb, at = 0, size = tvb:reported_len(), captured = tvb:len(), root = tree }
    local info

    pinfo.cols.protocol = "DLMP"
    if not take(cursor, 1, { name = "Packet id" }) then
        pinfo.cols.info = "no packet id [" .. cursor.flaw .. "]"
        return
    end
    tree:add(general.id, tvb(0, 1))
    local packet = identify(tvb)
    if packet then
        info = packet.direction .. " " .. packet.name .. event_id_of(packet, tvb)
        walk_packet(cursor, packet, tree)
    else
        local id = tvb(0, 1):uint()
        info = string.format(by_id[id] and "packet of id 0x%02X" or "unknown packet id 0x%02X", id)
        if by_id[id] == nil or take(cursor, 1, { name = "kind" }) then
            cursor.flaw = "malformed"
            tree:add_proto_expert_info(malformed, by_id[id] and "no packet of this id has this kind" or info)
        end
    end
    tree:append_text(", " .. info)
    pinfo.cols.info = info .. (cursor.flaw and " [" .. cursor.flaw .. "]" or "")
end

-- ---- where it listens; "Decode As" adds other ports

dlmp.prefs.port = Pref.uint("UDP port", 7777, "The server's UDP port; 0: none")

local udp = DissectorTable.get("udp.port")
local port = 7777
udp:add(port, dlmp)

function dlmp.prefs_changed()
    if port ~= 0 then
        udp:remove(port, dlmp)
    end
    port = dlmp.prefs.port
    if port ~= 0 then
        udp:add(port, dlmp)
    end
end
