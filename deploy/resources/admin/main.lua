-- admin: what whoever looks after a server needs. Runs beside any other resource.
--
--   /kick 17 reason            sends the player away        /say text       a line to everybody
--   /ban 17 3600 reason        keeps it out so long, in s   /spec 17        looks over its shoulder; /spec ends it
--   /mute 17, /unmute 17       its chat is dropped          /goto 17        to where it is
--
-- A command is about a player of the same shard, for a resource sees those alone; `dlmpctl kick` and `dlmpctl ban` reach
-- all of the cluster.

local admins = require "admins"

local function is_admin(player)
    local _, account = player:account()
    return admins.accounts[account or ""] or admins.addresses[player:ip()] or false
end

-- "17 the rest" -> the player with id 17, "the rest"
local function player_of(arguments)
    local id, rest = arguments:match("^(%d+)%s*(.*)$")
    return id and dlmp.player(id), rest
end

local commands = {}

function commands.kick(_, arguments)
    local other, reason = player_of(arguments)
    if not other then return "Usage: /kick 17 reason" end
    local name = other:name()
    local done, why = other:kick(reason ~= "" and reason or "An admin has sent you away.")
    return done and name .. " has been sent away." or why
end

function commands.ban(_, arguments)
    local other, rest = player_of(arguments)
    local seconds, reason = (rest or ""):match("^(%d+)%s*(.*)$")
    if not other or not seconds then return "Usage: /ban 17 3600 reason" end
    local name = other:name()
    local done, why = other:ban(reason ~= "" and reason or "An admin has banned you.", seconds)
    return done and name .. " is banned for " .. seconds .. " s." or why
end

function commands.say(player, arguments)
    if arguments == "" then return "Usage: /say text" end
    local done, why = dlmp.message_all("{FFCC00}" .. player:name() .. ": {FFFFFF}" .. arguments)
    return not done and why or nil
end

local function set_muted(arguments, muted)
    local other = player_of(arguments)
    if not other then return "Usage: /mute 17, /unmute 17" end
    other:set_muted(muted)
    return other:name() .. (muted and " is muted." or " may speak again.")
end

function commands.mute(_, arguments) return set_muted(arguments, true) end
function commands.unmute(_, arguments) return set_muted(arguments, false) end

commands["goto"] = function(player, arguments)
    local other = player_of(arguments)
    if not other then return "Usage: /goto 17" end
    local x, y, z = other:position()
    local done, why = player:teleport{
        x = x, y = y, z = z + 1,
        virtual_world = other:virtual_world(), interior = other:interior(),
    }
    return not done and why or nil
end

-- Spectating ---------------------------------------------------------------------------------------------------------

-- Of those who spectate: whom, and where they were.
local watched = {}

local CAMERA_MS = 250 -- how often the camera is told where to go; it glides there meanwhile

local function end_watching(player)
    local was = watched[player]
    if not was then return end
    watched[player] = nil
    player:set_camera(nil)
    player:set_frozen(false)
    player:teleport(was.place)
end

function commands.spec(player, arguments)
    if arguments == "" then
        end_watching(player)
        return
    end
    local other = player_of(arguments)
    if not other or other == player then return "Usage: /spec 17, and /spec to end it" end
    local x, y, z = player:position()
    watched[player] = watched[player] or {
        place = { x = x, y = y, z = z, virtual_world = player:virtual_world(), interior = player:interior() },
    }
    watched[player].whom = other
    player:set_frozen(true)
    return "Watching " .. other:name() .. "."
end

-- Only what is near is shown to a client, so the body goes along, well below.
local function follow(player, other)
    local x, y, z = other:position()
    local angle = math.rad(other:heading())
    local behind_x, behind_y = x + 6 * math.sin(angle), y - 6 * math.cos(angle)
    local px, py = player:position()

    if (px - x) ^ 2 + (py - y) ^ 2 > 100 ^ 2 or player:virtual_world() ~= other:virtual_world()
        or player:interior() ~= other:interior() then
        player:teleport{
            x = x, y = y, z = math.max(z - 30, -200),
            virtual_world = other:virtual_world(), interior = other:interior(),
        }
    end
    return player:set_camera{
        x = behind_x, y = behind_y, z = z + 2, target_x = x, target_y = y, target_z = z + 1, move_ms = CAMERA_MS,
    }
end

dlmp.every(CAMERA_MS, function()
    -- Who leaves or dies meanwhile is no reason to stop for the others: a refusal only ends this one's.
    for player, was in pairs(watched) do
        if not was.whom:is_alive() or not follow(player, was.whom) then end_watching(player) end
    end
end)

dlmp.on("player_disconnect", function(player) watched[player] = nil end)

-- A resource that stops must leave no camera behind: what it made goes by itself, what it set does not.
dlmp.on("resource_stop", function()
    for player in pairs(watched) do end_watching(player) end
end)

dlmp.on("player_command", function(player, name, arguments)
    local command = commands[name]
    if not command or not is_admin(player) then return end -- to the others it is an unknown command
    local answer = command(player, arguments)
    if answer then player:message(answer) end
    return false
end)
