"""Models that PyTorch exports as ONNX, read by the library's importer and run on the CPU backend.

Weights are random with a printed seed. PyTorch's own results in float32 are the expectation; every layer rounds to fp16,
so a result may be off by so many half ulps of its largest magnitude as `BOUND` says.

Ends with 1 if a model is refused or off, with 77 where PyTorch, NumPy or the importer is missing.
"""

import pathlib
import sys
import tempfile
import warnings

try:
    import numpy as np
    import onnx
    import torch
    from onnx import numpy_helper
    from torch import nn
except ImportError as missing:
    print(f"skipped: {missing} (Debian packages python3-torch, python3-onnx and python3-numpy)")
    sys.exit(77)

from harness import HALF_ULP
from importer import Importer

SEED = 20261123
BOUND = 8  # half ulps of the largest magnitude of a result
OPSETS = (9, 11, 13, 17)


class Block(nn.Module):
    """The basic block of a residual network."""

    def __init__(self, channels, out, stride):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(channels, out, 3, stride, 1, bias=False), nn.BatchNorm2d(out), nn.ReLU(),
            nn.Conv2d(out, out, 3, 1, 1, bias=False), nn.BatchNorm2d(out),
        )
        self.short = nn.Sequential(nn.Conv2d(channels, out, 1, stride, bias=False), nn.BatchNorm2d(out))

    def forward(self, x):
        return torch.relu(self.body(x) + self.short(x))


class Inverted(nn.Module):
    """The inverted residual block of a mobile network."""

    def __init__(self, channels):
        super().__init__()
        wide = 4 * channels
        self.body = nn.Sequential(
            nn.Conv2d(channels, wide, 1, bias=False), nn.BatchNorm2d(wide), nn.ReLU6(),
            nn.Conv2d(wide, wide, 3, 1, 1, groups=wide, bias=False), nn.BatchNorm2d(wide), nn.ReLU6(),
            nn.Conv2d(wide, channels, 1, bias=False), nn.BatchNorm2d(channels),
        )

    def forward(self, x):
        return x + self.body(x)


def residual():
    return nn.Sequential(
        nn.Conv2d(3, 8, 7, 2, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(3, 2, 1),
        Block(8, 8, 1), Block(8, 16, 2), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 10),
    )


def mobile():
    return nn.Sequential(
        nn.Conv2d(3, 8, 3, 2, 1), nn.ReLU6(), Inverted(8), Inverted(8), nn.Hardswish(),
        nn.Upsample(scale_factor=2, mode="bilinear", align_corners=False), nn.Conv2d(8, 4, 1), nn.Dropout(), nn.Flatten(),
    )


class Attention(nn.Module):
    """Multi-head attention with the shape arithmetic that exported models are full of."""

    def __init__(self, width, heads, causal):
        super().__init__()
        self.heads, self.causal = heads, causal
        self.inner, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x):
        n, s, w = x.shape
        q, k, v = self.inner(x).chunk(3, dim=-1)
        q, k, v = (t.view(n, s, self.heads, w // self.heads).transpose(1, 2) for t in (q, k, v))
        scores = q @ k.transpose(-2, -1) / (w // self.heads) ** 0.5
        if self.causal:
            place = torch.arange(s)
            scores = scores.masked_fill(place.view(1, s) > place.view(s, 1), -1e4)
        return self.out((scores.softmax(-1) @ v).transpose(1, 2).contiguous().view(n, s, w))


class Layer(nn.Module):
    def __init__(self, width, heads, causal):
        super().__init__()
        self.attention = Attention(width, heads, causal)
        self.norms = nn.ModuleList([nn.LayerNorm(width), nn.LayerNorm(width)])
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        x = x + self.attention(self.norms[0](x))
        return x + self.mlp(self.norms[1](x))


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(50, 32), nn.Parameter(torch.randn(1, 12, 32) / 4)
        self.layers = nn.Sequential(Layer(32, 4, True), Layer(32, 4, True))
        self.norm, self.head = nn.LayerNorm(32), nn.Linear(32, 50)

    def forward(self, ids):
        x = self.words(ids) + self.places[:, : ids.shape[1]]
        return self.head(self.norm(self.layers(x)))


def encoder():
    return nn.Sequential(Layer(32, 4, False), Layer(32, 4, False), nn.LayerNorm(32))


class Steps(nn.Module):
    """A recurrent layer; only its states are a result."""

    def __init__(self, kind):
        super().__init__()
        self.layer = kind(8, 16)

    def forward(self, x):
        return self.layer(x)[0]


def image():
    return torch.randn(1, 3, 32, 32)


MODELS = {
    "residual": (residual, image, OPSETS),
    "mobile": (mobile, image, (11, 13, 17)),
    "encoder": (encoder, lambda: torch.randn(2, 10, 32), OPSETS),
    "decoder": (Decoder, lambda: torch.randint(0, 50, (1, 9)), OPSETS),
    "gru": (lambda: Steps(nn.GRU), lambda: torch.randn(6, 2, 8), (13,)),
    "lstm": (lambda: Steps(nn.LSTM), lambda: torch.randn(6, 2, 8), (13,)),
}


def export(folder, build, make, opset):
    """Writes model.onnx and its input; returns PyTorch's result."""
    model, x = build().eval(), make()
    for buffer in model.modules():
        if isinstance(buffer, nn.BatchNorm2d):
            nn.init.uniform_(buffer.running_mean, -0.5, 0.5)
            nn.init.uniform_(buffer.running_var, 0.5, 1.5)
    x = x.half().float() if x.is_floating_point() else x  # what the importer's port holds
    data = folder / "test_data_set_0"
    data.mkdir(parents=True)
    ports = {"input_names": ["x"], "output_names": ["y"]}
    torch.onnx.export(model, (x,), str(folder / "model.onnx"), opset_version=opset, **ports)
    (data / "input_0.pb").write_bytes(numpy_helper.from_array(x.numpy(), "x").SerializeToString())
    with torch.no_grad():
        return model(x).double().numpy()


def main():
    importer = Importer()
    if importer.missing():
        print(f"skipped: {importer.program} is not built (Debian packages libonnx-dev and libprotobuf-dev)")
        return 77
    warnings.filterwarnings("ignore")
    torch.manual_seed(SEED)
    print(f"seed {SEED}, PyTorch {torch.__version__}, ONNX {onnx.__version__}")
    wanted, failed = {}, 0
    with tempfile.TemporaryDirectory() as scratch:
        for name, (build, make, opsets) in MODELS.items():
            for opset in opsets:
                folder = pathlib.Path(scratch) / f"{name}_{opset}"
                wanted[folder] = export(folder, build, make, opset)
        for (folder, exact), (status, result, _) in zip(wanted.items(), importer.run(list(wanted))):
            fault = None if status == "ok" else result
            if status == "ok":
                error = np.abs(result["y"].astype(np.float64) - exact).max() / np.abs(exact).max() / HALF_ULP
                fault = None if error <= BOUND else f"off by {error:.1f} half ulps of the largest magnitude"
            failed += fault is not None
            print(f"{'failed' if fault else 'passed':8} {folder.name}: {fault or f'{error:.2f} half ulps'}")
    print(f"{len(wanted)} models, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
