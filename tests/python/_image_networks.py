"""Image networks of torch.nn, written from their papers with the names of torchvision, and the names that timm and transformers give
the same tensors."""

import re

import numpy as np
import torch
from torch import nn


# ---- the networks, with the names of torchvision ------------------------------------------------------------------------


class Residual(nn.Module):
    def __init__(self, before, width, stride, bottleneck, strides_first):
        super().__init__()
        inner = width // 4 if bottleneck else width
        sizes = [(1, before, inner), (3, inner, inner), (1, inner, width)] if bottleneck else [(3, before, inner), (3, inner, width)]
        strided = 1 if bottleneck and not strides_first else 0
        self.count = len(sizes)
        for i, (size, of, to) in enumerate(sizes):
            setattr(self, f"conv{i + 1}", nn.Conv2d(of, to, size, stride if i == strided else 1, size // 2, bias=False))
            setattr(self, f"bn{i + 1}", nn.BatchNorm2d(to))
        self.downsample = nn.Sequential(nn.Conv2d(before, width, 1, stride, bias=False), nn.BatchNorm2d(width)) \
            if stride != 1 or before != width else nn.Identity()

    def forward(self, x):
        y = x
        for i in range(1, self.count + 1):
            y = getattr(self, f"bn{i}")(getattr(self, f"conv{i}")(y))
            y = y.relu() if i < self.count else y
        return (y + self.downsample(x)).relu()


class ResNet(nn.Module):
    def __init__(self, depths, widths, bottleneck, stem=64, channels=3, classes=1000, strides_first=False, halves_first=False):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(channels, stem, 7, 2, 3, bias=False), nn.BatchNorm2d(stem)
        before = stem
        for s, (depth, width) in enumerate(zip(depths, widths)):
            blocks = []
            for i in range(depth):
                blocks.append(Residual(before, width, 2 if i == 0 and (s > 0 or halves_first) else 1, bottleneck, strides_first))
                before = width
            setattr(self, f"layer{s + 1}", nn.Sequential(*blocks))
        self.fc = nn.Linear(before, classes)

    def forward(self, x):
        x = nn.functional.max_pool2d(self.bn1(self.conv1(x)).relu(), 3, 2, 1)
        for s in range(1, 5):
            x = getattr(self, f"layer{s}")(x)
        return self.fc(x.mean((2, 3)))


def normed(of, to, size=1, stride=1, groups=1):
    return [nn.Conv2d(of, to, size, stride, size // 2, groups=groups, bias=False), nn.BatchNorm2d(to)]


class Inverted(nn.Module):
    def __init__(self, before, width, stride, expansion):
        super().__init__()
        inner = before * expansion
        parts = [] if expansion == 1 else [nn.Sequential(*normed(before, inner), nn.ReLU6())]
        parts.append(nn.Sequential(*normed(inner, inner, 3, stride, inner), nn.ReLU6()))
        self.conv = nn.Sequential(*parts, *normed(inner, width))
        self.adds = stride == 1 and before == width

    def forward(self, x):
        return x + self.conv(x) if self.adds else self.conv(x)


class MobileNetV2(nn.Module):
    STAGES = [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]

    def __init__(self, classes=1000):
        super().__init__()
        parts, before = [nn.Sequential(*normed(3, 32, 3, 2), nn.ReLU6())], 32
        for expansion, width, depth, stride in self.STAGES:
            for i in range(depth):
                parts.append(Inverted(before, width, stride if i == 0 else 1, expansion))
                before = width
        self.features = nn.Sequential(*parts, nn.Sequential(*normed(320, 1280), nn.ReLU6()))
        self.classifier = nn.Sequential(nn.Dropout(), nn.Linear(1280, classes))

    def forward(self, x):
        return self.classifier[1](self.features(x).mean((2, 3)))


class Squeeze(nn.Module):
    def __init__(self, width, inner, first, last):
        super().__init__()
        self.fc1, self.fc2, self.first, self.last = nn.Conv2d(width, inner, 1), nn.Conv2d(inner, width, 1), first, last

    def forward(self, x):
        return x * self.last(self.fc2(self.first(self.fc1(x.mean((2, 3), keepdim=True)))))


class MobileBlock(nn.Module):
    def __init__(self, before, window, inner, width, squeeze, function, stride, epsilon):
        super().__init__()
        norm = lambda of, to, size, step, groups: nn.Sequential(
            nn.Conv2d(of, to, size, step, size // 2, groups=groups, bias=False), nn.BatchNorm2d(to, epsilon), function())
        parts = [norm(before, inner, 1, 1, 1)] if inner != before else []
        parts.append(norm(inner, inner, window, stride, inner))
        if squeeze:
            parts.append(squeeze(inner))
        self.block = nn.Sequential(*parts, nn.Sequential(nn.Conv2d(inner, width, 1, bias=False), nn.BatchNorm2d(width, epsilon)))
        self.adds = stride == 1 and before == width

    def forward(self, x):
        return x + self.block(x) if self.adds else self.block(x)


class MobileNetV3(nn.Module):
    """Window, channels between, channels given, whether it squeezes, hard swish or ReLU, stride."""

    LARGE = [(3, 16, 16, 0, 0, 1), (3, 64, 24, 0, 0, 2), (3, 72, 24, 0, 0, 1), (5, 72, 40, 1, 0, 2), (5, 120, 40, 1, 0, 1),
             (5, 120, 40, 1, 0, 1), (3, 240, 80, 0, 1, 2), (3, 200, 80, 0, 1, 1), (3, 184, 80, 0, 1, 1), (3, 184, 80, 0, 1, 1),
             (3, 480, 112, 1, 1, 1), (3, 672, 112, 1, 1, 1), (5, 672, 160, 1, 1, 2), (5, 960, 160, 1, 1, 1), (5, 960, 160, 1, 1, 1)]
    SMALL = [(3, 16, 16, 1, 0, 2), (3, 72, 24, 0, 0, 2), (3, 88, 24, 0, 0, 1), (5, 96, 40, 1, 1, 2), (5, 240, 40, 1, 1, 1),
             (5, 240, 40, 1, 1, 1), (5, 120, 48, 1, 1, 1), (5, 144, 48, 1, 1, 1), (5, 288, 96, 1, 1, 2), (5, 576, 96, 1, 1, 1),
             (5, 576, 96, 1, 1, 1)]
    SQUEEZED = {16: 8, 72: 24, 96: 24, 120: 32, 144: 40, 240: 64, 288: 72, 480: 120, 576: 144, 672: 168, 960: 240}  # as published

    def __init__(self, stages, last, classes=1000):
        super().__init__()
        function = lambda hard: nn.Hardswish if hard else nn.ReLU
        parts = [nn.Sequential(nn.Conv2d(3, 16, 3, 2, 1, bias=False), nn.BatchNorm2d(16, 1e-3), nn.Hardswish())]
        before = 16
        for window, inner, width, squeezes, hard, stride in stages:
            squeeze = (lambda of: Squeeze(of, self.SQUEEZED[of], nn.ReLU(), nn.Hardsigmoid())) if squeezes else None
            parts.append(MobileBlock(before, window, inner, width, squeeze, function(hard), stride, 1e-3))
            before = width
        end = 6 * before
        parts.append(nn.Sequential(nn.Conv2d(before, end, 1, bias=False), nn.BatchNorm2d(end, 1e-3), nn.Hardswish()))
        self.features = nn.Sequential(*parts)
        self.classifier = nn.Sequential(nn.Linear(end, last), nn.Hardswish(), nn.Dropout(), nn.Linear(last, classes))

    def forward(self, x):
        return self.classifier(self.features(x).mean((2, 3)))


class EfficientNet(nn.Module):
    STAGES = [(1, 3, 1, 16, 1), (6, 3, 2, 24, 2), (6, 5, 2, 40, 2), (6, 3, 2, 80, 3), (6, 5, 1, 112, 3), (6, 5, 2, 192, 4), (6, 3, 1, 320, 1)]

    def __init__(self, classes=1000):
        super().__init__()
        parts = [nn.Sequential(nn.Conv2d(3, 32, 3, 2, 1, bias=False), nn.BatchNorm2d(32), nn.SiLU())]
        before = 32
        for times, window, stride, width, depth in self.STAGES:
            blocks = []
            for i in range(depth):
                squeeze = lambda of, inner=before // 4: Squeeze(of, inner, nn.SiLU(), nn.Sigmoid())
                blocks.append(MobileBlock(before, window, before * times, width, squeeze, nn.SiLU, stride if i == 0 else 1, 1e-5))
                before = width
            parts.append(nn.Sequential(*blocks))
        parts.append(nn.Sequential(nn.Conv2d(320, 1280, 1, bias=False), nn.BatchNorm2d(1280), nn.SiLU()))
        self.features = nn.Sequential(*parts)
        self.classifier = nn.Sequential(nn.Dropout(), nn.Linear(1280, classes))

    def forward(self, x):
        return self.classifier(self.features(x).mean((2, 3)))


class ChannelNorm(nn.LayerNorm):
    """Over the channels of [N, C, H, W]."""

    def forward(self, x):
        return super().forward(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)


class Swap(nn.Module):
    def __init__(self, *order):
        super().__init__()
        self.order = order

    def forward(self, x):
        return x.permute(*self.order)


class ConvNextBlock(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.block = nn.Sequential(nn.Conv2d(width, width, 7, padding=3, groups=width), Swap(0, 2, 3, 1), nn.LayerNorm(width, 1e-6),
                                   nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width), Swap(0, 3, 1, 2))
        self.layer_scale = nn.Parameter(torch.ones(width, 1, 1))

    def forward(self, x):
        return x + self.layer_scale * self.block(x)


class ConvNext(nn.Module):
    def __init__(self, depths, widths, patch=4, channels=3, classes=1000, last_epsilon=1e-6):
        super().__init__()
        parts = [nn.Sequential(nn.Conv2d(channels, widths[0], patch, patch), ChannelNorm(widths[0], 1e-6))]
        for s, (depth, width) in enumerate(zip(depths, widths)):
            if s > 0:
                parts.append(nn.Sequential(ChannelNorm(widths[s - 1], 1e-6), nn.Conv2d(widths[s - 1], width, 2, 2)))
            parts.append(nn.Sequential(*[ConvNextBlock(width) for _ in range(depth)]))
        self.features = nn.Sequential(*parts)
        self.classifier = nn.Sequential(ChannelNorm(widths[3], last_epsilon), nn.Flatten(), nn.Linear(widths[3], classes))

    def forward(self, x):
        return self.classifier(self.features(x).mean((2, 3), keepdim=True))


class EncoderLayer(nn.Module):
    def __init__(self, width, heads, inner, epsilon):
        super().__init__()
        self.ln_1, self.ln_2 = nn.LayerNorm(width, epsilon), nn.LayerNorm(width, epsilon)
        self.self_attention = nn.MultiheadAttention(width, heads, batch_first=True)
        self.mlp = nn.Sequential(nn.Linear(width, inner), nn.GELU(), nn.Dropout(0), nn.Linear(inner, width))

    def forward(self, x):
        n = self.ln_1(x)
        x = x + self.self_attention(n, n, n)[0]
        return x + self.mlp(self.ln_2(x))


class Encoder(nn.Module):
    def __init__(self, tokens, layers, width, heads, inner, epsilon):
        super().__init__()
        self.pos_embedding = nn.Parameter(torch.zeros(1, tokens, width))
        self.layers = nn.Sequential()
        for i in range(layers):
            self.layers.add_module(f"encoder_layer_{i}", EncoderLayer(width, heads, inner, epsilon))
        self.ln = nn.LayerNorm(width, epsilon)

    def forward(self, x):
        return self.ln(self.layers(x + self.pos_embedding))


class VisionTransformer(nn.Module):
    def __init__(self, layers=12, width=768, heads=12, inner=3072, patch=16, channels=3, size=224, classes=1000, epsilon=1e-6):
        super().__init__()
        self.conv_proj = nn.Conv2d(channels, width, patch, patch)
        self.class_token = nn.Parameter(torch.zeros(1, 1, width))
        self.encoder = Encoder((size // patch) ** 2 + 1, layers, width, heads, inner, epsilon)
        self.heads = nn.Sequential()
        self.heads.add_module("head", nn.Linear(width, classes))

    def forward(self, x):
        x = self.conv_proj(x).flatten(2).transpose(1, 2)
        return self.heads(self.encoder(torch.cat([self.class_token, x], 1))[:, 0])


# ---- the names of the other libraries -----------------------------------------------------------------------------------


def renamed(tensors, *rules):
    """Each name by the first rule that fits it."""
    found = {}
    for name, value in tensors.items():
        for pattern, instead in rules:
            if re.match(pattern, name):
                name = re.sub(pattern, instead, name, 1)
                break
        found[name] = value
    return found


def resnet_of_transformers(tensors):
    return renamed(tensors, (r"conv1\.", "resnet.embedder.embedder.convolution."), (r"bn1\.", "resnet.embedder.embedder.normalization."),
                   (r"fc\.", "classifier.1."),
                   (r"layer(\d)\.(\d+)\.conv(\d)", lambda m: f"resnet.encoder.stages.{int(m[1]) - 1}.layers.{m[2]}.layer.{int(m[3]) - 1}.convolution"),
                   (r"layer(\d)\.(\d+)\.bn(\d)", lambda m: f"resnet.encoder.stages.{int(m[1]) - 1}.layers.{m[2]}.layer.{int(m[3]) - 1}.normalization"),
                   (r"layer(\d)\.(\d+)\.downsample\.0", lambda m: f"resnet.encoder.stages.{int(m[1]) - 1}.layers.{m[2]}.shortcut.convolution"),
                   (r"layer(\d)\.(\d+)\.downsample\.1", lambda m: f"resnet.encoder.stages.{int(m[1]) - 1}.layers.{m[2]}.shortcut.normalization"))


def convnext_of(tensors, stem, block, halving, parts, last, head):
    dw, norm, up, down, scale = parts
    stage = lambda m: (int(m[1]) - 1) // 2
    named = {"block.0": dw, "block.2": norm, "block.3": up, "block.5": down, "layer_scale": scale}
    result = renamed(tensors, (r"features\.0\.0", stem[0]), (r"features\.0\.1", stem[1]), (r"classifier\.0", last),
                     (r"classifier\.2", head),
                     (r"features\.([1357])\.(\d+)\.(block\.\d|layer_scale)", lambda m: block(stage(m), m[2]) + named[m[3]]),
                     (r"features\.([246])\.(\d)", lambda m: halving(int(m[1]) // 2, m[2])))
    return {name: value.reshape(-1) if name.endswith(scale) else value for name, value in result.items()}


def convnext_of_transformers(tensors):
    return convnext_of(tensors, ("convnext.embeddings.patch_embeddings", "convnext.embeddings.layernorm"),
                       lambda s, i: f"convnext.encoder.stages.{s}.layers.{i}.",
                       lambda s, k: f"convnext.encoder.stages.{s}.downsampling_layer.{k}",
                       ("dwconv", "layernorm", "pwconv1", "pwconv2", "layer_scale_parameter"), "convnext.layernorm", "classifier")


def convnext_of_timm(tensors):
    return convnext_of(tensors, ("stem.0", "stem.1"), lambda s, i: f"stages.{s}.blocks.{i}.", lambda s, k: f"stages.{s}.downsample.{k}",
                       ("conv_dw", "norm", "mlp.fc1", "mlp.fc2", "gamma"), "head.norm", "head.fc")


def vit_of_timm(tensors):
    return renamed(tensors, (r"class_token", "cls_token"), (r"encoder\.pos_embedding", "pos_embed"), (r"conv_proj", "patch_embed.proj"),
                   (r"encoder\.ln", "norm"), (r"heads\.head", "head"),
                   *[(r"encoder\.layers\.encoder_layer_(\d+)\." + of, r"blocks.\1." + to) for of, to in
                     (("ln_1", "norm1"), ("ln_2", "norm2"), ("self_attention.in_proj_", "attn.qkv."), ("self_attention.out_proj", "attn.proj"),
                      (r"mlp\.0", "mlp.fc1"), (r"mlp\.3", "mlp.fc2"))])


def vit_of_transformers(tensors):
    found = renamed(tensors, (r"class_token", "vit.embeddings.cls_token"), (r"encoder\.pos_embedding", "vit.embeddings.position_embeddings"),
                    (r"conv_proj", "vit.embeddings.patch_embeddings.projection"), (r"encoder\.ln", "vit.layernorm"), (r"heads\.head", "classifier"),
                    *[(r"encoder\.layers\.encoder_layer_(\d+)\." + of, r"vit.encoder.layer.\1." + to) for of, to in
                      (("ln_1", "layernorm_before"), ("ln_2", "layernorm_after"), ("self_attention.in_proj_", "joined."),
                       ("self_attention.out_proj", "attention.output.dense"), (r"mlp\.0", "intermediate.dense"), (r"mlp\.3", "output.dense"))])
    for name in [each for each in found if ".joined." in each]:
        for part, rows in zip(("query", "key", "value"), np.split(found.pop(name), 3)):
            found[name.replace("joined", f"attention.attention.{part}")] = rows
    return found


def mobilenet_of_timm(tensors):
    places, number = {}, 0
    for s, (expansion, _, depth, _) in enumerate(MobileNetV2.STAGES):
        for i in range(depth):
            number += 1
            places[number] = (f"blocks.{s}.{i}.", ["conv_dw", "bn1", "conv_pw", "bn2"] if expansion == 1 else
                              ["conv_pw", "bn1", "conv_dw", "bn2", "conv_pwl", "bn3"])
    order = {False: ["conv.0.0", "conv.0.1", "conv.1", "conv.2"], True: ["conv.0.0", "conv.0.1", "conv.1.0", "conv.1.1", "conv.2", "conv.3"]}

    def block(m):
        place, parts = places[int(m[1])]
        return place + parts[order[len(parts) == 6].index(m[2])] + "."

    return renamed(tensors, (r"features\.0\.0\.", "conv_stem."), (r"features\.0\.1\.", "bn1."), (r"features\.18\.0\.", "conv_head."),
                   (r"features\.18\.1\.", "bn2."), (r"classifier\.1\.", "classifier."), (r"features\.(\d+)\.(conv\.\d(?:\.\d)?)\.", block))


def efficientnet_of_timm(tensors):
    def block(m):
        first = int(m[1]) == 1
        order = ["conv_dw", "bn1", "se", "conv_pw", "bn2"] if first else ["conv_pw", "bn1", "conv_dw", "bn2", "se", "conv_pwl", "bn3"]
        steps = [2, 0, 2] if first else [2, 2, 0, 2]  # parts of a step that are counted
        at = sum(each or 1 for each in steps[:int(m[3])])
        if m[4].startswith("fc"):
            return f"blocks.{int(m[1]) - 1}.{m[2]}.se." + {"fc1": "conv_reduce", "fc2": "conv_expand"}[m[4]] + "."
        return f"blocks.{int(m[1]) - 1}.{m[2]}." + order[at + int(m[4])] + "."

    return renamed(tensors, (r"features\.0\.0\.", "conv_stem."), (r"features\.0\.1\.", "bn1."), (r"features\.8\.0\.", "conv_head."),
                   (r"features\.8\.1\.", "bn2."), (r"classifier\.1\.", "classifier."),
                   (r"features\.(\d)\.(\d)\.block\.(\d)\.(\d|fc\d)\.", block))
