"""MIL text as Core ML's converter writes it: statements, constants, and the blocks that networks are made of."""

import math


def half(value):
    """A number as MIL text has it, with the digits of fp16."""
    if value == 0:
        return "0x0p+0"
    scale = 2.0 ** (max(math.frexp(value)[1], -13) - 11)
    return float.hex(round(value / scale) * scale)


class Program:
    """Statements, and the shape of every value: methods append an operation and give its name."""

    def __init__(self, draw):
        self.draw, self.lines, self.shapes, self.ports, self.count = draw, [], {}, [], 0

    def port(self, name, shape, kind="fp16"):
        self.ports.append(f"tensor<{kind}, [{', '.join(map(str, shape))}]> {name}")
        self.shapes[name] = list(shape)
        return name

    def fresh(self, stem):
        self.count += 1
        return f"{stem}_{self.count}"

    # Constants.
    def literal(self, stem, kind, text, shape=None):
        name = self.fresh(stem)
        extents = "" if shape is None else ", ".join(map(str, shape))
        of = f"tensor<{kind}, [{extents}]>"
        self.lines.append(f'{of} {name} = const()[name = tensor<string, []>("{name}"), val = {of}({text})];')
        return name

    def number(self, value):
        return self.literal("number", "fp16", half(value))

    def integers(self, values):
        return self.literal("integers", "int32", "[" + ", ".join(map(str, values)) + "]", [len(values)])

    def integer(self, value):
        return self.literal("integer", "int32", str(value))

    def truth(self, value):
        return self.literal("flag", "bool", "true" if value else "false")

    def word(self, text):
        return self.literal("word", "string", f'"{text}"')

    def weight(self, shape, deviation, mean=0.0, least=None):
        total = math.prod(shape)
        values = [self.draw.gauss(mean, deviation) for _ in range(total)]
        values = values if least is None else [max(v, least) for v in values]
        return self.literal("weight", "fp16", nested([half(v) for v in values], shape), shape)

    # Operations.
    def call(self, operation, shape, /, **arguments):
        name = self.fresh(operation)
        words = ", ".join(f"{key} = {value}" for key, value in arguments.items())
        self.lines.append(f"tensor<fp16, [{', '.join(map(str, shape))}]> {name} = {operation}({words})"
                          f'[name = tensor<string, []>("{name}")];')
        self.shapes[name] = list(shape)
        return name

    def unary(self, operation, x, /, **more):
        return self.call(operation, self.shapes[x], x=x, **more)

    def binary(self, operation, x, y):
        a, b = self.shapes.get(x, []), self.shapes.get(y, [])
        rank = max(len(a), len(b))
        a, b = [1] * (rank - len(a)) + a, [1] * (rank - len(b)) + b
        return self.call(operation, [max(i, j) for i, j in zip(a, b)], x=x, y=y)

    def scaled(self, x, factor):
        return self.binary("mul", x, self.number(factor))

    def reduced(self, operation, x, axes):
        shape = [1 if i in axes else e for i, e in enumerate(self.shapes[x])]
        return self.call(operation, shape, x=x, axes=self.integers(axes), keep_dims=self.truth(True))

    def conv(self, x, channels, kernel, stride=1, groups=1, dilation=1, bias=True, padded=True):
        n, c, *image = self.shapes[x]
        kernel = [kernel, kernel] if isinstance(kernel, int) else kernel
        stride = [stride, stride] if isinstance(stride, int) else stride
        reach = [dilation * (k - 1) for k in kernel]
        pads = [reach[0] // 2, reach[0] - reach[0] // 2, reach[1] // 2, reach[1] - reach[1] // 2] if padded else [0] * 4
        result = [(image[i] + pads[2 * i] + pads[2 * i + 1] - reach[i] - 1) // stride[i] + 1 for i in range(2)]
        w = self.weight([channels, c // groups, *kernel], math.sqrt(2 / (c // groups * math.prod(kernel))))
        more = {"bias": self.weight([channels], 0.1)} if bias else {}
        return self.call("conv", [n, channels, *result], dilations=self.integers([dilation] * 2),
                         groups=self.integer(groups), pad=self.integers(pads), pad_type=self.word("custom"),
                         strides=self.integers(stride), weight=w, x=x, **more)

    def linear(self, x, width):
        *rest, k = self.shapes[x]
        return self.call("linear", [*rest, width], bias=self.weight([width], 0.02),
                         weight=self.weight([width, k], math.sqrt(1 / k)), x=x)

    def reshape(self, x, shape):
        return self.call("reshape", shape, shape=self.integers(shape), x=x)

    def transpose(self, x, order):
        return self.call("transpose", [self.shapes[x][i] for i in order], perm=self.integers(order), x=x)

    def matmul(self, x, y, turned=False):
        a, b = self.shapes[x], self.shapes[y]
        return self.call("matmul", [*a[:-1], b[-2] if turned else b[-1]], transpose_x=self.truth(False),
                         transpose_y=self.truth(turned), x=x, y=y)

    def concat(self, parts, axis):
        shape = list(self.shapes[parts[0]])
        shape[axis] = sum(self.shapes[p][axis] for p in parts)
        return self.call("concat", shape, axis=self.integer(axis), interleave=self.truth(False),
                         values=f"({', '.join(parts)})")

    def slice(self, x, axis, begin, end):
        shape = self.shapes[x]
        first = [begin if i == axis else 0 for i in range(len(shape))]
        last = [end if i == axis else e for i, e in enumerate(shape)]
        mask = nested(["true" if i != axis else "false" for i in range(len(shape))], [len(shape)])
        return self.call("slice_by_index", [e - b for b, e in zip(first, last)], begin=self.integers(first),
                         end=self.integers(last), end_mask=self.literal("mask", "bool", mask, [len(shape)]), x=x)

    def softmax(self, x, axis):
        return self.unary("softmax", x, axis=self.integer(axis))

    # Norms.
    def batch_norm(self, x):
        c = self.shapes[x][1]
        return self.unary("batch_norm", x, beta=self.weight([c], 0.2), epsilon=self.number(1e-3),
                          gamma=self.weight([c], 0.2, 1.0), mean=self.weight([c], 0.3),
                          variance=self.weight([c], 0.4, 1.0, 0.1))

    def layer_norm(self, x):
        width = self.shapes[x][-1]
        return self.unary("layer_norm", x, axes=self.integers([-1]), beta=self.weight([width], 0.1),
                          epsilon=self.number(1e-5), gamma=self.weight([width], 0.1, 1.0))

    def norm_of_channels(self, x):
        """A layer norm over the channels of [N, C, 1, S], as models for this engine write it."""
        c = self.shapes[x][1]
        centred = self.binary("sub", x, self.reduced("reduce_mean", x, [1]))
        squares = self.binary("mul", centred, centred) if self.draw.random() < 0.5 else self.unary("square", centred)
        variance = self.binary("add", self.reduced("reduce_mean", squares, [1]), self.number(1e-5))
        normal = self.binary("mul", centred, self.unary("rsqrt", variance, epsilon=self.number(1e-6)))
        shape = [1, c, 1, 1]
        gamma, beta = self.weight(shape, 0.1, 1.0), self.weight(shape, 0.1)
        self.shapes[gamma] = self.shapes[beta] = shape
        return self.binary("add", self.binary("mul", normal, gamma), beta)

    def rms_norm(self, x):
        width = self.shapes[x][-1]
        squares = self.unary("square", x)
        mean = self.binary("add", self.reduced("reduce_mean", squares, [len(self.shapes[x]) - 1]), self.number(1e-5))
        normal = self.binary("mul", x, self.unary("rsqrt", mean, epsilon=self.number(1e-6)))
        gamma = self.weight([width], 0.1, 1.0)
        self.shapes[gamma] = [width]
        return self.binary("mul", normal, gamma)

    def instance_norm(self, x):
        c = self.shapes[x][1]
        return self.unary("instance_norm", x, beta=self.weight([c], 0.1), epsilon=self.number(1e-5),
                          gamma=self.weight([c], 0.1, 1.0))

    def group_norm(self, x, groups=4):
        """As the converter decomposes it: reshape, moments, and a factor for each channel."""
        n, c, h, w = self.shapes[x]
        parts = self.reshape(x, [n, groups, c // groups, h, w])
        axes = [2, 3, 4]
        centred = self.binary("sub", parts, self.reduced("reduce_mean", parts, axes))
        variance = self.reduced("reduce_mean", self.unary("square", centred), axes)
        root = self.unary("sqrt", self.binary("add", variance, self.number(1e-5)))
        normal = self.reshape(self.binary("real_div", centred, root), [n, c, h, w])
        gamma, beta = self.weight([1, c, 1, 1], 0.1, 1.0), self.weight([1, c, 1, 1], 0.1)
        self.shapes[gamma] = self.shapes[beta] = [1, c, 1, 1]
        return self.binary("add", self.binary("mul", normal, gamma), beta)

    def norm_of_length(self, x):
        return self.unary("l2_norm", x, epsilon=self.number(1e-5))

    # Activations.
    def gelu(self, x):
        form = self.draw.randrange(5)
        if form < 2:
            return self.unary("gelu", x, mode=self.word(("EXACT", "TANH_APPROXIMATION")[form]))
        if form == 2:
            inner = self.binary("add", self.unary("erf", self.scaled(x, math.sqrt(0.5))), self.number(1.0))
            return self.binary("mul", self.scaled(x, 0.5), inner)
        if form == 3:
            cube = self.binary("pow", x, self.number(3.0))
            inner = self.scaled(self.binary("add", x, self.scaled(cube, 0.044715)), math.sqrt(2 / math.pi))
            inner = self.binary("add", self.unary("tanh", inner), self.number(1.0))
            return self.binary("mul", self.scaled(x, 0.5), inner)
        return self.binary("mul", x, self.unary("sigmoid", self.scaled(x, 1.702)))

    def hard_swish(self, x):
        gate = self.unary("relu6", self.binary("add", x, self.number(3.0)))
        return self.scaled(self.binary("mul", x, gate), 1 / 6)

    def activation(self, x):
        form = self.draw.randrange(9)
        if form == 0:
            return self.unary("leaky_relu", x, alpha=self.number(0.1))
        if form == 1:
            return self.hard_swish(x)
        if form == 2:
            return self.binary("mul", x, self.unary("tanh", self.unary("softplus", x)))
        if form == 3:
            return self.gelu(x)
        if form == 4:
            return self.unary("prelu", x, alpha=self.weight([self.shapes[x][1]], 0.05, 0.25)) \
                if len(self.shapes[x]) > 2 else self.unary("relu", x)
        if form == 5:
            return self.unary("elu", x, alpha=self.number(1.0))
        return self.unary(("relu", "relu6", "silu")[form - 6], x)

    # Windows.
    def pool(self, operation, x, kernel, stride, padding=0):
        n, c, h, w = self.shapes[x]
        result = [(e + 2 * padding - kernel) // stride + 1 for e in (h, w)]
        more = {"exclude_padding_from_average": self.truth(padding > 0)} if operation == "avg_pool" else {}
        return self.call(operation, [n, c, *result], ceil_mode=self.truth(False), kernel_sizes=self.integers([kernel] * 2),
                         pad=self.integers([padding] * 4), pad_type=self.word("custom"),
                         strides=self.integers([stride] * 2), x=x, **more)

    def upsampled(self, x):
        n, c, h, w = self.shapes[x]
        form = self.draw.randrange(3)
        factors = {"scale_factor_height": self.number32(2.0), "scale_factor_width": self.number32(2.0)}
        if form == 0:
            return self.call("upsample_nearest_neighbor", [n, c, 2 * h, 2 * w], x=x, **factors)
        if form == 1:
            return self.call("upsample_bilinear", [n, c, 2 * h, 2 * w], align_corners=self.truth(False), x=x, **factors)
        weight = self.weight([c, c, 2, 2], math.sqrt(1 / c))
        return self.call("conv_transpose", [n, c, 2 * h, 2 * w], dilations=self.integers([1, 1]), groups=self.integer(1),
                         pad=self.integers([0] * 4), pad_type=self.word("valid"), strides=self.integers([2, 2]),
                         weight=weight, x=x)

    def number32(self, value):
        return self.literal("number", "fp32", float.hex(value))

    # Blocks.
    def conv_block(self, x, channels, kernel, **more):
        x = self.conv(x, channels, kernel, **more)
        return self.activation(self.batch_norm(x) if self.draw.random() < 0.4 else x)

    def squeezed(self, x):
        c = self.shapes[x][1]
        gate = self.conv(self.reduced("reduce_mean", x, [2, 3]), max(c // 4, 4), 1)
        gate = self.conv(self.unary("relu", gate), c, 1)
        gate = self.unary("sigmoid", gate) if self.draw.random() < 0.7 else \
            self.unary("sigmoid_hard", gate, alpha=self.number(1 / 6), beta=self.number(0.5))
        return self.binary("mul", x, gate)

    def residual(self, x):
        c = self.shapes[x][1]
        form = self.draw.randrange(3)
        if form == 0:
            y = self.conv(self.conv_block(x, c, 3), c, 3)
        elif form == 1:
            y = self.conv_block(x, 2 * c, 1)
            y = self.squeezed(self.conv_block(y, 2 * c, 3, groups=2 * c))
            y = self.conv(y, c, 1)
        else:
            y = self.conv(x, c, [7, 7], groups=c)
            y = self.conv(self.gelu(self.conv(self.norm_of_channels(y), 2 * c, 1)), c, 1)
        return self.binary("add", x, y)

    def attention(self, x, mask=None):
        """Of [N, S, D], with the heads in an axis of their own."""
        n, s, d = self.shapes[x]
        heads = self.draw.choice([2, 4])
        width = d // heads

        def part():
            return self.transpose(self.reshape(self.linear(x, d), [n, s, heads, width]), [0, 2, 1, 3])

        q, k, v = part(), part(), part()
        if self.draw.random() < 0.3:
            q, k = self.turned_by_position(q), self.turned_by_position(k)
        if self.draw.random() < 0.2:
            q, k = self.rms_norm(q), self.rms_norm(k)
        if self.draw.random() < 0.5:
            scores = self.matmul(self.scaled(q, 1 / math.sqrt(width)), k, True)
        else:
            scores = self.scaled(self.matmul(q, k, True), 1 / math.sqrt(width))
        if mask is not None:
            scores = self.binary("add", scores, mask)
        y = self.transpose(self.matmul(self.softmax(scores, -1), v), [0, 2, 1, 3])
        return self.linear(self.reshape(y, [n, s, d]), d)

    def turned_by_position(self, x):
        """Rotary positions: x cos + (-x2, x1) sin."""
        *_, s, w = self.shapes[x]
        first, second = self.slice(x, 3, 0, w // 2), self.slice(x, 3, w // 2, w)
        turned = self.concat([self.scaled(second, -1.0), first], 3)
        tables = []
        for function in (math.cos, math.sin):
            angles = [p / 10000 ** (2 * (i % (w // 2)) / w) for p in range(s) for i in range(w)]
            table = self.literal("table", "fp16", nested([half(function(a)) for a in angles], [1, 1, s, w]), [1, 1, s, w])
            self.shapes[table] = [1, 1, s, w]
            tables.append(table)
        return self.binary("add", self.binary("mul", x, tables[0]), self.binary("mul", turned, tables[1]))

    def attention_of_channels(self, x):
        """Of [N, C, 1, S], a product for each head, as models for this engine write it."""
        n, c, _, s = self.shapes[x]
        heads = self.draw.choice([2, 4])
        width = c // heads
        q, k, v = self.conv(x, c, 1), self.conv(x, c, 1), self.conv(x, c, 1)
        results = []
        for h in range(heads):
            a, b, w = (self.slice(part, 1, h * width, (h + 1) * width) for part in (q, k, v))
            keys = self.reshape(self.transpose(b, [0, 3, 2, 1]), [n, s, width])
            scores = self.scaled(self.matmul(keys, self.reshape(a, [n, width, s])), 1 / math.sqrt(width))
            shares = self.softmax(scores, 1)
            y = self.matmul(self.reshape(w, [n, width, s]), shares)
            results.append(self.reshape(y, [n, width, 1, s]))
        return self.conv(self.concat(results, 1), c, 1)

    def feed_forward(self, x):
        d = self.shapes[x][-1]
        if self.draw.random() < 0.4:
            gate = self.unary("silu", self.linear(x, 2 * d))
            return self.linear(self.binary("mul", gate, self.linear(x, 2 * d)), d)
        return self.linear(self.gelu(self.linear(x, 4 * d)), d)

    def text(self, result):
        ports = ", ".join(self.ports)
        lines = "\n".join("        " + line for line in self.lines)
        return ('program(1.3)\n[buildInfo = dict<tensor<string, []>, tensor<string, []>>({{"coremlc-component-MIL", '
                '"3404.16.1"}})]\n{\n    func main<ios17>(' + ports + ") {\n" + lines + "\n    } -> (" + result + ");\n}\n")


def nested(values, shape):
    """A list of lists."""
    if len(shape) <= 1:
        return "[" + ", ".join(values) + "]"
    step = len(values) // shape[0]
    return "[" + ", ".join(nested(values[i * step:(i + 1) * step], shape[1:]) for i in range(shape[0])) + "]"
