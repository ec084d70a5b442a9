"""IBM model 1 on small random pairs, by the NumPy of alignment_heads.py, which shares no line with the engine's.

    python3 make_model1_goldens.py tests/goldens

Ids run from 0; the source's NULL word is -1 in the tables. A word may occur twice in a sentence, some never occur, one
source is empty, and one target is empty.
"""

import json
import pathlib
import sys

import numpy as np

from alignment_heads import Ibm1

SOURCES, TARGETS = 24, 30  # vocabularies
ITERATIONS = (1, 2, 5)


def random_pairs(generator, count=60):
    """Words with Zipf's frequencies. A target's words depend on the source's, so that there is something to learn."""
    pairs = []
    for _ in range(count):
        source = np.minimum(generator.zipf(1.4, generator.integers(1, 9)) - 1, SOURCES - 2)
        target = [(7 * s + generator.integers(0, 3)) % (TARGETS - 2) for s in source if generator.random() < 0.8]
        target += list(np.minimum(generator.zipf(1.6, generator.integers(1, 3)) - 1, TARGETS - 2))
        pairs.append((source.tolist(), [int(t) for t in generator.permutation(target)]))
    pairs[7] = ([], pairs[7][1])
    pairs[9] = (pairs[9][0], [])
    return pairs


def table(pairs, iterations):
    """[[source, target, t(target | source)]], by source and then target"""
    learnt = Ibm1([np.array(s, int) + 1 for s, _ in pairs], [np.array(t, int) + 1 for _, t in pairs], iterations)
    return [[int(k // learnt.size) - 1, int(k % learnt.size) - 1, float(f"{t:.9g}")] for k, t in zip(learnt.keys, learnt.t)]


def main():
    pairs = random_pairs(np.random.default_rng(1))
    kept = [pair for pair in pairs if pair[1]]  # NumPy's sums want no empty stretches, and an empty target says nothing
    golden = {
        "source_vocabulary": SOURCES,
        "target_vocabulary": TARGETS,
        "pairs": pairs,
        "tables": [{"iterations": n, "entries": table(kept, n)} for n in ITERATIONS],
    }
    path = pathlib.Path(sys.argv[1]) / "model1.json"
    path.write_text(json.dumps(golden, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
