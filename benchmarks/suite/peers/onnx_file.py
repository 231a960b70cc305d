"""A workload as an ONNX file: onnx_file.py FOLDER writes FOLDER/model.onnx and FOLDER/inputs.json."""

import json
import os
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from peer import Problem


class Writer:
    def __init__(self, problem):
        self.problem = problem
        self.nodes = []
        self.constants = []
        self.types = {}

    def add(self, op, inputs, output=None, **attributes):
        output = output or f"t{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, inputs, [output], **attributes))
        return output

    def constant(self, array):
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def node(self, i, node):
        x = [f"v{k}" for k in node["operands"]]
        op, y = node["op"], f"v{i}"
        if op == "linear":
            if len(node["shape"]) == 2:
                self.add("Gemm", x, y, transB=1)
            else:
                turned = self.constant(self.problem.values[node["operands"][1]].T)
                product = self.add("MatMul", [x[0], turned], None if len(x) > 2 else y)
                if len(x) > 2:
                    self.add("Add", [product, x[2]], y)
        elif op == "conv2d":
            self.add("Conv", x, y, strides=node["stride"], pads=node["padding"] * 2, group=node["groups"])
        elif op == "max_pool":
            self.add("MaxPool", x, y, kernel_shape=node["kernel"], strides=node["stride"], pads=node["padding"] * 2)
        elif op == "reduce_mean":
            self.add("GlobalAveragePool", x, y)
        elif op == "relu6":
            self.add("Clip", [*x, self.constant(np.float32(0)), self.constant(np.float32(6))], y)
        elif op == "layer_norm":
            self.add("LayerNormalization", x, y, axis=-1, epsilon=node["epsilon"])
        elif op == "rms_norm":
            square = self.add("ReduceMean", [self.add("Mul", [x[0], x[0]])], axes=[-1], keepdims=1)
            root = self.add("Sqrt", [self.add("Add", [square, self.constant(np.float32(node["epsilon"]))])])
            self.add("Mul", [self.add("Div", [x[0], root]), x[1]], y)
        elif op == "gelu":
            inner = self.add("Erf", [self.add("Div", [x[0], self.constant(np.float32(np.sqrt(2)))])])
            both = self.add("Mul", [x[0], self.add("Add", [inner, self.constant(np.float32(1))])])
            self.add("Mul", [both, self.constant(np.float32(0.5))], y)
        elif op == "attention":
            scaled = self.add("Mul", [x[0], self.constant(np.float32(node["scale"]))])
            scores = self.add("MatMul", [scaled, self.add("Transpose", [x[1]], perm=[0, 1, 3, 2])])
            if len(x) > 3:
                scores = self.add("Add", [scores, x[3]])
            self.add("MatMul", [self.add("Softmax", [scores], axis=-1), x[2]], y)
        elif op == "transpose":
            self.add("Transpose", x, y, perm=node["order"])
        elif op == "reshape":
            self.add("Reshape", [x[0], self.constant(np.array(node["shape"], dtype=np.int64))], y)
        elif op == "cast":
            self.add("Identity", x, y)
        elif op == "not_equal":
            self.add("Not", [self.add("Equal", x)], y)
        elif op == "select":
            self.add("Where", x, y)
        elif op in ("add", "relu", "softmax"):
            self.add(op.capitalize(), x, y)
        else:
            raise ValueError("no form of " + op)


def write(problem):
    writer = Writer(problem)
    inputs = []
    for i, node in enumerate(problem.nodes):
        if node["op"] == "input":
            inputs.append(i)
        elif i in problem.values:
            writer.constants.append(numpy_helper.from_array(problem.values[i], f"v{i}"))
        else:
            writer.node(i, node)

    def port(i):
        return helper.make_tensor_value_info(f"v{i}", TensorProto.FLOAT, problem.nodes[i]["shape"])

    outputs = problem.outputs + [n["next"] for n in problem.nodes if "next" in n]
    graph = helper.make_graph(
        writer.nodes, problem.name, [port(i) for i in inputs], [port(i) for i in outputs], writer.constants
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    onnx.save(model, os.path.join(problem.folder, "model.onnx"))
    ports = [{"name": f"v{i}", "shape": problem.nodes[i]["shape"], "offset": problem.nodes[i]["offset"]} for i in inputs]
    with open(os.path.join(problem.folder, "inputs.json"), "w", encoding="utf-8") as file:
        json.dump({"inputs": ports, "outputs": [f"v{i}" for i in problem.outputs]}, file)


if __name__ == "__main__":
    write(Problem(sys.argv[1]))
