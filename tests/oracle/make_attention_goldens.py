"""Goldens of the attention family, from attention_family.py: what the tests compare the engine with.

    /usr/bin/python3 tests/oracle/make_attention_goldens.py tests/goldens

writes attention.json and attention.bin; tests/goldens/README.md has the format.

What is in the goldens
----------------------
1. "family": the full product of
     13 scores       additive, concat, dot, scaled-dot, general, low-rank, location, gaussian, cosine, alibi, t5, shaw, linear
      3 selections   soft, argmax, gate
      4 windows      global, local-m, local-p with its centres predicted, local-p with its centres given
      9 masks        none, padding lengths, causal, boolean [Q, K], boolean [H, Q, K], boolean with rows that allow
                     nothing, additive [Q, K] with some -inf, additive [H, Q, K] with some -inf, all of them at once
   = 1,404 combinations. The fifth choice, heads (one; several with the parameters in common; queries in groups on fewer
   keys and values; several queries on one memory, parameters per head; several, parameters per head), goes round, so
   that every score meets every layout in every window, and every mask meets every layout. Temperatures 1, 1/2 and 3/2
   go round too. Gaussian, cosine and ALiBi take their default parameter in two of the five layouts.
   Besides: sampled with every score in every window, and max pooling with every mask in every window, in every layout.
2. "shapes": every score, soft, on longer and odder shapes: 1 x 1, one query of a decoding step over many keys, many
   queries over one key, more dims than a vector has lanes.
3. "hard": scores of +-10,000; small scores under a bias of +-8,192; 2,000 keys of 257 dims; 1,024 dims; 1,024 values.
4. "long": 50 queries over 300 keys, where an engine works in blocks: two scores, every window, with every selection but
   sampled, without a mask, causal, and with all masks.
5. "sparse": sparsemax, and entmax with alpha 1.5, 1.25 and 3, with a key and without one in the score, in every window and
   layout, under masks that go round; and the window local-m with sinks, with every selection but sampled.
6. "pointers": every score; used positions masked or not; more queries than keys, where the last rows find none left.

What is not, and why
--------------------
- sampled with every mask: the draw is from the weights of soft, which are here with every mask. One mask each is kept.
  Only probabilities are kept, not draws: a draw is checked against the probabilities by the test.
- max pooling with every score: its output does not depend on the score. Two scores (one with a key, one without).
- pointers over gate or max pooling: neither is a distribution over the inputs. Over argmax: the same indices as soft.
  Over a sample: the index is the draw. In a local window: every window is in the family, an index is its argmax.
- every layout with everything else: layouts go round (above).
- dot, scaled-dot, gaussian, cosine and ALiBi with dq != dk: not defined.
- self, cross, key-value memory and W_o: products before and after; no part of the family's contract.

Ties
----
Where an argmax decides (argmax, pointers), float32 must come to the same decision: inputs are drawn again until, in
each row, the largest logit is at least 0.001 max(1, |logit|) above the second (a pointer: the same of log weights).
That is many times the error bound, and the test asserts so. Cosine over one dim is +-1, all ties: it is soft only.
Columns of values are compared exactly, and no two values of a column that max pooling looks at are equal. A key is
never within 0.001 of the edge of a local window, whose place float32 could see on the other side.
"""

import json
import pathlib
import sys

import numpy as np

from attention_family import EQUAL_DIMS, SCORES, Answer, Problem

LARGEST = 1_500_000  # bytes of both files
DEFAULTED = ("gaussian", "cosine", "alibi")

# The list.

#          name          heads, key heads, parameters per head
LAYOUTS = {
    "one": (1, 1, False),
    "several": (3, 3, False),
    "grouped": (4, 2, False),
    "one memory": (3, 1, True),
    "per head": (2, 2, True),
}
MASKS = (
    "none",
    "lengths",
    "causal",
    "boolean",
    "boolean per head",
    "nothing allowed",
    "additive",
    "additive per head",
    "all",
)
WINDOWS = ("global", "local-m", "local-p", "local-p, centres given")
TEMPERATURES = (1.0, 0.5, 1.5)


class Seeds:
    """A fresh seed for each array."""

    def __init__(self):
        self.last = 0

    def __call__(self):
        self.last += 1
        return self.last


seeds = Seeds()


def parameter_shapes(score, keys, dq, dk, inner, dv):
    """The parameters of one head. `inner` is n, r or the number of rows of a location matrix beyond the first K."""
    return {
        "additive": {"W_q": [inner, dq], "W_k": [inner, dk], "w_v": [inner]},
        "concat": {"W": [inner, dq + dk], "v": [inner]},
        "general": {"W": [dq, dk]},
        "low-rank": {"U": [inner, dk], "V": [inner, dq]},
        "location": {"W": [keys + inner, dq]},
        "gaussian": {"w": [1]},
        "cosine": {"temperature": [1]},
        "alibi": {"slope": [1]},
        "t5": {"b": [1 + inner % 2, inner], "distance": [1]},
        "shaw": {"A_k": [2 * (inner // 2) + 1, dk], "A_v": [2 * (inner // 3) + 1, dv]},
    }.get(score, {})


def parameters(shapes, heads, per_head, factors=None):
    arrays = {}
    for name, shape in shapes.items():
        positive = name in ("temperature", "slope")
        factor = (factors or {}).get(name, 0.25 if positive else 1.0)
        offset = [0.75] if positive else []
        if name == "distance":  # a whole number, so that buckets begin at the same places everywhere
            factor, offset = 0.0, [6.0]
        arrays[name] = {
            "shape": [heads] + shape if per_head else shape,
            "values": [seeds(), factor] + offset,
        }
    return arrays


def problem_spec(score, heads, key_heads, per_head, shape, factor=1.0, default=False, factors=None):
    queries, keys, dq, dk, dv, first_query, inner = shape
    shapes = parameter_shapes(score, keys, dq, dk, inner, dv)
    return {
        "score": score,
        "heads": heads,
        "key_heads": key_heads,
        "queries": queries,
        "keys": keys,
        "query_dim": dq,
        "key_dim": dk,
        "value_dim": dv,
        "first_query": first_query,
        "query": [seeds(), factor],
        "key": [seeds(), factor],
        "value": [seeds(), 1.0],
        "per_head": per_head,
        "parameters": None if default or not shapes else parameters(shapes, heads, per_head, factors),
    }


def random_shape(score, layout, rng):
    """Few rows where there are many heads. Dims are not multiples of 4, and differ where they may differ."""
    heads = LAYOUTS[layout][0]
    queries = int(rng.integers(2, 5 if heads == 1 else 4))
    keys = int(rng.integers(queries + 1, 10 - heads))
    dims = [1, 2, 3, 5, 6, 7, 9, 10, 11]
    dq, dk = (int(d) for d in rng.choice(dims, 2, replace=False))
    if score == "cosine":
        dq = max(dq, 3)
    if score in EQUAL_DIMS:
        dk = dq
    return queries, keys, dq, dk, int(rng.integers(1, 6)), int(rng.integers(0, 4)), int(rng.integers(2, 8))


def mask_spec(name, spec, rng):
    boolean = {"seed": seeds(), "below": 0.5, "per_head": False, "empty_rows": []}
    additive_mask = {"values": [seeds(), 2.0], "seed": seeds(), "below": 0.5, "per_head": False}
    length = int(rng.integers(1, max(2, spec["keys"])))
    return {
        "none": {},
        "lengths": {"key_length": length},
        "causal": {"causal": True},
        "boolean": {"allowed": boolean},
        "boolean per head": {"allowed": {**boolean, "per_head": True}},
        "nothing allowed": {"allowed": {**boolean, "empty_rows": [int(rng.integers(0, spec["queries"]))]}},
        "additive": {"bias": additive_mask},
        "additive per head": {"bias": {**additive_mask, "per_head": True}},
        "all": {
            "key_length": max(spec["keys"] - 1, 1),
            "causal": True,
            "allowed": {**boolean, "below": 0.75},
            "bias": {**additive_mask, "below": 0.75},
        },
    }[name]


def window_spec(name, spec, rng):
    half_width = int(rng.integers(1, 4))
    if name == "global":
        return {"kind": "global"}
    if name == "local-m":
        return {"kind": "local-m", "half_width": half_width}
    if name == "local-p":
        inner = int(rng.integers(1, 6))
        shapes = {"W_p": [inner, spec["query_dim"]], "v_p": [inner]}
        return {
            "kind": "local-p",
            "half_width": half_width,
            "parameters": parameters(shapes, spec["heads"], spec["per_head"]),
        }
    # Anywhere from before the first key to behind the last.
    reach = 2.0 ** np.ceil(np.log2(spec["keys"] / 2))
    return {"kind": "local-p", "half_width": half_width, "centres": [seeds(), reach, spec["keys"] / 2]}


class Goldens:
    """Doubles, little-endian, in one file; equal arrays are stored once. Offsets count doubles."""

    def __init__(self):
        self.data, self.stored = bytearray(), {}
        self.problems, self.cases = [], []

    def store(self, array):
        content = np.ascontiguousarray(array, "<f8").tobytes()
        if content not in self.stored:
            self.stored[content] = len(self.data) // 8
            self.data += content
        return self.stored[content]

    def add_problem(self, problem, complete=True):
        scores = {"scores": self.store(problem.scores)} if complete else {}
        self.problems.append({**problem.spec, **scores})
        return len(self.problems) - 1

    def add_case(self, group, number, answers, rows=None):
        """`answers` differ only in their selection. `rows` (of the single head): only their output is stored."""
        first = answers[0]
        case = {"group": group, "problem": number, **first.case}
        del case["selection"]
        if first.case["window"]["kind"] != "global" and rows is None:
            case["centres"] = self.store(first.centres)
        if rows is None and first.empty.any():
            case["empty"] = np.flatnonzero(first.empty).tolist()
        if rows is None:
            case["logits"] = self.store(first.logits)
        else:
            case["rows"] = rows
        case["answers"] = [self.answer(answer, rows) for answer in answers]
        self.cases.append(case)

    def answer(self, answer, rows):
        kept = {"selection": answer.case["selection"]}
        if rows is None:
            kept["weights"] = self.store(answer.weights)
        if kept["selection"] != "sampled" and "pointer" not in answer.case:
            output = answer.output.reshape([-1, answer.output.shape[2]])
            kept["output"] = self.store(output if rows is None else output[rows])
        if kept["selection"] in ("argmax", "max-pool") or "pointer" in answer.case:
            indices = answer.indices.flatten()
            kept["indices"] = (indices if rows is None else indices[rows]).tolist()
        return kept

    def write(self, folder):
        """One line for each problem or case, so that diffs are readable."""
        text = ",\n".join(
            f'"{key}": [\n' + ",\n".join(json.dumps(entry, separators=(",", ":")) for entry in entries) + "\n]"
            for key, entries in (("problems", self.problems), ("cases", self.cases))
        )
        (folder / "attention.json").write_text("{" + text + "}\n")
        (folder / "attention.bin").write_bytes(self.data)
        size = len(text) + len(self.data)
        combinations = sum(len(case["answers"]) for case in self.cases)
        print(f"{len(self.problems)} problems, {combinations} combinations, {size} bytes")
        assert size < LARGEST


def drawn_until_clear(make):
    """Calls make() until none of its answers was a close decision. -> (problem, answers of each case)"""
    for _ in range(200):
        problem, cases = make()
        if all(answer.closest > 1 for answers in cases for answer in answers):
            return problem, cases
    raise RuntimeError("always close")


def family(goldens, rng):
    layouts = list(LAYOUTS)
    for s, score in enumerate(SCORES):
        for l, layout in enumerate(layouts):
            heads, key_heads, per_head = LAYOUTS[layout]
            # Which combinations of window and mask use this layout, and with which temperature.
            chosen = [
                (window, mask, TEMPERATURES[(s + w + m) % 3])
                for w, window in enumerate(WINDOWS)
                for m, mask in enumerate(MASKS)
                if (s + w + m) % len(layouts) == l
            ]

            def make():
                default = score in DEFAULTED and layout in ("one", "grouped")
                shape = random_shape(score, layout, rng)
                problem = Problem(problem_spec(score, heads, key_heads, per_head, shape, 2.0, default))
                cases = []
                for window, mask, temperature in chosen:
                    choice = {
                        "temperature": temperature,
                        "window": window_spec(window, problem.spec, rng),
                        "mask": mask_spec(mask, problem.spec, rng),
                    }
                    selections = ["soft", "argmax", "gate"]
                    if mask == MASKS[(s + WINDOWS.index(window)) % len(MASKS)]:
                        selections.append("sampled")
                    if score in ("scaled-dot", "location"):
                        selections.append("max-pool")
                    cases.append([Answer(problem, {"selection": selection, **choice}) for selection in selections])
                return problem, cases

            problem, cases = drawn_until_clear(make)
            number = goldens.add_problem(problem)
            for answers in cases:
                goldens.add_case("family", number, answers)


PLAIN = {"selection": "soft", "temperature": 1.0, "window": {"kind": "global"}, "mask": {}}


def shapes(goldens, rng):
    #  heads, key heads, (Q, K, dq, dk, dv, first_query, inner), mask
    lists = (
        (1, 1, (1, 1, 1, 1, 1, 0, 1), "none"),
        (2, 1, (1, 23, 13, 9, 5, 22, 3), "causal"),
        (1, 1, (11, 1, 3, 2, 17, 0, 2), "none"),
        (1, 1, (13, 19, 33, 31, 9, 6, 35), "all"),
    )
    for score in SCORES:
        for heads, key_heads, shape, mask in lists:
            if score in EQUAL_DIMS:
                shape = shape[:3] + (shape[2],) + shape[4:]
            problem = Problem(problem_spec(score, heads, key_heads, False, shape))
            number = goldens.add_problem(problem)
            case = {**PLAIN, "mask": mask_spec(mask, problem.spec, rng)}
            goldens.add_case("shapes", number, [Answer(problem, case)])


def huge(score):
    """Factors of inputs and parameters that bring scores to +-10,000."""
    return {
        "additive": (1.0, {"w_v": 8192.0}),
        "concat": (1.0, {"v": 8192.0}),
        "general": (32.0, {"W": 8.0}),
        "low-rank": (32.0, {"U": 4.0}),
        "location": (128.0, {"W": 128.0}),
        "cosine": (1.0, {"temperature": 2.0**-18}),
    }.get(score, (128.0, {}))


def hard(goldens, rng):
    for score in SCORES:
        if score == "linear":  # a logarithm is never large
            continue
        factor, factors = huge(score)

        def make():
            spec = problem_spec(score, 1, 1, False, (3, 9, 5, 5, 3, 2, 6), factor, score == "gaussian", factors)
            if score == "cosine":
                spec["parameters"]["temperature"]["values"][2] = 2.0**-14
            problem = Problem(spec)
            return problem, [[Answer(problem, {**PLAIN, "selection": s}) for s in ("soft", "argmax", "gate")]]

        problem, cases = drawn_until_clear(make)
        assert np.abs(problem.scores).max() > 5_000
        goldens.add_case("hard", goldens.add_problem(problem), cases[0])

    for score in ("scaled-dot", "additive"):
        problem = Problem(problem_spec(score, 2, 2, False, (2, 7, 6, 6, 3, 0, 5)))
        number = goldens.add_problem(problem)
        for offset in (8192.0, -8192.0):
            mask = mask_spec("additive", problem.spec, rng)
            mask["bias"]["values"].append(offset)
            goldens.add_case("hard", number, [Answer(problem, {**PLAIN, "mask": mask})])

    for score in SCORES:
        for shape in ((3, 2000, 257, 257, 5, 1998, 19), (2, 6, 1024, 1024, 3, 0, 21)):
            problem = Problem(problem_spec(score, 1, 1, False, shape, 0.5))
            number = goldens.add_problem(problem, complete=False)
            goldens.add_case("hard", number, [Answer(problem, PLAIN)], rows=[0, shape[0] - 1])
            if shape[1] == 2000:
                mask = {"causal": True}
                goldens.add_case("hard", number, [Answer(problem, {**PLAIN, "mask": mask})], rows=[0])
    problem = Problem(problem_spec("dot", 1, 1, False, (2, 3, 1, 1, 1024, 0, 1)))
    goldens.add_case("hard", goldens.add_problem(problem), [Answer(problem, PLAIN)])


def long(goldens, rng):
    rows = [0, 1, 23, 24, 47, 49]
    for score in ("scaled-dot", "additive"):

        def make():
            factors = {"w_v": 8.0}
            problem = Problem(problem_spec(score, 1, 1, False, (50, 300, 7, 7, 3, 130, 9), 4.0, factors=factors))
            cases = []
            for window in WINDOWS:
                width = {} if window == "global" else {"half_width": 20}
                for mask in ("none", "causal", "all"):
                    choice = {
                        "temperature": 1.0,
                        "window": {**window_spec(window, problem.spec, rng), **width},
                        "mask": mask_spec(mask, problem.spec, rng),
                    }
                    if "key_length" in choice["mask"]:
                        choice["mask"]["key_length"] = 140
                    selections = ("soft", "argmax", "gate", "max-pool")
                    cases.append([Answer(problem, {"selection": s, **choice}, rows) for s in selections])
            return problem, cases

        problem, cases = drawn_until_clear(make)
        number = goldens.add_problem(problem, complete=False)
        for answers in cases:
            goldens.add_case("long", number, answers, rows=rows)


def sparse(goldens, rng):
    alphas = (1.5, 1.25, 3.0)
    for s, score in enumerate(("scaled-dot", "location", "shaw")):
        for l, layout in enumerate(LAYOUTS):
            heads, key_heads, per_head = LAYOUTS[layout]

            def make():
                problem = Problem(problem_spec(score, heads, key_heads, per_head, random_shape(score, layout, rng), 1.0))
                cases = []
                for w, window in enumerate(WINDOWS):
                    choice = {
                        "temperature": TEMPERATURES[(s + l + w) % 3],
                        "window": window_spec(window, problem.spec, rng),
                        "mask": mask_spec(MASKS[(4 * s + 2 * l + w) % len(MASKS)], problem.spec, rng),
                        "alpha": alphas[(s + l + w) % 3],
                    }
                    cases.append([Answer(problem, {"selection": x, **choice}) for x in ("sparsemax", "entmax")])
                sinks = {"kind": "local-m", "half_width": 1, "sinks": 1 + (s + l) % 3}
                choice = {"temperature": 1.0, "window": sinks, "mask": mask_spec(MASKS[2 * (l % 2)], problem.spec, rng)}
                selections = ("soft", "argmax", "gate", "max-pool", "sparsemax")
                cases.append([Answer(problem, {"selection": x, **choice}) for x in selections])
                return problem, cases

            problem, cases = drawn_until_clear(make)
            number = goldens.add_problem(problem)
            for answers in cases:
                goldens.add_case("sparse", number, answers)


def pointers(goldens, rng):
    for s, score in enumerate(SCORES):
        for queries, keys, layout in ((4, 6, "one"), (5, 3, "grouped"), (3, 5, "per head")):
            heads, key_heads, per_head = LAYOUTS[layout]
            mask = MASKS[(s + queries) % len(MASKS)]

            def make():
                dq, dk = (5, 5) if score in EQUAL_DIMS else (5, 3)
                shape = (queries, keys, dq, dk, 2, 1, 4)
                problem = Problem(problem_spec(score, heads, key_heads, per_head, shape, 2.0))
                masks = [{}, mask_spec(mask, problem.spec, rng)]
                return problem, [
                    [Answer(problem, {**PLAIN, "mask": m, "pointer": {"mask_used": used}})]
                    for m in masks
                    for used in (False, True)
                ]

            problem, cases = drawn_until_clear(make)
            number = goldens.add_problem(problem)
            for answers in cases:
                goldens.add_case("pointers", number, answers)


def main():
    goldens, rng = Goldens(), np.random.default_rng(1)
    for group in (family, shapes, hard, long, pointers, sparse):
        group(goldens, rng)
        print(group.__name__, len(goldens.cases), len(goldens.data))
    goldens.write(pathlib.Path(sys.argv[1]))


if __name__ == "__main__":
    main()
