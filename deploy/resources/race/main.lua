-- race: a time trial without checkpoints. Two teams, red and blue; whoever is fastest from Grove Street to the pier wins,
-- and the best time of all days is kept.
--
--   /race    joins: you are put into a car at the start      /leave    gets out of the race
--
-- Text of a gamemode may hold color codes: {FF0000} colors what follows.

local START = { x = 2487.0, y = -1659.0, z = 13.3, heading = 90 }
local FINISH = { x = 836.0, y = -1830.0, z = 12.5 }
local FINISH_M = 20        -- so near counts as there
local GRID_M = 6           -- between two places at the start
local COUNTDOWN_S = 10
local RACE_S = 300
local MODELS = { 411, 415, 451, 541 } -- Infernus, Cheetah, Turismo, Bullet

local teams = {
    { name = "Red", code = "{FF4040}", color = 3, team = assert(dlmp.create_team("red")) },
    { name = "Blue", code = "{4080FF}", color = 79, team = assert(dlmp.create_team("blue")) },
}
-- Teammates cannot hurt each other. It is a setting of the whole cluster, so it is enough to say it here.
for _, team in ipairs(teams) do team.team:set_friendly_fire(false) end

-- The race there is: nil, or { racers = {player -> racer}, starts_at, ends_at (ms), started, left }
local race

local function tell(text)
    for player in pairs(race.racers) do player:message(text) end
end

-- What a racer was given goes back: the seat first, then the car.
local function release(player)
    local racer = race.racers[player]
    race.racers[player] = nil
    player:set_team(nil)
    player:set_frozen(false)
    dlmp.destroy_vehicle(racer.vehicle) -- refused if it is gone already, which is as well
end

local function end_race(text)
    tell(text)
    for player in pairs(race.racers) do release(player) end
    race = nil
end

-- Places at the start lie behind each other, two in a row.
local function place_at_start(count)
    return {
        x = START.x + math.floor(count / 2) * GRID_M, y = START.y + count % 2 * GRID_M, z = START.z,
        heading = START.heading,
    }
end

local function join(player)
    race = race or { racers = {}, count = 0, starts_at = dlmp.now() + COUNTDOWN_S * 1000 }
    if race.started then return "The race is under way: wait for the next." end
    if race.racers[player] then return "You are in it already." end

    local what = place_at_start(race.count)
    local team = teams[race.count % #teams + 1]
    what.model = MODELS[race.count % #MODELS + 1]
    what.color1, what.color2 = team.color, team.color
    what.virtual_world = player:virtual_world()
    local vehicle, why = dlmp.create_vehicle(what)
    if not vehicle then return why end

    -- From wherever the player is: the server shows it the car first, then puts it in.
    local seated
    seated, why = dlmp.put_player_in_vehicle(player, vehicle, 0)
    if not seated then
        dlmp.destroy_vehicle(vehicle)
        return why
    end
    race.racers[player] = { vehicle = vehicle, team = team }
    race.count = race.count + 1
    player:set_team(team.team)
    player:set_frozen(true)
    tell(team.code .. player:name() .. "{FFFFFF} races for " .. team.name .. ".")
end

local function start()
    race.started = true
    race.ends_at = dlmp.now() + RACE_S * 1000
    for player in pairs(race.racers) do player:set_frozen(false) end
    tell("{40FF40}Go!")
end

-- Storage is asynchronous: the answer comes to a function. It is the whole cluster's, so the best time is as well.
local function keep_best(name, ms)
    dlmp.kv_get("best_ms", function(best)
        if best and best <= ms then return end
        dlmp.kv_set("best_ms", ms)
        dlmp.message_all(("{FFCC00}%s has set a new best time: %.1f s."):format(name, ms / 1000))
    end)
end

local function finish(player, racer)
    local ms = dlmp.now() - race.starts_at
    race.place = (race.place or 0) + 1
    tell(("%s%s{FFFFFF} is number %d: %.1f s."):format(racer.team.code, player:name(), race.place, ms / 1000))
    keep_best(player:name(), ms)
    release(player)
end

local function count_down(now)
    local left = math.ceil((race.starts_at - now) / 1000)
    if left <= 0 then return start() end
    if left ~= race.told and left <= 3 then tell(left .. " …") end
    race.told = left
end

local function is_at_finish(player)
    local x, y, z = player:position()
    return (x - FINISH.x) ^ 2 + (y - FINISH.y) ^ 2 + (z - FINISH.z) ^ 2 <= FINISH_M ^ 2
end

dlmp.on("tick", function()
    if not race then return end
    local now = dlmp.now()
    if not race.started then
        count_down(now)
    elseif now >= race.ends_at then
        return end_race("The time is over.")
    else
        for player, racer in pairs(race.racers) do
            if player:vehicle() == racer.vehicle and is_at_finish(player) then finish(player, racer) end
        end
    end
    if next(race.racers) == nil then race = nil end
end)

local commands = { race = join }

function commands.leave(player)
    if not (race and race.racers[player]) then return "You are in no race." end
    release(player)
    return "You are out."
end

dlmp.on("player_command", function(player, name)
    local command = commands[name]
    if not command then return end
    local answer = command(player)
    if answer then player:message(answer) end
    return false
end)

local function drop(player)
    if race and race.racers[player] then release(player) end
end

dlmp.on("player_disconnect", drop)
dlmp.on("player_death", drop)

-- Whoever gets out gives up; being frozen at the start does not keep anybody in a seat.
dlmp.on("player_exit_vehicle", function(player, vehicle)
    if race and race.racers[player] and race.racers[player].vehicle == vehicle then drop(player) end
end)

-- The cars go by themselves with the resource; what was set on players does not.
dlmp.on("resource_stop", function()
    if race then end_race("The race is off.") end
end)
