"""Of the n best translations of each line, the one nearest to a person's: sentence-level interpolation (Kim and Rush 2016, https://arxiv.org/abs/1606.07947).

    cut -f 1 pairs.tsv | qkv translate --model TEACHER --n-best 4 > n-best.tsv
    python3 nearest.py pairs.tsv n-best.tsv --least 0.6 > distilled.tsv

pairs.tsv has SOURCE<TAB>TARGET, with an empty target where there is none: then the likeliest translation is kept. How near two texts are
is the F1 of their character n-grams, 1 to 4, as in chrF (Popovic 2015), from 0 to 1. A pair is left out if its translation is less near than `--least`, repeats three
words four times, or is over twice as long as the source or under half as long.
"""
import argparse
import collections


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
    targets = [grams(target) for _, target in pairs]
    best = {}
    for i, score, translation in candidates(options.n_best):
        if is_fit(pairs[i][0], translation):
            value = nearness(grams(translation), targets[i]) if targets[i] else score
            if i not in best or value > best[i][0]:
                best[i] = value, translation
    for i, (source, target) in enumerate(pairs):
        if i in best and (not target or best[i][0] >= options.least):
            print(source, best[i][1], sep="\t")


if __name__ == "__main__":
    main()
