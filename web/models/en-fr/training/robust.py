"""Pairs as people type them, made by rule from pairs of sentences: capitals, no capitals, no final mark, typing errors.

    python3 robust.py vocab.json < pairs.tsv > robust.tsv

Each pair is taken by one rule in turn. Pairs whose letters have no piece of their own after the change are left out.
"""
import json
import random
import sys

random.seed(1)
letters = {piece for piece in json.load(open(sys.argv[1])) if len(piece) == 1}


def without_end(text):
    return text[:-1].rstrip() if text[-1:] in ".!" else text


def mistyped(text):
    """One letter missing, doubled, or exchanged with the next one, in a word of five letters or more."""
    words = text.split(" ")
    long = [i for i, word in enumerate(words) if len(word) > 4 and word.isalpha()]
    if not long:
        return None
    i = random.choice(long)
    word = words[i]
    at = random.randrange(1, len(word) - 1)
    words[i] = random.choice(
        [word[:at] + word[at + 1:], word[:at] + word[at] + word[at:], word[:at] + word[at + 1] + word[at] + word[at + 2:]])
    return " ".join(words)


RULES = [
    lambda s, t: (s.upper(), t.upper()),
    lambda s, t: (without_end(s).lower(), without_end(t)),
    lambda s, t: (without_end(s), without_end(t)),
    lambda s, t: (s.replace("'", "").lower(), t) if "'" in s else (mistyped(s), t),
    lambda s, t: (mistyped(s), t),
]

for number, line in enumerate(sys.stdin):
    source, target = line.rstrip("\n").split("\t")[:2]
    source, target = RULES[number % len(RULES)](source, target)
    if source and target and all(c in letters or c == " " for c in source + target):
        print(source, target, sep="\t")
