"""What the outputs of a packaged ONNX model are to be, and how far off each may be.

The model is evaluated three times by onnx_reference.py: from the inputs as packaged, which has to give the packaged
outputs; from inputs rounded to fp16, the expectation; and with the result of every node rounded to fp16, which shows
how much that changes.
"""

import numpy as np
import onnx
from onnx import numpy_helper

import onnx_reference as reference
from harness import HALF_ULP, rounded, worst, worst_wide
from onnx_tolerances import tolerances

# Inputs that say how to compute and are no data: they keep their digits.
PARAMETERS = {"Resize": {1, 2, 3}, "Upsample": {1}, "Dropout": {1, 2}, "Range": {0, 1, 2}}
# Results that are known when a graph is built, whatever the data is.
CONSTANT = {"Constant", "ConstantOfShape", "EyeLike", "Range", "Shape", "Size"}
# Operators whose results are quotients that are rounded to whole numbers: a tie may fall to either side.
QUANTISING = {"QuantizeLinear", "DynamicQuantizeLinear", "QLinearConv", "QLinearMatMul"}

PER_NODE_SLACK = 2


class Tensor:
    """A value of an ONNX model: exactly, with every node rounded to fp16, and from the inputs as packaged."""

    def __init__(self, exact, stored, original, static=False):
        self.exact, self.stored, self.original = exact, stored, original
        self.static = static  # follows from the model alone
        self.slack = np.zeros(exact.shape)


def real_type(kind):
    """The type that the reference computes an ONNX element type in."""
    if kind == onnx.TensorProto.BFLOAT16:
        return np.dtype(np.float64)
    numpy_type = onnx.mapping.TENSOR_TYPE_TO_NP_TYPE[kind]
    return np.dtype(np.float64) if numpy_type.kind == "f" else numpy_type


def array_of(tensor, kind=None):
    """The elements of a tensor; the package writes bfloat16, which its port tells, as the upper half of a float32."""
    array = numpy_helper.to_array(tensor)
    return (array.astype(np.uint32) << 16).view(np.float32) if kind == onnx.TensorProto.BFLOAT16 else array


def wide(array):
    return array.astype(np.float64) if array.dtype.kind == "f" else array


def packaged(path, port):
    tensor = onnx.TensorProto()
    tensor.ParseFromString(path.read_bytes())
    return array_of(tensor, port.type.tensor_type.elem_type)


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


def attributes(node, inputs, opset):
    """Those of the file, and what the reference asks for besides them."""
    a = {"opset": opset, "outputs": len(node.output)}
    for attribute in node.attribute:
        value = onnx.helper.get_attribute_value(attribute)
        a[attribute.name] = wide(array_of(value)) if isinstance(value, onnx.TensorProto) else value
    if node.op_type == "Constant" and "value" not in a:
        a["value"] = wide(np.asarray(next(a[k] for k in a if k.startswith("value_"))))
    if node.op_type == "Cast":
        a["numpy type"] = real_type(a["to"])
    if node.op_type == "CastLike":
        a["numpy type"] = inputs[1].exact.dtype
    if node.op_type == "EyeLike" and "dtype" in a:
        a["numpy type"] = real_type(a["dtype"])
    return a


class Expectation:
    """One case: its model and, after `compute`, the tensors of all its names."""

    def __init__(self, folder):
        self.name, self.folder = f"{folder.parent.name}/{folder.name}", folder
        self.model = onnx.load(str(folder / "model.onnx"))
        self.opset = next((o.version for o in self.model.opset_import if o.domain in ("", "ai.onnx")), 1)
        self.operators = {node.op_type for node in self.model.graph.node}
        self.tensors = {}
        self.checked = []  # (name, tensor, slack) of each output

    def inputs(self):
        """The packaged arrays of the ports, by name."""
        graph = self.model.graph
        known = {t.name for t in graph.initializer}
        ports = [p for p in graph.input if p.name not in known]
        data = self.folder / "test_data_set_0"
        return {port.name: packaged(data / f"input_{i}.pb", port) for i, port in enumerate(ports)}

    def overflowing(self):
        """Whether fp16 holds an input only as an infinity."""
        arrays = [wide(x) for x in self.inputs().values() if x.dtype.kind == "f"]
        return any((np.isinf(rounded(x)) & np.isfinite(x)).any() for x in arrays)

    def compute(self):
        """Raises an error for what the reference does not know, too."""
        nodes = without_branches(self.model.graph.node)
        self._load(nodes)
        computed = sum(self._evaluate(node) for node in nodes)
        for port in self.model.graph.output:
            tensor = self.tensors[port.name]
            slack = tensor.slack
            if computed > 1 and tensor.exact.dtype.kind == "f" and not tensor.static:
                # Each node rounds to fp16 and those behind it carry that on; the composed ones round more often.
                with np.errstate(invalid="ignore"):
                    drift = np.abs(tensor.stored - tensor.exact)
                slack = slack + PER_NODE_SLACK * drift[np.isfinite(drift)].max(initial=0.0)
            self.checked.append((port.name, tensor, slack))

    def _load(self, nodes):
        parameters = {
            name for node in nodes for i, name in enumerate(node.input) if i in PARAMETERS.get(node.op_type, ())
        }
        known = {t.name: array_of(t) for t in self.model.graph.initializer}
        for name, array in {**known, **self.inputs()}.items():
            original = exact = wide(array)
            if array.dtype.kind == "f" and name not in parameters:
                exact = rounded(array)
            self.tensors[name] = Tensor(exact, exact, original, static=name in known)

    def _evaluate(self, node):
        """The results of one node, and whether it computes anything from data."""
        inputs = [self.tensors[name] if name else None for name in node.input]
        while inputs and inputs[-1] is None:
            inputs.pop()
        a = attributes(node, inputs, self.opset)
        compute = reference.OPERATORS[node.op_type]

        def results(field):
            arrays = [None if t is None else getattr(t, field) for t in inputs]
            return [np.asarray(y) for y in compute(a, *arrays)[: len(node.output)]]

        exact, stored, original = results("exact"), results("stored"), results("original")
        stored = [rounded(y) if y.dtype.kind == "f" else y for y in stored]
        static = node.op_type in CONSTANT or all(t is None or t.static for t in inputs)
        outputs = [Tensor(*each, static=static) for each in zip(exact, stored, original)]
        if not static:
            amounts = tolerances(node.op_type, a, exact, [None if t is None else t.exact for t in inputs])
            for tensor, amount in zip(outputs, amounts):
                tensor.slack = amount
        self.tensors.update(zip(node.output, outputs))
        return not static

    def reference_fault(self):
        """None if the float64 reference gives the packaged outputs from the packaged inputs."""
        for i, port in enumerate(self.model.graph.output):
            wanted = packaged(self.folder / "test_data_set_0" / f"output_{i}.pb", port)
            ours = self.tensors[port.name].original
            if wanted.shape != ours.shape:
                good = False
            elif wanted.dtype.kind == "f":  # of float32 or, where it says so, of float16
                scale = np.abs(wanted[np.isfinite(wanted)]).max(initial=0.0)
                relative = HALF_ULP if wanted.dtype == np.float16 else 1e-5
                absolute = 1e-6 * (1 + scale) if "RoiAlign" not in self.operators else 1e-4  # four digits
                good = np.allclose(ours, wide(wanted), relative, absolute, equal_nan=True)
            else:  # the package quantises in float32, where a tie may fall to the other side
                step = 1 if self.operators & QUANTISING else 0
                good = (np.abs(ours.astype(np.int64) - wanted.astype(np.int64)) <= step).all()
            if not good:
                return f"the reference gives another {port.name} than the package"
        return None

    def has_wide_expectation(self):
        """Whether `exact` is what a graph in float64 computes: weights have the digits of the file there, and here those of
        fp16."""
        return not any(array_of(t).dtype.kind == "f" for t in self.model.graph.initializer)

    def judge_wide(self, arrays):
        """None if the outputs of these names, in float64, pass: within a millionth, which what the importer says as
        constants in float32 may cost."""
        for name, tensor, _ in self.checked:
            if name not in arrays:
                return f"no output {name}"
            exact = np.asarray(tensor.exact, np.float64)
            size = np.abs(exact[np.isfinite(exact)]).max(initial=0.0)
            fault = worst_wide(arrays[name], exact, 1e-6 * (np.where(np.isfinite(exact), np.abs(exact), 0) + 0.1 * size))
            if fault:
                return f"{name}: {fault}"
        return None

    def judge(self, arrays, strict=False):
        """None if the outputs of these names pass; `strict` leaves the slack out."""
        for name, tensor, slack in self.checked:
            if name not in arrays:
                return f"no output {name}"
            exact = tensor.exact
            real = exact.dtype.kind == "f"
            fault = worst(arrays[name], exact, 0.0 if strict else slack, **({} if real else {"ulps": 0}))
            if fault:
                return f"{name}: {fault}"
        return None
