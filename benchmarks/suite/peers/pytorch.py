"""PyTorch in the field: pytorch.py THREADS eager|frozen. Each workload is straight-line code of its own operations."""

import sys

import peer
import torch
import torch.nn.functional as F  # noqa: N812, PyTorch's own name


def expression(i, node, names):
    """The line of one node."""
    x = [names[k] for k in node["operands"]]
    op = node["op"]
    if op == "linear":
        return f"F.linear({', '.join(x)})"
    if op == "conv2d":
        return f"F.conv2d({x[0]}, {x[1]}, {x[2]}, {node['stride']}, {node['padding']}, [1, 1], {node['groups']})"
    if op == "max_pool":
        return f"F.max_pool2d({x[0]}, {node['kernel']}, {node['stride']}, {node['padding']})"
    if op == "reduce_mean":
        return f"F.adaptive_avg_pool2d({x[0]}, 1)"
    if op == "softmax":
        return f"torch.softmax({x[0]}, -1)"
    if op == "layer_norm":
        return f"F.layer_norm({x[0]}, {node['shape'][-1:]}, {x[1]}, {x[2]}, {node['epsilon']})"
    if op == "rms_norm":
        return f"{x[0]} * torch.rsqrt(({x[0]} * {x[0]}).mean(-1, True) + {node['epsilon']}) * {x[1]}"
    if op == "attention":
        scores = f"torch.matmul({x[0]}, {x[1]}.transpose(-1, -2)) * {node['scale']}"
        if len(x) > 3:
            scores += f" + {x[3]}"
        return f"torch.matmul(torch.softmax({scores}, -1), {x[2]})"
    if op == "reshape":
        return f"{x[0]}.reshape({node['shape']})"
    if op == "transpose":
        return f"{x[0]}.permute({node['order']})"
    simple = {
        "add": "{0} + {1}",
        "relu": "torch.relu({0})",
        "relu6": "F.relu6({0})",
        "gelu": "F.gelu({0})",
    }
    if op in simple:
        return simple[op].format(*x)
    raise ValueError("no form of " + op)


def program(problem):
    """The source of the forward pass, and the tensors that it reads."""
    inputs, constants, lines, names = [], {}, [], {}
    for i, node in enumerate(problem.nodes):
        names[i] = f"v{i}"
        if node["op"] == "input":
            inputs.append(i)
        elif i in problem.values:
            constants[i] = torch.from_numpy(problem.values[i].copy())
            names[i] = f"self.v{i}"
        elif node["op"] in ("cast", "not_equal"):  # the mask of a cache, which is written in place
            continue
        elif i in problem.writes:
            write = problem.writes[i]
            row, cache = names[write["row"]], names[write["state"]]
            lines.append(f"{cache}.select({write['axis']}, {write['position']}).copy_({row}.squeeze({write['axis']}))")
            names[i] = cache
        else:
            lines.append(f"v{i} = {expression(i, node, names)}")
    results = ", ".join(names[i] for i in problem.outputs)
    arguments = ", ".join(names[i] for i in inputs)
    source = f"def forward(self, {arguments}):\n    " + "\n    ".join(lines) + f"\n    return {results}\n"
    return source, inputs, constants


def load(problem):
    source, inputs, constants = program(problem)
    scope = {"torch": torch, "F": F}
    exec(source, scope)  # noqa: S102, our own text
    module = type("Workload", (torch.nn.Module,), {"forward": scope["forward"]})()
    for i, value in constants.items():
        module.register_buffer(f"v{i}", value)
    module.eval()
    values = [torch.from_numpy(problem.values[i].copy()) for i in inputs]
    call = module
    if sys.argv[2] == "frozen":
        if problem.writes:
            raise ValueError("a frozen module keeps no state")
        with torch.no_grad():
            call = torch.jit.optimize_for_inference(torch.jit.freeze(torch.jit.trace(module, tuple(values))))
    last = []

    def run():
        with torch.inference_mode():
            last[:] = [call(*values)]

    return run, lambda: [last[0].numpy()]


torch.set_num_threads(int(sys.argv[1]))
torch.set_num_interop_threads(1)
torch.set_grad_enabled(False)
peer.serve(load, f"PyTorch {torch.__version__}, {'frozen TorchScript' if sys.argv[2] == 'frozen' else 'eager'}, fp32")
