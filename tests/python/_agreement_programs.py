"""Programs of one operation, and the chips whose compiler was measured or reported to take or to refuse them."""

import dataclasses

M1, M2, M3_PRO, M4, M5, M5_PRO, M6 = "h13", "h14", "h15g", "h16g", "h17", "h17s", "h18"


@dataclasses.dataclass
class Case:
    name: str
    source: str
    ports: dict  # name: (type, extents)
    statements: list  # (type, extents, name, call)
    results: tuple
    expected: dict  # chip: taken

    def text(self):
        ports = ", ".join(f"{tensor(*of)} {name}" for name, of in self.ports.items())
        body = "".join(f'        {tensor(kind, shape)} {name} = {call}[name = string("{name}")];\n'
                       for kind, shape, name, call in self.statements)
        return ("program(1.3)\n"
                '[buildInfo = dict<string, string>({{"coremlc-component-MIL", "3520.4.1"}, {"coremlc-version", "3520.5.1"}})]\n'
                f"{{\n    func main<ios18>({ports}) {{\n{body}    }} -> ({', '.join(self.results)});\n}}\n")


def tensor(kind, shape):
    return kind if shape is None else f"tensor<{kind}, [{', '.join(map(str, shape))}]>"


def numbers(kind, values):
    return f"tensor<{kind}, [{len(values)}]>([{', '.join(map(str, values))}])"


def ints(*values):
    return numbers("int32", values)


def nested(shape, value="0x1p-3"):
    if not shape:
        return value
    return "[" + ", ".join([nested(shape[1:], value)] * shape[0]) + "]"


def filled(*shape, kind="fp16", value="0x1p-3"):
    return f"{tensor(kind, shape)}({nested(list(shape), value)})"


CASES = []
IMAGE = [1, 8, 16, 16]
TABLE = [4, 32]


def add(source, expected, name, call, shape=None, *, x=None, kind="fp16", more=None, before=(), port="fp16", result=None):
    """y = call over x, and over the ports of `more`."""
    x = IMAGE if x is None else x
    shape = x if shape is None else shape
    ports = {"x": (port, x), **{key: ("fp16", extents) for key, extents in (more or {}).items()}}
    statements = [*before, (kind, shape, "y", call)]
    if result is not None:
        statements.append(result)
    CASES.append(Case(name, source, ports, statements, (statements[-1][2],), expected))


# 1. What ANEForge emits and ran on an M1 and an M5 Pro.
RAN = {M1: True, M5_PRO: True}
EMITTED = "ANEForge, run"
for unary in ("relu silu sigmoid tanh exp sqrt abs erf relu6 softsign atan exp2 floor ceil sign round softplus").split():
    add(EMITTED, RAN, unary, f"{unary}(x = x)")
for unary in ("sin", "cos"):
    add(EMITTED, {M1: False, M5_PRO: True}, unary, f"{unary}(x = x)")
for unary in ("log", "rsqrt", "inverse"):
    add(EMITTED, RAN, unary, f"{unary}(epsilon = fp16(0x0p+0), x = x)")
    add("ANEForge, parser", {M1: False, M5_PRO: False}, f"{unary} without epsilon", f"{unary}(x = x)")
for unary in ("elu", "leaky_relu", "threshold", "thresholded_relu"):
    add(EMITTED, RAN, unary, f"{unary}(alpha = fp16(0x1p-3), x = x)")
for unary in ("scaled_tanh", "clamped_relu", "sigmoid_hard", "linear_activation", "clip"):
    add(EMITTED, RAN, unary, f"{unary}(alpha = fp16(0x1p-3), beta = fp16(0x1p+0), x = x)")
add(EMITTED, RAN, "prelu", f"prelu(x = x, alpha = {filled(8)})")
add(EMITTED, RAN, "gelu", 'gelu(x = x, mode = string("EXACT"))')
add("ANEForge, parser", {M1: False, M5_PRO: False}, "gelu without mode", "gelu(x = x)")
for pair in ("add sub mul real_div maximum minimum pow").split():
    add(EMITTED, RAN, f"{pair} of two", f"{pair}(x = x, y = b)", more={"b": IMAGE})
    add(EMITTED, RAN, f"{pair} of a number", f"{pair}(x = x, y = fp16(0x1p+1))")
for pair in ("less equal not_equal less_equal greater_equal greater").split():
    add(EMITTED, RAN, pair, f"{pair}(x = x, y = b)", kind="bool", more={"b": IMAGE},
        result=("fp16", IMAGE, "z", "select(cond = y, a = x, b = b)"))
add(EMITTED, RAN, "logical_not", "logical_not(x = a)", kind="bool", before=[("bool", IMAGE, "a", "less(x = x, y = fp16(0x1p+0))")],
    more={"b": IMAGE}, result=("fp16", IMAGE, "z", "select(cond = y, a = x, b = b)"))
add(EMITTED, RAN, "cast of an image", 'cast(dtype = string("fp16"), x = x)', port="uint8")
FLAGS = "transpose_x = bool(false), transpose_y = bool({})"
add(EMITTED, RAN, "matmul of two", f"matmul({FLAGS.format('false')}, x = x, y = b)", [4, 16], x=TABLE, more={"b": [32, 16]})
add(EMITTED, RAN, "matmul by a weight", f"matmul({FLAGS.format('true')}, x = x, y = {filled(16, 32)})", [4, 16], x=TABLE)
add(EMITTED, RAN, "matmul in batches", f"matmul({FLAGS.format('false')}, x = x, y = {filled(2, 32, 16)})", [2, 4, 16], x=[2, 4, 32])


def conv(weight, *, pad=(0, 0, 0, 0), strides=(1, 1), dilations=(1, 1), groups=1, name="conv"):
    return (f'{name}(dilations = {ints(*dilations)}, groups = int32({groups}), pad = {ints(*pad)}, pad_type = string("custom"), '
            f"strides = {ints(*strides)}, weight = {weight}, x = x)")


add(EMITTED, RAN, "conv", conv(filled(8, 8, 3, 3), pad=(1, 1, 1, 1)))
add(EMITTED, RAN, "conv, strided", conv(filled(8, 8, 2, 2), strides=(2, 2)), [1, 8, 8, 8])
add(EMITTED, RAN, "conv, dilated", conv(filled(8, 8, 3, 3), dilations=(2, 2)), [1, 8, 12, 12])
add(EMITTED, RAN, "conv, depthwise", conv(filled(8, 1, 3, 3), pad=(1, 1, 1, 1), groups=8))
add(EMITTED, RAN, "conv, 13 wide", conv(filled(8, 8, 1, 13)), [1, 8, 16, 4])
add(EMITTED, RAN, "conv, weight of a port", conv("b"), [1, 8, 14, 14], more={"b": [8, 8, 3, 3]})
add(EMITTED, {M1: False, M5_PRO: False}, "conv, weight of a port, batch 2", conv("b"), [2, 8, 14, 14], x=[2, 8, 16, 16], more={"b": [8, 8, 3, 3]})
add(EMITTED, RAN, "conv_transpose", conv(filled(8, 4, 2, 2), strides=(2, 2), name="conv_transpose"), [1, 4, 32, 32])
add(EMITTED, {M1: True, M5_PRO: True}, "einsum", f'einsum(equation = string("nchw,nwhu->nchu"), values = (x, {filled(1, 16, 16, 4)}))', [1, 8, 16, 4])
POOL = 'ceil_mode = bool(false), {}kernel_sizes = {}, pad = {}, pad_type = string("custom"), strides = {}, x = x'
for pool, words in (("max_pool", ""), ("avg_pool", "exclude_padding_from_average = bool(false), ")):
    add(EMITTED, RAN, pool, f"{pool}({POOL.format(words, ints(2, 2), ints(0, 0, 0, 0), ints(2, 2))})", [1, 8, 8, 8])
    add(EMITTED, RAN, f"{pool}, padded", f"{pool}({POOL.format(words, ints(3, 3), ints(1, 1, 1, 1), ints(1, 1))})")
VECTORS = f"beta = {filled(8)}, epsilon = fp16(0x1p-10), gamma = {filled(8)}"
add(EMITTED, RAN, "batch_norm", f"batch_norm({VECTORS}, mean = {filled(8)}, variance = {filled(8)}, x = x)")
add(EMITTED, RAN, "instance_norm", f"instance_norm({VECTORS}, x = x)")
add(EMITTED, RAN, "local_response_norm", "local_response_norm(alpha = fp16(0x1p-10), beta = fp16(0x1.8p-1), k = fp16(0x1p+0), size = int32(5), x = x)")
add(EMITTED, RAN, "upsample_nearest_neighbor", "upsample_nearest_neighbor(scale_factor_height = int32(2), scale_factor_width = int32(2), x = x)", [1, 8, 32, 32])
add(EMITTED, RAN, "upsample_bilinear", "upsample_bilinear(align_corners = bool(false), scale_factor_height = fp32(0x1p+1), scale_factor_width = fp32(0x1p+1), x = x)", [1, 8, 32, 32])
add(EMITTED, RAN, "resize_nearest_neighbor", "resize_nearest_neighbor(target_size_height = int32(32), target_size_width = int32(32), x = x)", [1, 8, 32, 32])
for mode in ("DEFAULT", "ALIGN_CORNERS"):
    add(EMITTED, RAN, f"resize_bilinear, {mode}", f'resize_bilinear(sampling_mode = string("{mode}"), target_size_height = int32(32), target_size_width = int32(32), x = x)', [1, 8, 32, 32])
add(EMITTED, {M1: False, M5_PRO: True}, "affine",
    'affine(align_corners = bool(true), coordinates_mode = string("normalized_minus_one_to_one"), output_height = int32(8), '
    'output_width = int32(8), padding_mode = string("constant"), padding_value = fp16(0x0p+0), sampling_mode = string("bilinear"), '
    "transform_matrix = tensor<fp16, [1, 6]>([[0x1p+0, 0x0p+0, 0x0p+0, 0x0p+0, 0x1p+0, 0x0p+0]]), x = x)", [1, 8, 8, 8])
for axis in (1, 2):
    shape = [e * (3 if i == axis else 1) for i, e in enumerate(IMAGE)]
    add(EMITTED, RAN, f"concat along {axis}", f"concat(axis = int32({axis}), interleave = bool(false), values = (x, b, x))", shape, more={"b": IMAGE})
CASES.append(Case("split", EMITTED, {"x": ("fp16", IMAGE)},
                  [("fp16", [1, 4, 16, 16], "a, tensor<fp16, [1, 4, 16, 16]> b", "split(axis = int32(1), num_splits = int32(2), x = x)"),
                   ("fp16", [1, 4, 16, 16], "y", "add(x = a, y = b)")], ("y",), RAN))
add(EMITTED, RAN, "stack", "stack(axis = int32(0), values = (x, b))", [2, 4, 32], x=TABLE, more={"b": TABLE})
for reduction in ("reduce_mean reduce_sum reduce_max reduce_min reduce_l1_norm reduce_log_sum reduce_sum_square "
                  "reduce_log_sum_exp reduce_l2_norm").split():
    for axis in (1, 3):
        shape = [1 if i == axis else e for i, e in enumerate(IMAGE)]
        add(EMITTED, RAN, f"{reduction} over {axis}", f"{reduction}(axes = {ints(axis)}, keep_dims = bool(true), x = x)", shape)
add(EMITTED, RAN, "reshape", f"reshape(shape = {ints(1, 8, 256)}, x = x)", [1, 8, 256])
add(EMITTED, RAN, "transpose", f"transpose(perm = {ints(0, 2, 3, 1)}, x = x)", [1, 16, 16, 8])
add(EMITTED, RAN, "squeeze", f"squeeze(axes = {ints(0)}, x = x)", [8, 16, 16])
add(EMITTED, RAN, "expand_dims", f"expand_dims(axes = {ints(0)}, x = x)", [1, *IMAGE])
add(EMITTED, RAN, "flatten2d", "flatten2d(axis = int32(2), x = x)", [8, 256])
add(EMITTED, RAN, "slice_by_size", f"slice_by_size(begin = {ints(0, 2, 4, 0)}, size = {ints(1, 4, 8, 16)}, x = x)", [1, 4, 8, 16])
for axis in (1, 3):
    add(EMITTED, RAN, f"softmax over {axis}", f"softmax(axis = int32({axis}), x = x)")
add(EMITTED, RAN, "reverse", f"reverse(axes = {ints(2)}, x = x)")
add(EMITTED, RAN, "tile", f"tile(reps = {ints(1, 2, 1, 3)}, x = x)", [1, 16, 16, 48])
add(EMITTED, RAN, "pixel_shuffle", "pixel_shuffle(upscale_factor = int32(2), x = x)", [1, 2, 32, 32])
add(EMITTED, RAN, "pixel_unshuffle", "pixel_unshuffle(downscale_factor = uint32(2), x = x)", [1, 32, 8, 8])
add(EMITTED, RAN, "space_to_depth", "space_to_depth(block_size = int32(2), x = x)", [1, 32, 8, 8])
add(EMITTED, RAN, "depth_to_space", "depth_to_space(block_size = int32(2), x = x)", [1, 2, 32, 32])
add(EMITTED, RAN, "crop", f"crop(crop_height = {ints(1, 2)}, crop_width = {ints(3, 1)}, x = x)", [1, 8, 13, 12])

# 2. The operator sweep on an M5: what compiles though ANEForge does not emit it, and what is refused.
SWEEP = "ANEForge, sweep"
TAKEN, REFUSED = {M5: True}, {M5: False}
add(SWEEP, TAKEN, "layer_norm", f"layer_norm(axes = {ints(3)}, beta = {filled(16)}, epsilon = fp16(0x1p-10), gamma = {filled(16)}, x = x)")
add(SWEEP, TAKEN, "linear", f"linear(bias = {filled(16)}, weight = {filled(16, 32)}, x = x)", [4, 16], x=TABLE)
add(SWEEP, TAKEN, "l2_norm", "l2_norm(epsilon = fp16(0x1p-10), x = x)")
add(SWEEP, TAKEN, "l2_pool", f"l2_pool({POOL.format('', ints(2, 2), ints(0, 0, 0, 0), ints(2, 2))})", [1, 8, 8, 8])
add(SWEEP, TAKEN, "pad", f'pad(constant_val = fp16(0x0p+0), mode = string("constant"), pad = {ints(0, 0, 0, 0, 1, 1, 2, 2)}, x = x)', [1, 8, 18, 20])
MASKS = ", ".join(f"{mask} = tensor<bool, [4]>([false, false, false, false])" for mask in ("begin_mask", "end_mask", "squeeze_mask"))
add(SWEEP, TAKEN, "slice_by_index", f"slice_by_index(begin = {ints(0, 1, 2, 0)}, end = {ints(1, 7, 14, 16)}, stride = {ints(1, 1, 1, 1)}, {MASKS}, x = x)", [1, 6, 12, 16])
add(SWEEP, TAKEN, "scaled_dot_product_attention", "scaled_dot_product_attention(query = x, key = b, value = b)", [1, 4, 8, 64], x=[1, 4, 8, 64], more={"b": [1, 4, 16, 64]})
add(SWEEP, TAKEN, "batch_to_space", f"batch_to_space(block_shape = {ints(2, 2)}, crops = tensor<int32, [2, 2]>([[0, 0], [0, 0]]), x = x)", [1, 8, 32, 32], x=[4, 8, 16, 16])
add(SWEEP, TAKEN, "space_to_batch", f"space_to_batch(block_shape = {ints(2, 2)}, paddings = tensor<int32, [2, 2]>([[0, 0], [0, 0]]), x = x)", [4, 8, 8, 8])
add(SWEEP, TAKEN, "fill", f"add(x = x, y = a)", before=[("fp16", IMAGE, "a", f"fill(shape = {ints(*IMAGE)}, value = fp16(0x1p+0))")])
add(SWEEP, TAKEN, "fill_like", f"add(x = x, y = a)", before=[("fp16", IMAGE, "a", "fill_like(ref_tensor = x, value = fp16(0x1p+0))")])
add(SWEEP, TAKEN, "floor_div", "floor_div(x = x, y = b)", more={"b": IMAGE})
add(SWEEP, TAKEN, "range_1d", "add(x = x, y = a)", x=TABLE, before=[("fp16", [32], "a", "range_1d(end = fp16(0x1p+5), start = fp16(0x0p+0), step = fp16(0x1p+0))")])
add(SWEEP, TAKEN, "resize", f'resize(interpolation_mode = string("LINEAR"), resized_dims = uint32(2), sampling_mode = string("DEFAULT"), shape = {ints(32, 32)}, x = x)', [1, 8, 32, 32])
add(SWEEP, TAKEN, "softplus_parametric", f"softplus_parametric(alpha = {filled(8)}, beta = {filled(8)}, x = x)")
TOP = "topk(ascending = bool(false), axis = int32({}), k = int32({}), output_indices_dtype = string(\"{}\"), return_indices = bool(true), sort = bool(true), x = x)"


def top(source, expected, name, x, axis, k, kind="uint16"):
    shape = [k if i == axis else e for i, e in enumerate(x)]
    CASES.append(Case(name, source, {"x": ("fp16", x)},
                      [("fp16", shape, f"y, {tensor(kind, shape)} places", TOP.format(axis, k, kind))], ("y",), expected))


top(SWEEP, {M1: False, M5: True}, "topk", [1, 8, 1, 64], 1, 2)
CASES.append(Case("quantize, dequantize", SWEEP, {"x": ("fp16", IMAGE)},
                  [("int8", IMAGE, "q", 'quantize(input = x, output_dtype = string("int8"), scale = fp16(0x1p-4))'),
                   ("fp16", IMAGE, "y", "dequantize(input = q, scale = fp16(0x1p-4))")], ("y",), TAKEN))
for unary in "acos asin atanh cosh sinh tan".split():
    add(SWEEP, REFUSED, unary, f"{unary}(x = x)")
add(SWEEP, REFUSED, "band_part", "band_part(lower = int32(1), upper = int32(1), x = x)")
add(SWEEP, REFUSED, "cumsum", "cumsum(axis = int32(1), exclusive = bool(false), reverse = bool(false), x = x)", x=TABLE)
add(SWEEP, REFUSED, "gather of rows", f"gather(axis = int32(0), batch_dims = int32(0), indices = {ints(1, 0)}, validate_indices = bool(false), x = x)", [2, 32], x=TABLE)
add(SWEEP, REFUSED, "gather_along_axis", "gather_along_axis(axis = int32(0), indices = i, validate_indices = bool(false), x = x)", x=TABLE,
    before=[("int32", TABLE, "i", f"fill(shape = {ints(4, 32)}, value = int32(1))")])
add(SWEEP, REFUSED, "gather_nd", "gather_nd(batch_dims = int32(0), indices = tensor<int32, [2, 1]>([[1], [0]]), validate_indices = bool(false), x = x)", [2, 32], x=TABLE)
for logic in ("logical_or", "logical_xor"):
    add(SWEEP, REFUSED, logic, f"{logic}(x = a, y = a)", kind="bool", before=[("bool", IMAGE, "a", "less(x = x, y = fp16(0x1p+0))")],
        more={"b": IMAGE}, result=("fp16", IMAGE, "z", "select(cond = y, a = x, b = b)"))
add(SWEEP, REFUSED, "mod", "mod(x = x, y = fp16(0x1p+1))")
add(SWEEP, REFUSED, "one_hot", 'one_hot(axis = int32(-1), indices = x, off_value = fp16(0x0p+0), on_value = fp16(0x1p+0), one_hot_vector_size = int32(4))', [4, 4], x=[4], port="int32")
for reduction in ("reduce_argmax", "reduce_argmin"):
    add(SWEEP, REFUSED, reduction, f'{reduction}(axis = int32(1), keep_dims = bool(true), output_dtype = string("int32"), x = x)', [1, 1, 16, 16], kind="int32",
        result=("fp16", [1, 1, 16, 16], "z", 'cast(dtype = string("fp16"), x = y)'))
add(SWEEP, REFUSED, "reduce_prod", f"reduce_prod(axes = {ints(3)}, keep_dims = bool(true), x = x)", [1, 8, 16, 1])
add(SWEEP, REFUSED, "reverse_sequence", f"reverse_sequence(batch_axis = int32(0), lengths = {ints(8, 8, 8, 8)}, seq_axis = int32(1), x = x)", x=TABLE)
add(SWEEP, REFUSED, "scatter", f'scatter(axis = int32(0), data = x, indices = {ints(0, 1)}, mode = string("update"), updates = b, validate_indices = bool(false))', x=TABLE, more={"b": [2, 32]})
add(SWEEP, REFUSED, "slice_update", f"slice_update(begin = {ints(0, 0)}, end = {ints(2, 32)}, update = b, x = x)", x=TABLE, more={"b": [2, 32]})
add(SWEEP, REFUSED, "sliding_windows", "sliding_windows(axis = int32(1), size = int32(4), stride = int32(2), x = x)", [4, 15, 4], x=TABLE)
for random in ("random_uniform", "random_normal"):
    words = "low = fp16(0x0p+0), high = fp16(0x1p+0)" if random == "random_uniform" else "mean = fp16(0x0p+0), stddev = fp16(0x1p+0)"
    add(SWEEP, REFUSED, random, "add(x = x, y = a)", x=TABLE, before=[("fp16", TABLE, "a", f"{random}({words}, seed = int32(1), shape = {ints(*TABLE)})")])
add(SWEEP, REFUSED, "crop_resize",
    f'crop_resize(align_corners = bool(false), box_coordinate_mode = string("CORNERS_HEIGHT_FIRST"), normalized_coordinates = bool(false), '
    f'boxes = {filled(1, 4)}, box_indices = {ints(0)}, pad_value = fp16(0x0p+0), sampling_mode = string("DEFAULT"), spatial_scale = fp16(0x1p+0), '
    "target_height = int32(4), target_width = int32(4), x = x)", [1, 8, 4, 4])
add(SWEEP, REFUSED, "argsort", "argsort(ascending = bool(false), axis = int32(1), x = x)", kind="int32", x=TABLE,
    result=("fp16", TABLE, "z", 'cast(dtype = string("fp16"), x = y)'))
add(SWEEP, REFUSED, "reshape_like", "reshape_like(begins = tensor<int32, [1]>([0]), ends = tensor<int32, [1]>([2]), end_masks = tensor<bool, [1]>([false]), "
    "begin_masks = tensor<bool, [1]>([false]), ref_tensors = (b), x = x)", x=TABLE, more={"b": TABLE})

# 3. Global limits and forms, measured on M1, M2 and M5.
LIMITS = "ANEForge, limits"
add(LIMITS, {M1: False, M5: False}, "rank 6", "relu(x = x)", x=[1, 2, 2, 2, 2, 2])
add(LIMITS, {M1: True, M5: True}, "rank 5", "relu(x = x)", x=[1, 2, 2, 2, 2])
add(LIMITS, {M1: False, M4: True, M5: True}, "height 16385", "relu(x = x)", x=[1, 1, 16385, 1])
add(LIMITS, {M1: True, M4: True, M5: True}, "height 16384", "relu(x = x)", x=[1, 1, 16384, 1])
add(LIMITS, {M1: False, M4: False, M5: False, M6: False}, "channels 65537", "relu(x = x)", x=[1, 65537, 1, 1])
add(LIMITS, {M1: True, M4: True, M5: True, M6: True}, "channels 65536", "relu(x = x)", x=[1, 65536, 1, 1])
add(LIMITS, {M1: False, M5: False}, "conv, 16 wide", conv(filled(8, 8, 1, 16)), [1, 8, 16, 1])
add(LIMITS, {M1: False, M5: True}, "conv, 14 wide", conv(filled(8, 8, 1, 14)), [1, 8, 16, 3])
add(LIMITS, {M1: True, M5: True}, "conv, 29 high", conv(filled(8, 8, 29, 1)), [1, 8, 4, 16], x=[1, 8, 32, 16])
add(LIMITS, {M1: False, M5: False}, "output that is an input", "relu(x = x)")
CASES[-1].results = ("x",)
add(LIMITS, {M1: False, M5: False}, "int32 port", 'cast(dtype = string("fp16"), x = x)', port="int32")
add(LIMITS, {M1: False}, "fp32 arithmetic", "relu(x = a)", kind="fp32", before=[("fp32", IMAGE, "a", 'cast(dtype = string("fp32"), x = x)')],
    result=("fp16", IMAGE, "z", 'cast(dtype = string("fp16"), x = y)'))
add(LIMITS, {M1: False}, "cast to int32", 'cast(dtype = string("int32"), x = x)', kind="int32", result=("fp16", IMAGE, "z", 'cast(dtype = string("fp16"), x = y)'))
add(LIMITS, {M1: False, M5: False}, "bool port", "select(cond = x, a = b, b = b)", port="bool", more={"b": IMAGE})
add(LIMITS, {M1: False, M5: False}, "reduction times zero", "mul(x = a, y = fp16(0x0p+0))", [1, 8, 16, 1],
    before=[("fp16", [1, 8, 16, 1], "a", f"reduce_sum(axes = {ints(3)}, keep_dims = bool(true), x = x)")])
add(LIMITS, {M1: False, M5: False}, "transpose and matmul of rank 5", f"matmul({FLAGS.format('false')}, x = a, y = b)", [1, 2, 2, 8, 8], x=[1, 2, 2, 16, 8],
    more={"b": [1, 2, 2, 16, 8]}, before=[("fp16", [1, 2, 2, 8, 16], "a", f"transpose(perm = {ints(0, 1, 2, 4, 3)}, x = x)")])
add(LIMITS, {M1: False, M5: False}, "a dimension without a number", "relu(x = x)", x=["?", 8], shape=["?", 8])
ONE_ROW = "matmul(transpose_x = bool(false), transpose_y = bool(true), x = x, y = b)"
add(LIMITS, {M1: False, M5: True}, "products of 16385", ONE_ROW, [1, 1], x=[1, 16385], more={"b": [1, 16385]})
add(LIMITS, {M1: True, M5: True}, "products of 16384", ONE_ROW, [1, 1], x=[1, 16384], more={"b": [1, 16384]})
BLOCKS = ("fp16", [16, 32], "w", f"constexpr_blockwise_shift_scale(data = {filled(16, 32, kind='int8', value='3')}, scale = {filled(16, 4)})")
ROWS = ("fp16", [16, 32], "w", f"constexpr_lut_to_dense(indices = {filled(16, 32, kind='uint4', value='3')}, lut = {filled(1, 1, 16, 1)})")
add(LIMITS, {M5: False}, "scales for blocks, product", f"matmul({FLAGS.format('true')}, x = x, y = w)", [4, 16], x=TABLE, before=[BLOCKS])
add(LIMITS, {M5: False}, "scales for blocks, linear", f"linear(bias = {filled(16)}, weight = w, x = x)", [4, 16], x=TABLE, before=[BLOCKS])
add(LIMITS, {M5: True}, "scales for blocks, sum", "add(x = x, y = w)", [16, 32], x=[16, 32], before=[BLOCKS])
add(LIMITS, {M1: True, M5: True}, "palette, product", f"matmul({FLAGS.format('true')}, x = x, y = w)", [4, 16], x=TABLE, before=[ROWS])

# 4. Limits of an M4 and an M6, by compiling; and what an M4's runtime placed.
STUDY = "study of M4 and M6"
for window, taken in (((4, 4), True), ((5, 5), True), ((7, 7), True), ((8, 8), True), ((9, 1), True), ((1, 9), False), ((9, 9), False), ((13, 13), False)):
    add(STUDY, {M4: taken, M6: taken}, f"max_pool, {window}", f"max_pool({POOL.format('', ints(*window), ints(0, 0, 0, 0), ints(1, 1))})",
        [1, 8, 17 - window[0], 17 - window[1]])
for size in (13, 14):
    add(STUDY, {M4: True, M6: True}, f"avg_pool, {size}",
        f"avg_pool({POOL.format('exclude_padding_from_average = bool(false), ', ints(size, size), ints(0, 0, 0, 0), ints(1, 1))})", [1, 8, 17 - size, 17 - size])
for size, taken in (((31, 1), True), ((32, 1), False), ((64, 1), False), ((1, 9), True), ((1, 14), True), ((1, 15), True), ((1, 16), False),
                    ((1, 17), False), ((1, 64), False), ((13, 13), True), ((14, 14), True), ((15, 15), True), ((17, 17), False)):
    add(STUDY, {M4: taken, M6: taken}, f"conv, {size}", conv(filled(4, 4, *size)), [1, 4, 65 - size[0], 65 - size[1]], x=[1, 4, 64, 64])
for length, taken in ((16384, True), (16385, True), (32768, True), (40000, False), (49152, False), (65536, False)):
    add(STUDY, {M4: taken, M6: taken}, f"products of {length}", ONE_ROW, [1, 1], x=[1, length], more={"b": [1, length]})
for extent, taken in ((65536, True), (65537, False)):
    add(STUDY, {M4: taken, M6: taken}, f"width {extent}", "relu(x = x)", x=[1, 1, 1, extent])
top(STUDY, {M6: True}, "topk over the width", [1, 1, 1, 64], 3, 2)
PLACED = "placed on an M4"
add(PLACED, {M4: True}, "logical_and", "logical_and(x = a, y = a)", kind="bool", before=[("bool", IMAGE, "a", "less(x = x, y = fp16(0x1p+0))")],
    more={"b": IMAGE}, result=("fp16", IMAGE, "z", "select(cond = y, a = x, b = b)"))
add(PLACED, {M4: True}, "pad over channels", f'pad(constant_val = fp16(0x0p+0), mode = string("constant"), pad = {ints(0, 0, 1, 1, 0, 0, 0, 0)}, x = x)', [1, 10, 16, 16])
add(PLACED, {M4: True}, "replicating pad", f'pad(constant_val = fp16(0x0p+0), mode = string("replicate"), pad = {ints(0, 0, 0, 0, 1, 1, 1, 1)}, x = x)', [1, 8, 18, 18])
add(PLACED, {M4: True}, "batch for channels", f"transpose(perm = {ints(1, 0, 2, 3)}, x = x)", [8, 1, 16, 16])
add(PLACED, {M4: True}, "gather along the innermost axis", f"gather(axis = int32(3), batch_dims = int32(0), indices = {ints(1, 0)}, validate_indices = bool(false), x = x)", [1, 8, 16, 2])
add(PLACED, {M4: True}, "gather along channels", f"gather(axis = int32(1), batch_dims = int32(0), indices = {ints(1, 0)}, validate_indices = bool(false), x = x)", [1, 2, 16, 16])
top(PLACED, {M4: True}, "topk on an M4", [1, 1, 1, 64], 3, 2)
add(PLACED, {M4: True}, "cast to fp32 at the end", 'cast(dtype = string("fp32"), x = x)', kind="fp32")
add(PLACED, {M4: False}, "integer sum", "add(x = a, y = a)", kind="int32", before=[("int32", IMAGE, "a", 'cast(dtype = string("int32"), x = x)')],
    result=("fp16", IMAGE, "z", 'cast(dtype = string("fp16"), x = y)'))
add(PLACED, {M4: False}, "cast to int32", 'cast(dtype = string("int32"), x = x)', kind="int32", result=("fp16", IMAGE, "z", 'cast(dtype = string("fp16"), x = y)'))

# 5. What other projects ran or saw accepted on an M3 Pro or an M4, and saw refused.
OTHERS = "other projects"
SEEN = {M3_PRO: True, M4: True}
for k in (1, 2, 3, 4, 5, 8):
    top(OTHERS, {M4: True}, f"topk of {k}", [1, 8, 1, 64], 1, k)
add(OTHERS, SEEN, "gather along the innermost axis", f"gather(axis = int32(-1), batch_dims = int32(0), indices = {numbers('uint16', [1, 0])}, validate_indices = bool(false), x = x)", [1, 8, 16, 2])
add(OTHERS, SEEN, "space_to_batch of a batch", f"space_to_batch(block_shape = {ints(2, 2)}, paddings = tensor<int32, [2, 2]>([[0, 0], [0, 0]]), x = x)", [8, 8, 8, 8], x=[2, 8, 16, 16])
add(OTHERS, SEEN, "resample with a format of coordinates",
    'resample(align_corners = bool(true), coordinates = b, coordinates_mode = string("normalized_minus_one_to_one"), padding_mode = string("constant"), '
    'padding_value = fp16(0x0p+0), sampling_mode = string("bilinear"), x = x)', [1, 8, 4, 4], more={"b": [1, 4, 4, 2]})
for kernel, pad in ((3, "same"), (4, "same"), (2, "same")):
    add(OTHERS, SEEN, f"conv_transpose, same, kernel {kernel}", f'conv_transpose(dilations = {ints(1, 1)}, groups = int32(1), pad = {ints(0, 0, 0, 0)}, pad_type = string("{pad}"), '
        f"strides = {ints(2, 2)}, weight = {filled(8, 4, kernel, kernel)}, x = x)", [1, 4, 32, 32])
add(OTHERS, SEEN, "upsample_nearest_neighbor by fractions", "upsample_nearest_neighbor(scale_factor_height = fp32(0x1.8p+0), scale_factor_width = fp32(0x1.8p+0), x = x)", [1, 8, 24, 24])
add(OTHERS, {M5: False, M4: False}, "attention with a scale", "scaled_dot_product_attention(query = x, key = b, value = b, scale = fp16(0x1p-3))", [1, 4, 8, 64], x=[1, 4, 8, 64], more={"b": [1, 4, 16, 64]})
add(OTHERS, {M4: False}, "max_pool with ceil_mode and padding", f'max_pool(ceil_mode = bool(true), kernel_sizes = {ints(3, 3)}, pad = {ints(1, 1, 1, 1)}, pad_type = string("custom"), strides = {ints(2, 2)}, x = x)', [1, 8, 9, 9])
for bits in (1, 2, 3, 4, 6, 8):
    add(OTHERS, {M1: bits in (4, 8), M4: True}, f"palette of {bits} bits", "add(x = x, y = w)", [16, 32], x=[16, 32],
        before=[("fp16", [16, 32], "w", f"constexpr_lut_to_dense(indices = {filled(16, 32, kind=f'uint{bits}', value='1')}, lut = {filled(1, 1, 2 ** bits, 1)})")])
add(OTHERS, {M4: True}, "int8 port that is dequantized", "dequantize(input = x, scale = fp16(0x1p-4))", port="int8")
