"""Layouts by hand, from the pages: an oracle that knows neither the schema nor the generator.

Each row is a packet as its page lists it, in the page's order, for Python's `struct`. Every golden example of that packet
must be exactly these bytes. So a field that moves in the schema and in the examples alike does not go unseen.
"""

import json
import os
import pathlib
import struct
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIXTURES = pathlib.Path(os.environ.get("DLMP_FIXTURES", ROOT / "fixtures" / "protocol"))

STATE = "3f4f3f3f" "ffff" "B" "f" "B" "6B" "fffffffff" "HBH" "ffff" "B" "f" "H" "f" "Hhh" "H"
STATE_FIELDS = (
    "pos rot move_speed turn_speed raw_steer steer gas brake flags health epoch doors lean lean_angle pedal hop yaw pitch "
    "roll throttle rotor part gear health_rev turret_yaw turret_pitch rail rail_speed track rope siren_rev nitro hydraulics "
    "hydraulic_lr hydraulic_ud pose_rev"
).split()  # fmt: skip
DAMAGE = "I6BI4B"
DAMAGE_FIELDS = "panels doors lights wheels".split()
RAY_FIELDS = "start_x start_y start_z end_x end_y end_z".split()
REWIND_FIELDS = "rewound x y z vehicle_id vehicle_epoch rot".split()


def inside(name, fields):
    return [f"{name}.{field}" for field in fields]


# packet: id, struct's format behind the id, the fields in order, all bytes by the page
LAYOUTS = {
    "VehicleSync": (
        0x36, "IIBHffffBBfBB" + DAMAGE + "HBIHHIIHHH",
        ["event_id", "vehicle_id", "active", "model", "x", "y", "z", "heading", "color1", "color2", "health", "flags", "epoch"]
        + inside("damage", DAMAGE_FIELDS)
        + "params doors relay_seq health_rev damage_rev tractor_id lifter_id part siren_rev pose_rev".split(), 79,
    ),
    "VehicleEnter": (0x37, "QIIB", "token event_id vehicle_id seat".split(), 18),
    "VehicleOccupancy": (0x39, "IIIIBB", "event_id vehicle_id player_id player_token seat kind".split(), 19),
    "VehicleFrame": (0x3A, "QII" + STATE, "token seq vehicle_id".split() + inside("state", STATE_FIELDS), 173),
    "RemoteVehicleFrame": (
        0x3B, "IIII" + STATE + "IB",
        "source_id source_token seq vehicle_id".split() + inside("state", STATE_FIELDS) + ["relation_rev", "teammate"], 178,
    ),
    "RemoteVehicleShot": (
        0x48, "IIIIB6f6fHIBBfffIB4f",
        "id player_token order vehicle_id count".split() + inside("rays[0]", RAY_FIELDS) + inside("rays[1]", RAY_FIELDS)
        + "props_rev relation_rev teammate".split() + inside("rewind", REWIND_FIELDS), 107,
    ),
    "VehicleTow": (0x49, "QIIBIB", "token event_id trailer_id trailer_epoch tractor_id tractor_epoch".split(), 23),
    "VehicleExplode": (
        0x3D, "QIIBBBII", "token event_id vehicle_id epoch cause has_attacker attacker_id attacker_token".split(), 28,
    ),
    "VehicleHandling": (0x53, "III21f", "event_id vehicle_id mask values".split(), 97),
    "VehicleTransform": (
        0x54, "IIBIHB3f4f3f3f",
        "event_id vehicle_id epoch relay_seq pose_rev flags pos rot move_speed turn_speed".split(), 69,
    ),
    "WeaponShot": (
        0x09, "QII6fHBII",
        "session_token order weapon".split() + RAY_FIELDS + "props_rev hit_kind hit_id hit_gen".split(), 52,
    ),
    "ProjectileCreate": (
        0x30, "QII9fBIBI",
        "token event_id weapon origin_x origin_y origin_z velocity_x velocity_y velocity_z forward_x forward_y forward_z "
        "from_vehicle target_id target_epoch seen_event".split(), 63,
    ),
    # These three carry event_id behind the players.
    "RemoteProjectileCreate": (
        0x31, "IIII9fIBIBIB",
        "player_id player_token event_id weapon origin_x origin_y origin_z velocity_x velocity_y velocity_z forward_x "
        "forward_y forward_z launcher_id launcher_epoch target_id target_epoch relation_rev teammate".split(), 68,
    ),
    "RemoteSatchelDetonate": (0x33, "IIIIB", "player_id player_token event_id relation_rev teammate".split(), 18),
    "RemoteStealthKill": (
        0x35, "IIIII", "attacker_id attacker_token victim_id victim_token event_id".split(), 21,
    ),
    "WeaponProperties": (0x60, "IBBH14fHB", "event_id weapon skill mask values rev following".split(), 68),
}  # fmt: skip


def value(fields, path):
    for part in path.replace("]", "").replace("[", ".").split("."):
        fields = fields[int(part)] if part.isdigit() else fields[part]
    return fields if isinstance(fields, list) else [fields]


class Layouts(unittest.TestCase):
    def test_every_fixture_is_laid_out_as_its_page_says(self):
        index = json.loads((FIXTURES / "index.json").read_text(encoding="utf-8"))
        seen = set()
        for row in index:
            if row["packet"] not in LAYOUTS:
                continue
            packet_id, form, fields, size = LAYOUTS[row["packet"]]
            seen.add(row["packet"])
            with self.subTest(row["name"]):
                values = [number for path in fields for number in value(row["fields"], path)]
                expected = struct.pack("<B" + form, packet_id, *values)
                self.assertEqual(len(expected), size)
                self.assertEqual((FIXTURES / f"{row['name']}.bin").read_bytes(), expected)
        self.assertEqual(seen, set(LAYOUTS))


if __name__ == "__main__":
    unittest.main()
