#!/usr/bin/env python3
"""An operation is added in few places, and no place forgets it.

No switch over operations or their groups has a `default:`, so that the compiler names what a new one misses; and no header
names an operation that need not. Where a layer knows something of a few operations only, it has a table (`op_facet`).
How many headers name an operation as `op::name` has a bound: MOST for any, more with a reason for those of MORE.
"""

import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
MOST = 17  # its group of the catalogue, builder, three arithmetics, kernels, two vocabularies, readers, cost, lowering, a rule or two

BUILDING_BLOCK = "lowering, rewrites and readers make other operations of it"
ENGINE = "the multiply-accumulate array is what the rules, costs and error bounds are about"
PARAMETER = "weights and constants: each layer treats what is known before a run in its own way"
PARTNER = "layers look for it beside another operation: what they compute together"
MOVES = "costs and layouts depend on which elements move, and lowering makes others of it"
NORM = "layers of their own, with rules on sizes and values, and a form for operands that are scaled"
MORE = {
    "add": (67, BUILDING_BLOCK), "mul": (70, BUILDING_BLOCK), "sub": (43, BUILDING_BLOCK), "div": (36, BUILDING_BLOCK),
    "maximum": (35, BUILDING_BLOCK), "minimum": (25, BUILDING_BLOCK), "pow": (19, BUILDING_BLOCK),
    "select": (28, BUILDING_BLOCK), "not_equal": (21, BUILDING_BLOCK), "equal": (20, BUILDING_BLOCK),
    "exp": (23, BUILDING_BLOCK), "sqrt": (25, BUILDING_BLOCK), "rsqrt": (25, BUILDING_BLOCK),
    "inverse": (25, BUILDING_BLOCK), "abs": (22, BUILDING_BLOCK), "relu": (19, BUILDING_BLOCK),
    "reduce_sum": (32, BUILDING_BLOCK), "reduce_mean": (27, BUILDING_BLOCK), "reduce_max": (23, BUILDING_BLOCK),
    "log": (21, BUILDING_BLOCK), "layer_norm": (25, NORM), "rms_norm": (20, NORM), "instance_norm": (21, NORM),
    "less": (18, BUILDING_BLOCK), "floor": (18, BUILDING_BLOCK), "square": (21, BUILDING_BLOCK),
    "cast": (20, BUILDING_BLOCK), "clamp": (20, BUILDING_BLOCK), "identity": (30, BUILDING_BLOCK),
    "conv2d": (51, ENGINE), "matmul": (59, ENGINE), "linear": (40, ENGINE), "conv_transpose2d": (29, ENGINE),
    "attention": (33, ENGINE), "avg_pool": (31, ENGINE), "max_pool": (31, ENGINE), "l2_pool": (23, ENGINE),
    "input": (66, PARAMETER), "constant": (60, PARAMETER), "weight": (45, PARAMETER), "compressed": (42, PARAMETER),
    "dequantize": (21, PARAMETER),
    "softmax": (30, PARTNER), "top_k": (17, PARTNER), "top_k_indices": (20, PARTNER), "arg_max": (19, PARTNER),
    "reshape": (45, MOVES), "transpose": (33, MOVES), "slice": (33, MOVES), "concat": (30, MOVES), "gather": (24, MOVES),
    "strided_slice": (27, MOVES), "pad": (24, MOVES), "tile": (19, MOVES),
}

OVER_OPERATIONS = re.compile(r"\bcase (?:\w+::)*op(?:_group)?::")
OF_A_KIND = re.compile(r"(?:^|[.>(\s])[kK]ind$")  # `kind`, `n.kind`, `link.kind`, and not `attributes.kind()`


def without_comments(text):
    return re.sub(r"//[^\n]*", "", text)


def body_at(text, opening):
    """What stands in the braces of which the first is at `opening`."""
    depth = 0
    for at in range(opening, len(text)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if depth == 0:
            return text[opening + 1:at]
    return text[opening + 1:]


def without_inner_switches(body):
    """A switch's body without those in it, whose defaults are their own."""
    while found := re.search(r"\bswitch\s*\([^{;]*\)\s*\{", body):
        inner = body_at(body, found.end() - 1)
        body = body[:found.start()] + body[found.end() + len(inner):]
    return body


def defaults(text):
    """The lines of switches over operations that have a `default:`."""
    text = without_comments(text)
    lines = []
    for found in re.finditer(r"\bswitch\s*\(([^{;]*)\)\s*\{", text):
        own = without_inner_switches(body_at(text, found.end() - 1))
        macros = "case" not in own  # rows of a table make its cases
        over_operations = OVER_OPERATIONS.search(own) or "operations.def" in own or \
            (macros and OF_A_KIND.search(found.group(1).strip()))
        if over_operations and re.search(r"\bdefault\s*:", own):
            lines.append(text.count("\n", 0, found.start()) + 1)
    return lines


def sources(*folders):
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".hpp", ".ipp", ".inl", ".cpp", ".h"):
                yield path


def named_in(texts, operations):
    """How many of the texts name each operation."""
    counts = collections.Counter()
    for text in texts:
        counts.update(set(re.findall(r"\bop::(\w+)", text)) & operations)
    return counts


def crowded(counts):
    for name, count in sorted(counts.items()):
        most, reason = MORE.get(name, (MOST, "any operation"))
        if count > most:
            yield f"op::{name} is named in {count} headers, at most {most} ({reason}): make it a facet of the catalogue or a table"


def loose(counts, operations):
    """Bounds that hold back nothing."""
    for name, (most, _) in MORE.items():
        if name not in operations:
            yield f"{name} has a bound and is no operation"
        elif counts[name] < most:
            yield f"op::{name} is named in {counts[name]} headers: lower its bound of {most}"


def proof():
    """The test finds what it looks for."""
    one = "switch (n.kind) {\ncase op::relu: return 1;\n%s}\n"
    assert defaults(one % "default: return 0;\n") == [1]
    assert defaults("x;\nswitch (signature(n.kind).group) {\ncase op_group::unary: break;\ndefault: break;\n}\n") == [2]
    assert defaults("switch (link.kind) {\n    ROWS(CASE)\ndefault: break;\n}\n") == [1]
    assert defaults("switch (kind) {\n#include \"../graph/operations.def\"\ndefault: break;\n}\n") == [1]
    assert not defaults(one % "")
    assert not defaults("switch (rows) {\ncase 1: return op::add;\ndefault: break;\n}\n")
    assert not defaults("switch (a.kind()) {\ncase attribute_kind::axis: break;\ndefault: break;\n}\n")
    assert not defaults(one % "case op::abs:\n switch (rank) {\ncase 1: break;\ndefault: break;\n}\n")
    assert list(crowded({"relu6": MOST + 1})) and not list(crowded({"relu6": MOST}))
    assert named_in(["op::add op::add", "op::sub", "add"], {"add", "sub"}) == {"add": 1, "sub": 1}


def main():
    proof()
    faults = [f"{path.relative_to(ROOT)}:{line}: a switch over operations has a default"
              for path in sources("include", "tools") for line in defaults(path.read_text())]
    rows = (ROOT / "include/anemone/graph/operations.def").read_text()
    operations = set(re.findall(r"^ANEMONE_\w+\((\w+),", rows, re.MULTILINE))
    assert len(operations) > 100
    # The derivatives are a second catalogue: a struct for each operation, made of others; so are steps of training
    # and whole models.
    counts = named_in((path.read_text() for path in sources("include") if path.parent.name not in ("gradient", "training", "models", "vision", "text", "speech")), operations)
    faults += crowded(counts)
    faults += loose(counts, operations)
    print("\n".join(faults) or f"{len(operations)} operations; half of them are named in "
          f"{sorted(counts[each] for each in operations)[len(operations) // 2]} headers or fewer")
    return 1 if faults else 0


sys.exit(main())
