"""The computation of bergamot's WebAssembly for a Marian model, rounding by rounding, in NumPy: int8 products in 16 bits that
saturate, float32 everywhere else, sums in the order in which that program makes them. Activations are rounded to whole numbers
after each of these, so the last bit of a sum decides some of them, and one that falls on the other side moves all that
follow: with float64 in between a translation in four is another one.

The program is @browsermt/bergamot-translator 0.4.9, without the products that Firefox itself has: intgemm's with shifted
activations, "int8shiftAlphaAll"; Eigen's float products; sse_mathfun's exp in whole vectors and in
sigmoid, the C library's elsewhere.
"""

import numpy as np

import marian

F = np.float32


def in_turn(values):
    """Sums over the last axis in order."""
    return np.cumsum(values, -1, dtype=F)[..., -1:]


def exp_of_vectors(x):
    """sse_mathfun's polynomial."""
    x = np.clip(x, F(-88.3762626647949), F(88.3762626647949))
    power = np.floor(x * F(1.44269504088896341) + F(0.5)).astype(F)
    x = (x - power * F(0.693359375)) - power * F(-2.12194440e-4)
    y = np.full_like(x, F(1.9875691500e-4))
    for coefficient in (1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1):
        y = y * x + F(coefficient)
    return np.ldexp(y * (x * x) + x + F(1), power.astype(np.int32)).astype(F)


def exp(x):
    return np.exp(x.astype(np.float64)).astype(F)


def softmax(x):
    """Rows of a multiple of four numbers are made in vectors of four."""
    x = x - x.max(-1, keepdims=True)
    if x.shape[-1] % 4:
        y = exp(x)
        return y / in_turn(y)
    y = exp_of_vectors(x)
    lanes = in_turn(np.moveaxis(y.reshape(*y.shape[:-1], -1, 4), -2, -1))[..., 0]
    return y / in_turn(lanes)


def multiply(a, b):
    """[..., m, k] [..., k, n]. Products are summed in order. But where whole fours of rows of `a` meet the columns of `b`
    that are left over from fours, Eigen adds them to four sums in turn (its gebp_kernel)."""
    y = add_in_order(F(0), a, b)
    m, n = a.shape[-2] // 4 * 4, b.shape[-1] // 4 * 4
    a, b, whole = a[..., :m, :], b[..., n:], a.shape[-1] // 4 * 4
    one, two, three, four = (add_in_order(F(0), a[..., i:whole:4], b[..., i:whole:4, :]) for i in range(4))
    y[..., :m, n:] = add_in_order((one + two) + (three + four), a[..., whole:], b[..., whole:, :])
    return y


def add_in_order(y, a, b):
    """y + a b"""
    y = np.broadcast_to(y, (*a.shape[:-1], b.shape[-1])).astype(F)
    for k in range(a.shape[-1]):
        y = y + a[..., :, k, None] * b[..., None, k, :]
    return y


class Wasm:
    """`model`: a marian.Model of int8 whose decoder is an SSRU, post-norm, ReLU."""

    def __init__(self, model):
        self.model, self.prepared = model, {}

    def prepare(self, name, bias, columns):
        """An integer matrix [inputs, outputs], its multiplier, and the bias minus what the shift of activations adds."""
        key = (name, None if columns is None else columns.tobytes())
        if key not in self.prepared:
            whole, multiplier = self.model.weights[name]
            whole = whole.T if name.endswith("Wemb") else whole
            whole = np.ascontiguousarray(whole if columns is None else whole[:, columns]).astype(np.int32)
            alpha = self.model.alphas[name]
            shift = F(-1) * ((F(127) / alpha) * (F(127) / multiplier)) / F(127)
            added = F(0) if bias is None else self.model.weights[bias][0]
            added = added if bias is None or columns is None else added[columns]
            made = (whole, alpha, F(1) / (alpha * multiplier), whole.sum(0).astype(F) * shift + added)
            if columns is not None:
                return made
            self.prepared[key] = made
        return self.prepared[key]

    def product(self, x, name, bias=None, columns=None):
        whole, alpha, factor, added = self.prepare(name, bias, columns)
        rounded = np.clip(np.rint(x * alpha), -127, 127).astype(np.int32) + 127
        sums = [np.clip(r[0::2, None] * whole[0::2] + r[1::2, None] * whole[1::2], -32768, 32767).sum(0) for r in rounded]
        return np.stack(sums).astype(F) * factor + added

    def residual(self, x, y, name):
        """The norm of x + y."""
        x = x + y
        n = F(x.shape[-1])
        x = x - in_turn(x) / n
        gain, bias = (self.model.weights[f"{name}_ln_{part}"] for part in ("scale", "bias"))
        return gain * (x / np.sqrt(in_turn(x * x) / n + F(1e-6))) + bias

    def heads(self, x):
        return x.reshape(len(x), self.model.heads, -1).transpose(1, 0, 2)

    def memory(self, name, x):
        return [self.heads(self.product(x, f"{name}_W{part}", f"{name}_b{part}")) for part in "kv"]

    def attend(self, name, x, memory):
        queries = self.heads(self.product(x, f"{name}_Wq", f"{name}_bq"))
        keys, values = memory
        scores = multiply(queries, keys.transpose(0, 2, 1)) * F(1 / np.sqrt(F(keys.shape[-1])))
        joined = multiply(softmax(scores), values).transpose(1, 0, 2).reshape(len(x), -1)
        return self.residual(x, self.product(joined, f"{name}_Wo", f"{name}_bo"), f"{name}_Wo")

    def feed(self, name, x):
        hidden = np.maximum(self.product(x, f"{name}_W1", f"{name}_b1"), F(0))
        return self.residual(x, self.product(hidden, f"{name}_W2", f"{name}_b2"), f"{name}_ffn")

    def recur(self, name, x, cell):
        gate = self.product(x, f"{name}_Wf", f"{name}_bf")
        power = exp_of_vectors(gate)
        forget = power / (F(1) + power)
        cell = forget * cell + (F(1) - forget) * self.product(x, f"{name}_W")
        return self.residual(x, np.maximum(cell, F(0)), f"{name}_ffn"), cell

    def embed(self, ids, first, side):
        d = self.model.d
        step = np.log(F(10000)) / (F(d // 2) - F(1))
        rates = exp(np.arange(d // 2).astype(F) * -step)
        angles = np.arange(first, first + len(ids)).astype(F)[:, None] * rates
        signal = [f(angles.astype(np.float64)).astype(F) for f in (np.sin, np.cos)]
        whole, multiplier = self.model.weights[self.model.table(side)]
        rows = [np.zeros(d, F) if i is None else np.sqrt(F(d)) * (whole[i].astype(F) * (F(1) / multiplier)) for i in ids]
        return np.stack(rows) + np.concatenate(signal, -1)

    def encode(self, source):
        x = self.embed(source, 0, 0)
        for i in range(1, self.model.layers[0] + 1):
            name = f"encoder_l{i}"
            x = self.attend(f"{name}_self", x, self.memory(f"{name}_self", x))
            x = self.feed(f"{name}_ffn", x)
        return x

    def steps(self, source, candidates):
        """A generator: logits of the candidates; the chosen piece is sent to it."""
        x = self.encode(source)
        names = [f"decoder_l{i}" for i in range(1, self.model.layers[1] + 1)]
        memories = [self.memory(f"{name}_context", x) for name in names]
        cells = [np.zeros((1, self.model.d), F) for _ in names]
        piece = None
        for position in range(2 * len(source)):
            x = self.embed([piece], position, 1)
            for i, name in enumerate(names):
                x, cells[i] = self.recur(f"{name}_rnn", x, cells[i])
                x = self.attend(f"{name}_context", x, memories[i])
                x = self.feed(f"{name}_ffn", x)
            logits = self.product(x, self.model.table(), "decoder_ff_logit_out_b", candidates)[0]
            logits[candidates == 1] = -np.inf
            piece = yield logits

    def translate(self, source, candidates):
        """Pieces without </s>."""
        candidates, target = np.asarray(candidates), []
        steps = self.steps(source, candidates)
        logits = next(steps)
        while (piece := int(candidates[logits.argmax()])) != 0:
            target.append(piece)
            try:
                logits = steps.send(piece)
            except StopIteration:
                break
        return target
