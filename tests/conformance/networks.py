"""Networks of full size that PyTorch exports as ONNX, through the command: `anemone run ... --compare`, and `check`.

torchvision is not packaged, so the networks are written here as their papers define them; weights are random with a printed
seed, scaled so that magnitudes stay, running statistics too. The expectation is PyTorch's result in float64. Every layer
rounds to fp16, so the allowed difference is so many half ulps of the largest magnitude of a result as the table says.

    networks.py [--small]      the same blocks at a tenth of the size, for continuous integration
    networks.py --update       writes the tables of docs/conformance.md and docs/rewrites.md

`anemone optimize` rewrites each network for an M1 and an M5; the small ones it runs before and after each step (--prove).

Ends with 1 if a network is refused or off, with 77 where PyTorch, NumPy or the command is missing."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import warnings

try:
    import numpy as np
    import torch
    from torch import nn
except ImportError as missing:
    print(f"skipped: {missing} (Debian packages python3-torch, python3-onnx and python3-numpy)")
    sys.exit(77)

from harness import HALF_ULP

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "conformance.md"
REWRITES = ROOT / "docs" / "rewrites.md"
MARKS = ("<!-- networks -->\n", "<!-- end of networks -->\n")
SEED = 20261123


def convolution(channels, out, kernel, stride=1, groups=1, activation=nn.ReLU):
    layers = [nn.Conv2d(channels, out, kernel, stride, kernel // 2, groups=groups, bias=False), nn.BatchNorm2d(out)]
    return nn.Sequential(*layers, *([activation()] if activation else []))


class Basic(nn.Module):
    """He et al., 2015, figure 2."""

    def __init__(self, channels, out, stride):
        super().__init__()
        self.body = nn.Sequential(convolution(channels, out, 3, stride), convolution(out, out, 3, activation=None))
        same = stride == 1 and channels == out
        self.short = nn.Identity() if same else convolution(channels, out, 1, stride, activation=None)

    def forward(self, x):
        return torch.relu(self.body(x) + self.short(x))


def resnet18(scale):
    wide = [round(w * scale) for w in (64, 64, 128, 256, 512)]
    stages = [Basic(a if i == 0 else b, b, (1 if s == 0 else 2) if i == 0 else 1)
              for s, (a, b) in enumerate(zip(wide, wide[1:])) for i in range(2)]
    return nn.Sequential(convolution(3, wide[0], 7, 2), nn.MaxPool2d(3, 2, 1), *stages, nn.AdaptiveAvgPool2d(1),
                         nn.Flatten(), nn.Linear(wide[-1], 1000))


class Inverted(nn.Module):
    """Sandler et al., 2018, table 1."""

    def __init__(self, channels, out, stride, expansion):
        super().__init__()
        wide = channels * expansion
        parts = [convolution(channels, wide, 1, activation=nn.ReLU6)] if expansion > 1 else []
        self.body = nn.Sequential(*parts, convolution(wide, wide, 3, stride, wide, nn.ReLU6),
                                  convolution(wide, out, 1, activation=None))
        self.beside = stride == 1 and channels == out

    def forward(self, x):
        return x + self.body(x) if self.beside else self.body(x)


def mobilenet_v2(scale):
    table = ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1))
    wide = lambda w: max(4, round(w * scale / 4) * 4)  # noqa: E731
    layers, channels = [convolution(3, wide(32), 3, 2, activation=nn.ReLU6)], wide(32)
    for expansion, out, count, stride in table:
        for i in range(count if scale == 1 else 1):
            layers.append(Inverted(channels, wide(out), stride if i == 0 else 1, expansion))
            channels = wide(out)
    layers.append(convolution(channels, wide(1280), 1, activation=nn.ReLU6))
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Dropout(0.2), nn.Linear(wide(1280), 1000))


class Layer(nn.Module):
    """A layer of attention and a dense one, each with its norm; keys and values of earlier steps may come from outside."""

    def __init__(self, width, heads, first_norm):
        super().__init__()
        self.heads, self.first_norm = heads, first_norm
        self.q, self.k, self.v, self.o = (nn.Linear(width, width) for _ in range(4))
        self.norms = nn.ModuleList([nn.LayerNorm(width), nn.LayerNorm(width)])
        self.dense = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def split(self, x):
        n, s, w = x.shape
        return x.view(n, s, self.heads, w // self.heads).transpose(1, 2)

    def attend(self, x, past=None):
        q, k, v = self.split(self.q(x)), self.split(self.k(x)), self.split(self.v(x))
        if past is not None:
            k, v = torch.cat((past[0], k), 2), torch.cat((past[1], v), 2)
        y = (q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5).softmax(-1) @ v
        return self.o(y.transpose(1, 2).reshape(x.shape)), (k, v)

    def forward(self, x, past=None):
        if self.first_norm:
            y, kept = self.attend(self.norms[0](x), past)
            x = x + y
            return x + self.dense(self.norms[1](x)), kept
        y, kept = self.attend(x, past)
        x = self.norms[0](x + y)
        return self.norms[1](x + self.dense(x)), kept


class Encoder(nn.Module):
    """Of the kind of BERT: words, places, then layers whose norms come after the sums; a mean over the sequence."""

    def __init__(self, width, heads, layers, words, places):
        super().__init__()
        self.words, self.places, self.norm = nn.Embedding(words, width), nn.Embedding(places, width), nn.LayerNorm(width)
        self.layers = nn.ModuleList(Layer(width, heads, False) for _ in range(layers))

    def forward(self, tokens):
        x = self.norm(self.words(tokens) + self.places(torch.arange(tokens.shape[1])))
        for layer in self.layers:
            x, _ = layer(x)
        return x.mean(1)


class Decoder(nn.Module):
    """Of the kind of GPT-2, one token at a time: keys and values of the tokens before it go in, and out one longer."""

    def __init__(self, width, heads, layers, words):
        super().__init__()
        self.words, self.norm = nn.Embedding(words, width), nn.LayerNorm(width)
        self.layers = nn.ModuleList(Layer(width, heads, True) for _ in range(layers))

    def forward(self, token, place, *past):
        x, kept = self.words(token) + place, []
        for i, layer in enumerate(self.layers):
            x, (k, v) = layer(x, past[2 * i:2 * i + 2])
            kept += [k, v]
        return (self.norm(x) @ self.words.weight.T, *kept)


def networks(small):
    """Name: network, inputs by name, names of the outputs, half ulps that a result may be off."""
    scale, side = (0.125, 64) if small else (1, 224)
    image = {"image": torch.randn(1, 3, side, side)}
    yield "ResNet-18", resnet18(scale), image, ["logits"], 8
    yield "MobileNetV2", mobilenet_v2(scale), image, ["logits"], 24
    width, heads, layers, words, places = (48, 4, 2, 100, 16) if small else (384, 12, 6, 30522, 128)
    tokens = {"tokens": torch.randint(0, min(words, 2000), (1, places))}
    yield "an encoder", Encoder(width, heads, layers, words, places), tokens, ["vector"], 16
    width, heads, layers, words, past = (32, 4, 2, 100, 7) if small else (512, 8, 6, 8192, 63)
    given = {"token": torch.randint(0, min(words, 2000), (1, 1)), "place": torch.randn(1, 1, width) / 4}
    outputs = ["logits"]
    for i in range(layers):
        given |= {f"{k}{i}": torch.randn(1, heads, past, width // heads) for k in "kv"}
        outputs += [f"new_{k}{i}" for k in "kv"]
    yield "a decoder with its keys and values", Decoder(width, heads, layers, words), given, outputs, 16


def prepare(network):
    """Weights that keep magnitudes, statistics that are not the identity; all as fp16 holds them, in float64."""
    for part in network.modules():
        if isinstance(part, (nn.Conv2d, nn.Linear)):
            nn.init.kaiming_normal_(part.weight, nonlinearity="relu" if isinstance(part, nn.Conv2d) else "linear")
        if isinstance(part, nn.BatchNorm2d):
            nn.init.uniform_(part.running_mean, -0.3, 0.3)
            nn.init.uniform_(part.running_var, 0.7, 1.3)
    return network.half().eval()


def run(program, folder, network, given, outputs, allowed):
    """(verdict, half ulps, seconds)"""
    given = {name: x.half() if x.is_floating_point() else x for name, x in given.items()}
    with torch.no_grad():
        exact = network.double()(*(x.double() if x.is_floating_point() else x for x in given.values()))
    exact = dict(zip(outputs, exact if isinstance(exact, tuple) else (exact,)))
    torch.onnx.export(network.float(), tuple(x.float() if x.is_floating_point() else x for x in given.values()),
                      str(folder / "net.onnx"), opset_version=17, input_names=list(given), output_names=outputs)
    np.savez(folder / "given.npz", **{name: x.numpy() for name, x in given.items()})
    np.savez(folder / "exact.npz", **{name: x.numpy() for name, x in exact.items()})
    largest = max(float(x.abs().max()) for x in exact.values())
    began = time.time()
    done = subprocess.run([program, "run", "net.onnx", "-i", "given.npz", "-o", "found.npz", "--compare", "exact.npz", "--atol",
                           str(allowed * HALF_ULP * largest)], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode == 2:
        return f"refused: {done.stderr.strip()}", None, time.time() - began
    found = np.load(folder / "found.npz")
    error = max(np.abs(found[name].astype(np.float64) - x.numpy()).max() / float(x.abs().max()) / HALF_ULP
                for name, x in exact.items())
    return "" if done.returncode == 0 and error <= allowed else f"off by {error:.1f} half ulps", error, time.time() - began


def write_table(path, head, rows):
    before, rest = path.read_text().split(MARKS[0])
    lines = head + "\n" + "|---" * head.count(" | ") + "|---|\n"
    path.write_text(before + MARKS[0] + lines + rows + MARKS[1] + rest.split(MARKS[1])[1])


def optimized(program, folder, small):
    """(whether every rewrite holds where it was proven, gains on M1 and M5)"""
    holds, gains = True, []
    for chip in ("h13", "h17s"):
        done = subprocess.run([program, "optimize", "net.onnx", "-t", chip, "--json", *(["--prove"] if small else [])],
                              cwd=folder, capture_output=True, text=True, check=False)
        found = json.loads(done.stdout) if done.returncode != 2 else {}
        holds = holds and done.returncode == 0 and (not small or found["proof"]["holds"])
        steps = ", ".join(f"`{step['rewrite']}`" for step in found.get("steps", [])) or "none"
        gains.append((steps, *(1e6 * found.get(key, 0) for key in ("apart", "before", "after"))))
    return holds, gains


def main():
    program = pathlib.Path(os.environ["ANEMONE_BUILD_DIR"]).resolve() / "bin" / "anemone"
    if not program.exists():
        print("skipped: the command is not built")
        return 77
    small = "--small" in sys.argv
    warnings.filterwarnings("ignore")
    torch.manual_seed(SEED)
    print(f"seed {SEED}, PyTorch {torch.__version__}{', small' if small else ''}")
    rows, faster, failed = "", "", 0
    for name, network, given, outputs, allowed in networks(small):
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            network = prepare(network)
            fault, error, seconds = run(program, folder, network, given, outputs, allowed)
            megabytes = (folder / "net.onnx").stat().st_size / 1e6
            checked = subprocess.run([program, "check", "net.onnx", "-q"], cwd=folder, capture_output=True, text=True, check=False)
            accepted = len(re.findall(r" accepted ", checked.stdout))
            operations = re.search(r"(\d+) operations", checked.stdout)
            if "without ONNX" in fault:
                print("skipped: the command was built without ONNX")
                return 77
            holds, gains = optimized(program, folder, small)
            failed += fault != "" or not holds
            print(f"{'failed' if fault else 'passed':8} {name}: {fault or f'{error:.2f} half ulps'}, {megabytes:.0f} MB, "
                  f"{seconds:.1f} s, accepted by {accepted} Macs; rewrites {'hold' if holds else 'FAIL'}: "
                  + "; ".join(f"{steps}, {before:.0f} to {after:.0f} us" for steps, _, before, after in gains))
            for chip, (steps, apart, before, after) in zip(("M1", "M5 Max"), gains):
                faster += (f"| {name} | {chip} | {apart:.0f} us | {before:.0f} us | {after:.0f} us | {before / after:.2f} | "
                           f"{steps} |\n")
            rows += (f"| {name} | {megabytes:.0f} MB | {operations[1] if operations else '-'} | {error or 0:.1f} | {allowed} | "
                     f"{accepted} of 11 |\n")
    if "--update" in sys.argv:
        write_table(PAGE, "| Network | File | Operations | Off by, half ulps | Allowed | Macs that take it |", rows)
        write_table(REWRITES, "| Network | Chip | Layers apart | One program | Rewritten | Faster | By |", faster)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
