"""Marian's models: seeded random weights, their binary file as Marian writes it (core/io/marian_file.h), and
what they compute, in NumPy, from the equations. The reference for Firefox's translation models.

`Model.write` makes the file; `Model.forward` is teacher forcing and `Model.translate` greedy decoding, with the numbers
that the file holds, in float64. marian_wasm.py computes what bergamot's WebAssembly computes.
"""

import struct

import numpy as np

TYPES = {"float32": 0x404, "float16": 0x402, "int8": 0x101, "intgemm8": 0x4101}
OPTIONS = {
    "bert-train-type-embeddings": True,
    "bert-type-vocab-size": 2,
    "dec-cell": "ssru",
    "dec-cell-base-depth": 2,
    "dec-cell-high-depth": 1,
    "dim-rnn": 1024,
    "enc-cell": "gru",
    "enc-cell-depth": 1,
    "enc-type": "bidirectional",
    "factors-combine": "sum",
    "factors-dim-emb": 0,
    "input-types": [],
    "layer-normalization": False,
    "lemma-dependency": "",
    "lemma-dim-emb": 0,
    "output-omit-bias": False,
    "right-left": False,
    "skip": False,
    "tied-embeddings-src": False,
    "transformer-aan-activation": "swish",
    "transformer-aan-depth": 2,
    "transformer-aan-nogate": False,
    "transformer-decoder-dim-ffn": 0,
    "transformer-decoder-ffn-depth": 0,
    "transformer-dim-aan": 2048,
    "transformer-ffn-depth": 2,
    "transformer-guided-alignment-layer": "last",
    "transformer-no-projection": False,
    "transformer-pool": False,
    "transformer-postprocess-emb": "d",
    "transformer-tied-layers": [],
    "transformer-train-position-embeddings": False,
    "type": "transformer",
    "ulr": False,
    "ulr-dim-emb": 0,
    "ulr-trainable-transformation": False,
    "version": "v1.11.7 e27da623 2022-06-06 13:32:58 +0100",
}


class Model:
    """d, ffn, heads; layers (encoder, decoder); pieces (source, target), one number where the table is shared; kind: the
    type of its matrices; ssru: in place of self-attention; pre_norm, with norms after the last layers; residual: what a part reads
    is added to what it writes; trained: so many rows of positions, 0 for sinusoids; sharp: how much
    the weights of queries and keys are larger than others, so that attention is not flat."""

    def __init__(self, seed, d, ffn, heads, layers, pieces, kind="intgemm8", ssru=True, pre_norm=False, activation="relu", sharp=1.6, residual=True, trained=0):
        self.d, self.ffn, self.heads, self.layers, self.kind = d, ffn, heads, layers, kind
        self.ssru, self.pre_norm, self.activation, self.sharp = ssru, pre_norm, activation, sharp
        self.residual, self.trained = residual, trained
        self.pieces = pieces if isinstance(pieces, tuple) else (pieces, pieces)
        self.shared = not isinstance(pieces, tuple)
        self.random = np.random.default_rng(seed)
        self.weights, self.alphas = {}, {}
        self._draw()
        self.exact = {name: self._stored(name) for name in self.weights}

    # ---- weights ----

    def _normal(self, shape, deviation):
        return (self.random.standard_normal(shape) * deviation).astype(np.float32)

    def _linear(self, weight, bias, inputs, outputs, gain=1.0):
        self.weights[weight] = self._normal((inputs, outputs), gain * inputs**-0.5)
        if bias:
            self.weights[bias] = self._normal((1, outputs), 0.1)

    def _norm(self, name, spread=0.2):
        self.weights[name.replace("ln", "ln_scale")] = 1 + self._normal((1, self.d), spread)
        self.weights[name.replace("ln", "ln_bias")] = self._normal((1, self.d), 0.2)

    def _ln(self, part, before=None):
        return f"{before or part}_ln_pre" if self.pre_norm else f"{part}_ln"

    def _attention(self, name):
        for part, gain in (("q", self.sharp), ("k", self.sharp), ("v", 1.0), ("o", 1.0)):
            self._linear(f"{name}_W{part}", f"{name}_b{part}", self.d, self.d, gain)
        self._norm(self._ln(f"{name}_Wo"))

    def _feed(self, name):
        self._linear(f"{name}_W1", f"{name}_b1", self.d, self.ffn)
        self._linear(f"{name}_W2", f"{name}_b2", self.ffn, self.d)
        self._norm(self._ln(f"{name}_ffn"))

    def _draw(self):
        d = self.d
        if self.shared:
            self.weights["Wemb"] = self._normal((self.pieces[0], d), d**-0.5)
        else:
            self.weights["encoder_Wemb"] = self._normal((self.pieces[0], d), d**-0.5)
            self.weights["decoder_Wemb"] = self._normal((self.pieces[1], d), d**-0.5)
        if self.trained:
            self.weights["Wpos"] = self._normal((self.trained, d), d**-0.5)
        self.weights["decoder_ff_logit_out_b"] = self._normal((1, self.pieces[1]), 0.5)
        for i in range(1, self.layers[0] + 1):
            self._attention(f"encoder_l{i}_self")
            self._feed(f"encoder_l{i}_ffn")
        for i in range(1, self.layers[1] + 1):
            name = f"decoder_l{i}"
            if self.ssru:
                self._linear(f"{name}_rnn_W", None, d, d)
                self._linear(f"{name}_rnn_Wf", f"{name}_rnn_bf", d, d)
                self._norm(self._ln(f"{name}_rnn_ffn", f"{name}_rnn"))
            else:
                self._attention(f"{name}_self")
            self._attention(f"{name}_context")
            self._feed(f"{name}_ffn")
        if self.pre_norm:
            self._norm("encoder_top_ln")
            self._norm("decoder_top_ln")
        else:  # so that what is written next does not follow from the last piece alone
            self.weights[f"decoder_l{self.layers[1]}_ffn_ffn_ln_scale"] = self._normal((1, d), 1.0)

    def _is_matrix(self, name):
        return name.endswith("Wemb") or name[-2:] == "_W" or name[-3:-1] == "_W"

    def _stored(self, name):
        """The numbers of a tensor as the file holds them, in float64; for int8 also its integers and multiplier."""
        value = self.weights[name]
        if self.kind == "intgemm8" and self._is_matrix(name):
            multiplier = np.float32(127 / np.abs(value).max())
            whole = np.clip(np.rint(value * multiplier), -127, 127).astype(np.int8)
            self.alphas[name] = np.float32(127 / (6.0 if name[-3:] in ("_W2", "_Wo") else 4.5))
            self.weights[name] = (whole, multiplier)
            return whole.astype(np.float64) / np.float64(multiplier)
        return value.astype(np.float16).astype(np.float64) if self.kind == "float16" else value.astype(np.float64)

    # ---- the file ----

    def options(self):
        order = "n da" if self.pre_norm else " dan" if self.residual else " dn"
        return OPTIONS | {
            "dec-depth": self.layers[1],
            "dim-emb": self.d,
            "dim-vocabs": list(self.pieces),
            "enc-depth": self.layers[0],
            "tied-embeddings": not self.shared,
            "tied-embeddings-all": self.shared,
            "transformer-decoder-autoreg": "rnn" if self.ssru else "self-attention",
            "transformer-dim-ffn": self.ffn,
            "transformer-ffn-activation": self.activation,
            "transformer-heads": self.heads,
            "transformer-postprocess": order.split(" ")[1],
            "transformer-postprocess-top": "n" if self.pre_norm else "",
            "transformer-preprocess": order.split(" ")[0],
            **({"transformer-train-positions": True} if self.trained else {}),
        }

    def write(self, path, options=None):
        items = []
        pad = lambda data: data + b"\0" * (-len(data) % 256)
        for name in sorted(self.weights):
            value = self.weights[name]
            if isinstance(value, tuple):
                whole, multiplier = value
                lies = whole if name.endswith("Wemb") else np.ascontiguousarray(whole.T)
                items.append((name, "intgemm8", whole.shape, pad(lies.tobytes() + struct.pack("<f", multiplier))))
            elif self.kind == "float16":
                items.append((name, "float16", value.shape, pad(value.astype(np.float16).tobytes())))
            else:
                items.append((name, "float32", value.shape, pad(value.tobytes())))
        for name, alpha in self.alphas.items():
            items.append((f"{name}_QuantMultA", "float32", (1, 1), pad(struct.pack("<f", alpha))))
        if self.alphas:
            items.append(("none_QuantMultA", "float32", (1, 1), pad(struct.pack("<f", self.alphas[self.table()]))))
        text = yaml(self.options() | (options or {})).encode() + b"\0"
        items.append(("special:model.yml", "int8", (len(text),), text))
        path.write_bytes(file(items))

    def table(self, side=1):
        return "Wemb" if self.shared else ("encoder_Wemb", "decoder_Wemb")[side]

    # ---- what it computes ----

    def product(self, x, name, bias=None, columns=None):
        """x W, or x W' for a table; only the outputs `columns`, if given."""
        weight = self.exact[name].T if name.endswith("Wemb") else self.exact[name]
        y = x @ (weight if columns is None else weight[:, columns])
        if bias is None:
            return y
        return y + (self.exact[bias] if columns is None else self.exact[bias][:, columns])

    def norm(self, x, name):
        centred = x - x.mean(-1, keepdims=True)
        y = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-6)
        return y * self.exact[name.replace("ln", "ln_scale")] + self.exact[name.replace("ln", "ln_bias")]

    def part(self, x, name, compute, before=None):
        """A part of a layer with its residual and its norm, before or after it."""
        if self.pre_norm:
            return x + compute(self.norm(x, f"{before or name}_ln_pre"))
        return self.norm(x + compute(x) if self.residual else compute(x), f"{name}_ln")

    def softmax(self, name, scores):
        """The weights of the attention `name` [heads, T, S]."""
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        return weights / weights.sum(-1, keepdims=True)

    def attend(self, name, q, kv, causal, keep):
        split = lambda x: x.reshape(len(x), self.heads, -1).transpose(1, 0, 2)
        query, key, value = (
            split(self.product(x, f"{name}_W{p}", f"{name}_b{p}")) for p, x in (("q", q), ("k", kv), ("v", kv))
        )
        scores = query @ key.transpose(0, 2, 1) / np.sqrt(key.shape[-1])
        if causal:
            scores = np.where(np.tri(len(q), len(kv), len(kv) - len(q), dtype=bool), scores, -np.inf)
        weights = self.softmax(name, scores)
        keep.append(weights)
        joined = (weights @ value).transpose(1, 0, 2).reshape(len(q), self.d)
        return self.product(joined, f"{name}_Wo", f"{name}_bo")

    def feed(self, name, x):
        hidden = self.product(x, f"{name}_W1", f"{name}_b1")
        steepness = {"swish": 1, "gelu": 1.702}.get(self.activation)
        hidden = np.maximum(hidden, 0) if self.activation == "relu" else hidden / (1 + np.exp(-steepness * hidden))
        return self.product(hidden, f"{name}_W2", f"{name}_b2")

    def recur(self, name, x, keep, gates):
        """The SSRU; the share of each row that is left in each later cell (mean over units); and its forget gates."""
        forget = 1 / (1 + np.exp(-self.product(x, f"{name}_Wf", f"{name}_bf")))
        candidates, cell, cells = self.product(x, f"{name}_W"), np.zeros(self.d), []
        left = np.zeros((len(x), len(x), self.d))
        for t in range(len(x)):
            cell = forget[t] * cell + (1 - forget[t]) * candidates[t]
            cells.append(cell)
            left[t, :t] = left[t - 1, :t] * forget[t] if t else 0
            left[t, t] = 1 - forget[t]
        keep.append(left.mean(-1)[None])
        gates.append(forget[None])
        return np.maximum(np.stack(cells), 0)

    def embed(self, ids, side):
        if self.trained:
            rows = [np.zeros(self.d) if i is None else self.exact[self.table(side)][i] for i in ids]
            return np.stack(rows) + self.exact["Wpos"][: len(ids)]
        half = self.d // 2
        rates = np.exp(-np.arange(half) * np.log(10000) / (half - 1))
        angles = np.arange(len(ids))[:, None] * rates
        rows = [np.zeros(self.d) if i is None else self.exact[self.table(side)][i] * np.sqrt(self.d) for i in ids]
        return np.stack(rows) + np.concatenate([np.sin(angles), np.cos(angles)], -1)

    def encoder_layer(self, name, x, keep):
        x = self.part(x, f"{name}_self_Wo", lambda y: self.attend(f"{name}_self", y, y, False, keep))
        return self.part(x, f"{name}_ffn_ffn", lambda y: self.feed(f"{name}_ffn", y))

    def encode(self, source, keep):
        x = self.embed(source, 0)
        for i in range(1, self.layers[0] + 1):
            x = self.encoder_layer(f"encoder_l{i}", x, keep)
        return self.norm(x, "encoder_top_ln") if self.pre_norm else x

    def decoder_layer(self, name, x, memory, past, cross, gates):
        if self.ssru:
            x = self.part(x, f"{name}_rnn_ffn", lambda y: self.recur(f"{name}_rnn", y, past, gates), f"{name}_rnn")
        else:
            x = self.part(x, f"{name}_self_Wo", lambda y: self.attend(f"{name}_self", y, y, True, past))
        x = self.part(x, f"{name}_context_Wo", lambda y: self.attend(f"{name}_context", y, memory, False, cross))
        return self.part(x, f"{name}_ffn_ffn", lambda y: self.feed(f"{name}_ffn", y))

    def decode(self, memory, target, past, cross, gates=None):
        """The decoder's output rows, from which logits are computed: row t has read the target before piece t."""
        x = self.embed([None, *target[:-1]], 1)
        for i in range(1, self.layers[1] + 1):
            x = self.decoder_layer(f"decoder_l{i}", x, memory, past, cross, [] if gates is None else gates)
        return self.norm(x, "decoder_top_ln") if self.pre_norm else x

    def forward(self, source, target):
        """Log-probabilities [target, pieces] with <unk> banned, and the trace."""
        trace = {"encoder_self": [], "decoder_self": [], "cross": [], "gates": []}
        memory = self.encode(source, trace["encoder_self"])
        rows = self.decode(memory, target, trace["decoder_self"], trace["cross"], trace["gates"])
        logits = self.product(rows, self.table(), "decoder_ff_logit_out_b")
        logits[:, 1] = -np.inf
        logits -= logits.max(-1, keepdims=True)
        return logits - np.log(np.exp(logits).sum(-1, keepdims=True)), {k: np.stack(v) for k, v in trace.items() if v}

    def translate(self, source, shortlist=None):
        """Pieces without </s>, and the smallest margin between the best two logits."""
        memory, target, gap = self.encode(source, []), [], np.inf
        columns = np.arange(self.pieces[1]) if shortlist is None else np.asarray(shortlist)
        while len(target) < 2 * len(source):
            row = self.decode(memory, [*target, 0], [], [])[-1:]
            logits = self.product(row, self.table(), "decoder_ff_logit_out_b", columns)[0].astype(np.float64)
            logits[columns == 1] = -np.inf
            order = np.argsort(-logits, kind="stable")
            gap = min(gap, logits[order[0]] - logits[order[1]])
            if columns[order[0]] == 0:
                break
            target.append(int(columns[order[0]]))
        return target, float(gap)


def yaml(options):
    def text(value):
        if isinstance(value, bool):
            return " " + str(value).lower()
        if isinstance(value, list):
            return "".join(f"\n  - {item}" for item in value) or "\n  []"
        return f' {value}' if value != "" else ' ""'

    return "".join(f"{key}:{text(value)}\n" for key, value in sorted(options.items()))


def file(items):
    """items: (name, type, shape, bytes)."""
    head = struct.pack("<QQ", 1, len(items))
    for name, kind, shape, data in items:
        head += struct.pack("<QQQQ", len(name) + 1, TYPES[kind], len(shape), len(data))
    head += b"".join(name.encode() + b"\0" for name, *_ in items)
    head += b"".join(struct.pack(f"<{len(shape)}i", *shape) for _, _, shape, _ in items)
    padding = -(len(head) + 8) % 256
    return head + struct.pack("<Q", padding) + b"\0" * padding + b"".join(data for *_, data in items)


class Shortlist:
    """lex.*.bin (core/translate/shortlist.h), and the pieces that Marian may write for a source."""

    def __init__(self, data):
        _, _, self.first, _, offsets, pieces = struct.unpack("<6Q", data[:48])
        self.offsets = np.frombuffer(data, "<u8", offsets, 48)
        self.pieces = np.frombuffer(data, "<u4", pieces, 48 + 8 * offsets)

    def candidates(self, source, one_vocabulary=True):
        ids = set(range(self.first)) | (set(source) if one_vocabulary else set())
        for i in set(source):
            ids.update(self.pieces[self.offsets[i] : self.offsets[i + 1]].tolist())
        more = self.first
        while len(ids) % 8:
            ids.add(more)
            more += 1
        return sorted(ids)
