"""Programs in MIL text as Core ML's converter writes networks: the blocks of published models, small, with weights of the
sizes that training starts from. The same seed and number give the same program, everywhere."""

import random

from _mil_program import Program

IMAGES, TOKENS, CHANNELS_FIRST, SIGNALS = "images", "tokens", "channels first", "signals"
KINDS = (IMAGES, TOKENS, CHANNELS_FIRST, SIGNALS)


def images(p):
    x = p.port("image", [1, 3, 32, 32])
    x = p.scaled(x, 1 / 255) if p.draw.random() < 0.3 else x
    x = p.conv_block(x, p.draw.choice([8, 16]), p.draw.choice([3, 7]), stride=2)
    skipped = None
    for _ in range(p.draw.randint(1, 4)):
        form = p.draw.randrange(7)
        h = p.shapes[x][2]
        if form == 0 and h >= 8:
            skipped = x
            x = p.pool("max_pool", x, *p.draw.choice([(2, 2, 0), (3, 2, 1), (3, 1, 1)]))
        elif form == 1 and h >= 8:
            x = p.pool("avg_pool", x, *p.draw.choice([(2, 2, 0), (3, 1, 1)]))
        elif form == 2 and h <= 16:
            x = p.upsampled(x)
        elif form == 3:
            x = p.draw.choice([p.instance_norm, p.group_norm])(x)
        elif form == 4:
            x = p.conv_block(x, p.shapes[x][1], 3, dilation=2)
        else:
            x = p.residual(x)
    if skipped is not None and p.shapes[skipped][2:] == p.shapes[x][2:]:
        x = p.concat([x, skipped], 1)
    form = p.draw.randrange(4)
    if form == 0:
        return p.unary("sigmoid", p.conv(x, 1, 1))
    if form == 1:
        return p.unary("tanh", p.conv(x, 3, 3))
    x = p.reshape(p.reduced("reduce_mean", x, [2, 3]), [1, p.shapes[x][1]])
    return p.softmax(p.linear(x, 10), -1) if form == 2 else p.norm_of_length(p.reshape(p.linear(x, 16), [1, 16, 1, 1]))


def tokens(p):
    s, d = p.draw.choice([8, 16]), p.draw.choice([16, 32])
    if p.draw.random() < 0.3:
        ids = p.port("ids", [1, s], "int32")
        table = p.weight([50, d], 0.02)
        x = p.call("gather", [1, s, d], axis=p.integer(0), batch_dims=p.integer(0), indices=ids,
                   validate_indices=p.truth(False), x=table)
    else:
        x = p.port("embedded", [1, s, d])
    places = p.weight([1, s, d], 0.02)
    p.shapes[places] = [1, s, d]
    x = p.binary("add", x, places)
    mask = p.port("mask", [1, 1, 1, s]) if p.draw.random() < 0.3 else None
    if mask is not None and p.draw.random() < 0.5: # 1 where a token counts
        mask = p.scaled(p.binary("sub", p.number(1.0), mask), -10000.0)
    norm = p.draw.choice([p.layer_norm, p.rms_norm])
    first = p.draw.random() < 0.7
    for _ in range(p.draw.randint(1, 2)):
        for block in (lambda v: p.attention(v, mask), p.feed_forward):
            x = p.binary("add", x, block(norm(x))) if first else norm(p.binary("add", x, block(x)))
    x = norm(x) if first else x
    if p.draw.random() < 0.5:
        x = p.reshape(p.reduced("reduce_mean", x, [1]), [1, d])
        return p.softmax(p.linear(p.unary("tanh", p.linear(x, d)), 5), -1)
    return p.linear(x, 50)


def channels_first(p):
    c, s = p.draw.choice([16, 32]), p.draw.choice([8, 32])
    x = p.port("features", [1, c, 1, s])
    for _ in range(p.draw.randint(1, 2)):
        x = p.binary("add", x, p.attention_of_channels(p.norm_of_channels(x)))
        x = p.binary("add", x, p.conv(p.gelu(p.conv(p.norm_of_channels(x), 2 * c, 1)), c, 1))
    return p.conv(p.norm_of_channels(x), 8, 1)


def signals(p):
    """Of a spectrogram [N, bands, 1, S]: gated and separable convolutions in time."""
    bands, s = p.draw.choice([16, 40]), 64
    x = p.port("energies", [1, bands, 1, s])
    if p.draw.random() < 0.4:
        x = p.unary("log", p.unary("abs", x), epsilon=p.number(1e-5))
    x = p.conv(x, 16, [1, 3], stride=[1, 2])
    for _ in range(p.draw.randint(1, 3)):
        gates = p.conv(p.norm_of_channels(x), 32, 1)
        y = p.binary("mul", p.slice(gates, 1, 0, 16), p.unary("sigmoid", p.slice(gates, 1, 16, 32)))
        y = p.conv(y, 16, [1, p.draw.choice([5, 9])], groups=16, dilation=p.draw.choice([1, 2]))
        y = p.unary("silu", p.batch_norm(y))
        x = p.binary("add", x, p.scaled(p.conv(y, 16, 1), p.draw.choice([0.5, 1.0])))
    if p.draw.random() < 0.5:
        return p.softmax(p.conv(x, 12, 1), 1)
    mean = p.reduced("reduce_mean", x, [3])
    spread = p.reduced("reduce_mean", p.unary("square", p.binary("sub", x, mean)), [3])
    spread = p.unary("sqrt", p.binary("add", spread, p.number(1e-5)))
    return p.conv(p.concat([mean, spread], 1), 8, 1)


def network(seed, number):
    """The kind of a program, and its text."""
    p = Program(random.Random(f"{seed} {number}"))
    kind = KINDS[number % len(KINDS)]
    return kind, p.text({IMAGES: images, TOKENS: tokens, CHANNELS_FIRST: channels_first, SIGNALS: signals}[kind](p))
