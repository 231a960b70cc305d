"""BERT, RoBERTa, DistilBERT and CLIP in torch.nn, written from their papers with the names of transformers; folders of
sentence-transformers, and what the host gives a run."""

import json
import re

import numpy as np
import torch
from torch import nn

NOT_SEEN = -40000.0

# The configuration of the usual network below.
BERT = {"model_type": "bert", "vocab_size": 30, "num_hidden_layers": 2, "hidden_size": 32, "num_attention_heads": 4, "intermediate_size": 48,
        "max_position_embeddings": 20}


def parts(**named):
    """A module that only holds others, by their names."""
    module = nn.Module()
    for name, part in named.items():
        setattr(module, name, part)
    return module


def attention(query, key, value, heads, hidden):
    """softmax(Q K^T / sqrt(d)) V for each head; `hidden` says what a query does not see."""
    split = lambda x: x.reshape(x.shape[0], heads, -1).transpose(0, 1)
    query, key, value = split(query), split(key), split(value)
    scores = query @ key.transpose(1, 2) / query.shape[-1] ** 0.5
    scores = scores.masked_fill(hidden, float("-inf"))
    return (scores.softmax(-1) @ value).transpose(0, 1).reshape(value.shape[1], -1)


class Bert(nn.Module):
    """Of one text without padding: the tokens of the last layer, and what the pooler makes of the first one."""

    def __init__(self, vocabulary=30, layers=2, width=32, heads=4, inner=48, positions=20, types=2, first=0, epsilon=1e-12, pooler=True):
        super().__init__()
        self.heads, self.first = heads, first
        norm = lambda: nn.LayerNorm(width, epsilon)
        self.embeddings = parts(word_embeddings=nn.Embedding(vocabulary, width), position_embeddings=nn.Embedding(positions, width), LayerNorm=norm())
        if types:
            self.embeddings.token_type_embeddings = nn.Embedding(types, width)
        linear = lambda of=width, to=width: nn.Linear(of, to)
        self.encoder = parts(layer=nn.ModuleList([parts(
            attention=parts(self=parts(query=linear(), key=linear(), value=linear()), output=parts(dense=linear(), LayerNorm=norm())),
            intermediate=parts(dense=linear(width, inner)), output=parts(dense=linear(inner, width), LayerNorm=norm())) for _ in range(layers)]))
        if pooler:
            self.pooler = parts(dense=linear())

    def forward(self, tokens, types=None):
        e = self.embeddings
        x = e.word_embeddings(tokens) + e.position_embeddings(torch.arange(len(tokens)) + self.first)
        if hasattr(e, "token_type_embeddings"):
            x = x + e.token_type_embeddings(torch.zeros_like(tokens) if types is None else types)
        x = e.LayerNorm(x)
        sees_all = torch.zeros(len(tokens), len(tokens), dtype=torch.bool)
        for layer in self.encoder.layer:
            a, o = getattr(layer.attention, "self"), layer.attention.output
            x = o.LayerNorm(x + o.dense(attention(a.query(x), a.key(x), a.value(x), self.heads, sees_all)))
            x = layer.output.LayerNorm(x + layer.output.dense(nn.functional.gelu(layer.intermediate.dense(x))))
        return x, torch.tanh(self.pooler.dense(x[0])) if hasattr(self, "pooler") else None


def of_distilbert(tensors):
    """The same tensors under the names of DistilBERT."""
    found = {}
    for name, value in tensors.items():
        for of, to in ((r"encoder\.layer", "distilbert.transformer.layer"), (r"^embeddings", "distilbert.embeddings"),
                       (r"attention\.self\.(query|key|value)", lambda m: f"attention.{m[1][0]}_lin"), (r"attention\.output\.dense", "attention.out_lin"),
                       (r"attention\.output\.LayerNorm", "sa_layer_norm"), (r"intermediate\.dense", "ffn.lin1"), (r"output\.dense", "ffn.lin2"),
                       (r"(layer\.\d+)\.output\.LayerNorm", r"\1.output_layer_norm")):
            name = re.sub(of, to, name)
        found[name] = value
    return found


class Tower(nn.Module):
    """Layers that normalize first, x sigmoid(1.702 x) between the products of the inner one."""

    def __init__(self, layers, width, heads, inner, quick):
        super().__init__()
        self.heads, self.quick = heads, quick
        linear = lambda of=width, to=width: nn.Linear(of, to)
        self.layers = nn.ModuleList([parts(
            self_attn=parts(q_proj=linear(), k_proj=linear(), v_proj=linear(), out_proj=linear()), layer_norm1=nn.LayerNorm(width),
            mlp=parts(fc1=linear(width, inner), fc2=linear(inner, width)), layer_norm2=nn.LayerNorm(width)) for _ in range(layers)])

    def forward(self, x, hidden):
        for layer in self.layers:
            a, n = layer.self_attn, layer.layer_norm1(x)
            x = x + a.out_proj(attention(a.q_proj(n), a.k_proj(n), a.v_proj(n), self.heads, hidden))
            inner = layer.mlp.fc1(layer.layer_norm2(x))
            x = x + layer.mlp.fc2(inner * torch.sigmoid(1.702 * inner) if self.quick else nn.functional.gelu(inner))
        return x


class Clip(nn.Module):
    def __init__(self, vocabulary=30, positions=9, text=(2, 24, 3, 40), image=(2, 32, 4, 48), projected=16, patch=8, channels=3, size=40, quick=True):
        super().__init__()
        count = (size // patch) ** 2 + 1
        of_image = parts(patch_embedding=nn.Conv2d(channels, image[1], patch, patch, bias=False), position_embedding=nn.Embedding(count, image[1]))
        of_image.class_embedding = nn.Parameter(torch.zeros(image[1]))
        of_image.register_buffer("position_ids", torch.arange(count)[None])
        self.vision_model = parts(embeddings=of_image, pre_layrnorm=nn.LayerNorm(image[1]), encoder=Tower(*image, quick),
                                  post_layernorm=nn.LayerNorm(image[1]))
        of_text = parts(token_embedding=nn.Embedding(vocabulary, text[1]), position_embedding=nn.Embedding(positions, text[1]))
        self.text_model = parts(embeddings=of_text, encoder=Tower(*text, quick), final_layer_norm=nn.LayerNorm(text[1]))
        self.visual_projection = nn.Linear(image[1], projected, bias=False)
        self.text_projection = nn.Linear(text[1], projected, bias=False)
        self.logit_scale = nn.Parameter(torch.tensor(2.6592))

    def image(self, pixels):
        m = self.vision_model
        x = m.embeddings.patch_embedding(pixels).flatten(2).transpose(1, 2)[0]
        x = m.pre_layrnorm(torch.cat([m.embeddings.class_embedding[None], x]) + m.embeddings.position_embedding.weight)
        x = m.encoder(x, torch.zeros(len(x), len(x), dtype=torch.bool))
        return nn.functional.normalize(self.visual_projection(m.post_layernorm(x[0])), dim=0)

    def text(self, tokens, end):
        m = self.text_model
        x = m.embeddings.token_embedding(tokens) + m.embeddings.position_embedding.weight[:len(tokens)]
        x = m.encoder(x, torch.ones(len(x), len(x), dtype=torch.bool).triu(1))
        return nn.functional.normalize(self.text_projection(m.final_layer_norm(x)[end]), dim=0)


# ---- folders, and the host's part -------------------------------------------------------------------------------------------


def modules(normalizes):
    """The list of sentence-transformers."""
    of = [("", "Transformer"), ("1_Pooling", "Pooling")] + [("2_Normalize", "Normalize")] * normalizes
    return [{"idx": i, "name": str(i), "path": path, "type": f"sentence_transformers.models.{kind}"} for i, (path, kind) in enumerate(of)]


def make_sentences(place, pooling, listed, most=16):
    (place / "1_Pooling").mkdir()
    (place / "1_Pooling/config.json").write_text(json.dumps(pooling))
    (place / "modules.json").write_text(json.dumps(listed))
    (place / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": most, "do_lower_case": False}))


def rows_of(tensors, tokens, first=0, types=None, prefix=""):
    """What the host adds up of the tables of a BERT."""
    table = lambda name: tensors[f"{prefix}embeddings.{name}_embeddings.weight"].astype(np.float64)
    rows = table("word")[tokens] + table("position")[first + np.arange(len(tokens))]
    if f"{prefix}embeddings.token_type_embeddings.weight" in tensors:
        rows += table("token_type")[np.zeros(len(tokens), int) if types is None else types]
    return rows
