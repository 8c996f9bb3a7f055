-- The vehicles of each virtual world: around Grove Street in Los Santos and around the garage in Doherty, San Fierro.
-- A file that is required returns a value; here a table by virtual world, of tables that dlmp.create_vehicle takes.
local vehicles = {}

vehicles[0] = {
    { model = 492, x = 2505.70, y = -1678.60, z = 13.25, heading = 320, color1 = 16, color2 = 16 },
    { model = 567, x = 2473.20, y = -1691.80, z = 13.30, heading = 0, color1 = 86, color2 = 86 },
    { model = 412, x = 2508.30, y = -1666.10, z = 13.25, heading = 10, color1 = 44, color2 = 44 },
    { model = 536, x = 2497.40, y = -1655.90, z = 13.10, heading = 85, color1 = 37, color2 = 37 },
    { model = 481, x = 2487.90, y = -1681.70, z = 12.85, heading = 45, color1 = 3, color2 = 3 },
    { model = 481, x = 2489.20, y = -1682.50, z = 12.85, heading = 45, color1 = 1, color2 = 1 },
    { model = 468, x = 2517.80, y = -1669.70, z = 13.70, heading = 90, color1 = 6, color2 = 6 },
    { model = 411, x = 2471.90, y = -1658.30, z = 13.00, heading = 90, color1 = 1, color2 = 0 },
    { model = 560, x = 2461.60, y = -1658.40, z = 13.00, heading = 90, color1 = 17, color2 = 1 },
    { model = 522, x = 2481.10, y = -1655.20, z = 12.90, heading = 180, color1 = 3, color2 = 8 },
    { model = 562, x = -2033.90, y = 170.20, z = 28.50, heading = 270, color1 = 35, color2 = 1 },
    { model = 559, x = -2033.90, y = 174.50, z = 28.50, heading = 270, color1 = 58, color2 = 8 },
    { model = 521, x = -2024.10, y = 148.90, z = 28.40, heading = 180, color1 = 75, color2 = 13 },
    { model = 420, x = -2004.60, y = 132.80, z = 27.45, heading = 180, color1 = 6, color2 = 1 },
    { model = 431, x = -2004.20, y = 106.40, z = 27.75, heading = 180, color1 = 71, color2 = 59 },
}

vehicles[1] = {
    { model = 492, x = 2505.70, y = -1678.60, z = 13.25, heading = 320, color1 = 3, color2 = 3 },
    { model = 567, x = 2473.20, y = -1691.80, z = 13.30, heading = 0, color1 = 7, color2 = 7 },
    { model = 412, x = 2508.30, y = -1666.10, z = 13.25, heading = 10, color1 = 10, color2 = 10 },
    { model = 536, x = 2497.40, y = -1655.90, z = 13.10, heading = 85, color1 = 12, color2 = 12 },
    { model = 481, x = 2487.90, y = -1681.70, z = 12.85, heading = 45, color1 = 6, color2 = 6 },
    { model = 461, x = 2489.20, y = -1682.50, z = 12.95, heading = 45, color1 = 43, color2 = 1 },
    { model = 463, x = 2517.80, y = -1669.70, z = 13.00, heading = 90, color1 = 36, color2 = 36 },
    { model = 415, x = 2471.90, y = -1658.30, z = 13.05, heading = 90, color1 = 36, color2 = 1 },
    { model = 541, x = 2461.60, y = -1658.40, z = 12.95, heading = 90, color1 = 58, color2 = 8 },
    { model = 487, x = 2525.70, y = -1677.80, z = 19.95, heading = 90, color1 = 29, color2 = 42 },
    { model = 565, x = -2033.90, y = 170.20, z = 28.45, heading = 270, color1 = 42, color2 = 42 },
    { model = 558, x = -2033.90, y = 174.50, z = 28.45, heading = 270, color1 = 116, color2 = 1 },
    { model = 586, x = -2024.10, y = 148.90, z = 28.35, heading = 180, color1 = 122, color2 = 1 },
    { model = 438, x = -2004.60, y = 132.80, z = 27.65, heading = 180, color1 = 6, color2 = 76 },
    { model = 437, x = -2004.20, y = 106.40, z = 27.75, heading = 180, color1 = 79, color2 = 7 },
}

return vehicles
