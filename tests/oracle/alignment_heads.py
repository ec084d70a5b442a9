"""Which cross-attention heads follow a human alignment? Ranks them by agreement with word links.

    python3 alignment_heads.py MODEL PAIRS.tsv[.gz] [--pairs 150000] [--judged 1000]

The links are learnt from the pairs with IBM model 1 (Brown et al. 1993), once in each direction; a link counts where both
directions find it. A head links a target word to the source word that has most of its weight: summed over the source
word's pieces, averaged over the target word's. Prints how often each head agrees, and the set that a greedy forward
selection finds, for `alignment_heads` in generation_config.json.
"""

import argparse
import gzip
import itertools
import re

import numpy as np

import transformer

WORD = re.compile(r"\w+['’](?=\w)|\w+|[^\w\s]")  # l' is a word, and so is each mark


def words(text):
    """[(word, begin, end)], lower case"""
    return [(m.group().lower(), m.start(), m.end()) for m in WORD.finditer(text)]


def read_pairs(path, count):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8") as lines:
        return [line.rstrip("\n").split("\t")[:2] for line in itertools.islice(lines, count)]


class Ibm1:
    """t(f | e): the probability that word e of one side is translated by word f of the other. e = 0 is NULL."""

    def __init__(self, givens, words, iterations=5):
        """givens, words: one array of word ids for each sentence, from 1."""
        givens = [np.concatenate([[0], g]) for g in givens]
        self.size = 1 + max(int(f.max(initial=0)) for f in words)
        # Every (e, f) of every sentence, ordered by f and then e. Equal pairs share one parameter.
        keys = np.concatenate([(g[None, :] * self.size + f[:, None]).ravel() for g, f in zip(givens, words)])
        lengths = np.concatenate([np.full(len(f), len(g)) for g, f in zip(givens, words)])
        starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
        self.keys, pair = np.unique(keys, return_inverse=True)
        given = self.keys // self.size
        t = np.full(len(self.keys), 1.0)
        for _ in range(iterations):
            posterior = t[pair]
            posterior /= np.repeat(np.add.reduceat(posterior, starts), lengths)  # who made this f?
            counts = np.bincount(pair, posterior, len(self.keys))
            t = counts / np.bincount(given, counts)[given]
        self.t = t

    def links(self, given, word):
        """For each f its best e, as an index into `given`, or -1 for NULL; on a tie the one nearest the diagonal."""
        given = np.concatenate([[0], given])
        t = self.t[np.searchsorted(self.keys, given[None, :] * self.size + word[:, None])]
        place = np.arange(-1, len(given) - 1)[None, :] / max(1, len(given) - 1)
        distance = np.abs(place - np.arange(len(word))[:, None] / len(word))
        return np.argmax(t * (1 - 1e-6 * distance), 1) - 1


def reference_links(pairs, judged):
    """For the first `judged` pairs: the set of (target word, source word) that both directions find."""
    sides = []
    for side in (0, 1):
        numbers = {}
        sides.append([np.array([numbers.setdefault(w, len(numbers) + 1) for w, _, _ in words(p[side])], int) for p in pairs])
    source, target = sides
    forward, backward = Ibm1(source, target), Ibm1(target, source)
    result = []
    for s, t in zip(source[:judged], target[:judged]):
        back = {(int(j), i) for i, j in enumerate(backward.links(t, s))}
        result.append({(j, int(i)) for j, i in enumerate(forward.links(s, t))} & back)
    return result


def shown(pieces):
    """The text that the pieces spell, and the span of each in it."""
    spans, text = [], ""
    for piece in pieces:
        spans.append((len(text), len(text) + len(piece)))
        text += piece.replace("▁", " ")
    return text, spans


def incidence(found, spans):
    """[words, pieces]: 1 where a piece has characters of the word."""
    return np.array([[float(b < end and e > begin) for b, e in spans] for _, begin, end in found])


def word_attention(model, tokenizer, source, target):
    """[layers, heads, target words, source words]; </s> is no word."""
    s, t = tokenizer.encode(source), tokenizer.encode(target, "target")
    cross = model.replay(s, t)["cross"].numpy()
    sides = [shown([tokenizer.pieces[i] for i in ids[:-1]]) for ids in (s, t)]
    over_source, over_target = (incidence(words(text), spans) for text, spans in sides)
    over_target /= over_target.sum(1, keepdims=True)
    return np.einsum("jt,lhts,is->lhji", over_target, cross[:, :, :-1, :-1], over_source)


def agreement(attentions, links, heads):
    """Of the target words with a link, how many have their largest weight, averaged over the heads, on a linked word."""
    right = total = 0
    for attention, pairs in zip(attentions, links):
        best = sum(attention[l, h] for l, h in heads).argmax(1)
        linked = {j for j, _ in pairs}
        right += sum((j, int(best[j])) in pairs for j in linked)
        total += len(linked)
    return right / total


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("pairs_file")
    parser.add_argument("--pairs", type=int, default=150000)
    parser.add_argument("--judged", type=int, default=1000)
    args = parser.parse_args()
    transformer.setup(1)
    model, tokenizer = transformer.Transformer(args.model), transformer.Tokenizer(args.model)
    pairs = read_pairs(args.pairs_file, args.pairs)
    # Words are taken from the text that the pieces spell, so that normalisation does not shift them.
    spell = lambda text, side: shown([tokenizer.pieces[i] for i in tokenizer.encode(text, side)[:-1]])[0]
    step = max(1, len(pairs) // args.judged)
    judged = [p for p in pairs[::step] if "⁇" not in p[0] + p[1]][: args.judged]
    chosen = {tuple(p) for p in judged}
    spelled = [[spell(s, "source"), spell(t, "target")] for s, t in judged]
    links = reference_links(spelled + [p for p in pairs if tuple(p) not in chosen], len(judged))
    attentions = [word_attention(model, tokenizer, s, t) for s, t in judged]

    layers, heads = attentions[0].shape[:2]
    everything = [(l, h) for l in range(layers) for h in range(heads)]
    single = {head: agreement(attentions, links, [head]) for head in everything}
    print(f"{sum(map(len, links))} links in {len(judged)} pairs")
    for head in sorted(everything, key=single.get, reverse=True):
        print(f"layer {head[0]} head {head[1]}: {100 * single[head]:.1f} %")
    for l in range(layers):
        print(f"mean of layer {l}: {100 * agreement(attentions, links, [(l, h) for h in range(heads)]):.1f} %")
    selected, reached = [], 0.0
    while len(selected) < 4:
        scores = {head: agreement(attentions, links, selected + [head]) for head in everything if head not in selected}
        head = max(scores, key=scores.get)
        if scores[head] <= reached:
            break
        selected, reached = selected + [head], scores[head]
        print(f"{[list(h) for h in selected]}: {100 * reached:.1f} %")
    print(f'"alignment_heads": {sorted(list(h) for h in selected)}')


if __name__ == "__main__":
    main()
