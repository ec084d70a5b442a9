"""Goldens of BLEU and chrF2 for tests/core/evaluate_test.cc, made by bleu.py.

    python3 tests/oracle/make_evaluation_goldens.py tests/goldens/evaluate.json
"""

import json
import random
import sys

from bleu import bleu, chrf, tokenize_13a

LINES = [
    "",
    " ",
    "Hello, world!",
    "It's a test - isn't it?",
    "1,000.50 is more than 999,99, or .5, or 5.",
    "In 1990-1995, 3-4 % of 10-year-olds; e.g. 12-B, a-1, 1-",
    'He said &quot;R&amp;D &lt;b&gt;&quot; &amp;lt; and <skipped>left. <skip<skipped>ped>',
    "Ellipsis... and more.. a.b,c.,d ,. ., 1.,2 ,1. a1.b 1.a",
    "«\u00a0Oui\u00a0», dit-il\u202f: «\u00a0non\u00a0!\u00a0»",
    "tabs\tand\u2003wide\u3000spaces\x1cfile\x85next\u2028line",
    "“Quotes” ‘single’ – dash — long … ¿qué? ¡sí!",
    "emoji 😀👍🏽 and 👩‍👩‍👧 family, café cafe\u0301",
    "a/b\\c [d] {e} (f) <g> |h| ~i~ `j` ^k_l @m #n $o %p &q *r +s =t \"u\" 'v' :w ;x ?y !z",
    "$3.50, 50%, #1, C++, AT&T, user@example.com, https://example.com/a?b=1&c=2",
    "日本語のテスト。中文，測試。",
    "Ünïcödé, naïve. Straße. ŒUVRE. 3,5€ 7.000,00",
    ".",
    ",,,",
    "...1.2...",
    "-1-2--3",
    "a" * 300,
    "the the the the the the the",
    "x . y , z",
]

CORPORA = {
    "equal": (["The cat sat on the mat.", "A second line, longer than the first."],) * 2,
    "clipped": (["the the the the the the the"], ["The cat is on the mat, the cat."]),
    "no match": (["abc def ghi jkl mno"], ["pqr stu vwx yz!"]),
    "empty hypothesis": (["", "It is a good day to learn."], ["Nothing here.", "It is a good day to learn!"]),
    "empty hypotheses": (["", ""], ["Nothing here.", "Nor here."]),
    "empty reference": (["Something.", "It is a good day to learn."], ["", "It is a good day to learn!"]),
    "short": (["Yes.", "No"], ["Yes!", "No"]),
    "three words": (["I love you"], ["I love you"]),
    "smoothed twice": (["the cat was there once"], ["the dog is here the cat"]),
    "brief": (["The international community works."], ["The international community has been working for years."]),
    "long": (["He has been here before, I am sure of it, quite sure."], ["He has been here before."]),
    "entities": (["AT&amp;T said &quot;no&quot;."], ['AT&T said "no".']),
    "no-break spaces": (["«\u00a0Oui\u00a0», dit-il\u202f!"], ["« Oui », dit-il !"]),
    "emoji": (["😀👍🏽 ok", "👩‍👩‍👧"], ["😀👍 ok", "👩‍👩‍👦"]),
}


def random_corpus(seed):
    """Sentences from a small vocabulary, so that n-grams repeat, and similar references."""
    generator = random.Random(seed)
    words = ["the", "a", "cat,", "dog.", "3.5", "sat", "on", "mat!", "l'été", "«", "très-bien", "10,000", "😀"]
    pairs = []
    for _ in range(50):
        line = [generator.choice(words) for _ in range(generator.randint(0, 14))]
        other = [generator.choice(words) if generator.random() < 0.3 else word for word in line]
        if generator.random() < 0.5:
            other.append(generator.choice(words))
        pairs.append((" ".join(line), " ".join(other)))
    return [hypothesis for hypothesis, _ in pairs], [reference for _, reference in pairs]


corpora = CORPORA | {f"random {seed}": random_corpus(seed) for seed in range(4)}
goldens = {
    "lines": [{"text": line, "words": " ".join(tokenize_13a(line.rstrip()))} for line in LINES],
    "corpora": [
        {"name": name, "hypotheses": h, "references": r, "bleu": bleu(h, r), "chrf": chrf(h, r)}
        for name, (h, r) in corpora.items()
    ],
}
json.dump(goldens, open(sys.argv[1], "w", encoding="utf-8"), ensure_ascii=False, indent=1)
