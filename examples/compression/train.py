"""Train the sorting encoder and write sorter.safetensors: a sequence of sixteen tokens out of sixteen comes out sorted.

    python3 train.py            train, measure, write (ten to fifteen minutes on one core; needs torch and numpy)

Pre-norm transformer, two blocks of width 64 with four heads and a gelu MLP of 128; the model in C++ is sorter.hpp. The
data are drawn: training from torch's generator, held back from the generator of sorter.hpp, which tests share.
"""
import json
import math
import struct
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

HERE = Path(__file__).resolve().parent
LENGTH, TOKENS, WIDTH, HEADS, MLP, BLOCKS = 16, 16, 64, 4, 128, 2
SEED, STEPS, BATCH, RATE = 20, 5000, 192, 2e-3
HELD_SEED, HELD = 12345, 1000


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.query, self.key, self.value, self.projection = (nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.up, self.down = nn.Linear(WIDTH, MLP), nn.Linear(MLP, WIDTH)

    def forward(self, x):
        def heads(y):
            return y.reshape(-1, LENGTH, HEADS, WIDTH // HEADS).transpose(1, 2)
        n = self.norm1(x)
        q, k, v = heads(self.query(n)), heads(self.key(n)), heads(self.value(n))
        a = torch.softmax(q @ k.transpose(2, 3) / math.sqrt(WIDTH // HEADS), -1) @ v
        x = x + self.projection(a.transpose(1, 2).reshape(-1, LENGTH, WIDTH))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class Sorter(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Linear(TOKENS, WIDTH, bias=False)
        self.position = nn.Parameter(torch.randn(LENGTH, WIDTH) * 0.3)
        self.blocks = nn.ModuleList(Block() for _ in range(BLOCKS))
        self.norm = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, TOKENS)

    def forward(self, tokens):
        x = self.embed(F.one_hot(tokens, TOKENS).float()) + self.position
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


def drawn(seed, count):
    """The sequences of sorter.hpp: the upper four bits of a linear congruential generator."""
    state, values = seed, []
    for _ in range(count * LENGTH):
        state = (state * 1664525 + 1013904223) % 2**32
        values.append(state >> 28)
    return torch.tensor(values).reshape(count, LENGTH)


def accuracy(net, tokens):
    with torch.no_grad():
        right = net(tokens).argmax(-1) == tokens.sort(-1).values
    return right.float().mean().item(), right.all(-1).float().mean().item()


def write_safetensors(path, tensors):
    header, blobs, at = {}, [], 0
    for name, values in tensors.items():
        data = np.ascontiguousarray(values, dtype="<f2").tobytes()
        header[name] = {"dtype": "F16", "shape": list(values.shape), "data_offsets": [at, at + len(data)]}
        blobs.append(data)
        at += len(data)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(blobs))


def main():
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    net = Sorter()
    optimiser = torch.optim.AdamW(net.parameters(), lr=RATE, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, max_lr=RATE, total_steps=STEPS)
    start = time.time()
    for step in range(STEPS):
        tokens = torch.randint(0, TOKENS, (BATCH, LENGTH))
        loss = F.cross_entropy(net(tokens).reshape(-1, TOKENS), tokens.sort(-1).values.reshape(-1))
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
        if step % 250 == 249:
            each, whole = accuracy(net, drawn(777, 200))
            print(f"step {step + 1}  loss {loss.item():.4f}  tokens {100 * each:.2f} %  sequences {100 * whole:.1f} %  "
                  f"{time.time() - start:.0f} s", flush=True)
    tensors = {name: p.detach().numpy().astype(np.float16) for name, p in net.named_parameters()}
    with torch.no_grad():
        for name, p in net.named_parameters():
            p.copy_(torch.from_numpy(tensors[name].astype(np.float32)))
    each, whole = accuracy(net, drawn(HELD_SEED, HELD))
    print(f"held back, weights rounded to fp16: {100 * each:.2f} % of the tokens, {100 * whole:.1f} % of the sequences")
    write_safetensors(HERE / "sorter.safetensors", tensors)


if __name__ == "__main__":
    main()
