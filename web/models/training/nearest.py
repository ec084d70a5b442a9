"""Of the n best translations of each line, the one nearest to a person's: sentence-level interpolation (Kim and Rush 2016, https://arxiv.org/abs/1606.07947).

    cut -f 1 pairs.tsv | qkv translate --model TEACHER --n-best 4 > n-best.tsv
    python3 nearest.py pairs.tsv n-best.tsv --least 0.6 > distilled.tsv

pairs.tsv has SOURCE<TAB>TARGET lines. If a target is empty, the likeliest translation is kept. The nearness of two texts is the F1 of their
character n-grams, n from 1 to 4, as in chrF (Popovic 2015): from 0 to 1. A pair is left out if its nearness is less than `--least`, if the translation repeats three words
four times, or if it is more than twice as long as the source or less than half as long.
"""
import argparse
import collections
import itertools


def grams(text):
    text = text.replace(" ", "")
    return collections.Counter(text[i : i + n] for n in (1, 2, 3, 4) for i in range(len(text) - n + 1))


def nearness(one, other):
    return 2 * sum((one & other).values()) / max(1, one.total() + other.total())


def is_fit(source, translation):
    words = translation.split()
    repeated = collections.Counter(zip(words, words[1:], words[2:]))
    in_range = len(source) / 2 - 8 <= len(translation) <= 2 * len(source) + 12
    return bool(words) and in_range and max(repeated.values(), default=0) < 4


def candidates(path):
    """(line of the source from 0, log-likelihood, translation) of `qkv translate --n-best`."""
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            number, score, translation = line.rstrip("\n").split("\t")
            yield int(number) - 1, float(score), translation


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("pairs")
    parser.add_argument("n_best")
    parser.add_argument("--least", type=float, default=0)
    options = parser.parse_args()
    with open(options.pairs, encoding="utf-8") as lines:
        pairs = [line.rstrip("\n").split("\t")[:2] for line in lines]
    for i, group in itertools.groupby(candidates(options.n_best), lambda candidate: candidate[0]):
        source, target = pairs[i]
        wanted = grams(target)
        best = None  # (nearness, or the log-likelihood if there is no target; translation). The first of equal ones stays.
        for _, score, translation in group:
            value = nearness(grams(translation), wanted) if target else score
            if is_fit(source, translation) and (best is None or value > best[0]):
                best = value, translation
        if best and (not target or best[0] >= options.least):
            print(source, best[1], sep="\t")


if __name__ == "__main__":
    main()
