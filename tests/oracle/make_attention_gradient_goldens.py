"""Gradients of the attention family, from PyTorch's autograd in float64: what the tests of the backward compare with.

    /usr/bin/python3 tests/oracle/make_attention_gradient_goldens.py tests/goldens

writes attention-gradients.json and attention-gradients.bin; tests/goldens/README.md has the format.

What is in the goldens
----------------------
- every score in every window with soft and with gate, each under two of the nine masks, whose turn goes round, as do
  layouts of heads, which layouts share parameters, and temperatures;
- argmax and max pooling in every window under one mask: what they pass to values, and through the window's Gaussian to
  its centre;
- Likelihood's results, for every score in two windows: a pointer's log weights, keys masked once they are used or not,
  and the log-probabilities and entropies of sampled selection.

The loss is sum(output . output_gradient), or sum(likelihood . factors) + sum(entropy . factors). Inputs are generated
as in make_attention_goldens.py, whose lists of layouts, masks and windows these are.
"""

import json
import pathlib
import sys

import numpy as np
import torch

from attention_family import EQUAL_DIMS, bucket, values
from make_attention_goldens import (
    DEFAULTED,
    LAYOUTS,
    MASKS,
    TEMPERATURES,
    WINDOWS,
    SCORES,
    mask_spec,
    problem_spec,
    seeds,
    window_spec,
)

LARGEST = 400_000  # bytes of both files

# Scores of one head: q [Q, dq], k [K, dk] -> [Q, K].



SCORE = {
    "additive": lambda q, k, p, _: torch.tanh((q @ p["W_q"].T)[:, None] + (k @ p["W_k"].T)[None]) @ p["w_v"],
    "concat": lambda q, k, p, _: torch.tanh(
        torch.cat([q[:, None].expand(-1, len(k), -1), k[None].expand(len(q), -1, -1)], 2) @ p["W"].T
    )
    @ p["v"],
    "dot": lambda q, k, p, _: q @ k.T,
    "scaled-dot": lambda q, k, p, _: q @ k.T / k.shape[1] ** 0.5,
    "general": lambda q, k, p, _: q @ p["W"] @ k.T,
    "low-rank": lambda q, k, p, _: (q @ p["V"].T) @ (k @ p["U"].T).T,
    "location": lambda q, k, p, _: q @ p["W"][: len(k)].T,
    "gaussian": lambda q, k, p, _: -((p["w"] * (q[:, None] - k[None])) ** 2).sum(2) / 2,
    "cosine": lambda q, k, p, _: (q / q.norm(dim=1, keepdim=True))
    @ (k / k.norm(dim=1, keepdim=True)).T
    / p["temperature"],
    "alibi": lambda q, k, p, relative: q @ k.T / k.shape[1] ** 0.5 - p["slope"] * relative.abs(),
    "t5": lambda q, k, p, relative: q @ k.T + t5_bias(p["b"], int(p["distance"][0]), relative),
    "shaw": lambda q, k, p, relative: (q[:, None] * (k[None] + clipped(p["A_k"], relative))).sum(2) / k.shape[1] ** 0.5,
    "linear": lambda q, k, p, _: torch.log(
        (torch.nn.functional.elu(q) + 1) @ (torch.nn.functional.elu(k) + 1).T
    ),
}


def clipped(table, relative):
    """Rows of a table of 2r + 1 rows, by distances clipped to -r ... r."""
    r = len(table) // 2
    return table[(relative.long().clamp(-r, r) + r)]


def t5_bias(table, farthest, relative):
    """Entries of T5's table: which one is read is found by reading a table of their numbers."""
    numbers = np.arange(table.numel(), dtype=np.float64).reshape(table.shape)
    places = [[int(bucket(int(x), numbers, farthest)) for x in row] for row in relative]
    return table.reshape(-1)[torch.tensor(places)]


def entmax(logits, seen, alpha):
    """The closed form at a threshold found by bisection, moved by one Newton step through which the gradient passes."""
    rows = []
    for z, s in zip(logits, seen):
        weights = torch.zeros_like(z)
        if s.any():
            x = (alpha - 1) * z[s]
            power = 1 / (alpha - 1)
            low, high = x.detach().max() - 1, x.detach().max()
            for _ in range(200):
                tau = (low + high) / 2
                total = ((x.detach() - tau).clamp(min=0) ** power).sum()
                low, high = (tau, high) if total >= 1 else (low, tau)
            above = x.detach() > low
            # No logit near the threshold, where there is no derivative.
            assert (x.detach() - low).abs().min() > 0.001, "a tie"
            slope = (power * (x.detach()[above] - low) ** (power - 1)).sum()
            tau = low + (((x[above] - low) ** power).sum() - 1) / slope
            on = torch.zeros_like(x)
            on[above] = (x[above] - tau) ** power
            weights[s] = on
        rows.append(weights)
    return torch.stack(rows)


def default_parameters(score, head, heads):
    number = {"gaussian": ("w", 1.0), "cosine": ("temperature", 1.0), "alibi": ("slope", 2.0 ** (-8 * (head + 1) / heads))}
    return {number[score][0]: torch.tensor([number[score][1]], dtype=torch.float64)} if score in number else {}


def leaf(shape, seed):
    return torch.tensor(values(shape, *seed), requires_grad=True)


class Case:
    """One problem with window, mask and selection, on torch's tape. `leaves` are the tensors whose gradients are computed."""

    def __init__(self, spec, case):
        self.spec, self.case = spec, case
        H, G, Q, K = spec["heads"], spec["key_heads"], spec["queries"], spec["keys"]
        self.sizes = H, G, Q, K
        self.leaves = {
            "query": leaf([H, Q, spec["query_dim"]], spec["query"]),
            "key": leaf([G, K, spec["key_dim"]], spec["key"]),
            "value": leaf([G, K, spec["value_dim"]], spec["value"]),
        }
        self.parameters = {n: leaf(a["shape"], a["values"]) for n, a in (spec["parameters"] or {}).items()}
        self.leaves.update(self.parameters)
        self.window_parameters = {n: leaf(a["shape"], a["values"]) for n, a in case["window"].get("parameters", {}).items()}
        self.leaves.update(self.window_parameters)
        if "centres" in case["window"]:
            self.leaves["centres"] = leaf([H, Q], case["window"]["centres"])
        self.permitted = torch.ones([H, Q, K], dtype=torch.bool)
        self.bias = torch.zeros([H, Q, K], dtype=torch.float64)
        self.read_mask()

    def read_mask(self):
        mask, (H, _, Q, K) = self.case["mask"], self.sizes
        if mask.get("causal"):
            self.permitted &= torch.arange(K)[None] <= torch.arange(Q)[:, None] + self.spec["first_query"]
        self.permitted &= torch.arange(K) < mask.get("key_length", K)
        if "allowed" in mask:
            m = mask["allowed"]
            kept = values([H, Q, K] if m["per_head"] else [Q, K], m["seed"]) < m["below"]
            kept[..., m["empty_rows"], :] = False
            self.permitted &= torch.tensor(kept)
        if "bias" in mask:
            m = mask["bias"]
            shape = [H, Q, K] if m["per_head"] else [Q, K]
            self.leaves["bias"] = leaf(shape, m["values"])
            self.bias = self.leaves["bias"].expand(H, Q, K)
            self.permitted &= torch.tensor(values(shape, m["seed"]) < m["below"])

    def of_head(self, arrays, h):
        return {n: a[h] for n, a in arrays.items()} if self.spec["per_head"] else arrays

    def centres(self, h):
        window, (_, _, Q, K) = self.case["window"], self.sizes
        size = self.case["mask"].get("key_length", K)
        if "centres" in window:
            return self.leaves["centres"][h]
        if window["kind"] == "local-p":
            p = self.of_head(self.window_parameters, h)
            return size * torch.sigmoid(torch.tanh(self.leaves["query"][h] @ p["W_p"].T) @ p["v_p"])
        places = torch.arange(Q, dtype=torch.float64) + self.spec["first_query"]
        return places.clamp(max=size - 1)

    def head(self, h):
        """Logits, what is seen, and the window's Gaussian, [Q, K] each."""
        H, G, Q, K = self.sizes
        q, k = self.leaves["query"][h], self.leaves["key"][h // (H // G)]
        p = self.of_head(self.parameters, h) or default_parameters(self.spec["score"], h, H)
        places = torch.arange(Q, dtype=torch.float64) + self.spec["first_query"]
        relative = torch.arange(K)[None] - places[:, None]
        logits = (SCORE[self.spec["score"]](q, k, p, relative) + self.bias[h]) / self.case["temperature"]
        seen, gaussian = self.permitted[h], torch.ones([Q, K], dtype=torch.float64)
        if self.case["window"]["kind"] != "global":
            half_width, offset = self.case["window"]["half_width"], torch.arange(K)[None] - self.centres(h)[:, None]
            edge = (offset.detach().abs() - half_width).abs()
            if self.case["window"]["kind"] == "local-p":
                assert edge.min() > 0.001, "a key at the edge"
                gaussian = torch.exp(-(offset**2) / (2 * (half_width / 2) ** 2))
            sinks = torch.arange(K)[None] < self.case["window"].get("sinks", 0)
            seen = seen & ((offset.detach().abs() <= half_width) | sinks)
        return logits, seen, gaussian

    def output(self):
        H, G, Q, K = self.sizes
        outputs = []
        for h in range(H):
            logits, seen, gaussian = self.head(h)
            value = self.leaves["value"][h // (H // G)]
            selection = self.case["selection"]
            if selection == "max-pool":
                column = value[None].expand(Q, -1, -1).masked_fill(~seen[..., None], -1e9)
                pooled = column.max(1).values * gaussian.expand(Q, K).gather(1, column.argmax(1))
                outputs.append(torch.where(seen.any(1)[:, None], pooled, torch.zeros([])))
                continue
            if selection == "soft":
                weights = softmax(logits, seen)
            elif selection == "gate":
                weights = torch.sigmoid(logits) * seen
            elif selection in ("sparsemax", "entmax"):
                weights = entmax(logits, seen, 2.0 if selection == "sparsemax" else self.case["alpha"])
            else:  # argmax
                masked = logits.detach().masked_fill(~seen, -1e9)
                top = masked.sort(1).values
                assert K == 1 or ((top[:, -1] - top[:, -2] > 0.001) | ~seen.any(1)).all(), "a tie"
                weights = torch.nn.functional.one_hot(masked.argmax(1), K) * seen
            output = (weights * gaussian) @ value
            if "A_v" in self.parameters:
                places = torch.arange(Q, dtype=torch.float64) + self.spec["first_query"]
                rows = clipped(self.of_head(self.parameters, h)["A_v"], torch.arange(K)[None] - places[:, None])
                output = output + ((weights * gaussian)[..., None] * rows).sum(1)
            outputs.append(output)
        return torch.stack(outputs)

    def likelihood(self, rng):
        """Draws a key for each query; -> log-likelihoods and entropies [H, Q]."""
        H, _, Q, K = self.sizes
        self.chosen = np.full([H, Q], -1)
        rows, entropies = [], []
        for h in range(H):
            logits, seen, gaussian = self.head(h)
            used = torch.zeros(K, dtype=torch.bool)
            for i in range(Q):
                left = seen[i] & ~used
                p = softmax(logits[i : i + 1], left[None])[0]
                entropies.append(-(p * torch.log(p.clamp(min=1e-300))).sum())
                if not left.any():
                    rows.append(torch.zeros([], dtype=torch.float64))
                    continue
                c = int(rng.choice(torch.nonzero(left)[:, 0].numpy()))
                self.chosen[h, i] = c
                pointer = self.case["selection"] == "soft"
                rows.append(torch.log(p[c] * gaussian[i, c] if pointer else p[c]))
                if self.case["pointer"]["mask_used"]:
                    used[c] = True
        return torch.stack(rows).reshape(H, Q), torch.stack(entropies).reshape(H, Q)


def softmax(logits, seen):
    safe = torch.where(seen, logits, torch.zeros([], dtype=torch.float64))
    e = torch.where(seen, torch.exp(safe - safe.detach().max(1, keepdim=True).values), torch.zeros([], dtype=torch.float64))
    return e / torch.where(seen.any(1), e.sum(1), torch.ones([], dtype=torch.float64))[:, None]


class Goldens:
    """Floats, little-endian. Gradients of one case lie one after the other, in the order of their names."""

    def __init__(self):
        self.data, self.size, self.problems, self.cases = [], 0, [], []

    def add_problem(self, spec):
        self.problems.append(spec)
        return len(self.problems) - 1

    def add(self, number, case, kind, arrays):
        sizes = {}
        for name, array in arrays.items():
            flat = np.zeros(0) if array is None else np.asarray(array, np.float64).reshape(-1)
            if not flat.any():
                sizes[name] = 0  # all zeros
                continue
            assert np.isfinite(flat).all(), name
            sizes[name] = len(flat)
            self.data.append(flat.astype("<f4"))
        self.cases.append({"problem": number, **case, "kind": kind, "offset": self.size, "sizes": sizes})
        self.size += sum(sizes.values())

    def write(self, folder):
        text = ",\n".join(
            f'"{key}": [\n' + ",\n".join(json.dumps(entry, separators=(",", ":")) for entry in entries) + "\n]"
            for key, entries in (("problems", self.problems), ("cases", self.cases))
        )
        data = np.concatenate(self.data).tobytes()
        (folder / "attention-gradients.json").write_text("{" + text + "}\n")
        (folder / "attention-gradients.bin").write_bytes(data)
        print(f"{len(self.cases)} cases, {len(text) + len(data)} bytes")
        assert len(text) + len(data) < LARGEST


def gradients(case):
    return {name: x.grad for name, x in case.leaves.items()}


def again(make):
    """Calls make() until no decision was close and a gradient is not 0."""
    for _ in range(200):
        try:
            return make()
        except AssertionError:
            pass
    raise RuntimeError("always close")


def small_shape(score, rng, heads):
    queries = int(rng.integers(2, 5 if heads == 1 else 4))
    keys = int(rng.integers(queries + 1, 9 - heads))
    dq, dk = (int(d) for d in rng.choice([2, 3, 4, 5, 6], 2, replace=False))
    if score in EQUAL_DIMS:
        dq = dk = max(dq, 3)
    return queries, keys, dq, dk, int(rng.integers(1, 5)), int(rng.integers(0, 3)), int(rng.integers(2, 6))


def make_problem(score, turn, rng):
    layout = list(LAYOUTS)[turn % len(LAYOUTS)]
    heads, key_heads, per_head = LAYOUTS[layout]
    default = score in DEFAULTED and layout in ("one", "grouped")
    return problem_spec(score, heads, key_heads, per_head, small_shape(score, rng, heads), 1.0, default)


def output_cases(spec, choice, selections):
    """A case for each selection, after the backward of its output."""
    made = []
    for selection in selections:
        case = Case(spec, {**choice, "selection": selection})
        output = case.output()
        (output * torch.tensor(values(output.shape, *choice["output_gradient"]))).sum().backward()
        made.append(case)
    return made


def add_outputs(goldens, make):
    spec, made = again(make)
    number = goldens.add_problem(spec)
    for case in made:
        goldens.add(number, case.case, "output", gradients(case))


def outputs(goldens, rng):
    turn = 0
    for s, score in enumerate(SCORES):
        for w, window in enumerate(WINDOWS):
            for part in range(2):
                turn += 1
                mask = MASKS[(2 * turn + part) % len(MASKS)]
                selections = ["soft", "gate"] + (["argmax"] if part == 0 else ["max-pool"] if s % 5 == 0 else [])

                def make():
                    spec = make_problem(score, turn, rng)
                    choice = {
                        "temperature": TEMPERATURES[(s + w + part) % 3],
                        "window": window_spec(window, spec, rng),
                        "mask": mask_spec(mask, spec, rng),
                        "output_gradient": [seeds(), 1.0],
                    }
                    return spec, output_cases(spec, choice, selections)

                add_outputs(goldens, make)


def sparse(goldens, rng):
    for s, score in enumerate(("scaled-dot", "additive", "shaw", "t5")):
        for w, window in enumerate(WINDOWS):
            turn = 4 * s + w

            def make():
                spec = make_problem(score, turn, rng)
                choice = {
                    "temperature": TEMPERATURES[turn % 3],
                    "window": window_spec(window, spec, rng),
                    "mask": mask_spec(MASKS[(2 * s + w) % len(MASKS)], spec, rng),
                    "alpha": (1.5, 1.25, 3.0)[turn % 3],
                    "output_gradient": [seeds(), 1.0],
                }
                if window == "local-m":
                    choice["window"]["sinks"] = 1 + s % 2
                return spec, output_cases(spec, choice, ("sparsemax", "entmax"))

            add_outputs(goldens, make)


def likelihoods(goldens, rng):
    for s, score in enumerate(SCORES):
        for w, window in enumerate(("global", "local-p")):
            for k, (selection, used) in enumerate((("soft", True), ("soft", False), ("sampled", False))):
                mask = MASKS[(3 * s + w + k) % len(MASKS)]

                def make():
                    spec = make_problem(score, s + w + k, rng)
                    choice = {
                        "temperature": TEMPERATURES[(s + k) % 3],
                        "window": window_spec(window, spec, rng),
                        "mask": mask_spec(mask, spec, rng),
                        "selection": selection,
                        "pointer": {"mask_used": used},
                        "likelihood_gradient": [seeds(), 1.0],
                        "entropy_gradient": [seeds(), 0.5 if selection == "sampled" else 0.0],
                    }
                    case = Case(spec, choice)
                    likelihood, entropy = case.likelihood(rng)
                    factors = [torch.tensor(values(likelihood.shape, *choice[n + "_gradient"])) for n in ("likelihood", "entropy")]
                    ((likelihood * factors[0]).sum() + (entropy * factors[1]).sum()).backward()
                    # If each query sees one key, all gradients are 0 except for rounding, and there is nothing to
                    # compare.
                    assert max(x.grad.abs().max() for x in case.leaves.values() if x.grad is not None) > 1e-9
                    return spec, case, likelihood, entropy

                spec, case, likelihood, entropy = again(make)
                made = {**gradients(case), "likelihood": likelihood.detach(), "entropy": entropy.detach()}
                description = {**case.case, "chosen": case.chosen.reshape(-1).tolist()}
                goldens.add(goldens.add_problem(spec), description, "likelihood", made)


def main():
    goldens, rng = Goldens(), np.random.default_rng(1)
    outputs(goldens, rng)
    likelihoods(goldens, rng)
    sparse(goldens, rng)
    goldens.write(pathlib.Path(sys.argv[1]))


if __name__ == "__main__":
    main()
