"""Words of a list that training texts have rarely. A model translates such words as others that are spelt alike.

    python3 rare_words.py words.txt sentences.tsv train.tsv.gz              # those in fewer than 8 places
    python3 rare_words.py words.txt --least 20 --column 3 sentences.tsv   # German ones, fewer than 20

words.txt has words between spaces or line ends. Texts have columns between tabs; each is plain or packed by gzip. A word counts
in any case, and with a hyphen in it as a whole and by its parts. What is printed: WORD<TAB>COUNT, in the list's order.
"""
import argparse
import collections
import gzip
import re

WORD = re.compile(r"[^\W\d_]+(?:[-'][^\W\d_]+)*")


def words_of(text):
    return WORD.findall(text.lower())


def count(path, column):
    counts = collections.Counter()
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            for word in words_of(line.split("\t")[column - 1]):
                counts.update({word, *word.split("-")})
    return counts


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("words")
    parser.add_argument("texts", nargs="+")
    parser.add_argument("--least", type=int, default=8)
    parser.add_argument("--column", type=int, default=1)
    options = parser.parse_args()
    counts = sum((count(path, options.column) for path in options.texts), collections.Counter())
    with open(options.words, encoding="utf-8") as lines:
        for word in dict.fromkeys(words_of(lines.read())):
            if counts[word] < options.least:
                print(word, counts[word], sep="\t")
