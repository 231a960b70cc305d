"""Swin transformers, YOLOv8, ESPCN and the networks of Stable Diffusion in torch.nn, written from their papers with the names that
their libraries publish, and the names that other libraries give the same tensors."""

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from _image_networks import renamed


# ---- Swin (Liu et al. 2021), the names of torchvision --------------------------------------------------------------------


class WindowAttention(nn.Module):
    def __init__(self, width, heads, window, offsets=True):
        super().__init__()
        self.heads, self.window = heads, window
        self.qkv, self.proj = nn.Linear(width, 3 * width, bias=offsets), nn.Linear(width, width)
        self.relative_position_bias_table = nn.Parameter(torch.zeros((2 * window - 1) ** 2, heads))
        at = torch.stack(torch.meshgrid(torch.arange(window), torch.arange(window), indexing="ij")).flatten(1)
        apart = at[:, :, None] - at[:, None, :] + window - 1
        self.register_buffer("relative_position_index", (apart[0] * (2 * window - 1) + apart[1]).flatten())

    def forward(self, x, shift):
        """Of [N, H, W, C]: tokens see those of their window that are not of another edge of the image."""
        n, height, width, channels = x.shape
        w, count = self.window, height // self.window
        area = torch.zeros(height, width, dtype=torch.long)
        if shift:
            x = torch.roll(x, (-shift, -shift), (1, 2))
            edge = torch.arange(height)
            edge = (edge >= height - w).long() + (edge >= height - shift).long()
            area = edge[:, None] * 3 + edge[None, :]
        windows = lambda t: t.unfold(-2, w, w).unfold(-2, w, w)  # [..., rows, columns, w, w]
        x = windows(x.permute(0, 3, 1, 2)).flatten(2, 3).flatten(3).permute(0, 2, 3, 1)  # [N, windows, w w, C]
        area = windows(area).flatten(0, 1).flatten(1)
        q, k, v = (t.unflatten(-1, (self.heads, -1)).transpose(2, 3) for t in self.qkv(x).chunk(3, -1))
        scores = q @ k.transpose(-1, -2) / (channels // self.heads) ** 0.5
        scores = scores + self.relative_position_bias_table[self.relative_position_index].reshape(w * w, w * w, -1).permute(2, 0, 1)
        scores = scores.masked_fill((area[:, :, None] != area[:, None, :])[None, :, None], -100)
        x = self.proj((scores.softmax(-1) @ v).transpose(2, 3).flatten(3))
        x = x.reshape(n, count, count, w, w, channels).transpose(2, 3).reshape(n, height, width, channels)
        return torch.roll(x, (shift, shift), (1, 2)) if shift else x


class SwinBlock(nn.Module):
    def __init__(self, width, heads, window, inner, epsilon, shifted, offsets):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width, epsilon), nn.LayerNorm(width, epsilon)
        self.attn, self.shifted = WindowAttention(width, heads, window, offsets), shifted
        self.mlp = nn.Sequential(nn.Linear(width, inner * width), nn.GELU(), nn.Dropout(0), nn.Linear(inner * width, width))

    def forward(self, x):
        shift = self.attn.window // 2 if self.shifted and x.shape[1] > self.attn.window else 0
        x = x + self.attn(self.norm1(x), shift)
        return x + self.mlp(self.norm2(x))


class Merging(nn.Module):
    def __init__(self, width, epsilon):
        super().__init__()
        self.reduction, self.norm = nn.Linear(4 * width, 2 * width, bias=False), nn.LayerNorm(4 * width, epsilon)

    def forward(self, x):
        return self.reduction(self.norm(torch.cat([x[:, down::2, across::2] for across in (0, 1) for down in (0, 1)], -1)))


class Last(nn.Module):
    def forward(self, x):
        return x.permute(0, 2, 3, 1)


class Swin(nn.Module):
    def __init__(self, depths=(2, 2, 6, 2), heads=(3, 6, 12, 24), width=96, window=7, patch=4, inner=4, channels=3, classes=1000,
                 epsilon=1e-5, offsets=True):
        super().__init__()
        parts = [nn.Sequential(nn.Conv2d(channels, width, patch, patch), Last(), nn.LayerNorm(width, epsilon))]
        for s in range(4):
            if s > 0:
                parts.append(Merging(width, epsilon))
                width *= 2
            parts.append(nn.Sequential(*[SwinBlock(width, heads[s], window, inner, epsilon, i % 2 == 1, offsets) for i in range(depths[s])]))
        self.features = nn.Sequential(*parts)
        self.norm, self.head = nn.LayerNorm(width, epsilon), nn.Linear(width, classes)

    def forward(self, x):
        return self.head(self.norm(self.features(x)).mean((1, 2)))


def swin_of_timm(tensors):
    stage = lambda m: (int(m[1]) - 1) // 2
    return renamed(tensors, (r"features\.0\.0", "patch_embed.proj"), (r"features\.0\.2", "patch_embed.norm"), (r"head\.", "head.fc."),
                   (r"features\.([1357])\.(\d+)\.mlp\.0", lambda m: f"layers.{stage(m)}.blocks.{m[2]}.mlp.fc1"),
                   (r"features\.([1357])\.(\d+)\.mlp\.3", lambda m: f"layers.{stage(m)}.blocks.{m[2]}.mlp.fc2"),
                   (r"features\.([1357])\.(\d+)\.", lambda m: f"layers.{stage(m)}.blocks.{m[2]}."),
                   (r"features\.([246])\.", lambda m: f"layers.{int(m[1]) // 2}.downsample."))


def swin_of_transformers(tensors):
    block = lambda m: f"swin.encoder.layers.{(int(m[1]) - 1) // 2}.blocks.{m[2]}."
    named = {"norm1": "layernorm_before", "norm2": "layernorm_after", "mlp.0": "intermediate.dense", "mlp.3": "output.dense",
             "attn.proj": "attention.output.dense", "attn.qkv": "joined", "attn.relative": "attention.self.relative"}
    found = renamed(tensors, (r"features\.0\.0", "swin.embeddings.patch_embeddings.projection"), (r"features\.0\.2", "swin.embeddings.norm"),
                    (r"norm\.", "swin.layernorm."), (r"head\.", "classifier."),
                    (r"features\.([1357])\.(\d+)\.(norm1|norm2|mlp\.0|mlp\.3|attn\.proj|attn\.qkv|attn\.relative)", lambda m: block(m) + named[m[3]]),
                    (r"features\.([246])\.", lambda m: f"swin.encoder.layers.{int(m[1]) // 2 - 1}.downsample."))
    for name in [each for each in found if ".joined." in each]:
        for part, rows in zip(("query", "key", "value"), np.split(found.pop(name), 3)):
            found[name.replace("joined", f"attention.self.{part}")] = rows
    return found


# ---- YOLOv8, the names of ultralytics ------------------------------------------------------------------------------------


class Conv(nn.Module):
    def __init__(self, before, width, size=1, stride=1):
        super().__init__()
        self.conv, self.bn = nn.Conv2d(before, width, size, stride, size // 2, bias=False), nn.BatchNorm2d(width, 1e-3)

    def forward(self, x):
        return functional.silu(self.bn(self.conv(x)))


class Bottleneck(nn.Module):
    def __init__(self, width, adds):
        super().__init__()
        self.cv1, self.cv2, self.adds = Conv(width, width, 3), Conv(width, width, 3), adds

    def forward(self, x):
        return x + self.cv2(self.cv1(x)) if self.adds else self.cv2(self.cv1(x))


class C2f(nn.Module):
    def __init__(self, before, width, depth, adds):
        super().__init__()
        self.cv1, self.cv2 = Conv(before, width), Conv((2 + depth) * (width // 2), width)
        self.m = nn.ModuleList(Bottleneck(width // 2, adds) for _ in range(depth))

    def forward(self, x):
        parts = list(self.cv1(x).chunk(2, 1))
        for each in self.m:
            parts.append(each(parts[-1]))
        return self.cv2(torch.cat(parts, 1))


class SPPF(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.cv1, self.cv2 = Conv(width, width // 2), Conv(2 * width, width)

    def forward(self, x):
        parts = [self.cv1(x)]
        for _ in range(3):
            parts.append(functional.max_pool2d(parts[-1], 5, 1, 2))
        return self.cv2(torch.cat(parts, 1))


class Detect(nn.Module):
    def __init__(self, classes, widths):
        super().__init__()
        inner, scored = max(16, widths[0] // 4, 64), max(widths[0], min(classes, 100))
        head = lambda of, between, to: nn.Sequential(Conv(of, between, 3), Conv(between, between, 3), nn.Conv2d(between, to, 1))
        self.cv2 = nn.ModuleList(head(of, inner, 64) for of in widths)
        self.cv3 = nn.ModuleList(head(of, scored, classes) for of in widths)
        self.dfl = nn.Module()
        self.dfl.conv = nn.Conv2d(16, 1, 1, bias=False)

    def forward(self, levels):
        found = []
        for level, edges, scores, stride in zip(levels, self.cv2, self.cv3, (8, 16, 32)):
            n, _, height, width = level.shape
            far = (edges(level).reshape(n, 4, 16, -1).softmax(2) * self.dfl.conv.weight.reshape(16, 1)).sum(2)
            y, x = torch.meshgrid(torch.arange(height) + 0.5, torch.arange(width) + 0.5, indexing="ij")
            centre = torch.stack([x, y]).reshape(1, 2, -1).to(far.dtype)
            low, high = centre - far[:, :2], centre + far[:, 2:]
            found.append(torch.cat([(low + high) / 2 * stride, (high - low) * stride, scores(level).flatten(2).sigmoid()], 1))
        return torch.cat(found, 2)


class Yolo(nn.Module):
    def __init__(self, widths=(16, 32, 64, 128, 256), depths=(1, 2, 2, 1), classes=80):
        super().__init__()
        a, b, c, d, e = widths
        n, up = depths[0], lambda: nn.Upsample(scale_factor=2)
        self.model = nn.ModuleList([
            Conv(3, a, 3, 2), Conv(a, b, 3, 2), C2f(b, b, n, True), Conv(b, c, 3, 2), C2f(c, c, depths[1], True), Conv(c, d, 3, 2),
            C2f(d, d, depths[2], True), Conv(d, e, 3, 2), C2f(e, e, depths[3], True), SPPF(e), up(), nn.Identity(), C2f(e + d, d, n, False),
            up(), nn.Identity(), C2f(d + c, c, n, False), Conv(c, c, 3, 2), nn.Identity(), C2f(c + d, d, n, False), Conv(d, d, 3, 2),
            nn.Identity(), C2f(d + e, e, n, False), Detect(classes, (c, d, e))])
        self.model[22].dfl.conv.weight.data[:] = torch.arange(16).reshape(1, 16, 1, 1)

    BEFORE = {11: 6, 14: 4, 17: 12, 20: 9}  # what a concatenation joins to the layer before it

    def forward(self, x):
        kept = []
        for i, layer in enumerate(self.model[:22]):
            x = torch.cat([x, kept[self.BEFORE[i]]], 1) if i in self.BEFORE else layer(x)
            kept.append(x)
        return self.model[22]([kept[15], kept[18], kept[21]])


# ---- ESPCN (Shi et al. 2016), the names of ESPCN-pytorch -----------------------------------------------------------------


class Espcn(nn.Module):
    def __init__(self, scale):
        super().__init__()
        self.first_part = nn.Sequential(nn.Conv2d(1, 64, 5, padding=2), nn.Tanh(), nn.Conv2d(64, 32, 3, padding=1), nn.Tanh())
        self.last_part = nn.Sequential(nn.Conv2d(32, scale ** 2, 3, padding=1), nn.PixelShuffle(scale))

    def forward(self, x):
        return self.last_part(self.first_part(x))
