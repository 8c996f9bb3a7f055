-- scenes: a gamemode that does what a scenario of tests/cluster asks it to, by the commands of its clients.
--
--   /do dlmp.set_vehicle_health v3 500; v3:health       calls one after the other; each is answered with a line
--   /watch vehicle_death                                whoever asks is told of the events of this name
--   /refuse vehicle_control v3                          handlers return false where v3 is among the arguments
--   /allow                                              they no longer do
--   /when vehicle_start_enter v3 dlmp.respawn_vehicle v3
--                                                       calls, once, in the handler where v3 is among the arguments
--
-- Answers begin with "=", those of /when with "~", events with "!": "= health 500", "! vehicle_death v3 explosion p2".
-- v3 is the vehicle with the id, p2 the player; name=value makes a field of a table, which is the last argument, and 1,2
-- a list in it. What somebody has asked for, vehicles that were made too, is over when they leave.

local EVENTS = {
    "player_spawn", "player_death", "vehicle_start_enter", "vehicle_jack", "player_enter_vehicle",
    "player_exit_vehicle", "vehicle_syncer", "vehicle_death", "vehicle_control", "trailer_attach", "trailer_detach",
    "winch_attach", "winch_detach", "player_remote_enter", "player_remote_exit",
}

local made = {}     -- player -> vehicles
local watching = {} -- event -> player -> true
local refused = {}  -- event -> vehicle -> the player who refuses
local due = {}      -- event -> vehicle -> { player, calls }

for _, event in ipairs(EVENTS) do watching[event], refused[event], due[event] = {}, {}, {} end

-- Values and words ---------------------------------------------------------------------------------------------------

local function word_of(value)
    if math.type(value) then return ("%.10g"):format(value) end
    if type(value) ~= "userdata" then return tostring(value) end
    return (value.model and "v" or "p") .. value:id()
end

local function words_of(...)
    local words = {}
    for i = 1, select("#", ...) do table.insert(words, word_of((select(i, ...)))) end
    return table.concat(words, " ")
end

local constants = { ["true"] = true, ["false"] = false }

local function value_of(word)
    local kind, id = word:match("^([vp])(%d+)$")
    if kind == "v" then return dlmp.vehicle(tonumber(id)) end
    if kind == "p" then return dlmp.player(tonumber(id)) end
    if word == "nil" then return nil end
    if constants[word] ~= nil then return constants[word] end
    return tonumber(word) or word
end

local function field_of(word)
    if not word:find(",", 1, true) then return value_of(word) end
    local list = {}
    for item in word:gmatch("[^,]+") do table.insert(list, value_of(item)) end
    return list
end

local function arguments_of(text)
    local arguments, count, fields = {}, 0, nil
    for word in text:gmatch("%S+") do
        local name, value = word:match("^([%a_][%w_]*)=(.*)$")
        if name then
            fields = fields or {}
            fields[name] = field_of(value)
        else
            count = count + 1
            arguments[count] = value_of(word)
        end
    end
    if fields then
        count = count + 1
        arguments[count] = fields
    end
    return arguments, count
end

-- Calls --------------------------------------------------------------------------------------------------------------

-- "dlmp.name …" or "v3:name …"
local function invoke(on, name, ...)
    if on == "dlmp" then return pcall(dlmp[name], ...) end
    return pcall(value_of(on)[name], value_of(on), ...)
end

local function call(player, mark, text)
    local on, name, rest = text:match("^(%w+)[.:]([%w_]+)%s*(.*)$")
    local arguments, count = arguments_of(rest)
    local results = table.pack(invoke(on, name, table.unpack(arguments, 1, count)))
    if name == "create_vehicle" and results[2] then
        made[player] = made[player] or {}
        table.insert(made[player], results[2])
    end
    player:message(mark .. " " .. name .. " " .. words_of(table.unpack(results, results[1] and 2 or 1, results.n)))
end

local function call_all(player, mark, text)
    for one in text:gmatch("[^;]+") do call(player, mark, one:match("^%s*(.-)%s*$")) end
end

-- Commands -----------------------------------------------------------------------------------------------------------

local commands = {}

commands["do"] = function(player, text) call_all(player, "=", text) end

function commands.watch(player, text)
    for event in text:gmatch("%S+") do watching[event][player] = true end
end

function commands.refuse(player, text)
    local event, vehicle = text:match("^(%S+) (%S+)$")
    refused[event][value_of(vehicle)] = player
end

function commands.when(player, text)
    local event, vehicle, calls = text:match("^(%S+) (%S+) (.+)$")
    due[event][value_of(vehicle)] = { player = player, calls = calls }
end

local function forget(player)
    for _, event in ipairs(EVENTS) do
        for vehicle, by in pairs(refused[event]) do
            if by == player then refused[event][vehicle] = nil end
        end
        for vehicle, what in pairs(due[event]) do
            if what.player == player then due[event][vehicle] = nil end
        end
    end
end

commands.allow = forget

dlmp.on("player_command", function(player, name, text)
    if not commands[name] then return end
    commands[name](player, text)
    if name ~= "do" then player:message("= " .. name) end
    return false
end)

dlmp.on("player_disconnect", function(player)
    forget(player)
    for _, event in ipairs(EVENTS) do watching[event][player] = nil end
    for _, vehicle in ipairs(made[player] or {}) do dlmp.destroy_vehicle(vehicle) end
    made[player] = nil
end)

-- Events -------------------------------------------------------------------------------------------------------------

local function on_event(event, ...)
    local refuses = false
    for player in pairs(watching[event]) do player:message("! " .. event .. " " .. words_of(...)) end
    for _, value in pairs{ ... } do
        local what = due[event][value]
        due[event][value] = nil
        if what then call_all(what.player, "~", what.calls) end
        refuses = refuses or refused[event][value] ~= nil
    end
    if refuses then return false end
end

for _, event in ipairs(EVENTS) do
    dlmp.on(event, function(...) return on_event(event, ...) end)
end
