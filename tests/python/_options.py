"""The options of use cases as C's header, Python's methods and their pages tell them: made from the tables of tools/app."""

import ast
import json
import os
import pathlib
import re
import subprocess
import textwrap

from _harness import ROOT, skip

HEADER = ROOT / "include" / "anemone" / "c" / "anemone.h"
MODEL = ROOT / "tools" / "python" / "anemone" / "model.py"
PAGE = ROOT / "docs" / "python.md"
BUILD = pathlib.Path(os.environ.get("ANEMONE_BUILD_DIR", ROOT / "build" / "gcc"))


def tables():
    """The use cases with their options. Skips where the program that prints them was not built."""
    program = BUILD / "bin" / "write_options"
    if not program.exists():
        skip("write_options was not built")
    return json.loads(subprocess.run([program], capture_output=True, text=True, check=True).stdout)


def inside(text):
    """A sentence in the middle of another: names keep their capitals."""
    return text[0].lower() + text[1:] if text[1:2].islower() or text[1:2] == " " else text


# ---- C ------------------------------------------------------------------------------------------------------------------


def structures():
    """The members of each structure of the header: (declaration, name, comment or "")."""
    found = {}
    for body, name in re.findall(r"typedef struct \w+ \{\n(.*?)\n\} (\w+);", HEADER.read_text(), re.DOTALL):
        members = re.findall(r"^ {4}([^;/]*?(\w+));(?:\s*/\*\*<\s*(.*?)\s*\*/)?", body, re.DOTALL | re.MULTILINE)
        found[name] = [(declared, member, " ".join(comment.split())) for declared, member, comment in members]
    return found


def in_c(option):
    """What the header says of a member."""
    text = inside(option["texts"]["c"])
    default = option.get("default")
    if option["written"]["c"]:
        text += f": {option['written']['c']}"
    if option["kind"] == "flag":
        return f"not 0: {text}"
    if option["kind"] == "word":
        words = [f'"{word}"' for word in option["words"]]
        return f"{text}: {', '.join(words[:-1])} or {words[-1]}; NULL: \"{default}\""
    if option["kind"] == "text" and default:
        return f'{text}; NULL: "{default}"'
    if option.get("is_optional"):
        return f"{text}; 0: none"
    if option["kind"] in ("count", "number") and default:
        return f"{text}; 0: " + (f"{default >> 30} GB" if default >= 1 << 30 else str(default))
    return text


def of_c(case):
    """What the header has to say of each member of a structure, by name; lengths of lists say how long they are."""
    comments = {"size": f"sizeof({case['place']['c']})"}
    for option in case["options"]:
        if not option["left_out"]["c"] and not option["is_argument_in_c"]:
            comments[option["names"]["c"]] = in_c(option)
    return comments


def updated_header(cases):
    """The header with its comments as the tables have them; clang-format aligns them."""
    text = HEADER.read_text()
    for case in cases:
        name = case["place"]["c"]
        if not name:
            continue
        comments = of_c(case)
        lines = []
        members = structures()[name]
        width = max(len(declared) for declared, _, _ in members) + 1
        for declared, member, comment in members:
            wanted = comments.get(member, comment)
            head = f"    {declared};".ljust(4 + width)
            rows = textwrap.wrap(wanted, 120 - 4 - width - len(" /**<  */"))
            further = "\n" + " " * (4 + width + len(" /**< "))
            lines.append((head + (f" /**< {further.join(rows)} */" if rows else "")).rstrip())
        body = "\n".join(lines)
        text = re.sub(rf"(typedef struct {name} \{{\n).*?(\n\}} {name};)", lambda m, b=body: m[1] + b + m[2], text,
                      flags=re.DOTALL)
    return text


# ---- Python -------------------------------------------------------------------------------------------------------------

TYPES = {"flag": "bool", "count": "int", "number": "float", "word": "str", "text": "str", "texts": "Sequence[str]",
         "counts": "Sequence[int]"}
OWN_TYPES = {"shapes": "Optional[Shapes]", "values": "Optional[Values]", "ranges": "Optional[Ranges]", "data": "Optional[Mapping[str, Any]]",
             "validate": "Optional[Mapping[str, Any]]"}

# Where the options of a method stand among its own parameters: {name} is one of them, {} the others.
PARAMETERS = {
    "Model.__init__": ("self, path: Path, *, {}", "None"),
    "Model.check": ("self, {targets}, *, {}", "Report"),
    "Model.cost": ("self, {targets}, *, {}", "List[Cost]"),
    "Model.optimize": ("self, {target}, *, {}", "Optimized"),
    "Model.compress": ("self, {target}, *, {}", "Compressed"),
    "Model.diff": ("self, *, {}", "Differed"),
    "Model.placement": ("self, {target}, *, {}", "Placement"),
    "Model.timeline": ('self, {target}, *, beside: Sequence["Model"] = (), {}', "Timeline"),
    "Model.draw": ("self, title: Optional[str] = None, *, {}", "str"),
    "Model.convert": ("self, {to}, folder: Path, *, {}", "str"),
    "Model.compile": ("self, {backend}", "Program"),
    "Model.run": ("self, inputs: Mapping[str, Any], {backend}", "Dict[str, numpy.ndarray]"),
    "LanguageModel.__init__": ("self, path: Path, *, {}", "None"),
    "LanguageModel.generate": ("self, tokens: Sequence[int], *, {}", "Generation"),
    "precision": ("path: Path, tokens: Any, *, {}", "Precision"),
    "Trainer.train": ("self, {data}, *, {validate}, {}", "Trained"),
    "check": ("path: Path, {targets}, *, {}, **reading: Any", "Report"),
    "cost": ("path: Path, {targets}, *, {}, **reading: Any", "List[Cost]"),
    "draw": ("path: Path, title: Optional[str] = None, *, {}, **reading: Any", "str"),
    "run": ("path: Path, inputs: Mapping[str, Any], {backend}, **reading: Any", "Dict[str, numpy.ndarray]"),
}
OPTIONS_OF = {"Model.run": "Model.compile", "check": "Model.check", "cost": "Model.cost", "draw": "Model.draw",
              "run": "Model.compile"}  # the same options, which are documented there


def own_type(option):
    """A type that the kind of the option does not tell; a flag of the same name is a flag."""
    declared = None if option["kind"] == "flag" else OWN_TYPES.get(option["names"]["python"])
    return declared[len("Optional["):-1] if declared and option["is_required"] else declared


def default_of(option):
    if own_type(option):
        return None
    if option.get("is_optional"):
        return 0
    return () if option["kind"] in ("texts", "counts") else option["default"]


def shown(value):
    if isinstance(value, int) and value >= 1 << 30:
        return f"{value >> 30} << 30"
    return f'"{value}"' if isinstance(value, str) else str(value)


def parameter(option):
    name = option["names"]["python"]
    declared = f"{name}: {own_type(option) or TYPES[option['kind']]}"
    return declared if option["is_required"] else f"{declared} = {shown(default_of(option))}"


def options_of(cases, method):
    """The options that a method has."""
    place = OPTIONS_OF.get(method, method)
    case = next((each for each in cases if each["place"]["python"] == place), None)
    return [] if case is None else [each for each in case["options"] if not each["left_out"]["python"]]


def parameters(cases, method):
    """The parameters of a method, each as it is declared."""
    declared = re.split(r", (?![^\[]*\])", PARAMETERS[method][0])
    options = {option["names"]["python"]: parameter(option) for option in options_of(cases, method)}
    placed = [options.pop(each[1:-1], each) for each in declared]
    at = placed.index("{}") if "{}" in placed else len(placed)
    return placed[:at] + list(options.values()) + placed[at + 1:]


def untyped(declared):
    """ "calls=8" of "calls: int = 8" """
    name, _, default = declared.partition(" = ")
    return name.partition(":")[0] + (f"={default}" if default else "")


def in_python(option):
    """What a method's documentation says of an option."""
    text = inside(option["texts"]["python"])
    if option["kind"] == "word":
        words = [f'"{word}"' for word in option["words"]]
        text += f": {', '.join(words[:-1])} or {words[-1]}"
    if option.get("is_optional"):
        text += "; 0: none"
    return text + (f": {option['written']['python']}" if option["written"]["python"] else "")


def documentation(cases, method, first):
    """The documentation of a method: its own paragraph, then a line for each option."""
    options = [] if method in OPTIONS_OF else options_of(cases, method)
    width = max((len(each["names"]["python"]) for each in options), default=0) + 2
    lines = [""] if options else []
    for each in options:
        rows = textwrap.wrap(in_python(each), 112 - width)
        lines.append(each["names"]["python"].ljust(width) + rows[0])
        lines += [" " * width + row for row in rows[1:]]
    return "\n".join([first, *lines])


def declarations():
    """The functions of model.py by name: (the first and the last line of what the tables say, whether it is a method)."""
    found = {}
    for node in ast.parse(MODEL.read_text()).body:
        if isinstance(node, ast.FunctionDef):
            found[node.name] = node
        elif isinstance(node, ast.ClassDef):
            found.update({f"{node.name}.{each.name}": each for each in node.body if isinstance(each, ast.FunctionDef)})
    return {name: found[name] for name in PARAMETERS}


def updated_model(cases):
    """model.py with its parameters and their documentation as the tables have them."""
    lines = MODEL.read_text().splitlines()
    for method, node in sorted(declarations().items(), key=lambda item: -item[1].lineno):
        indent = " " * node.col_offset
        head = f"{indent}def {node.name}("
        rest = [each.replace(" ", "~") for each in parameters(cases, method)]  # which stay in one line
        signature = textwrap.fill(f"{', '.join(rest)})~->~{PARAMETERS[method][1].replace(' ', '~')}:", 128,
                                  initial_indent=head, subsequent_indent=" " * len(head), break_on_hyphens=False,
                                  break_long_words=False).replace("~", " ")
        first = ast.get_docstring(node).split("\n\n", 1)[0]
        text = documentation(cases, method, first)
        end = "\n" if "\n\n" in text else ""
        rows = f'"""{text}{end}"""'.split("\n")
        body = [f"{indent}    {row}" if row else "" for row in rows]
        lines[node.lineno - 1:node.body[0].end_lineno] = [*signature.split("\n"), *body]
    return "\n".join(lines) + "\n"


def updated_page(cases):
    """docs/python.md with the parameters of its table."""
    text = PAGE.read_text()
    for method in ("Model.optimize", "Model.compress", "Model.placement", "Model.timeline", "check", "cost", "draw", "run"):
        plain = [untyped(each) for each in parameters(cases, method) if each not in ("self", "*", "**reading: Any")]
        row = f"| `{method}({', '.join(plain)})` |"
        text = re.sub(rf"^\| `{re.escape(method)}\(.*?\)` \|", lambda _, row=row: row, text, flags=re.MULTILINE)
    return text
