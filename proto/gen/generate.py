#!/usr/bin/env python3
"""Generates everything about the wire from proto/schema/.

    proto/gen/generate.py --c build/gen             structs, codec, tables and reflection
    proto/gen/generate.py --docs docs/protocol.md   the packets for readers
    proto/gen/generate.py --wireshark deploy/wireshark/dlmp.lua
    proto/gen/generate.py --check                   validates the schema only
"""

import argparse
import os
import pathlib
import sys

from emit_c import Page
from emit_table import Table
from examples import Examples
from schema import Schema


def write(path, text):
    """Leaves an unchanged file alone, so that nothing is built anew for it."""
    path = pathlib.Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def fail(folder, errors):
    for error in errors:
        print(f"{folder}/{error}", file=sys.stderr)
    print(f"{len(errors)} error(s); proto/schema/README.md describes the format", file=sys.stderr)
    return 1


def main():
    folder = pathlib.Path(os.path.relpath(pathlib.Path(__file__).resolve().parent.parent))
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n")[0], epilog="example: proto/gen/generate.py --c build/gen", allow_abbrev=False
    )
    parser.add_argument("--schema", default=folder / "schema", help="folder of the schema (default: proto/schema)")
    parser.add_argument("--examples", default=folder / "examples", help="folder of the examples (default: proto/examples)")
    parser.add_argument("--c", metavar="DIR", help="write the C codec into this folder")
    parser.add_argument("--docs", metavar="FILE", help="write docs/protocol.md")
    parser.add_argument("--wireshark", metavar="FILE", help="write the Wireshark dissector")
    parser.add_argument("--check", action="store_true", help="only validate the schema")
    arguments = parser.parse_args()

    schema = Schema(arguments.schema)
    if schema.errors:
        return fail(arguments.schema, schema.errors)
    pages = [Page(schema, page) for page in schema.pages]
    sources = {page.page: page.source() for page in pages}
    examples = Examples(schema, arguments.examples)
    errors = [error for page in pages for error in page.errors]
    if errors:
        return fail(arguments.schema, errors)
    if examples.errors:
        return fail(arguments.examples, examples.errors)
    if arguments.c:
        target = pathlib.Path(arguments.c)
        table = Table(schema)
        for page in pages:
            write(target / f"wire_{page.page}.h", page.header())
            write(target / f"wire_{page.page}.c", sources[page.page])
        write(target / "wire.h", table.header())
        write(target / "wire_table.h", table.source_header())
        write(target / "wire_table.c", table.source())
        write(target / "wire_examples.c", examples.source())
    if arguments.docs:
        from emit_docs import docs

        write(arguments.docs, docs(schema, examples))
    if arguments.wireshark:
        from emit_wireshark import dissector

        write(arguments.wireshark, dissector(schema))
    return 0


if __name__ == "__main__":
    sys.exit(main())
