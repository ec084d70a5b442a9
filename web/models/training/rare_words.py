"""Prints the words of a list that are rare in training texts. A model often confuses such a word with one of similar spelling.

    python3 rare_words.py words.txt sentences.tsv train.tsv.gz            # English words that occur fewer than 8 times
    python3 rare_words.py words.txt --least 20 --column 3 sentences.tsv   # German words that occur fewer than 20 times

words.txt has words with spaces or line ends between them. The texts have columns with tabs between them, plain or packed by gzip. Capitals do not
matter. A word with a hyphen counts as a whole, and its parts count too. Each line of the output is WORD<TAB>COUNT, in the order of the list.
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
