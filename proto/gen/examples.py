"""The golden examples of proto/examples/*.json, embedded into dlmp-packet as JSON text.

Only their envelope is judged here (a name, a known packet, an example for each packet); the fields are judged by the
codec itself when the fixtures are written.
"""

import json
import pathlib
import re


class Examples:
    def __init__(self, schema, folder):
        self.errors = []
        self.rows = []  # name, packet's name, fields as JSON text
        for path in sorted(pathlib.Path(folder).glob("*.json")):
            try:
                rows = json.loads(path.read_text(encoding="utf-8"))
            except (json.JSONDecodeError, UnicodeDecodeError) as error:
                self.errors.append(f"{path.name}: {error}")
                continue
            if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
                self.errors.append(f"{path.name}: expected a list of objects")
                continue
            for row in rows:
                self._read(schema, path, row)
        for packet in schema.packets:
            if not any(name == packet.name for _, name, _ in self.rows):
                self.errors.append(f"{packet.page}.toml: {packet.name}: has no example in proto/examples/{packet.page}.json")
        self.rows.sort()

    def _read(self, schema, path, row):
        name = row.get("name", "an example without a name")
        if row.keys() != {"name", "packet", "fields"} or not re.fullmatch(r"[a-z][a-z0-9_]*", str(name)):
            self.errors.append(f"{path.name}: {name}: an example has name (a-z, 0-9, _), packet and fields")
            return
        if not isinstance(row["fields"], dict):
            self.errors.append(f"{path.name}: {name}: fields is an object")
            return
        packet = schema.packet(row["packet"])
        if packet is None or packet.page != path.stem:
            self.errors.append(f"{path.name}: {name}: {row['packet']!r} is no packet of this page")
            return
        if any(other == name for other, _, _ in self.rows):
            self.errors.append(f"{path.name}: {name}: an example of this name is there already")
        self.rows.append((name, packet.name, json.dumps(row["fields"], ensure_ascii=True)))

    def source(self):
        lines = [
            "/* Generated from proto/examples/. Do not edit. */",
            '#include "proto/examples.h"',
            "",
            "const struct wire_example wire_examples[] = {",
        ]
        for name, packet, fields in self.rows:
            text = fields.replace("\\", "\\\\").replace('"', '\\"')
            pieces = [text[i : i + 96] for i in range(0, len(text), 96)]
            pieces = self._whole_escapes(pieces)
            lines.append(f'    {{ "{name}", "{packet}",')
            lines += [f'      "{piece}"' for piece in pieces]
            lines.append("    },")
        lines += ["};", "const size_t wire_examples_count = sizeof wire_examples / sizeof wire_examples[0];", ""]
        return "\n".join(lines)

    @staticmethod
    def _whole_escapes(pieces):
        """Moves a backslash that ends a piece to the next one, so that no escape is cut in two."""
        out, carry = [], ""
        for piece in pieces:
            piece = carry + piece
            slashes = len(piece) - len(piece.rstrip("\\"))
            carry = "\\" if slashes % 2 else ""
            out.append(piece[: len(piece) - len(carry)])
        return out
