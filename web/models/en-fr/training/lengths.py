"""Pairs whose target has neither too few nor too many words for its source. Pairs with a source of under 12 words are kept.

    python3 lengths.py --least 1.05 < pairs.tsv > kept.tsv          # target / source of 1.05 and more
    python3 lengths.py --least 1.15 --long < pairs.tsv > full.tsv   # without the short ones
    python3 lengths.py --most 0.95 < pairs.tsv > kept.tsv

A model learns from its training data how many words to write. If the training data have fewer words than the references, the
brevity penalty lowers BLEU (Papineni et al. 2002).
"""
import argparse
import sys

kLong = 12  # words of a source

parser = argparse.ArgumentParser()
parser.add_argument("--least", type=float, default=0)
parser.add_argument("--most", type=float, default=float("inf"))
parser.add_argument("--long", action="store_true", help="leave out the short pairs")
options = parser.parse_args()
for line in sys.stdin:
    source, target = line.rstrip("\n").split("\t")[:2]
    words = len(source.split())
    is_kept = options.least <= len(target.split()) / words <= options.most if words >= kLong else not options.long
    if is_kept:
        print(source, target, sep="\t")
