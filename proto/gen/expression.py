"""Rules over several fields: compiles a rule's `holds` into the body of a C function.

An expression is Python's syntax (parsed by Python's own `ast`), with the meaning that proto/schema/README.md gives it.
Anything else is an error that names the rule.
"""

import ast
import inspect
import operator
import re

from schema import C_KEYWORDS, NONE, SCALARS, f32

COMPARE = {ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
ARITHMETIC = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*"}
COUNT = {"+": operator.add, "-": operator.sub, "*": operator.mul}


class RuleError(Exception):
    """What is wrong with the expression, in words."""


# How tightly a piece of C holds together.
ATOM, SUM, COMPARISON, AND, OR, CHOICE = range(6)


class Value:
    """A piece of C with its kind: int, f32, double, bool, literal, u64, text, array, struct, list or table.

    `reach` is the least and greatest value of an int, where that is known: an index needs it.
    """

    def __init__(self, kind, code, field=None, number=None, table=None, binds=ATOM, reach=None):
        self.kind, self.code, self.field, self.number, self.table, self.binds = kind, code, field, number, table, binds
        self.reach = reach

    def inside(self, *allowed):
        """The code for a place where only an atom and these need no parentheses."""
        return self.code if self.binds == ATOM or self.binds in allowed else f"({self.code})"

    @property
    def wrapped(self):
        return self.inside()


def float_literal(number, suffix="f"):
    """A C literal that reads back as this number."""
    text = repr(float(number))
    if suffix:  # the shortest decimal that still is this f32
        text = next(short for digits in range(1, 18) if f32(float(short := f"{number:.{digits}g}")) == f32(number))
    if 1e-4 <= abs(float(text)) < 1e9:
        text = f"{float(text):.12f}".rstrip("0")
        text += "0" if text.endswith(".") else ""
    if "e" not in text and "." not in text:
        text += ".0"
    return text + suffix


class Compiler:
    """One rule of one packet or struct, whose fields are reached through `in->`."""

    def __init__(self, owner, rule):
        self.owner, self.rule = owner, rule
        self.loops = {}  # variable: its reach
        self.tables = {}

    def body(self):
        """The lines of the function's body: it returns false when the rule is broken."""
        try:
            tree = ast.parse(self.rule.holds, mode="eval").body
        except (SyntaxError, ValueError) as error:
            raise RuleError(f"not an expression: {getattr(error, 'msg', error)}") from error
        lines = self._statements(tree)
        tables = [self._table_line(name, kind) for name, kind in sorted(self.tables.items())]
        unused = sorted(self.rule.tables.keys() - self.tables.keys())
        if unused:
            raise RuleError(f"the list {unused[0]!r} is not used")
        if not self._has_loop(tree) and not isinstance(tree, ast.BoolOp | ast.IfExp) or len(lines) == 2:
            return [f"return {self._bool(tree).code};"]
        return tables + ([""] if tables else []) + lines + ["return true;"]

    # ---------------------------------------------------------------------------------------------------- statements

    def _statements(self, node):
        """Lines that return false when `node` does not hold, and fall through when it does."""
        if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And):
            return [line for value in node.values for line in self._statements(value)]
        if not self._has_loop(node):
            return [f"if (!({self._bool(node).code}))", "    return false;"]
        if isinstance(node, ast.BoolOp):  # an or, whose last part has a loop
            first = node.values[:-1]
            if any(self._has_loop(value) for value in first):
                raise RuleError("of an `or`, only the last part may hold all()")
            test = self._bool(first[0] if len(first) == 1 else ast.BoolOp(ast.Or(), first))
            return self._block(f"if (!{test.wrapped})", self._statements(node.values[-1]))
        if isinstance(node, ast.IfExp) and not self._has_loop(node.test):
            return self._block(f"if ({self._bool(node.test).code})", self._statements(node.body)) + self._block(
                "else", self._statements(node.orelse)
            )
        if isinstance(node, ast.Call) and self._name(node.func) == "all":
            return self._loop(node)
        raise RuleError("all() stands alone, behind `and`, last in an `or`, or in a branch of `if`")

    def _loop(self, node):
        if len(node.args) != 1 or not isinstance(node.args[0], ast.GeneratorExp) or len(node.args[0].generators) != 1:
            raise RuleError("all() takes `P for i in range(a, b)`")
        loop = node.args[0].generators[0]
        call = loop.iter
        if loop.ifs or not isinstance(loop.target, ast.Name) or not (isinstance(call, ast.Call) and self._name(call.func) == "range"):
            raise RuleError("all() takes `P for i in range(a, b)`")
        bounds = [self._int(argument) for argument in call.args]
        if len(bounds) == 1:
            bounds = [self._literal(0)] + bounds
        if len(bounds) != 2:
            raise RuleError("range() takes one bound or two")
        name = loop.target.id
        if name in self.loops or name in C_KEYWORDS or self.owner.field(name):
            raise RuleError(f"{name!r} cannot be the variable of a loop")
        start, stop = (bound.reach for bound in bounds)
        self.loops[name] = (start[0], stop[1] - 1) if start and stop else None
        inner = self._statements(node.args[0].elt)
        del self.loops[name]
        return self._block(f"for (int64_t {name} = {bounds[0].code}; {name} < {bounds[1].code}; {name}++)", inner)

    @staticmethod
    def _block(head, inner):
        return [f"{head} {{"] + [f"    {line}" for line in inner] + ["}"]

    @staticmethod
    def _has_loop(node):
        return any(isinstance(part, ast.GeneratorExp) for part in ast.walk(node))

    @staticmethod
    def _name(node):
        return node.id if isinstance(node, ast.Name) else None

    # --------------------------------------------------------------------------------------------------- expressions

    def _bool(self, node):
        value = self._value(node)
        if value.kind != "bool":
            raise RuleError(f"expected a condition, got {ast.unparse(node)!r}")
        return value

    def _int(self, node):
        value = self._value(node)
        if value.kind == "literal" and isinstance(value.number, int):
            return value
        if value.kind != "int":
            raise RuleError(f"expected an integer, got {ast.unparse(node)!r}")
        return value

    def _value(self, node):
        if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)) and not isinstance(node.value, bool):
            return self._literal(node.value)
        if isinstance(node, ast.Name):
            return self._named(node.id)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            inner = self._value(node.operand)
            return self._literal(-inner.number) if inner.kind == "literal" else self._negated(inner)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return Value("bool", f"!{self._bool(node.operand).wrapped}")
        if isinstance(node, ast.BoolOp):
            joiner, binds = (" && ", AND) if isinstance(node.op, ast.And) else (" || ", OR)
            return Value("bool", joiner.join(self._bool(value).inside(COMPARISON, binds) for value in node.values), binds=binds)
        if isinstance(node, ast.IfExp):
            test, yes, no = (self._bool(part).inside(COMPARISON, AND, OR) for part in (node.test, node.body, node.orelse))
            return Value("bool", f"{test} ? {yes} : {no}", binds=CHOICE)
        if isinstance(node, ast.Compare):
            return self._comparison(node)
        if isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC:
            return self._arithmetic(node)
        if isinstance(node, ast.Subscript):
            return self._subscript(node)
        if isinstance(node, ast.Attribute):
            return self._attribute(node)
        if isinstance(node, ast.Call):
            return self._call(node)
        raise RuleError(f"{ast.unparse(node)!r} is not part of the rule language")

    @staticmethod
    def _literal(number):
        return Value("literal", repr(number), number=number, reach=(number, number))

    @staticmethod
    def _negated(value):
        if value.kind not in ("int", "f32", "double"):
            raise RuleError("only a number has a negative")
        return Value("double" if value.kind != "int" else "int", f"-{value.wrapped}", binds=SUM)

    def _named(self, name):
        if name in self.loops:
            return Value("int", name, reach=self.loops[name])
        if name == "NONE":
            return self._literal(NONE)
        field = self.owner.field(name)
        if field is not None:
            return self._field(field, f"in->{name}")
        if name in self.rule.tables:
            return Value("table", name, table=name)
        raise RuleError(f"{name!r} is neither a field of {self.owner.name} nor known to rules")

    def _field(self, field, code):
        if field.count is not None:
            return Value("array", code, field=field)
        if field.is_span:
            return Value("text", code, field=field)
        if field.type in ("list", "struct"):
            return Value(field.type, code, field=field)
        return self._scalar(field.type, code, field)

    @staticmethod
    def _scalar(kind, code, field=None):
        if kind == "f32":
            return Value("f32", code, field=field)
        if kind == "u64":
            return Value("u64", code, field=field)
        _, least, most = SCALARS[kind]
        if field is not None and field.type == kind:
            least, most = (field.min if field.min is not None else least), (field.max if field.max is not None else most)
        return Value("int", code, field=field, reach=(least, most))

    def _comparison(self, node):
        parts = []
        left = node.left
        for operator, right in zip(node.ops, node.comparators):
            if isinstance(operator, (ast.In, ast.NotIn)):
                if not isinstance(right, (ast.Tuple, ast.List)):
                    raise RuleError("`in` takes a list of numbers")
                tests = [self._compare(self._value(left), ast.Eq, self._value(element)) for element in right.elts]
                joined = Value("bool", " || ".join(tests), binds=OR if len(tests) > 1 else COMPARISON)
                parts.append(joined if isinstance(operator, ast.In) else Value("bool", f"!{joined.wrapped}"))
            else:
                parts.append(Value("bool", self._compare(self._value(left), type(operator), self._value(right)), binds=COMPARISON))
            left = right
        if len(parts) == 1:
            return parts[0]
        return Value("bool", " && ".join(part.inside(COMPARISON) for part in parts), binds=AND)

    def _compare(self, left, operator, right):
        if operator not in COMPARE:
            raise RuleError("only == != < <= > >= in compare")
        kinds = {left.kind, right.kind}
        if not kinds <= {"int", "u64", "f32", "double", "literal", "table"}:
            raise RuleError("compares something that is not a number")
        if kinds & {"f32", "double"}:
            wide = bool(kinds & {"double", "int"})
            sides = [self._as_float(side, wide) for side in (left, right)]
        elif "u64" in kinds and operator not in (ast.Eq, ast.NotEq):
            raise RuleError("a u64 is only compared for equality")
        else:
            plain = "literal" in kinds  # a field and a constant compare as they are
            sides = [self._as_int(side, plain) for side in (left, right)]
            for side, other in ((left, right), (right, left)):
                if side.kind == "literal" and side.number < 0 and other.field is not None and other.field.type.startswith("u"):
                    raise RuleError(f"an unsigned field is compared with {side.number}")
        return f"{sides[0]} {COMPARE[operator]} {sides[1]}"

    def _as_float(self, value, wide):
        if value.kind == "literal":
            return float_literal(value.number, "" if wide else "f")
        if value.kind == "table":
            self.tables[value.table] = "f32"
            return value.code
        return f"(double){value.wrapped}" if wide and value.kind in ("f32", "int") else value.wrapped

    def _as_int(self, value, plain=False):
        if value.kind == "literal":
            if not isinstance(value.number, int):
                raise RuleError(f"{value.number} is compared with an integer")
            return "WIRE_NONE" if value.number == NONE else value.code
        if value.kind == "table":
            self.tables[value.table] = "int"
            return value.code
        return value.wrapped if plain or value.field is None or value.kind == "u64" else f"(int64_t){value.wrapped}"

    def _arithmetic(self, node):
        left, right = self._value(node.left), self._value(node.right)
        sign = ARITHMETIC[type(node.op)]
        kinds = {left.kind, right.kind}
        if kinds <= {"literal"}:
            return self._literal(COUNT[sign](left.number, right.number))
        if kinds <= {"int", "literal"}:
            return Value("int", f"{self._as_int(left)} {sign} {self._as_int(right)}", binds=SUM, reach=self._reach(sign, left, right))
        if kinds <= {"int", "f32", "double", "literal"}:
            return Value("double", f"{self._as_float(left, True)} {sign} {self._as_float(right, True)}", binds=SUM)
        raise RuleError(f"cannot count with {ast.unparse(node)!r}")

    @staticmethod
    def _reach(sign, left, right):
        if left.reach is None or right.reach is None:
            return None
        ends = [COUNT[sign](one, other) for one in left.reach for other in right.reach]
        return min(ends), max(ends)

    def _subscript(self, node):
        base, index = self._value(node.value), self._int(node.slice)
        room = {"table": lambda: len(self.rule.tables[base.table]), "array": lambda: base.field.count, "list": lambda: base.field.max}
        if base.kind not in room or base.code.endswith("]"):
            raise RuleError(f"{ast.unparse(node.value)!r} has no elements")
        if index.reach is None or index.reach[0] < 0 or index.reach[1] >= room[base.kind]():
            raise RuleError(f"{ast.unparse(node)!r} may be outside of its {room[base.kind]()} elements")
        code = f"{base.code}[{index.code}]"
        if base.kind == "table":
            return Value("table", code, table=base.table)
        if base.field.struct:
            return Value("struct", code, field=base.field)
        return self._scalar(base.field.type if base.kind == "array" else base.field.item, code, base.field)

    def _attribute(self, node):
        base = self._value(node.value)
        if base.kind != "struct" or base.field.struct.field(node.attr) is None:
            raise RuleError(f"{ast.unparse(node)!r}: no such field")
        return self._field(base.field.struct.field(node.attr), f"{base.code}.{node.attr}")

    # --------------------------------------------------------------------------------------------------------- calls

    def _call(self, node):
        name = self._name(node.func)
        handler = getattr(self, f"_call_{name}", None) if name else None
        if handler is None:
            raise RuleError(f"{ast.unparse(node.func)!r} is not known to rules")
        if node.keywords or any(isinstance(argument, ast.Starred) for argument in node.args):
            raise RuleError(f"{name}() takes its arguments by place")
        try:
            inspect.signature(handler).bind(*node.args)
        except TypeError as error:
            raise RuleError(f"{name}(): {error}") from error
        return handler(*node.args)

    def _expect(self, node, kind):
        value = self._value(node)
        if value.kind != kind:
            raise RuleError(f"{ast.unparse(node)!r} is no {kind}")
        return value

    def _string(self, node):
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
            raise RuleError("expected a string")
        return '"' + node.value.replace("\\", "\\\\").replace('"', '\\"') + '"'

    def _call_bit(self, field, number):
        value, index = self._value(field), self._int(number)
        if value.kind not in ("int", "u64"):
            raise RuleError("bit() takes an integer field")
        code = f"(uint64_t){value.wrapped}" if value.kind == "int" else value.code
        return Value("bool", f"({code} >> {index.wrapped} & 1) != 0", binds=COMPARISON)

    def _call_zero(self, node, *nodes):
        nodes = (node, *nodes)
        return Value("bool", " && ".join(self._zero(self._value(node)) for node in nodes), binds=AND)

    def _zero(self, value):
        if value.kind in ("int", "u64"):
            return f"{value.wrapped} == 0"
        if value.kind == "f32":
            return f"{value.wrapped} == 0.0f"
        if value.kind == "text":
            return f"{value.code}.size == 0"
        if value.kind == "list":
            return f"{value.code}_count == 0"
        if value.kind == "array":
            if value.field.struct:
                elements = [Value("struct", f"{value.code}[{i}]", field=value.field) for i in range(value.field.count)]
                return " && ".join(self._zero(element) for element in elements)
            return f"wire_all_zero_{value.field.type}({value.code}, {value.field.count})"
        if value.kind == "struct":
            fields = value.field.struct.fields
            return " && ".join(self._zero(self._field(field, f"{value.code}.{field.name}")) for field in fields)
        raise RuleError("zero() takes fields")

    def _call_zero_after(self, node):
        return self._zero_run(node, None)

    def _call_zero_between(self, first, last):
        return self._zero_run(first, last)

    def _zero_run(self, first, last):
        """zero_after(first), or zero_between(first, last)."""
        names = [field.name for field in self.owner.fields]
        ends = [self._name(node) for node in (first, last) if node is not None]
        if any(name not in names for name in ends):
            raise RuleError("zero_after() and zero_between() take names of fields")
        start = names.index(ends[0]) + (1 if last is None else 0)
        stop = len(names) if last is None else names.index(ends[1]) + 1
        if start >= stop:
            raise RuleError("there is no field in that run")
        tests = [self._zero(self._field(field, f"in->{field.name}")) for field in self.owner.fields[start:stop]]
        return Value("bool", " && ".join(tests), binds=AND)

    def _call_len(self, node):
        value = self._value(node)
        if value.kind == "text":
            return Value("int", f"(int64_t){value.code}.size", reach=(value.field.min or 0, value.field.max))
        if value.kind == "list":
            return Value("int", f"(int64_t){value.code}_count", reach=(value.field.min or 0, value.field.max))
        raise RuleError("len() takes a text or a list")

    def _call_abs(self, node):
        value = self._value(node)
        if value.kind == "f32":
            return Value("f32", f"fabsf({value.code})")
        if value.kind == "double":
            return Value("double", f"fabs({value.code})")
        raise RuleError("abs() takes a float")

    def _call_norm(self, node):
        value = self._expect(node, "array")
        if value.field.type != "f32":
            raise RuleError("norm() takes an f32 array")
        return Value("double", f"wire_norm({value.code}, {value.field.count})")

    def _call_whole(self, node):
        value = self._expect(node, "f32")
        return Value("bool", f"truncf({value.code}) == {value.code}", binds=COMPARISON)

    def _call_starts_with(self, text, chars):
        return Value("bool", f"text_starts_with({self._expect(text, 'text').code}, {self._string(chars)})")

    def _call_chars(self, array, chars):
        value = self._expect(array, "array")
        if value.field.type != "u8":
            raise RuleError("chars() takes a u8 array")
        return Value("bool", f"text_is_chars({value.code}, {value.field.count}, {self._string(chars)})")

    def _call_is_integer(self, node):
        return Value("bool", f"text_is_integer({self._expect(node, 'text').code})")

    def _call_integer(self, node):
        return Value("int", f"text_integer({self._expect(node, 'text').code})")

    def _call_lines(self, node):
        return Value("int", f"(int64_t)text_lines({self._expect(node, 'text').code})")

    def _call_is_table(self, text, rows, columns, cell_max):
        sizes = [f"(size_t){self._int(node).wrapped}" for node in (rows, columns, cell_max)]
        return Value("bool", f"text_is_table({', '.join([self._expect(text, 'text').code] + sizes)})")

    def _table_line(self, name, kind):
        numbers = self.rule.tables[name]
        if kind == "f32":
            return f"static const float {name}[] = {{ {', '.join(float_literal(number) for number in numbers)} }};"
        if not all(isinstance(number, int) for number in numbers):
            raise RuleError(f"the list {name!r} is compared with integers and holds floats")
        return f"static const int64_t {name}[] = {{ {', '.join(str(number) for number in numbers)} }};"


def literal(field, number):
    """A bound of a field as a C literal of the field's own type."""
    if field.type == "f32":
        return float_literal(number)
    least = SCALARS[field.type][1]
    if number == least and re.fullmatch(r"i(32|64)", field.type):
        return f"({number + 1} - 1)"
    return f"UINT64_C({number})" if field.type == "u64" else str(number)
