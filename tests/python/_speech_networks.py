"""Whisper of torch.nn, written from its paper (Radford et al. 2022) with the names of transformers, and its log-mel spectra, written
from their definition."""

import numpy as np
import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.k_proj, self.v_proj = nn.Linear(width, width, bias=False), nn.Linear(width, width)
        self.q_proj, self.out_proj = nn.Linear(width, width), nn.Linear(width, width)

    def by_head(self, x):
        return x.reshape(len(x), self.heads, -1).transpose(0, 1)

    def forward(self, x, source, mask=None):
        q, k, v = self.by_head(self.q_proj(x)), self.by_head(self.k_proj(source)), self.by_head(self.v_proj(source))
        scores = q @ k.transpose(1, 2) / q.shape[2] ** 0.5
        if mask is not None:
            scores = scores.masked_fill(mask, float("-inf"))
        return self.out_proj((scores.softmax(2) @ v).transpose(0, 1).reshape(x.shape))


class Layer(nn.Module):
    def __init__(self, width, heads, inner, looks_at_sound):
        super().__init__()
        self.self_attn, self.self_attn_layer_norm = Attention(width, heads), nn.LayerNorm(width)
        if looks_at_sound:
            self.encoder_attn, self.encoder_attn_layer_norm = Attention(width, heads), nn.LayerNorm(width)
        self.fc1, self.fc2, self.final_layer_norm = nn.Linear(width, inner), nn.Linear(inner, width), nn.LayerNorm(width)

    def forward(self, x, mask=None, hidden=None):
        n = self.self_attn_layer_norm(x)
        x = x + self.self_attn(n, n, mask)
        if hidden is not None:
            x = x + self.encoder_attn(self.encoder_attn_layer_norm(x), hidden)
        return x + self.fc2(nn.functional.gelu(self.fc1(self.final_layer_norm(x))))


class Encoder(nn.Module):
    def __init__(self, c):
        super().__init__()
        width = c["d_model"]
        self.conv1, self.conv2 = nn.Conv1d(c["num_mel_bins"], width, 3, padding=1), nn.Conv1d(width, width, 3, 2, 1)
        self.embed_positions = nn.Embedding(c["max_source_positions"], width)
        self.layers = nn.ModuleList(Layer(width, c["encoder_attention_heads"], c["encoder_ffn_dim"], False) for _ in range(c["encoder_layers"]))
        self.layer_norm = nn.LayerNorm(width)

    def forward(self, mel):
        gelu = nn.functional.gelu
        x = gelu(self.conv2(gelu(self.conv1(mel[None]))))[0].T
        x = x + self.embed_positions.weight[:len(x)]
        for layer in self.layers:
            x = layer(x)
        return self.layer_norm(x)


class Decoder(nn.Module):
    def __init__(self, c):
        super().__init__()
        width = c["d_model"]
        self.embed_tokens, self.embed_positions = nn.Embedding(c["vocab_size"], width), nn.Embedding(c["max_target_positions"], width)
        self.layers = nn.ModuleList(Layer(width, c["decoder_attention_heads"], c["decoder_ffn_dim"], True) for _ in range(c["decoder_layers"]))
        self.layer_norm = nn.LayerNorm(width)

    def embedded(self, tokens):
        return self.embed_tokens.weight[tokens] + self.embed_positions.weight[:len(tokens)]

    def forward(self, x, hidden, keep=None):
        """The logits of embedded tokens; `keep` gets what each layer reads."""
        mask = torch.ones(len(x), len(x)).triu(1).bool()
        for layer in self.layers:
            if keep is not None:
                keep.append(layer.self_attn_layer_norm(x))
            x = layer(x, mask, hidden)
        return self.layer_norm(x) @ self.embed_tokens.weight.T


class Whisper(nn.Module):
    """c: config.json."""

    def __init__(self, c):
        super().__init__()
        self.model = nn.Module()
        self.model.encoder, self.model.decoder = Encoder(c), Decoder(c)

    def greedy(self, mel, prompt, count):
        """The most likely tokens behind a prompt, and by how much each is ahead of the next one."""
        hidden, tokens, ahead = self.model.encoder(mel), list(prompt), []
        for _ in range(count):
            best = self.model.decoder(self.model.decoder.embedded(tokens), hidden)[-1].topk(2)
            tokens.append(int(best.indices[0]))
            ahead.append(float(best.values[0] - best.values[1]))
        return tokens[len(prompt):], ahead


def draw(network, random):
    """Random weights that keep values of the order of one; positions of the encoder are sinusoids."""
    with torch.no_grad():
        for name, value in network.state_dict().items():
            shape = tuple(value.shape)
            if name.endswith("encoder.embed_positions.weight"):
                half = shape[1] // 2
                angles = np.arange(shape[0])[:, None] * 10000.0 ** (-np.arange(half) / (half - 1))
                made = np.concatenate([np.sin(angles), np.cos(angles)], 1)
            elif "embed" in name:
                made = random.standard_normal(shape)
            elif len(shape) > 1:
                made = random.standard_normal(shape) * (2 / np.prod(shape[1:])) ** 0.5
            elif name.endswith("weight"):
                made = 1 + 0.1 * random.standard_normal(shape)
            else:
                made = 0.1 * random.standard_normal(shape)
            value.copy_(torch.from_numpy(np.asarray(made, np.float32)))
    return {name: value.numpy().copy() for name, value in network.state_dict().items()}


def mel_filters(mels):
    """[mels, 201]: triangles of equal area between corners at equal distances of Slaney's scale."""
    linear, log_step = 200 / 3, np.log(6.4) / 27
    to_hertz = lambda m: np.where(m < 15, m * linear, 1000 * np.exp((m - 15) * log_step))
    corners = to_hertz(np.linspace(0, 15 + np.log(8) / log_step, mels + 2))
    lower, centre, upper = corners[:-2, None], corners[1:-1, None], corners[2:, None]
    hertz = np.arange(201) * 40.0
    return np.maximum(0, np.minimum((hertz - lower) / (centre - lower), (upper - hertz) / (upper - centre))) * 2 / (upper - lower)


def log_mel(sound, mels, spectra):
    """Of 16,000 samples a second: [mels, spectra]."""
    whole = np.zeros(160 * spectra)
    whole[:len(sound)] = sound
    whole = np.pad(whole, 200, mode="reflect")
    windows = np.stack([whole[160 * t:160 * t + 400] for t in range(spectra)]) * (0.5 - 0.5 * np.cos(2 * np.pi * np.arange(400) / 400))
    levels = np.log10(np.maximum(mel_filters(mels) @ (np.abs(np.fft.rfft(windows)) ** 2).T, 1e-10))
    return (np.maximum(levels, levels.max() - 8) + 4) / 4
