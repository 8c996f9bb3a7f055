-- motorpool: what dlmp-bots needs to try everything with vehicles: rows of cars, tow trucks, helicopters with magnets,
-- trains, RCs with their engines on, and what has a gun, around the first spawn of deploy/world.yaml.
--
--   build/dlmpctl up --world deploy/world.yaml --resources tests/resources --resource motorpool
--   build/dlmp-bots --count 20 --behaviour tow --time 60

local X, Y, Z = 2495, -1687, 13.5
local APART = 9

-- A row each: the models in turn, so many of them.
local rows = {
    {count = 12, 411, 560, 415, 541},     -- cars
    {count = 12, 421, 426, 445, 507},
    {count = 6, 525},                      -- tow trucks
    {count = 6, 487, 488, 497},            -- helicopters
    {count = 4, 537, 538, 449},            -- trains
    {count = 6, 441, 464, 564, 501},       -- RCs
    {count = 6, 432, 425, 447, 476},       -- guns
    {count = 6, 522, 463, 581},            -- motorbikes
}

local helicopters = {[487] = true, [488] = true, [497] = true}

local function place(virtual_world, row, column, model)
    local vehicle = assert(dlmp.create_vehicle{
        model = model, x = X + (column - 5) * APART, y = Y + (row - 4) * APART, z = Z, virtual_world = virtual_world,
    })
    assert(dlmp.set_vehicle_engine(vehicle, true))
    if helicopters[model] then assert(dlmp.set_vehicle_winch(vehicle, "magnet")) end
end

dlmp.on("scope_start", function(virtual_world, interior)
    if interior ~= 0 then return end
    for number, row in ipairs(rows) do
        for column = 1, row.count do
            place(virtual_world, number, column, row[(column - 1) % #row + 1])
        end
    end
end)
