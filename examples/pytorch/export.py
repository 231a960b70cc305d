"""Train two small networks with PyTorch, export them as ONNX, and write inputs with PyTorch's own answers beside them.

    python3 export.py [FOLDER]      some ten seconds on one core; Debian packages python3-torch, python3-onnx

cnn.onnx         which of four figures a grey picture of 16 x 16 pixels shows: a bar across, a bar down, a cross, a ring
transformer.onnx a sequence of twelve digits in ascending order: for each place, logits of the ten digits
transformer_advised.onnx
                 the same with the same weights, written as `anemone check` advises: rows of the table picked by a product
                 with a one-hot matrix, queries, keys and values by a product each instead of slices of one
"""
import pathlib
import sys
import zipfile

import numpy as np
import torch
from torch import nn

SEED = 7
FIGURES = ("across", "down", "cross", "ring")
LENGTH, DIGITS, WIDTH, HEADS = 12, 10, 24, 4


def picture(generator, kind):
    """A figure of a random place, size, brightness and noise, as 8-bit pixels."""
    y, x = np.mgrid[0:16, 0:16]
    cy, cx = generator.uniform(5.5, 9.5, 2)
    size, wide = generator.uniform(3, 5), generator.uniform(0.8, 1.4)
    across = (abs(y - cy) < wide) & (abs(x - cx) < size)
    down = (abs(x - cx) < wide) & (abs(y - cy) < size)
    ring = abs(np.hypot(y - cy, x - cx) - size) < wide
    shape = {"across": across, "down": down, "cross": across | down, "ring": ring}[kind]
    grey = shape * generator.uniform(0.5, 1) + generator.normal(0, 0.08, (16, 16))
    return (grey.clip(0, 1) * 255).astype(np.uint8)


def pictures(generator, count):
    labels = generator.integers(0, len(FIGURES), count)
    return np.stack([picture(generator, FIGURES[i]) for i in labels])[:, None], labels


def cnn():
    return nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(8, 16, 3, padding=1, bias=False), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(16 * 16, len(FIGURES)))


class Layer(nn.Module):
    """Attention of every place to every place, then two dense layers, each beside what goes in."""

    def __init__(self):
        super().__init__()
        self.inner, self.outer = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.norms = nn.ModuleList([nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)])
        self.advised = False
        self.dense = nn.Sequential(nn.Linear(WIDTH, 2 * WIDTH), nn.GELU(), nn.Linear(2 * WIDTH, WIDTH))

    def forward(self, x):
        n, s, w = x.shape
        x1 = self.norms[0](x)
        if self.advised:
            three = zip(self.inner.weight.chunk(3), self.inner.bias.chunk(3))
            parts = [nn.functional.linear(x1, weight, bias) for weight, bias in three]
        else:
            parts = self.inner(x1).chunk(3, dim=-1)
        q, k, v = (t.view(n, s, HEADS, w // HEADS).transpose(1, 2) for t in parts)
        weight = (q @ k.transpose(-2, -1) / (w // HEADS) ** 0.5).softmax(-1)
        x = x + self.outer((weight @ v).transpose(1, 2).reshape(n, s, w))
        return x + self.dense(self.norms[1](x))


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.digits = nn.Embedding(DIGITS, WIDTH)
        self.advised = False
        self.places = nn.Parameter(torch.randn(LENGTH, WIDTH) / 4)
        self.layers = nn.Sequential(Layer(), Layer())
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, DIGITS)

    def forward(self, ids):
        if self.advised:
            rows = nn.functional.one_hot(ids, DIGITS).float() @ self.digits.weight
        else:
            rows = self.digits(ids)
        return self.head(self.norm(self.layers(rows + self.places)))


def trained(model, batch, steps, rate):
    """`batch()` gives inputs and labels; the loss is that of the labels among the last axis or the second."""
    chosen = torch.optim.AdamW(model.parameters(), rate)
    plan = torch.optim.lr_scheduler.OneCycleLR(chosen, rate, steps)
    for _ in range(steps):
        x, labels = batch()
        answer = model(x)
        loss = nn.functional.cross_entropy(answer.reshape(-1, answer.shape[-1]), labels.reshape(-1))
        chosen.zero_grad()
        loss.backward()
        chosen.step()
        plan.step()
    return model.eval()


def write_arrays(path, **arrays):
    """As numpy.savez, with the same bytes every time."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, array in arrays.items():
            with archive.open(zipfile.ZipInfo(name + ".npy", (1980, 1, 1, 0, 0, 0)), "w") as entry:
                np.lib.format.write_array(entry, np.ascontiguousarray(array))


def write(folder, name, model, x, given, given_name, result_name):
    with torch.no_grad():
        answer = model(x).numpy()
    torch.onnx.export(model, (x,), str(folder / f"{name}.onnx"), opset_version=17, input_names=[given_name],
                      output_names=[result_name])
    write_arrays(folder / f"{name}_expected.npz", **{result_name: answer})
    if given is not None:
        write_arrays(folder / f"{name}_input.npz", **{given_name: given})
    return answer


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__).resolve()
    folder = folder.parent if folder.is_file() else folder
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    generator = np.random.default_rng(SEED)

    def figures():
        images, labels = pictures(generator, 64)
        return torch.from_numpy(images / np.float32(255)), torch.from_numpy(labels)

    network = trained(cnn(), figures, 400, 1e-2)
    x, labels = figures()
    with torch.no_grad():
        print(f"figures: {(network(x).argmax(1) == labels).float().mean():.0%} right")
    image = picture(np.random.default_rng(SEED), "ring")
    (folder / "ring.pgm").write_bytes(b"P5\n16 16\n255\n" + image.tobytes())
    answer = write(folder, "cnn", network, torch.from_numpy(image[None, None] / np.float32(255)), None, "image", "figure")
    print(f"ring.pgm: {dict(zip(FIGURES, answer[0].round(2)))}")

    def digits():
        ids = torch.randint(0, DIGITS, (128, LENGTH))
        return ids, ids.sort(1).values

    network = trained(Transformer(), digits, 900, 6e-3)
    x, labels = digits()
    with torch.no_grad():
        print(f"places in order: {(network(x).argmax(2) == labels).float().mean():.1%} right")
    ids = np.array([[3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8]])
    answer = write(folder, "transformer", network, torch.from_numpy(ids), ids, "digits", "logits")
    for part in network.modules():
        part.advised = True
    again = write(folder, "transformer_advised", network, torch.from_numpy(ids), None, "digits", "logits")
    assert abs(again - answer).max() < 1e-4
    (folder / "transformer_advised_expected.npz").unlink()
    print(f"{ids[0]} in order: {answer[0].argmax(1)}")


if __name__ == "__main__":
    main()
