"""Do we translate as PyTorch float32 does? PyTorch's greedy and beam outputs on a file of sentences, and a comparison.

    python3 parity.py make MODEL PAIRS.tsv OUT.jsonl [--beam K]      the first column is translated, the second referred to
    python3 parity.py compare OUT.jsonl OURS.txt                     ours: text, one line a sentence

Sentences may differ where rounding decides: where the margin of PyTorch's closest decision was under 1e-4. compare
says how many differ, and how many of those have no such excuse.
"""

import argparse
import json
import time

import bleu
import search
import transformer

EXCUSE = 1e-4


def make(args):
    transformer.setup(1)
    model, tokenizer = transformer.Transformer(args.model), transformer.Tokenizer(args.model)
    pairs = [line.rstrip("\n").split("\t") for line in open(args.pairs, encoding="utf-8")]
    begin, texts = time.time(), []
    with open(args.out, "w", encoding="utf-8") as out:
        for source, reference, *_ in pairs:
            ids = tokenizer.encode(source)
            found = search.greedy(model, ids) if args.beam == 1 else search.beam(model, ids, args.beam)
            texts.append(tokenizer.decode(found.ids))
            record = {"source": source, "source_ids": ids, "ids": found.ids, "text": texts[-1], "score": found.score}
            record |= {"truncated": found.truncated, "margins": [float(f"{m:.3g}") for m in found.margins]}
            out.write(json.dumps(record, ensure_ascii=False) + "\n")
    print(f"beam {args.beam}, {len(pairs)} sentences, {time.time() - begin:.0f} s")
    print(bleu.report(texts, [pair[1] for pair in pairs]))


def first_difference(tokenizer_ids, theirs):
    pairs = zip(tokenizer_ids, theirs)
    return next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(tokenizer_ids), len(theirs)))


def compare(args):
    records = [json.loads(line) for line in open(args.theirs, encoding="utf-8")]
    ours = open(args.ours, encoding="utf-8").read().split("\n")[: len(records)]
    assert len(ours) == len(records), f"{len(ours)} lines for {len(records)} sentences"
    differing = [(i, r, text) for i, (r, text) in enumerate(zip(records, ours)) if r["text"] != text]
    unexcused = [(i, r, text) for i, r, text in differing if min(r["margins"]) >= EXCUSE]
    for i, record, text in differing:
        print(f"{i + 1}\tsmallest margin {min(record['margins']):.3g}\n  PyTorch {record['text']}\n  ours    {text}")
    print(f"{len(records)} sentences, {len(differing)} differ, {len(unexcused)} of them with every margin >= {EXCUSE}")
    return len(unexcused)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("make")
    command.add_argument("model")
    command.add_argument("pairs")
    command.add_argument("out")
    command.add_argument("--beam", type=int, default=1)
    command.set_defaults(run=make)
    command = commands.add_parser("compare")
    command.add_argument("theirs")
    command.add_argument("ours")
    command.set_defaults(run=compare)
    args = parser.parse_args()
    return args.run(args)


if __name__ == "__main__":
    raise SystemExit(1 if main() else 0)
