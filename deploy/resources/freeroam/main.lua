-- freeroam: two towns with vehicles, and commands to play with. What `make run` starts.
--
--   /v 411          a vehicle in front of you          /skin 107         another character
--   /tp 2495 -1687  to a place, or `/tp 17` to a player /help             this list
--   /color 3 1      repaints your vehicle              /repair           makes it as new
--
-- A gamemode is handlers of events. Each shard of the cluster runs this file for itself, in a Lua state of its own, and
-- sees the players and vehicles that live on it; so nothing here asks which shard it is.

local places = require "vehicles"

local VEHICLES_EACH = 3 -- a player may have made so many at a time

-- The world ---------------------------------------------------------------------------------------------------------

-- Raised for each (virtual world, interior) that this shard is given empty. Content is made here and not when the
-- resource starts: a shard that dies leaves its scopes to another one with all that is in them, which raises
-- scope_taken instead, so nothing is there twice.
dlmp.on("scope_start", function(virtual_world, interior)
    if interior ~= 0 then return end
    for _, place in ipairs(places[virtual_world] or {}) do
        place.virtual_world = virtual_world
        -- A function that refuses returns nil and why. assert makes an error of it, which the shard's log shows with
        -- the line; the rest of the shard goes on.
        assert(dlmp.create_vehicle(place))
    end
end)

-- Commands ----------------------------------------------------------------------------------------------------------

local commands = {} -- by name: function(player, arguments) -> what to tell the player

-- A point in front of the player. Headings count counter-clockwise from north, in degrees.
local function in_front_of(player, distance)
    local x, y, z = player:position()
    local heading = player:heading()
    local angle = math.rad(heading)
    return x - distance * math.sin(angle), y + distance * math.cos(angle), z, heading
end

-- What a player has made, oldest first. A player may be the key of a table; one who has left is dropped below.
local made = {}

function commands.v(player, arguments)
    local x, y, z, heading = in_front_of(player, 5)
    local vehicle, why = dlmp.create_vehicle{
        model = tonumber(arguments) or 411,
        x = x, y = y, z = z, heading = (heading + 90) % 360,
        virtual_world = player:virtual_world(), interior = player:interior(),
    }
    if not vehicle then return why end

    local own = made[player] or {}
    made[player] = own
    table.insert(own, vehicle)
    if #own > VEHICLES_EACH then dlmp.destroy_vehicle(table.remove(own, 1)) end
    return "There it is."
end

function commands.color(player, arguments)
    local first, second = arguments:match("^(%d+)%s+(%d+)$")
    local vehicle = player:vehicle()
    if not first then return "Usage: /color 3 1" end
    if not vehicle then return "You sit in no vehicle." end
    local done, why = dlmp.set_vehicle_colors(vehicle, first, second)
    return done and "Painted." or why
end

function commands.repair(player)
    local vehicle = player:vehicle()
    if not vehicle then return "You sit in no vehicle." end
    local done, why = dlmp.repair_vehicle(vehicle)
    return done and "As new." or why
end

function commands.skin(player, arguments)
    local done, why = player:set_skin(tonumber(arguments) or -1)
    return done and "That suits you." or why
end

function commands.tp(player, arguments)
    local x, y, z = arguments:match("^(%-?[%d.]+)%s+(%-?[%d.]+)%s*(%-?[%d.]*)$")
    local to = x and { x = tonumber(x), y = tonumber(y), z = tonumber(z) }
    if not to then
        local other = dlmp.player(tonumber(arguments) or -1)
        if not other then return "Usage: /tp 2495 -1687 13, or /tp 17 for the player with that id" end
        to = { virtual_world = other:virtual_world(), interior = other:interior() }
        to.x, to.y, to.z = in_front_of(other, 2)
    end
    local done, why = player:teleport(to)
    return done and "Here you are." or why
end

function commands.help()
    local names = {}
    for name in pairs(commands) do table.insert(names, "/" .. name) end
    table.sort(names)
    return table.concat(names, "  ")
end

-- The first handler that returns false has taken the command; for what none takes, the server answers itself.
dlmp.on("player_command", function(player, name, arguments)
    local command = commands[name]
    if not command then return end
    player:message(command(player, arguments))
    return false
end)

-- Players -----------------------------------------------------------------------------------------------------------

dlmp.on("player_connect", function(player)
    player:message("Welcome, " .. player:name() .. ". /help lists the commands.")
end)

dlmp.on("player_disconnect", function(player)
    for _, vehicle in ipairs(made[player] or {}) do dlmp.destroy_vehicle(vehicle) end
    made[player] = nil
end)
