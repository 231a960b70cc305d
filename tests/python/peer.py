"""NumPy as a peer of the CPU backend: the same models, computed in float64 from the same fp16 files.

The program write_peer_cases writes weights, inputs and outputs of some models as raw fp16; this script computes the
outputs itself and compares. The CPU backend rounds to fp16 after each operation, NumPy here only at the end, so the tolerance
is a share of the largest value of an output: 1 % for the deep models, less for single operations. Digits must be
classified alike.

Ends with 77 and a message where NumPy is missing.
"""

import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import zlib

try:
    import numpy as np
except ImportError:
    print("skipped: NumPy is not installed")
    sys.exit(77)

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = pathlib.Path(os.environ.get("ANEMONE_SOURCE_DIR", HERE.parent.parent))
BUILD = pathlib.Path(os.environ.get("ANEMONE_BUILD_DIR", SOURCE / "build"))
DIGITS = SOURCE / "examples" / "digits"


def read_png(path):
    """A grey or RGB PNG of eight bits as a float64 array of grey values in [0, 1]."""
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n", path
    at, packed, header = 8, b"", None
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + length]
        if kind == b"IHDR":
            header = struct.unpack(">IIBBBBB", body)
        elif kind == b"IDAT":
            packed += body
        at += 12 + length
    width, height, depth, colour, _, _, interlaced = header
    assert depth == 8 and colour in (0, 2) and not interlaced, (path, header)
    channels = 1 if colour == 0 else 3
    raw = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, 1 + width * channels).astype(int)
    rows = np.zeros((height + 1, width * channels + channels), int)  # a row and a pixel of zeros around
    for y in range(height):
        filter_type, line = raw[y, 0], raw[y, 1:]
        for x in range(width * channels):
            left, up, corner = rows[y + 1, x], rows[y, x + channels], rows[y, x]
            if filter_type == 4:
                estimate = left + up - corner
                distances = [abs(estimate - left), abs(estimate - up), abs(estimate - corner)]
                guess = [left, up, corner][distances.index(min(distances))]
            else:
                guess = [0, left, up, (left + up) // 2][filter_type]
            rows[y + 1, x + channels] = (line[x] + guess) % 256
    pixels = rows[1:, channels:].reshape(height, width, channels)
    return pixels.mean(axis=2) / 255.0


def read_safetensors(path):
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    types = {"F16": np.float16, "F32": np.float32, "F64": np.float64}
    tensors = {}
    for name, entry in header.items():
        if name != "__metadata__":
            begin, end = entry["data_offsets"]
            values = np.frombuffer(data[8 + length + begin : 8 + length + end], types[entry["dtype"]])
            tensors[name] = values.astype(np.float16).astype(np.float64).reshape(entry["shape"])
    return tensors


def convolution(x, w, bias=None, stride=1, padding=0, groups=1):
    n, c, h, v = x.shape
    o, _, kh, kw = w.shape
    x = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    oh, ow = (x.shape[2] - kh) // stride + 1, (x.shape[3] - kw) // stride + 1
    y = np.zeros((n, o, oh, ow))
    step, out = c // groups, o // groups
    for g in range(groups):
        for i in range(kh):
            for j in range(kw):
                window = x[:, g * step : (g + 1) * step, i : i + oh * stride : stride, j : j + ow * stride : stride]
                window = window[:, :, :oh, :ow]
                y[:, g * out : (g + 1) * out] += np.einsum("nchw,oc->nohw", window, w[g * out : (g + 1) * out, :, i, j])
    return y if bias is None else y + bias.reshape(1, -1, 1, 1)


def transposed_convolution(x, w, bias, stride, padding, groups):
    n, c, h, v = x.shape
    _, o, kh, kw = w.shape
    full = np.zeros((n, o * groups, (h - 1) * stride + kh, (v - 1) * stride + kw))
    step = c // groups
    for g in range(groups):
        for i in range(kh):
            for j in range(kw):
                part = np.einsum("nchw,co->nohw", x[:, g * step : (g + 1) * step], w[g * step : (g + 1) * step, :, i, j])
                full[:, g * o : (g + 1) * o, i : i + h * stride : stride, j : j + v * stride : stride] += part
    cut = full[:, :, padding : full.shape[2] - padding, padding : full.shape[3] - padding]
    return cut + bias.reshape(1, -1, 1, 1)


def max_pool(x):
    n, c, h, w = x.shape
    return x.reshape(n, c, h // 2, 2, w // 2, 2).max(axis=(3, 5))


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def layer_norm(x, gamma, beta, axis=-1):
    mean = x.mean(axis=axis, keepdims=True)
    variance = ((x - mean) ** 2).mean(axis=axis, keepdims=True)
    shape = [1] * x.ndim
    shape[axis] = -1
    return (x - mean) / np.sqrt(variance + 1e-5) * gamma.reshape(shape) + beta.reshape(shape)


def relu(x):
    return np.maximum(x, 0)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def erf(x):
    """The series at 0: 80 terms are exact to float64 for |x| < 4, beyond that it is 1 to 1e-8."""
    inside = np.clip(x, -4, 4)
    term, total = inside.copy(), inside.copy()
    for n in range(1, 80):
        term = -term * inside**2 / n
        total = total + term / (2 * n + 1)
    return np.where(np.abs(x) < 4, 2 / np.sqrt(np.pi) * total, np.sign(x))


def gelu(x):
    return 0.5 * x * (1 + erf(x / np.sqrt(2)))


def digits(image, w):
    a = max_pool(relu(convolution(image, w["conv1.weight"], w["conv1.bias"], padding=1)))
    b = max_pool(relu(convolution(a, w["conv2.weight"], w["conv2.bias"], padding=1)))
    c = relu(b.reshape(len(b), -1) @ w["fc1.weight"].T + w["fc1.bias"])
    return softmax(c @ w["fc2.weight"].T + w["fc2.bias"])


def residual(t):
    y = t("x", 2, 6, 9, 9)
    for i in range(3):
        name = f"block.{i}."
        z = convolution(y, t(name + "conv", 6, 6, 3, 3), padding=1)
        scale = t(name + "gamma", 6) / np.sqrt(t("positive.variance", 6) + 1e-5)
        z = (z - t(name + "mean", 6).reshape(1, -1, 1, 1)) * scale.reshape(1, -1, 1, 1)
        y = relu(z + t(name + "beta", 6).reshape(1, -1, 1, 1) + y)
    d = convolution(y, t("depthwise", 6, 1, 3, 3), stride=2, padding=1, groups=6)
    ones = convolution(np.ones_like(y), np.ones((6, 1, 3, 3)), stride=2, padding=1, groups=6)
    sums = convolution(y, np.ones((6, 1, 3, 3)), stride=2, padding=1, groups=6)
    return {
        "y": y,
        "up": transposed_convolution(d, t("up", 6, 2, 3, 3), t("up_bias", 4), 2, 1, 2),
        "mean": sums / ones,
    }


def encoder(t):
    x, mask = t("tokens", 2, 7, 16), t("mask", 7, 7)
    q = x @ t("q", 16, 16).T
    k = x @ t("k", 16, 16).T + t("k_bias", 16)
    v = x @ t("v", 16, 16).T

    def heads(z):
        return z.reshape(2, 7, 4, 4).transpose(0, 2, 1, 3)

    shares = softmax(heads(q) @ heads(k).swapaxes(-1, -2) / 2 + mask)
    joined = (shares @ heads(v)).transpose(0, 2, 1, 3).reshape(2, 7, 16)
    n = layer_norm(joined + x, t("gamma", 16), t("beta", 16))
    h = gelu(n @ t("up", 32, 16).T + t("up_bias", 32))
    return {"out": h @ t("down", 16, 32).T + n, "scores": softmax(q @ k.swapaxes(-1, -2), axis=1)}


def values(t):
    x, y = t("x", 2, 3, 4, 5), t("y", 3, 1, 5)
    p = np.abs(x) + 0.5
    curves = [sigmoid(x), np.tanh(x), x * sigmoid(x), np.where(x >= 0, x, 0.1 * x), np.clip(4 * x, 0, 6), np.clip(x, -1, 0.5)]
    wide = np.broadcast_to(y, x.shape)
    return {
        "sum": x.sum(axis=(1, 3), keepdims=True),
        "mean": (x * y).mean(),
        "max": x.max(axis=0),
        "min": np.maximum(x, y).min(axis=2),
        "first": x.argmax(axis=1),
        "last": x.argmin(axis=-1),
        "curves": np.concatenate(curves, axis=1),
        "roots": np.concatenate([np.sqrt(p), 1 / np.sqrt(p + 1e-2), np.log(p), np.exp(np.minimum(x, 2)), wide / p], axis=-1),
        "shares": softmax(x, axis=1),
        "norm": layer_norm(x, t("gamma", 3), t("beta", 3), axis=1),
    }


def compare(name, got, wanted, share):
    wanted = np.asarray(wanted, np.float64).ravel()
    assert got.shape == wanted.shape, (name, got.shape, wanted.shape)
    largest = max(np.abs(wanted).max(), 2.0**-14)
    worst = np.abs(got - wanted).max() / largest
    print(f"{name:24} {worst:.2e} of the largest value, tolerance {share:.0e}")
    return bool(worst <= share)  # False for NaN


def main():
    good = True
    with tempfile.TemporaryDirectory(prefix="anemone-peer-") as place:
        place = pathlib.Path(place)

        def read(name):
            return np.frombuffer((place / (name + ".raw")).read_bytes(), np.float16).astype(np.float64)

        files = sorted((DIGITS / "images").glob("*.png"))
        assert files, "no images"
        images = np.stack([read_png(f) for f in files]).astype(np.float16)
        (place / "digits.images.raw").write_bytes(images.tobytes())
        subprocess.run([BUILD / "bin" / "write_peer_cases", place], check=True)

        for name, model, share in (("residual", residual, 1e-2), ("encoder", encoder, 1e-2), ("values", values, 3e-3)):
            outputs = model(lambda tensor, *shape: read(f"{name}.{tensor}").reshape(shape))
            for output, wanted in outputs.items():
                good = compare(f"{name}.{output}", read(f"{name}.output.{output}"), wanted, share) and good

        wanted = digits(images.astype(np.float64)[:, None], read_safetensors(DIGITS / "digits.safetensors"))
        got = read("digits.probabilities")
        good = compare("digits.probabilities", got, wanted, 1e-2) and good
        guesses = got.reshape(wanted.shape).argmax(axis=1)
        alike = int((guesses == wanted.argmax(axis=1)).sum())
        right = sum(int(f.name.split("_")[1]) == int(g) for f, g in zip(files, guesses))
        print(f"digits: {alike} of {len(files)} classified alike, {right} right")
        good = good and alike == len(files) and right == len(files)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
