-- hang: a gamemode with a fault. /hang never comes to an end, /hang twice catches whatever tries to end it, and goes on.

local function hang()
    while true do end
end

dlmp.on("player_command", function(_, name, arguments)
    if name ~= "hang" then return end
    if arguments ~= "twice" then hang() end
    while true do pcall(hang) end
end)
