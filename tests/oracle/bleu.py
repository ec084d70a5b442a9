"""BLEU (Papineni et al. 2002) and chrF (Popovic 2015) of a corpus, by the definitions of sacreBLEU (Post 2018).

    python3 bleu.py hypotheses.txt references.txt
"""

import collections
import math
import re
import sys

BLEU_SIGNATURE = "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp"
CHRF_SIGNATURE = "nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no"


def tokenize_13a(line):
    """mteval-v13a's tokenisation: separates punctuation, and full stops and commas unless they are between digits."""
    line = line.replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    for entity, character in (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">")):
        line = line.replace(entity, character)
    line = f" {line} "
    line = re.sub(r"([\{-\~\[-\` -\&\(-\+\:-\@\/])", r" \1 ", line)
    line = re.sub(r"([^0-9])([\.,])", r"\1 \2 ", line)
    line = re.sub(r"([\.,])([^0-9])", r" \1 \2", line)
    line = re.sub(r"([0-9])(-)", r"\1 \2 ", line)
    return line.split()


def ngrams(items, n):
    return collections.Counter(tuple(items[i : i + n]) for i in range(len(items) - n + 1))


def matches(hypothesis, reference):
    """The number of n-grams of the hypothesis that the reference has too, each counted at most as often as there."""
    return sum((hypothesis & reference).values())


def bleu(hypotheses, references, order=4):
    """exp(min(0, 1 - r/c)) times the geometric mean of the n-gram precisions, times 100. The k-th precision of zero
    counts 1 / (2^k total) (exponential smoothing)."""
    matched, total, ours, theirs = [0] * order, [0] * order, 0, 0
    for hypothesis, reference in zip(hypotheses, references, strict=True):
        h, r = tokenize_13a(hypothesis), tokenize_13a(reference)
        ours, theirs = ours + len(h), theirs + len(r)
        for n in range(order):
            matched[n] += matches(ngrams(h, n + 1), ngrams(r, n + 1))
            total[n] += max(0, len(h) - n)
    if not any(matched) or not all(total):
        return 0.0
    smooth, log_precision = 1.0, 0.0
    for m, t in zip(matched, total):
        if m == 0:
            smooth *= 2
        log_precision += math.log(m / t if m else 1 / (smooth * t)) / order
    return 100 * math.exp(min(0, 1 - theirs / ours) + log_precision)


def chrf(hypotheses, references, order=6, beta=2):
    """F_beta of the mean n-gram precision and recall over characters without white space, times 100; orders that
    neither side has do not count."""
    ours, theirs, both = [0] * order, [0] * order, [0] * order
    for hypothesis, reference in zip(hypotheses, references, strict=True):
        h, r = "".join(hypothesis.split()), "".join(reference.split())
        for n in range(order):
            a, b = ngrams(h, n + 1), ngrams(r, n + 1)
            ours[n] += sum(a.values()) if b else 0  # as sacreBLEU: what has no counterpart is not counted
            theirs[n] += sum(b.values())
            both[n] += matches(a, b)
    used = [n for n in range(order) if ours[n] and theirs[n]]
    if not used:
        return 0.0
    precision = sum(both[n] / ours[n] for n in used) / len(used)
    recall = sum(both[n] / theirs[n] for n in used) / len(used)
    if precision + recall == 0:
        return 0.0
    return 100 * (1 + beta**2) * precision * recall / (beta**2 * precision + recall)


def report(hypotheses, references):
    return (
        f"BLEU|{BLEU_SIGNATURE} = {bleu(hypotheses, references):.2f}  "
        f"chrF2|{CHRF_SIGNATURE} = {chrf(hypotheses, references):.2f}"
    )


if __name__ == "__main__":
    sides = [open(path, encoding="utf-8").read().splitlines() for path in sys.argv[1:3]]
    print(report(*sides))
