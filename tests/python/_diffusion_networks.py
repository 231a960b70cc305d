"""The networks of Stable Diffusion (Rombach et al. 2021) in torch.nn with the names of diffusers."""

import math

import torch
from torch import nn
from torch.nn import functional


class Residual(nn.Module):
    def __init__(self, before, width, groups, epsilon, time=None):
        super().__init__()
        self.norm1, self.conv1 = nn.GroupNorm(groups, before, epsilon), nn.Conv2d(before, width, 3, padding=1)
        self.norm2, self.conv2 = nn.GroupNorm(groups, width, epsilon), nn.Conv2d(width, width, 3, padding=1)
        if time:
            self.time_emb_proj = nn.Linear(time, width)
        self.conv_shortcut = nn.Conv2d(before, width, 1) if before != width else None

    def forward(self, x, time=None):
        y = self.conv1(functional.silu(self.norm1(x)))
        if time is not None:
            y = y + self.time_emb_proj(functional.silu(time))[:, :, None, None]
        y = self.conv2(functional.silu(self.norm2(y)))
        return y + (x if self.conv_shortcut is None else self.conv_shortcut(x))


class Attention(nn.Module):
    def __init__(self, width, heads, context=None, offsets=False):
        super().__init__()
        self.heads = heads
        self.to_q = nn.Linear(width, width, bias=offsets)
        self.to_k, self.to_v = (nn.Linear(context or width, width, bias=offsets) for _ in range(2))
        self.to_out = nn.ModuleList([nn.Linear(width, width), nn.Dropout(0)])

    def forward(self, x, context=None):
        context = x if context is None else context
        q, k, v = (t.unflatten(-1, (self.heads, -1)).transpose(1, 2) for t in (self.to_q(x), self.to_k(context), self.to_v(context)))
        scores = (q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])).softmax(-1)
        return self.to_out[0]((scores @ v).transpose(1, 2).flatten(2))


class Gated(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.proj = nn.Linear(width, 8 * width)

    def forward(self, x):
        value, gate = self.proj(x).chunk(2, -1)
        return value * functional.gelu(gate)


class Layer(nn.Module):
    def __init__(self, width, heads, context):
        super().__init__()
        self.norm1, self.norm2, self.norm3 = (nn.LayerNorm(width) for _ in range(3))
        self.attn1, self.attn2 = Attention(width, heads), Attention(width, heads, context)
        self.ff = nn.Module()
        self.ff.net = nn.ModuleList([Gated(width), nn.Dropout(0), nn.Linear(4 * width, width)])

    def forward(self, x, text):
        x = x + self.attn1(self.norm1(x))
        x = x + self.attn2(self.norm2(x), text)
        return x + self.ff.net[2](self.ff.net[0](self.norm3(x)))


class Transformer(nn.Module):
    def __init__(self, width, heads, context, groups):
        super().__init__()
        self.norm = nn.GroupNorm(groups, width, 1e-6)
        self.proj_in, self.proj_out = nn.Conv2d(width, width, 1), nn.Conv2d(width, width, 1)
        self.transformer_blocks = nn.ModuleList([Layer(width, heads, context)])

    def forward(self, x, text):
        y = self.proj_in(self.norm(x))
        y = self.transformer_blocks[0](y.flatten(2).transpose(1, 2), text).transpose(1, 2).reshape(x.shape)
        return x + self.proj_out(y)


class Sampled(nn.Module):
    """Half or twice as high and wide; the autoencoder's convolution has its border on the right and below."""

    def __init__(self, width, twice, one_side=False):
        super().__init__()
        self.conv = nn.Conv2d(width, width, 3, 1 if twice else 2, 0 if one_side else 1)
        self.twice, self.one_side = twice, one_side

    def forward(self, x):
        x = functional.interpolate(x, scale_factor=2) if self.twice else x
        return self.conv(functional.pad(x, (0, 1, 0, 1)) if self.one_side else x)


def stage(residuals, transformers=(), samplers=None):
    made = nn.Module()
    made.resnets = nn.ModuleList(residuals)
    if transformers:
        made.attentions = nn.ModuleList(transformers)
    if samplers:
        setattr(made, samplers[0], nn.ModuleList([samplers[1]]))
    return made


class UNet(nn.Module):
    def __init__(self, widths=(320, 640, 1280, 1280), heads=(8, 8, 8, 8), attends=(True, True, True, False), blocks=2, context=768,
                 channels=4, groups=32, epsilon=1e-5):
        super().__init__()
        time = 4 * widths[0]
        residual = lambda before, width: Residual(before, width, groups, epsilon, time)
        transformer = lambda s: Transformer(widths[s], heads[s], context, groups)
        self.conv_in = nn.Conv2d(channels, widths[0], 3, padding=1)
        self.time_embedding = nn.Module()
        self.time_embedding.linear_1, self.time_embedding.linear_2 = nn.Linear(widths[0], time), nn.Linear(time, time)
        self.down_blocks, before, kept = nn.ModuleList(), widths[0], [widths[0]]
        for s, width in enumerate(widths):
            self.down_blocks.append(stage([residual(before if i == 0 else width, width) for i in range(blocks)],
                                          [transformer(s) for _ in range(blocks)] if attends[s] else (),
                                          ("downsamplers", Sampled(width, False)) if s < 3 else None))
            kept += [width] * (blocks + (s < 3))
            before = width
        self.mid_block = stage([residual(before, before) for _ in range(2)], [transformer(3)])
        self.up_blocks = nn.ModuleList()
        for s in (3, 2, 1, 0):
            width, residuals = widths[s], []
            for _ in range(blocks + 1):
                residuals.append(residual(before + kept.pop(), width))
                before = width
            self.up_blocks.append(stage(residuals, [transformer(s) for _ in range(blocks + 1)] if attends[s] else (),
                                        ("upsamplers", Sampled(width, True)) if s > 0 else None))
        self.conv_norm_out, self.conv_out = nn.GroupNorm(groups, before, epsilon), nn.Conv2d(before, channels, 3, padding=1)

    @staticmethod
    def sines(step, width):
        angles = step * torch.exp(-math.log(10000) * torch.arange(width // 2, dtype=torch.float64) / (width // 2))
        return torch.cat([angles.cos(), angles.sin()])[None]

    def forward(self, x, time, text):
        time = self.time_embedding.linear_2(functional.silu(self.time_embedding.linear_1(time)))
        x = self.conv_in(x)
        kept = [x]
        for each in self.down_blocks:
            for i, residual in enumerate(each.resnets):
                x = residual(x, time)
                x = each.attentions[i](x, text) if hasattr(each, "attentions") else x
                kept.append(x)
            if hasattr(each, "downsamplers"):
                x = each.downsamplers[0](x)
                kept.append(x)
        x = self.mid_block.resnets[1](self.mid_block.attentions[0](self.mid_block.resnets[0](x, time), text), time)
        for each in self.up_blocks:
            for i, residual in enumerate(each.resnets):
                x = residual(torch.cat([x, kept.pop()], 1), time)
                x = each.attentions[i](x, text) if hasattr(each, "attentions") else x
            x = each.upsamplers[0](x) if hasattr(each, "upsamplers") else x
        return self.conv_out(functional.silu(self.conv_norm_out(x)))


class PixelAttention(Attention):
    def __init__(self, width, groups):
        super().__init__(width, 1, offsets=True)
        self.group_norm = nn.GroupNorm(groups, width, 1e-6)

    def forward(self, x):
        return x + super().forward(self.group_norm(x).flatten(2).transpose(1, 2)).transpose(1, 2).reshape(x.shape)


class Coder(nn.Module):
    """Either way between an image and its latent form."""

    def __init__(self, widths, blocks, groups, of, to, is_encoder):
        super().__init__()
        residual = lambda before, width: Residual(before, width, groups, 1e-6)
        order = list(widths) if is_encoder else list(reversed(widths))
        self.conv_in = nn.Conv2d(of, order[0], 3, padding=1)
        stages, before = nn.ModuleList(), order[0]
        for s, width in enumerate(order):
            sampler = ("downsamplers", Sampled(width, False, True)) if is_encoder else ("upsamplers", Sampled(width, True))
            stages.append(stage([residual(before if i == 0 else width, width) for i in range(blocks)], (), sampler if s < 3 else None))
            before = width
        setattr(self, "down_blocks" if is_encoder else "up_blocks", stages)
        middle = widths[-1]
        self.mid_block = stage([residual(middle, middle) for _ in range(2)], [PixelAttention(middle, groups)])
        self.conv_norm_out, self.conv_out = nn.GroupNorm(groups, before, 1e-6), nn.Conv2d(before, to, 3, padding=1)
        self.is_encoder = is_encoder

    def forward(self, x):
        x = self.conv_in(x)
        x = x if self.is_encoder else self.middle(x)
        for each in self.down_blocks if self.is_encoder else self.up_blocks:
            for residual in each.resnets:
                x = residual(x)
            for name in ("downsamplers", "upsamplers"):
                x = getattr(each, name)[0](x) if hasattr(each, name) else x
        x = self.middle(x) if self.is_encoder else x
        return self.conv_out(functional.silu(self.conv_norm_out(x)))

    def middle(self, x):
        return self.mid_block.resnets[1](self.mid_block.attentions[0](self.mid_block.resnets[0](x)))


class Autoencoder(nn.Module):
    def __init__(self, widths=(128, 256, 512, 512), blocks=2, groups=32, latent=4, channels=3):
        super().__init__()
        self.encoder = Coder(widths, blocks, groups, channels, 2 * latent, True)
        self.decoder = Coder(widths, blocks + 1, groups, latent, channels, False)
        self.quant_conv, self.post_quant_conv = nn.Conv2d(2 * latent, 2 * latent, 1), nn.Conv2d(latent, latent, 1)

    def encode(self, x):
        return self.quant_conv(self.encoder(x))

    def decode(self, x):
        return self.decoder(self.post_quant_conv(x))


def older_names(tensors):
    """As the first autoencoders were published."""
    for newer, older in ((".to_q.", ".query."), (".to_k.", ".key."), (".to_v.", ".value."), (".to_out.0.", ".proj_attn.")):
        tensors = {name.replace(newer, older) if ".attentions." in name else name: value for name, value in tensors.items()}
    return tensors
