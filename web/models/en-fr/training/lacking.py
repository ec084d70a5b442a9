"""English lines of the other languages' pairs that the pairs of LANGUAGE lack: the text for back-translation (Sennrich et al. 2016).

    python3 lacking.py DATA SENTENCES LANGUAGE train|more > english.txt

DATA is the folder with `en-es.train.tsv.gz` and its like, SENTENCES the file of sentences in four languages. Lines of any
development set are left out, and lines of more than 60 words.
"""
import gzip
import random
import re
import sys
from pathlib import Path

LANGUAGES = ("fr", "de", "es", "zh")


def english(path):
    with gzip.open(path, "rt") if path.suffix == ".gz" else open(path) as file:
        for line in file:
            if "\t" in line:
                yield line.rstrip("\n").split("\t")[0]


def key(line):
    """What two lines have in common that differ in marks and capitals only."""
    return re.sub(r"[^a-z0-9]+", " ", line.lower()).strip()


def main(data, sentences, language, kind):
    data = Path(data)
    known = {""}
    for other in LANGUAGES:
        for name in (f"dev.en-{other}.tsv", f"flores-dev.en-{other}.tsv"):
            if (data / name).exists():
                known.update(map(key, english(data / name)))
    for name in ("train", "more", "docs"):
        known.update(map(key, english(data / f"en-{language}.{name}.tsv.gz")))
    known.update(map(key, english(Path(sentences))))

    lines = []
    for other in LANGUAGES:
        if other == language:
            continue
        for name in ("train", "more"):
            for line in english(data / f"en-{other}.{name}.tsv.gz"):
                if key(line) in known or len(line.split()) > 60 or len(line) > 400:
                    continue
                known.add(key(line))
                if name == kind:
                    lines.append(line)
    random.Random(5).shuffle(lines)
    print("\n".join(lines))


if __name__ == "__main__":
    main(*sys.argv[1:])
