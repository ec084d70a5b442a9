"""Pairs of documentation without those that lack a word where inline code was taken out, and without headings that run into a text.

    python3 clean.py < docs.tsv > clean.tsv
"""
import re
import sys

gap = re.compile(r" [,.)]|\( |[\u00ab\u201c]\s*[\u00bb\u201d]|\b(the|a|an|le|la|les|un|une|des|du|de|l'|d') ?(and|or|et|ou|,|\.)( |$)")
for line in sys.stdin:
    source, target = line.rstrip("\n").split("\t")[:2]
    words = len(source.split()), len(target.split())
    if gap.search(source) or gap.search(target) or max(words) > 60 or max(words) > 2.2 * min(words) + 3:
        continue
    print(source, target, sep="\t")
