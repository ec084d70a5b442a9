"""The attention family in NumPy float64, from the papers' equations.

Every step is written for one head, one query, one key, so that it reads as its equation does. Float64 throughout, on
inputs that are exact in float32. make_attention_goldens.py says which combinations the tests compare with.
"""

import numpy as np

# Inputs are not stored: both sides generate the same ones.


def fmix32(h):
    """The finaliser of MurmurHash3, on arrays of 32-bit numbers held in 64 bits."""
    mask = np.uint64(0xFFFFFFFF)
    h = h ^ (h >> np.uint64(16))
    h = (h * np.uint64(0x85EBCA6B)) & mask
    h = h ^ (h >> np.uint64(13))
    h = (h * np.uint64(0xC2B2AE35)) & mask
    return h ^ (h >> np.uint64(16))


def values(shape, seed, factor=1.0, offset=0.0):
    """float32(value(seed, i) factor + offset); value is uniform in [-1, 1), a multiple of 2^-23. Factors are powers of
    two."""
    count = int(np.prod(shape))
    start = (seed * 0x9E3779B9) % 2**32
    h = fmix32((np.arange(count, dtype=np.uint64) + np.uint64(start)) % np.uint64(2**32))
    value = (h >> np.uint64(8)).astype(np.float64) * 2.0**-23 - 1
    return (value * factor + offset).astype(np.float32).astype(np.float64).reshape(shape)


# Scores: one query [dq], one key [dk], their places, the parameters of the head.


def additive(q, k, t, j, p):  # Bahdanau et al. 2014
    return p["w_v"] @ np.tanh(p["W_q"] @ q + p["W_k"] @ k)


def concat(q, k, t, j, p):  # Luong et al. 2015
    return p["v"] @ np.tanh(p["W"] @ np.concatenate([q, k]))


def dot(q, k, t, j, p):
    return q @ k


def scaled_dot(q, k, t, j, p):  # Vaswani et al. 2017
    return q @ k / np.sqrt(len(k))


def general(q, k, t, j, p):  # Luong et al. 2015
    return q @ p["W"] @ k


def low_rank(q, k, t, j, p):
    return (p["U"] @ k) @ (p["V"] @ q)


def location(q, k, t, j, p):  # Luong et al. 2015
    return p["W"][j] @ q


def gaussian(q, k, t, j, p):  # Nadaraya and Watson 1964
    difference = p["w"][0] * (q - k)
    return -(difference @ difference) / 2


def cosine(q, k, t, j, p):
    size = np.sqrt(q @ q) * np.sqrt(k @ k)
    return q @ k / (size * p["temperature"][0]) if size > 0 else 0.0


def alibi(q, k, t, j, p):  # Press et al. 2021
    return q @ k / np.sqrt(len(k)) - p["slope"][0] * abs(t - j)


def bucket(distance, table, farthest):
    """The entry of T5's table [1 or 2, n] for a distance j - t. By whole numbers: the first distance of bucket e + i, with
    e = n // 2 exact ones, is the least m with (m / e)^(n - e) >= (farthest / e)^i."""
    sides, n = table.shape
    row = 1 if distance > 0 and sides == 2 else 0
    m, e = (abs(distance) if distance <= 0 or sides == 2 else 0), n // 2
    i = m
    if m >= e:
        i = e
        while e > 0 and i + 1 < n and m ** (n - e) * e ** (i + 1 - e) >= farthest ** (i + 1 - e) * e ** (n - e):
            i += 1
        if e == 0:
            i = 0
    return table[row, i]


def t5(q, k, t, j, p):  # Raffel et al. 2019
    return q @ k + bucket(j - t, p["b"], int(p["distance"][0]))


def clipped(distance, table):
    """The row of a table of 2r + 1 rows for a distance j - t."""
    r = len(table) // 2
    return table[min(max(distance, -r), r) + r]


def shaw(q, k, t, j, p):  # Shaw et al. 2018
    return q @ (k + clipped(j - t, p["A_k"])) / np.sqrt(len(k))


def feature(x):
    return np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))


def linear(q, k, t, j, p):  # Katharopoulos et al. 2020
    return np.log(feature(q) @ feature(k))


SCORES = {
    "additive": additive,
    "concat": concat,
    "dot": dot,
    "scaled-dot": scaled_dot,
    "general": general,
    "low-rank": low_rank,
    "location": location,
    "gaussian": gaussian,
    "cosine": cosine,
    "alibi": alibi,
    "t5": t5,
    "shaw": shaw,
    "linear": linear,
}
EQUAL_DIMS = ("dot", "scaled-dot", "gaussian", "cosine", "alibi", "t5", "shaw", "linear")


def default_parameters(score, head, heads):
    return {
        "gaussian": {"w": [1.0]},
        "cosine": {"temperature": [1.0]},
        "alibi": {"slope": [2.0 ** (-8 * (head + 1) / heads)]},
    }.get(score, {})


# One problem without mask, window and selection.


class Problem:
    """`spec` is the problem's entry in the json file; arrays are generated from it as in the tests."""

    def __init__(self, spec):
        self.spec = spec
        self.heads, self.key_heads = spec["heads"], spec["key_heads"]
        self.queries, self.keys = spec["queries"], spec["keys"]
        self.q = values([self.heads, self.queries, spec["query_dim"]], *spec["query"])
        self.k = values([self.key_heads, self.keys, spec["key_dim"]], *spec["key"])
        self.v = values([self.key_heads, self.keys, spec["value_dim"]], *spec["value"])
        self.score = SCORES[spec["score"]]
        self.scores = np.zeros([self.heads, self.queries, self.keys])
        self.value_rows = [self.parameters(h).get("A_v") for h in range(self.heads)]
        for h in range(self.heads):
            p = self.parameters(h)
            for i in range(self.queries):
                for j in range(self.keys):
                    self.scores[h, i, j] = self.score(self.q[h, i], self.key(h, j), self.place(i), j, p)

    def place(self, i):
        return self.spec["first_query"] + i

    def key(self, h, j):
        return self.k[h // (self.heads // self.key_heads), j]

    def value(self, h, j):
        return self.v[h // (self.heads // self.key_heads), j]

    def moved_value(self, h, i, j):
        """The value with the row of its distance, if the score has such rows."""
        rows = self.value_rows[h]
        return self.value(h, j) + (clipped(j - self.place(i), rows) if rows is not None else 0)

    def parameters(self, head):
        if self.spec["parameters"] is None:
            return default_parameters(self.spec["score"], head, self.heads)
        return self.of_head(self.spec["parameters"], head)

    def of_head(self, arrays, head):
        """Parameters {name: {shape, values}}: the whole of each, or the head's own."""
        whole = {name: values(array["shape"], *array["values"]) for name, array in arrays.items()}
        return {name: array[head] for name, array in whole.items()} if self.spec["per_head"] else whole


def entmax(z, alpha):
    """[(alpha - 1) z - tau]_+ ^ (1 / (alpha - 1)), tau by bisection (Peters et al. 2019, algorithm 1)."""
    x = (alpha - 1) * (z - z.max())
    low, high = -1.0, 0.0
    for _ in range(200):
        tau = (low + high) / 2
        total = (np.maximum(x - tau, 0) ** (1 / (alpha - 1))).sum()
        low, high = (tau, high) if total >= 1 else (low, tau)
    return np.maximum(x - low, 0) ** (1 / (alpha - 1))


# Mask, window, selection: what follows the scores.


class Answer:
    """logits, weights [H, Q, K]; output [H, Q, dv]; empty, indices, centres [H, Q]. Only queries `rows` of each head
    are answered, or all."""

    def __init__(self, problem, case, rows=None):
        self.problem, self.case = problem, case
        heads, queries, keys = problem.scores.shape
        self.logits = np.full([heads, queries, keys], -np.inf)
        self.weights = np.zeros([heads, queries, keys])
        self.output = np.zeros([heads, queries, problem.v.shape[2]])
        self.empty = np.zeros([heads, queries], bool)
        self.indices = np.full([heads, queries], -1)
        self.centres = np.zeros([heads, queries])
        self.closest = np.inf  # how near a decision was, in units of 0.001: make_attention_goldens.py, "Ties"
        self.bias = np.zeros([heads, queries, keys])
        self.permitted = np.ones([heads, queries, keys], bool)
        self.read_mask(case["mask"])
        for h in range(heads):
            used = set()
            for i in range(queries) if rows is None else rows:
                self.centres[h, i] = self.centre(h, i)
                self.attend(h, i, used)

    def read_mask(self, mask):
        shape = list(self.permitted.shape)
        if "allowed" in mask:
            m = mask["allowed"]
            kept = values(shape if m["per_head"] else shape[1:], m["seed"]) < m["below"]
            kept[..., m["empty_rows"], :] = False
            self.permitted &= kept
        if "bias" in mask:
            m = mask["bias"]
            dims = shape if m["per_head"] else shape[1:]
            self.bias = self.bias + values(dims, *m["values"])
            self.bias[np.broadcast_to(values(dims, m["seed"]) >= m["below"], shape)] = -np.inf

    def centre(self, h, i):
        window = self.case["window"]
        size = self.case["mask"].get("key_length", self.problem.keys)  # S: padding is no part of the sentence
        if window["kind"] == "local-m":
            return min(self.problem.place(i), size - 1)
        if window["kind"] == "local-p" and "centres" in window:
            return values(self.centres.shape, *window["centres"])[h, i]
        if window["kind"] == "local-p":
            p = self.problem.of_head(window["parameters"], h)
            return size / (1 + np.exp(-(p["v_p"] @ np.tanh(p["W_p"] @ self.problem.q[h, i]))))
        return 0.0

    def allowed(self, h, i, j):
        mask, window = self.case["mask"], self.case["window"]
        if mask.get("causal") and j > self.problem.place(i):
            return False
        if "key_length" in mask and j >= mask["key_length"]:
            return False
        outside = window["kind"] != "global" and abs(j - self.centres[h, i]) > window["half_width"]
        if outside and j >= window.get("sinks", 0):
            return False
        return self.permitted[h, i, j] and self.bias[h, i, j] > -np.inf

    def attend(self, h, i, used):
        keys = self.problem.keys
        seen = [j for j in range(keys) if self.allowed(h, i, j) and j not in used]
        if self.case["window"]["kind"] == "local-p":
            for j in range(keys):
                edge = abs(abs(j - self.centres[h, i]) - self.case["window"]["half_width"])
                self.closest = min(self.closest, edge / 0.001)
        if not seen:
            self.empty[h, i] = True
            return
        for j in seen:
            self.logits[h, i, j] = (self.problem.scores[h, i, j] + self.bias[h, i, j]) / self.case["temperature"]
        if self.case["selection"] == "max-pool":
            self.pool(h, i, seen)
            return
        self.select(h, i, seen)
        if self.case["selection"] != "sampled":
            for j in seen:
                self.weights[h, i, j] *= self.gaussian(h, i, j)
        for j in seen:
            self.output[h, i] += self.weights[h, i, j] * self.problem.moved_value(h, i, j)
        if self.case["selection"] == "argmax":
            self.indices[h, i] = max(seen, key=lambda j: (self.logits[h, i, j], -j))
            self.note_margin(sorted(self.logits[h, i, seen]))
        if "pointer" in self.case:
            self.indices[h, i] = max(seen, key=lambda j: (self.weights[h, i, j], -j))
            self.note_margin(sorted(np.log(self.weights[h, i, seen])))
            if self.case["pointer"]["mask_used"]:
                used.add(self.indices[h, i])

    def select(self, h, i, seen):
        logits, weights = self.logits[h, i], self.weights[h, i]
        if self.case["selection"] in ("soft", "sampled"):
            exponentials = np.exp(logits[seen] - max(logits[seen]))
            weights[seen] = exponentials / sum(exponentials)
        elif self.case["selection"] in ("sparsemax", "entmax"):
            alpha = 2.0 if self.case["selection"] == "sparsemax" else self.case["alpha"]
            weights[seen] = entmax(logits[seen], alpha)
        elif self.case["selection"] == "gate":
            for j in seen:
                weights[j] = 1 / (1 + np.exp(-logits[j])) if logits[j] > -700 else np.exp(logits[j])
        elif self.case["selection"] == "argmax":
            weights[max(seen, key=lambda j: (logits[j], -j))] = 1

    def pool(self, h, i, seen):
        width = self.problem.v.shape[2]
        for c in range(width):
            column = [self.problem.value(h, j)[c] for j in seen]
            assert len(set(column)) == len(column)
            winner = seen[int(np.argmax(column))]
            self.weights[h, i, winner] += self.gaussian(h, i, winner) / width
            self.output[h, i, c] = self.gaussian(h, i, winner) * max(column)
        self.indices[h, i] = max(seen, key=lambda j: (self.weights[h, i, j], -j))

    def gaussian(self, h, i, j):
        if self.case["window"]["kind"] != "local-p":
            return 1.0
        sigma = self.case["window"]["half_width"] / 2
        return np.exp(-((j - self.centres[h, i]) ** 2) / (2 * sigma**2))

    def note_margin(self, ascending):
        if len(ascending) > 1:
            gap = ascending[-1] - ascending[-2]
            self.closest = min(self.closest, gap / (0.001 * max(1, np.abs(ascending).max())))
