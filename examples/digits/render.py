"""Draw the digits 0-9 with packaged outline fonts and jitter them into 28x28 grey images.

An image is uint8, white ink on black; the network reads it as value / 255, so within [0, 1].
"""
import subprocess
from pathlib import PurePath

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

SIZE = 28
CANVAS = 160       # side of the square a glyph is first drawn in
INK_HEIGHT = 96    # its ink height there: figures of every font are brought to one height

_FULL = ("Regular", "Bold", "Italic", "BoldItalic")

# Families that share a drawing stay on one side of the split: Hack grew out of DejaVu Sans Mono, Carlito out of
# Lato, and Noto Sans and Open Sans have one origin.
SEEN = {
    "DejaVu": ["DejaVuSans", "DejaVuSans-Bold", "DejaVuSans-Oblique", "DejaVuSans-BoldOblique", "DejaVuSansCondensed",
               "DejaVuSansMono", "DejaVuSansMono-Bold", "DejaVuSerif", "DejaVuSerif-Bold", "DejaVuSerif-Italic",
               "DejaVuSerif-BoldItalic"],
    "Hack": [f"Hack-{s}" for s in _FULL],
    "Liberation": [f"Liberation{f}-{s}" for f in ("Sans", "Serif", "Mono") for s in _FULL],
    "GNU FreeFont": ["FreeSans", "FreeSansBold", "FreeSansOblique", "FreeSerif", "FreeSerifBold", "FreeSerifItalic",
                     "FreeSerifBoldItalic", "FreeMono", "FreeMonoBold", "FreeMonoBoldOblique"],
    "Noto": [f"Noto{f}-{s}" for f in ("Sans", "Serif") for s in _FULL] + ["NotoSansMono-Regular", "NotoSansMono-Bold"],
    "Open Sans": [f"OpenSans-{s}" for s in ("Light", *_FULL, "ExtraBold", "CondBold")],
    "Lato": [f"Lato-{s}" for s in ("Light", *_FULL, "Black")],
    "Carlito": [f"Carlito-{s}" for s in _FULL],
    "Cabin": [f"Cabin-{s}" for s in _FULL],
    "Comfortaa": [f"Comfortaa-{s}" for s in ("Light", "Regular", "Bold")],
    "Quicksand": [f"Quicksand-{s}" for s in ("Regular", "Medium", "Bold")],
    "Play": [f"Play-{s}" for s in ("Regular", "Bold")],
    "Vollkorn": [f"Vollkorn-{s}" for s in _FULL],
    "Junicode": [f"JunicodeTwoBeta-{s}" for s in _FULL],
}
UNSEEN = {
    "Roboto": [f"Roboto-{s}" for s in ("Light", *_FULL, "Black")] +
              ["RobotoCondensed-Regular", "RobotoCondensed-Bold"],
    "Caladea": [f"Caladea-{s}" for s in _FULL],
    "Cantarell": [f"Cantarell-{s}" for s in ("Light", "Regular", "Bold", "ExtraBold")],
    "Inconsolata": ["Inconsolata"],
    "Jura": [f"Jura-{s}" for s in ("Regular", "Medium", "Bold")],
    "Gentium": ["Gentium-R", "Gentium-I"],
}


def font_names(families):
    return [name for names in families.values() for name in names]


def installed_fonts():
    """File stem -> path, as fontconfig lists them; the first in sorted order where a stem comes twice."""
    listed = subprocess.run(["fc-list", ":", "file"], check=True, capture_output=True, text=True).stdout
    found = {}
    for path in sorted(line.rstrip().rstrip(":") for line in listed.splitlines()):
        if path.endswith((".ttf", ".otf")):
            found.setdefault(PurePath(path).stem, path)
    return found


def _draw(path, digit):
    """The digit upright and centred, its ink INK_HEIGHT high."""
    probe = ImageFont.truetype(path, 200, layout_engine=ImageFont.Layout.BASIC)
    _, top, _, bottom = probe.getbbox(str(digit))
    font = ImageFont.truetype(path, round(200 * INK_HEIGHT / (bottom - top)), layout_engine=ImageFont.Layout.BASIC)
    left, top, right, bottom = font.getbbox(str(digit))
    glyph = Image.new("L", (CANVAS, CANVAS), 0)
    corner = ((CANVAS - left - right) // 2, (CANVAS - top - bottom) // 2)
    ImageDraw.Draw(glyph).text(corner, str(digit), fill=255, font=font)
    return glyph


class Renderer:
    """Glyphs of one list of fonts, each drawn once, thinned and thickened."""

    def __init__(self, names):
        paths = installed_fonts()
        missing = [name for name in names if name not in paths]
        if missing:
            raise SystemExit(f"fonts not installed: {', '.join(missing)} (the packages are listed in README.md)")
        self.names = list(names)
        self._glyphs = {}
        for f, name in enumerate(self.names):
            for digit in range(10):
                plain = _draw(paths[name], digit)
                self._glyphs[f, digit] = [self._thinned(plain), plain, plain.filter(ImageFilter.MaxFilter(3)),
                                          plain.filter(ImageFilter.MaxFilter(5))]

    @staticmethod
    def _thinned(plain):
        thin = plain.filter(ImageFilter.MinFilter(3))
        # A hairline must not vanish: thinning is skipped where it would take more than 40 % of the ink.
        return thin if np.asarray(thin).sum() > 0.6 * np.asarray(plain, dtype=np.int64).sum() else plain

    def one(self, rng, font, digit):
        """One jittered image. Angles up to 15 degrees, ink height 15 to 21 pixels, shift up to 2.5 pixels."""
        glyph = self._glyphs[font, digit][rng.integers(4)]
        angle = np.deg2rad(rng.uniform(-15.0, 15.0))
        shear = rng.uniform(-0.2, 0.2)
        height = rng.uniform(15.0, 21.0)
        aspect = rng.uniform(0.85, 1.15)
        shift = rng.uniform(-2.5, 2.5, size=2)
        # PIL wants the map from target to source; the target is drawn at twice the size, then halved.
        rotate = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        forward = rotate @ np.array([[aspect, shear], [0.0, 1.0]]) * (2.0 * height / INK_HEIGHT)
        back = np.linalg.inv(forward)
        offset = CANVAS / 2 - back @ (SIZE + 2.0 * shift)
        # 3x box blur of the source first, else a strong reduction aliases.
        placed = glyph.filter(ImageFilter.BoxBlur(1)).transform(
            (2 * SIZE, 2 * SIZE), Image.Transform.AFFINE, (*back[0], offset[0], *back[1], offset[1]),
            resample=Image.Resampling.BILINEAR)
        small = placed.reduce(2)
        blur = rng.uniform(0.0, 0.8)
        if blur > 0.2:
            small = small.filter(ImageFilter.GaussianBlur(blur))
        values = np.asarray(small, dtype=np.float32) * rng.uniform(0.7, 1.0)
        values = values + rng.normal(0.0, rng.uniform(0.0, 12.0), size=values.shape)
        return np.clip(np.rint(values), 0, 255).astype(np.uint8)

    def batch(self, seed, count):
        """`count` images, digits in equal shares, fonts at random: (images [count,28,28], labels, font indices)."""
        rng = np.random.default_rng(seed)
        labels = rng.permutation(np.arange(count) % 10)
        fonts = rng.integers(len(self.names), size=count)
        images = np.stack([self.one(rng, int(f), int(d)) for f, d in zip(fonts, labels)])
        return images, labels.astype(np.int64), fonts
