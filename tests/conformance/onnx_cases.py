"""The operator cases of ONNX against the CPU backend.

Debian's package libonnx-testdata has about a thousand models with inputs and outputs. The library's own importer reads
each model, which runs on the inputs rounded to fp16 (onnx_run.cpp). The expectation is computed from these rounded
inputs in float64 (onnx_reference.py), and the reference itself is held to the packaged outputs. How far a composition
may be off, and why a case does not apply, is worked out apart from the importer (onnx_converters.py). Prints every case
as passed, failed, without a kernel, or not applicable with the reason, and the counts.

    onnx_cases.py [--run <program>] [--oracle <target>] [--only <part of a name>]

Ends with 1 if a case failed or docs/conformance.md says other counts (ANEMONE_UPDATE_DOCS=1 writes them), with 77
where the packages python3-onnx, python3-numpy or libonnx-testdata are missing.
"""

import argparse
import collections
import pathlib
import sys
import warnings

try:
    import numpy as np
    import onnx
    from onnx import numpy_helper
except ImportError as missing:
    print(f"skipped: {missing} (Debian packages python3-onnx and python3-numpy)")
    sys.exit(77)

import onnx_reference as reference
import page
from harness import FP32_ULP, HALF_ULP, Graph, Value, rounded, worst
from importer import Importer, port_name
from onnx_converters import CONVERTERS, PREPARED, REASON_OF, NotApplicable

DATA = pathlib.Path("/usr/share/libonnx-testdata/data")
KINDS = ("node", "simple", "pytorch-converted", "pytorch-operator")
MOST_AXES = 8  # of a shape in this library; the engine takes 5

# Inputs that say how to compute and are no data: they keep their digits.
PARAMETERS = {"Resize": {1, 2, 3}, "Upsample": {1}, "Dropout": {1, 2}, "Range": {0, 1, 2}}
# Results that are known when a graph is built.
CONSTANT = {"Constant", "ConstantOfShape", "EyeLike", "Range", "Shape", "Size"}

# Operators whose results are quotients that are rounded to whole numbers: a tie may fall to either side.
QUANTISING = {"QuantizeLinear", "DynamicQuantizeLinear", "QLinearConv", "QLinearMatMul"}

# The model leaves epsilon out, which then is 1e-6; its outputs are those of 1e-2.
CONTRADICTORY = {"node/test_adam_multiple"}

PER_NODE_SLACK = 2
PACKAGE_VERSION = "1.12.0"  # that docs/conformance.md is about


class Tensor:
    """A value of an ONNX model: exactly, with every node rounded to fp16, and from the inputs as packaged."""

    def __init__(self, exact, stored, original, static=False, source=False):
        self.exact, self.stored, self.original = exact, stored, original
        self.static = static  # known when the graph is built
        self.source = source  # an input of the model
        self.value = None


class Node:
    """What a converter sees of one operator of a model."""

    def __init__(self, g, name, attributes, inputs, outputs, wanted):
        self.g, self.name, self.a = g, name, attributes
        self.inputs, self.outputs, self.wanted = inputs, outputs, wanted
        self.limits = [np.zeros(()) for _ in outputs]

    def has(self, i):
        return i < len(self.inputs) and self.inputs[i] is not None

    def wants(self, i):
        return i < len(self.outputs) and self.wanted[i]

    def exact(self, i):
        return self.inputs[i].exact

    def is_integer(self, i):
        return self.exact(i).dtype.kind in "iu"

    def shape(self, i):
        return self.exact(i).shape

    def out(self, i):
        return self.outputs[i].exact

    def shape_out(self, i):
        return self.out(i).shape

    def tensor_out(self, i):
        return self.outputs[i]

    def static(self, i):
        tensor = self.inputs[i]
        if not tensor.static and not tensor.source:
            raise NotApplicable("shapes that depend on data")
        return tensor.original

    def value(self, i):
        """The value as it is: fp16, boolean or bytes."""
        tensor = self.inputs[i]
        if tensor.value is None:
            tensor.value = self.stored_value(tensor)
        return tensor.value

    def stored_value(self, tensor):
        data = tensor.exact
        check_shape(data)
        if data.dtype == np.uint8:
            return self.g.input(data, "uint8")
        if data.dtype.kind in "iu" and not np.array_equal(rounded(data), data):
            raise NotApplicable("integers that fp16 does not hold")
        halves = data.astype(np.float64)
        if tensor.static and np.isfinite(halves).all():
            return self.g.weight(halves)
        return self.g.input(halves)

    def x(self, i):
        """Input i as fp16."""
        if self.value(i).kind != "fp16":
            self.inputs[i].value = self.g.real(self.value(i))
        return self.value(i)

    def boolean(self, i):
        value = self.value(i)
        return value if value.kind == "bool" else self.g.not_equal(self.g.real(value), 0.0)

    def bytes(self, i):
        tensor = self.inputs[i]
        if tensor.value is None and tensor.exact.dtype == np.int8:
            return self.g.input(tensor.exact, "int8")
        value = self.value(i)
        if value.kind not in ("uint8", "int8"):
            raise NotApplicable("integers of another size than a byte")
        return value

    def slack(self, amount, why, output=0):
        del why  # for the reader of a converter
        amount = np.abs(np.asarray(amount, np.float64))
        amount = np.where(np.isfinite(amount), amount, 0)
        try:
            self.limits[output] = self.limits[output] + np.broadcast_to(amount, self.shape_out(output))
        except ValueError:
            self.limits[output] = self.limits[output] + amount.max()

    def rounds(self, count, magnitude, why, output=0):
        """`count` roundings to fp16 of values of this magnitude."""
        self.slack(count * HALF_ULP * np.abs(magnitude), why, output)

    def sums(self, terms, magnitude):
        """A sum of so many terms in float32, `magnitude` being that of their absolute values: what cancels is lost."""
        self.slack(terms * FP32_ULP * np.abs(magnitude), "sums are formed in float32")


def check_shape(data):
    if data.size == 0:
        raise NotApplicable("empty tensors")
    if data.ndim > MOST_AXES:
        raise NotApplicable("more than eight axes")


def real_type(kind):
    """The type that the reference computes an ONNX element type in."""
    if kind == onnx.TensorProto.BFLOAT16:
        return np.dtype(np.float64)
    if kind == onnx.TensorProto.STRING:
        raise NotApplicable("strings")
    numpy_type = onnx.mapping.TENSOR_TYPE_TO_NP_TYPE[kind]
    return np.dtype(np.float64) if numpy_type.kind == "f" else numpy_type


def array_of(tensor, kind=None):
    """The elements of a tensor; the package writes bfloat16, which its port tells, as the upper half of a float32."""
    real_type(tensor.data_type)
    array = numpy_helper.to_array(tensor)
    return (array.astype(np.uint32) << 16).view(np.float32) if kind == onnx.TensorProto.BFLOAT16 else array


def wide(array):
    return array.astype(np.float64) if array.dtype.kind == "f" else array


def without_branches(nodes):
    """Both branches of an `If`, and a choice between their results (refused_operations.md: cond)."""
    flat = []
    for node in nodes:
        if node.op_type != "If":
            flat.append(node)
            continue
        branches = {a.name: a.g for a in node.attribute}
        ends = [[o.name for o in branches[side].output] for side in ("then_branch", "else_branch")]
        flat += [inner for branch in branches.values() for inner in branch.node]
        flat += [onnx.helper.make_node("Where", [node.input[0], *v], [y]) for y, *v in zip(node.output, *ends)]
    return flat


class Case:
    """One model, its graph, and what its outputs are to be."""

    def __init__(self, folder):
        self.name = f"{folder.parent.name}/{folder.name}"
        self.folder = folder
        self.graph = Graph(self.name)
        self.tensors = {}
        self.checked = []  # name, exact output, slack
        self.operators = set()

    def build(self):
        """Raises NotApplicable."""
        model = onnx.load(str(self.folder / "model.onnx"))
        self.opset = next((o.version for o in model.opset_import if o.domain in ("", "ai.onnx")), 1)
        self.operators = {node.op_type for node in model.graph.node}
        nodes = without_branches(model.graph.node)
        self.refuse(model, nodes)
        self.load(model, nodes)
        read = collections.Counter(name for node in nodes for name in node.input)
        results = {o.name for o in model.graph.output}
        limits, computed = {}, 0
        for node in nodes:
            computed += self.convert(node, limits, lambda name: bool(name) and (read[name] or name in results))
        self.finish(model, limits, computed)

    def refuse(self, model, nodes):
        if self.name in CONTRADICTORY:
            raise NotApplicable("packaged outputs that do not follow from the model")
        if not nodes:
            raise NotApplicable("a model without operators")
        for port in [*model.graph.input, *model.graph.output]:
            if not port.type.HasField("tensor_type"):
                raise NotApplicable("sequences, optional values and maps")
            real_type(port.type.tensor_type.elem_type)
        for node in nodes:
            if node.op_type in REASON_OF:
                raise NotApplicable(REASON_OF[node.op_type])
        if any(p.type.tensor_type.elem_type == onnx.TensorProto.BFLOAT16 for p in model.graph.output):
            raise NotApplicable("rounding to bfloat16")
        for node in nodes:
            if node.op_type not in CONVERTERS and node.op_type not in CONSTANT:
                raise NotApplicable(f"the operator {node.op_type} has no converter")

    def load(self, model, nodes):
        parameters = {
            name for node in nodes for i, name in enumerate(node.input) if i in PARAMETERS.get(node.op_type, ())
        }
        known = {t.name: array_of(t) for t in model.graph.initializer}
        ports = [p for p in model.graph.input if p.name not in known]
        data = {}
        for i, port in enumerate(ports):
            tensor = onnx.TensorProto()
            tensor.ParseFromString((self.folder / "test_data_set_0" / f"input_{i}.pb").read_bytes())
            data[port.name] = array_of(tensor, port.type.tensor_type.elem_type)
        for name, array in {**known, **data}.items():
            original, exact = wide(array), wide(array)
            if array.dtype.kind == "f" and name not in parameters:
                exact = rounded(array)
                if (np.isinf(exact) & np.isfinite(original)).any():
                    raise NotApplicable("values that fp16 does not hold")
            self.tensors[name] = Tensor(exact, exact, original, static=name in known, source=name in data)

    def attributes(self, node, inputs):
        a = {"opset": self.opset, "outputs": len(node.output)}
        for attribute in node.attribute:
            value = onnx.helper.get_attribute_value(attribute)
            a[attribute.name] = wide(array_of(value)) if isinstance(value, onnx.TensorProto) else value
        if node.op_type == "Constant" and "value" not in a:
            given = next((a[k] for k in ("value_float", "value_floats", "value_int", "value_ints") if k in a), None)
            if given is None:
                raise NotApplicable("strings")
            a["value"] = wide(np.asarray(given))
        if node.op_type == "Cast":
            a["numpy type"] = real_type(a["to"])
        if node.op_type == "CastLike":
            a["numpy type"] = inputs[1].exact.dtype
        if node.op_type == "EyeLike" and "dtype" in a:
            a["numpy type"] = real_type(a["dtype"])
        return a

    def convert(self, node, limits, wanted):
        """The exact results of one node, and its operations unless it is known when the graph is built."""
        inputs = [self.tensors[name] if name else None for name in node.input]
        while inputs and inputs[-1] is None:
            inputs.pop()
        a = self.attributes(node, inputs)
        compute = reference.OPERATORS[node.op_type]

        def results(field):
            arrays = [None if t is None else getattr(t, field) for t in inputs]
            if field != "original" and node.op_type in PREPARED:
                arrays = PREPARED[node.op_type](a, arrays)
            return [np.asarray(y) for y in compute(a, *arrays)[: len(node.output)]]

        exact, stored, original = results("exact"), results("stored"), results("original")
        stored = [rounded(y) if y.dtype.kind == "f" else y for y in stored]
        outputs = [Tensor(*each) for each in zip(exact, stored, original)]
        self.tensors.update(zip(node.output, outputs))
        if node.op_type in CONSTANT:
            if node.op_type == "Range" and not all(t.static or t.source for t in inputs):
                raise NotApplicable("shapes that depend on data")
        if node.op_type in CONSTANT or all(t is None or t.static for t in inputs):
            for tensor in outputs:
                tensor.static = True
            return 0
        for tensor in outputs:
            check_shape(tensor.exact)
        context = Node(self.graph, node.op_type, a, inputs, outputs, [wanted(name) for name in node.output])
        values = CONVERTERS[node.op_type](context)
        for tensor, value in zip(outputs, [values] if isinstance(values, Value) else values):
            tensor.value = value
        limits.update(zip(node.output, context.limits))
        return 1

    def finish(self, model, limits, computed):
        """Marks the outputs, each a node of its own."""
        ends = set()
        for port in model.graph.output:
            tensor = self.tensors[port.name]
            if tensor.static:
                continue
            if tensor.value is None:
                if not tensor.source:
                    raise NotApplicable(f"output {port.name} of the operator is not converted")
                raise NotApplicable("an output that is an input")
            value = self.graph.real(tensor.value) if tensor.value.kind == "bool" else tensor.value
            if value.name in ends:
                value = self.graph.identity(value)
            ends.add(value.name)
            self.graph.output(value)
            slack = limits.get(port.name, 0.0)
            if computed > 1 and tensor.exact.dtype.kind == "f":
                # Each node rounds to fp16 and those behind it carry that on; the composed ones round more often.
                with np.errstate(invalid="ignore"):
                    drift = np.abs(tensor.stored - tensor.exact)
                drift = drift[np.isfinite(drift)].max(initial=0.0)
                slack = slack + PER_NODE_SLACK * drift
            self.checked.append((port.name, tensor, slack))
        if not self.checked:
            raise NotApplicable("a constant: nothing is left to compute")

    def reference_fault(self):
        """None if the float64 reference gives the packaged outputs from the packaged inputs."""
        model = onnx.load(str(self.folder / "model.onnx"))
        for i, port in enumerate(model.graph.output):
            tensor = onnx.TensorProto()
            tensor.ParseFromString((self.folder / "test_data_set_0" / f"output_{i}.pb").read_bytes())
            packaged, ours = wide(array_of(tensor)), self.tensors[port.name].original
            if packaged.shape != ours.shape:
                good = False
            elif packaged.dtype.kind == "f":  # of float32 or, where it says so, of float16
                scale = np.abs(packaged[np.isfinite(packaged)]).max(initial=0.0)
                relative = HALF_ULP if tensor.data_type == onnx.TensorProto.FLOAT16 else 1e-5
                absolute = 1e-6 * (1 + scale) if "RoiAlign" not in self.operators else 1e-4  # four digits
                good = np.allclose(ours, packaged, relative, absolute, equal_nan=True)
            else:  # the package quantises in float32, where a tie may fall to the other side
                step = 1 if self.operators & QUANTISING else 0
                good = (np.abs(ours.astype(np.int64) - packaged.astype(np.int64)) <= step).all()
            if not good:
                return f"the reference gives another {port.name} than the package"
        return None

    def judge(self, arrays, strict=False):
        """None if all outputs pass; `strict` leaves the slack out."""
        if len(arrays) != len(self.checked):
            return f"{len(arrays)} outputs instead of {len(self.checked)}"
        for (name, tensor, slack), got in zip(self.checked, arrays):
            exact, slack = tensor.exact, 0.0 if strict else slack
            if exact.dtype.kind == "f":
                fault = worst(got, exact, slack)
            else:
                fault = worst(got, exact.astype(np.float64), slack, ulps=0)
            if fault:
                return f"{name}: {fault}"
        return None


def built(folder):
    """A case, and why it is not applicable or None, or a fault of the conversion."""
    case = Case(folder)
    try:
        with np.errstate(all="ignore"):
            case.build()
    except NotApplicable as reason:
        return case, ("not applicable", str(reason))
    except Exception as mistake:  # of this program, or a model that is not what its operator's definition allows
        return case, ("failed", f"conversion: {type(mistake).__name__}: {mistake}")
    fault = case.reference_fault()
    return case, ("failed", fault) if fault else None


def blamed(case, reason):
    """The operators that a reason is about: one of them, or all of the model."""
    named = {name for name in case.operators if REASON_OF.get(name) == reason}
    return named or (case.operators if len(case.operators) == 1 else {"models of several"})


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--run", help="the program conformance_onnx_run")
    parser.add_argument("--oracle", help="run on the oracle of this target; nothing is compared with the page")
    parser.add_argument("--only", default="", help="cases whose name contains this")
    given = parser.parse_args()
    warnings.filterwarnings("ignore", category=RuntimeWarning)
    importer = Importer(given.run)
    if not DATA.is_dir():
        print(f"skipped: no {DATA} (Debian package libonnx-testdata)")
        return 77
    if importer.missing():
        print(f"skipped: {importer.program} is not built (Debian packages libonnx-dev and libprotobuf-dev)")
        return 77

    if onnx.__version__ != PACKAGE_VERSION:
        print(f"version {onnx.__version__}: docs/conformance.md is about {PACKAGE_VERSION} and is not compared")
    folders = [f for kind in KINDS for f in sorted((DATA / kind).iterdir()) if given.only in f"{kind}/{f.name}"]
    outcomes, runnable, reasons = {}, [], {}
    for folder in folders:
        case, outcome = built(folder)
        if outcome:
            outcomes[case.name] = outcome
            if outcome[0] == "not applicable":
                count, operators = reasons.get(outcome[1], (0, set()))
                reasons[outcome[1]] = (count + 1, operators | blamed(case, outcome[1]))
        else:
            runnable.append(case)
    covered, operators, strict = collections.Counter(), set(), 0
    options = ["--oracle", given.oracle] if given.oracle else []
    # All of them: what does not apply must be refused in good order, too.
    results = dict(zip(folders, importer.run(folders, *options)))
    for case in runnable:
        status, result, operations = results[case.folder]
        if status == "ok":
            missing = [name for name, _, _ in case.checked if port_name(name) not in result]
            arrays = [result.get(port_name(name)) for name, _, _ in case.checked]
            fault = f"no output {missing[0]}" if missing else case.judge(arrays)
            outcomes[case.name] = ("failed", fault) if fault else ("passed", "")
            if not fault:
                covered.update(operations)
                operators |= case.operators
                strict += case.judge(arrays, strict=True) is None
        else:
            outcomes[case.name] = ("no kernel", result) if status == "unsupported" else ("failed", result)
    for name, (status, why) in sorted(outcomes.items()):
        print(f"{status:14} {name}{': ' + why if why else ''}")
    counts = collections.Counter(status for status, _ in outcomes.values())
    print(f"\n{len(outcomes)} cases: " + ", ".join(f"{n} {status}" for status, n in sorted(counts.items())))
    print(f"{strict} of those that pass do so within 2 ulp, without the slack of a composition or a sum")
    for why, (count, _) in sorted(reasons.items(), key=lambda r: -r[1][0]):
        print(f"  {count:4} {why}")
    good = counts["failed"] == 0
    if not given.only and not given.oracle and onnx.__version__ == PACKAGE_VERSION:
        good = page.check(page.onnx_parts(PACKAGE_VERSION, counts, reasons, operators, covered)) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
