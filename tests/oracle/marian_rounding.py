"""Which of bergamot's roundings its translations depend on, for one int8 model in Marian's files.

    python3 marian_rounding.py FOLDER LINES BERGAMOT [OURS]      what bergamot.mjs and `qkv translate` made of the lines

The model is computed as marian_wasm.py does, and then with one or more of these replaced: products of neighbours that
saturate in 16 bits; the shift of activations to numbers without a sign, taken off again in float32; the scale of
activations that the file brings for each matrix; their eight bits. For each: how many texts are bergamot's, ours, and
those of the same integer weights with float activations. The order of float sums is bergamot's throughout.
"""

import pathlib
import struct
import sys

import numpy as np
import sentencepiece

import marian
import marian_wasm

F = np.float32


class File:
    """The tensors that marian_wasm.Wasm needs, read from a model's file: one vocabulary, an SSRU, tied tables."""

    def __init__(self, data, heads=8):
        count = struct.unpack_from("<Q", data, 8)[0]
        heads_at = 16 + 32 * count
        headers = [struct.unpack_from("<4Q", data, 16 + 32 * i) for i in range(count)]
        names, at = [], heads_at
        for length, *_ in headers:
            names.append(data[at : at + length - 1].decode())
            at += length
        shapes = []
        for _, _, dimensions, _ in headers:
            shapes.append(struct.unpack_from(f"<{dimensions}i", data, at))
            at += 4 * dimensions
        at += 8 + struct.unpack_from("<Q", data, at)[0]
        self.weights, self.alphas, self.heads = {}, {}, heads
        for name, shape, (_, kind, _, size) in zip(names, shapes, headers):
            self._take(name, shape, kind, data[at : at + size])
            at += size
        self.d = self.weights["Wemb"][0].shape[1]
        layers = lambda side, part: sum(name.startswith(side) and name.endswith(part) for name in self.weights)
        self.layers = layers("encoder", "_self_Wq"), layers("decoder", "_rnn_W")

    def _take(self, name, shape, kind, data):
        count = int(np.prod(shape))
        if kind == marian.TYPES["float32"]:
            value = np.frombuffer(data, "<f4", count).reshape(shape)
            if name.endswith("_QuantMultA"):
                self.alphas[name.removesuffix("_QuantMultA")] = value.reshape(())
            else:
                self.weights[name] = value
        elif kind == marian.TYPES["intgemm8"]:
            whole = np.frombuffer(data, np.int8, count)
            whole = whole.reshape(shape) if name == "Wemb" else whole.reshape(shape[::-1]).T
            self.weights[name] = (whole, F(struct.unpack_from("<f", data, count)[0]))

    def table(self, side=1):
        return "Wemb"


class Rounding(marian_wasm.Wasm):
    """bits: 0 for activations that are not rounded. by: "file", the file's scales, or "row", each row's own range."""

    def __init__(self, model, saturates=True, shifts=True, by="file", bits=8):
        super().__init__(model)
        self.saturates, self.shifts, self.by, self.bits = saturates, shifts, by, bits

    def product(self, x, name, bias=None, columns=None):
        if self.saturates and self.shifts:
            return super().product(x, name, bias, columns)
        whole, alpha, factor, added = self.prepare(name, bias, columns)
        multiplier = self.model.weights[name][1]
        own = F(0) if bias is None else self.model.weights[bias][0]
        own = own if bias is None or columns is None else own[columns]
        exact = whole.astype(np.float64)
        if self.bits == 0:
            return (x @ exact).astype(F) / multiplier + own
        if self.by == "row":
            least, most = np.minimum(x.min(-1, keepdims=True), 0), np.maximum(x.max(-1, keepdims=True), 0)
            step = np.maximum((most - least) / F(2**self.bits - 1), np.finfo(F).tiny)
            zero = np.rint(-least / step)
            rounded = np.clip(np.rint(x / step) + zero, 0, 2**self.bits - 1) - zero
            return (rounded @ exact).astype(F) * (step / multiplier) + own
        rounded = np.clip(np.rint(x * alpha), -127, 127)
        if self.saturates:
            pairs = (rounded + 127).astype(np.int32)
            sums = [np.clip(r[0::2, None] * whole[0::2] + r[1::2, None] * whole[1::2], -32768, 32767).sum(0) for r in pairs]
            return (np.stack(sums) - 127 * whole.sum(0)).astype(F) * factor + own
        if self.shifts:
            return ((rounded + 127) @ exact).astype(F) * factor + added
        return (rounded @ exact).astype(F) * factor + own


VARIANTS = {
    "bergamot's": {},
    "sums that do not saturate": {"saturates": False},
    "the shift taken off exactly": {"shifts": False},
    "both": {"saturates": False, "shifts": False},
    "both, and each row's own range": {"saturates": False, "shifts": False, "by": "row"},
    "ours: that in seven bits": {"saturates": False, "shifts": False, "by": "row", "bits": 7},
    "activations that are not rounded": {"saturates": False, "shifts": False, "bits": 0},
}


def main():
    folder, lines, *written = (pathlib.Path(each) for each in sys.argv[1:])
    only = lambda pattern: next(folder.glob(pattern))
    vocabulary = sentencepiece.SentencePieceProcessor(model_file=str(only("vocab.*.spm")))
    shortlist = marian.Shortlist(only("lex.*.bin").read_bytes())
    model = File(only("model.*.bin").read_bytes())
    sources = [vocabulary.encode(line) + [0] for line in lines.read_text().splitlines()]
    candidates = [shortlist.candidates(source) for source in sources]
    others = {each.name: each.read_text().split("\n")[: len(sources)] for each in written}
    for name, choices in reversed(VARIANTS.items()):
        wasm = Rounding(model, **choices)
        texts = [vocabulary.decode(wasm.translate(*each)) for each in zip(sources, candidates)]
        others.setdefault("floats", texts)
        counts = [f"{each} {100 * np.mean([a == b for a, b in zip(texts, found)]):.1f}" for each, found in others.items()]
        print(f"{name}:  equal to  {'  '.join(counts)}", flush=True)


if __name__ == "__main__":
    main()
