"""Train the digit network, write digits.safetensors and the thirty images, then check both with numpy alone.

    python3 train.py            render, train, measure, write, check (a few minutes on one core)
    python3 train.py --check    only check the files beside this script

conv 3x3 (16) - relu - max pool 2 - conv 3x3 (32) - relu - max pool 2 - dense 64 - relu - dense 10 - softmax
"""
import csv
import json
import struct
import sys
import time
from pathlib import Path

import numpy as np
from PIL import Image

HERE = Path(__file__).resolve().parent
BOUND = 0.9            # every |weight| and |bias|; the program declares it, so it must hold after rounding to fp16
SEED = 20
TRAIN, VALIDATION, TEST = (101, 40000), (202, 2000), (303, 10000)    # (seed, images)
TEST_UNSEEN = (404, 10000)
EPOCHS, BATCH, RATE = 8, 64, 2e-3
MIN_GAP = 3.0          # least lead of the right logit over the next, in a shipped image


# ---- safetensors: 8 bytes little-endian header length, JSON header padded to a multiple of 8, raw data ----

def write_safetensors(path, tensors):
    header, blobs, at = {}, [], 0
    for name, values in tensors.items():
        blob = np.ascontiguousarray(values, dtype="<f2").tobytes()
        header[name] = {"dtype": "F16", "shape": list(values.shape), "data_offsets": [at, at + len(blob)]}
        blobs.append(blob)
        at += len(blob)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(blobs))


def read_safetensors(path):
    raw = path.read_bytes()
    (length,) = struct.unpack_from("<Q", raw)
    data = raw[8 + length:]
    tensors = {}
    for name, entry in json.loads(raw[8:8 + length]).items():
        begin, end = entry["data_offsets"]
        assert entry["dtype"] == "F16"
        tensors[name] = np.frombuffer(data[begin:end], dtype="<f2").reshape(entry["shape"])
    return tensors


# ---- the network without torch: fp16 weights, fp32 arithmetic ----

def _conv_same(x, weight, bias):
    height, width = x.shape[2:]
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    out = np.zeros((x.shape[0], weight.shape[0], height, width), dtype=np.float32)
    for i in range(3):
        for j in range(3):
            out += np.einsum("nchw,oc->nohw", padded[:, :, i:i + height, j:j + width], weight[:, :, i, j])
    return out + bias[:, None, None]


def _max_pool(x):
    n, c, h, w = x.shape
    return x.reshape(n, c, h // 2, 2, w // 2, 2).max(axis=(3, 5))


def forward_numpy(tensors, images):
    """Logits [n,10] and the largest |value| met, of uint8 images [n,28,28]."""
    w = {name: values.astype(np.float32) for name, values in tensors.items()}
    x = images.astype(np.float32)[:, None] / np.float32(255)
    a = _conv_same(x, w["conv1.weight"], w["conv1.bias"])
    b = _conv_same(_max_pool(np.maximum(a, 0)), w["conv2.weight"], w["conv2.bias"])
    flat = _max_pool(np.maximum(b, 0)).reshape(len(x), -1)
    c = flat @ w["fc1.weight"].T + w["fc1.bias"]
    d = np.maximum(c, 0) @ w["fc2.weight"].T + w["fc2.bias"]
    return d, max(float(np.abs(v).max()) for v in (a, b, c, d))


def softmax(logits):
    e = np.exp(logits - logits.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def gap(logits, labels):
    """Lead of the right logit over the best wrong one; negative where the answer is wrong."""
    rows = np.arange(len(labels))
    wrong = logits.copy()
    wrong[rows, labels] = -np.inf
    return logits[rows, labels] - wrong.max(axis=1)


# ---- training ----

def train(renderer):
    import torch
    from torch import nn

    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    torch.use_deterministic_algorithms(True)

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv1 = nn.Conv2d(1, 16, 3, padding=1)
            self.conv2 = nn.Conv2d(16, 32, 3, padding=1)
            self.fc1 = nn.Linear(32 * 7 * 7, 64)
            self.fc2 = nn.Linear(64, 10)

        def forward(self, x):
            x = torch.max_pool2d(torch.relu(self.conv1(x)), 2)
            x = torch.max_pool2d(torch.relu(self.conv2(x)), 2)
            x = nn.functional.dropout(torch.flatten(x, 1), 0.25, self.training)
            return self.fc2(torch.relu(self.fc1(x)))

    def tensor(images):
        return torch.from_numpy(images[:, None].astype(np.float32) / 255)

    images, labels, _ = renderer.batch(*TRAIN)
    held, held_labels, _ = renderer.batch(*VALIDATION)
    x, y = tensor(images), torch.from_numpy(labels)
    net = Net()
    optimiser = torch.optim.Adam(net.parameters(), lr=RATE, weight_decay=1e-5)
    steps = EPOCHS * (len(x) // BATCH)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, steps)
    start = time.time()
    for epoch in range(EPOCHS):
        net.train()
        order = torch.randperm(len(x))
        total = 0.0
        for step in range(len(x) // BATCH):
            pick = order[step * BATCH:(step + 1) * BATCH]
            loss = nn.functional.cross_entropy(net(x[pick]), y[pick])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
            with torch.no_grad():
                for p in net.parameters():
                    p.clamp_(-BOUND, BOUND)
            total += loss.item()
            if step % 50 == 49:
                print(f"\repoch {epoch + 1}/{EPOCHS}  step {step + 1}/{len(x) // BATCH}  loss {total / (step + 1):.4f}",
                      end="", flush=True)
        net.eval()
        with torch.no_grad():
            right = (net(tensor(held)).argmax(1).numpy() == held_labels).mean()
        print(f"  validation {100 * right:.2f} %  {time.time() - start:.0f} s", flush=True)
    tensors = {name: p.detach().numpy().astype(np.float16) for name, p in net.named_parameters()}
    assert all(np.abs(v.astype(np.float64)).max() <= BOUND for v in tensors.values())
    return tensors


def measure(tensors, renderer, batch):
    images, labels, fonts = renderer.batch(*batch)
    parts = [forward_numpy(tensors, images[i:i + 500]) for i in range(0, len(images), 500)]
    logits = np.concatenate([p[0] for p in parts])
    return images, labels, fonts, gap(logits, labels), max(p[1] for p in parts)


def report(title, families, names, fonts, gaps):
    right = gaps > 0
    print(f"{title}: {100 * right.mean():.2f} % ({right.sum()} of {len(right)})")
    family_of = {name: family for family, members in families.items() for name in members}
    owner = np.array([family_of[names[f]] for f in fonts])
    for family in families:
        mine = right[owner == family]
        print(f"    {family:14} {100 * mine.mean():6.2f} % of {len(mine)}")


def choose(digit, measured, names, share, used):
    """The image whose gap is nearest the given share of this digit's sorted gaps, in a font not used yet."""
    images, labels, fonts, gaps, _ = measured
    mine = np.flatnonzero((labels == digit) & (gaps >= MIN_GAP))
    mine = mine[np.argsort(gaps[mine], kind="stable")]
    for i in mine[int(share * len(mine)):]:
        if names[fonts[i]] not in used:
            used.add(names[fonts[i]])
            return images[i], names[fonts[i]]
    raise SystemExit(f"no image left to choose for digit {digit}")


def write_images(seen, seen_names, unseen, unseen_names):
    """Per digit: one ordinary image of a seen font, one harder and one hard image of unseen fonts."""
    folder = HERE / "images"
    folder.mkdir(exist_ok=True)
    rows = []
    used_seen = set()
    for digit in range(10):
        used = set()    # unseen fonts are few: different within a digit only
        picks = [choose(digit, seen, seen_names, 0.5, used_seen), choose(digit, unseen, unseen_names, 0.2, used),
                 choose(digit, unseen, unseen_names, 0.02, used)]
        for k, (image, font) in enumerate(picks):
            name = f"digit_{digit}_{k}.png"
            Image.fromarray(image).save(folder / name, optimize=True)
            rows.append((name, digit, font))
    with open(folder / "labels.csv", "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("file", "label", "font"))
        writer.writerows(rows)


def check():
    tensors = read_safetensors(HERE / "digits.safetensors")
    for name, values in tensors.items():
        print(f"    {name:13} {str(list(values.shape)):15} max |w| {np.abs(values.astype(np.float64)).max():.4f}")
    with open(HERE / "images" / "labels.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    opened = [Image.open(HERE / "images" / row["file"]) for row in rows]
    assert all(i.mode == "L" and i.size == (28, 28) for i in opened)
    labels = np.array([int(row["label"]) for row in rows])
    logits, largest = forward_numpy(tensors, np.stack([np.asarray(i) for i in opened]))
    right = logits.argmax(axis=1) == labels
    sure = softmax(logits)[np.arange(len(rows)), labels]
    print(f"shipped images: {right.sum()}/{len(rows)} right, least probability {sure.min():.3f}, "
          f"least logit gap {gap(logits, labels).min():.2f}, largest |activation| {largest:.1f}")
    return bool(right.all())


def main():
    if "--check" not in sys.argv[1:]:
        import render

        start = time.time()
        seen_fonts = render.Renderer(render.font_names(render.SEEN))
        unseen_fonts = render.Renderer(render.font_names(render.UNSEEN))
        print(f"{len(seen_fonts.names)} seen fonts, {len(unseen_fonts.names)} unseen fonts", flush=True)
        tensors = train(seen_fonts)
        write_safetensors(HERE / "digits.safetensors", tensors)
        seen = measure(tensors, seen_fonts, TEST)
        unseen = measure(tensors, unseen_fonts, TEST_UNSEEN)
        print("held back, weights rounded to fp16:")
        report("seen fonts, new jitter", render.SEEN, seen_fonts.names, seen[2], seen[3])
        report("unseen fonts", render.UNSEEN, unseen_fonts.names, unseen[2], unseen[3])
        both = np.concatenate([seen[3], unseen[3]]) > 0
        print(f"both: {100 * both.mean():.2f} % ({both.sum()} of {len(both)}), "
              f"largest |activation| {max(seen[4], unseen[4]):.1f}")
        write_images(seen, seen_fonts.names, unseen, unseen_fonts.names)
        print(f"{time.time() - start:.0f} s")
    return 0 if check() else 1


if __name__ == "__main__":
    sys.exit(main())
