"""Compares our translations with those of PyTorch in float32. PyTorch's greedy and beam outputs on a file of sentences, and a comparison.

    python3 parity.py make MODEL PAIRS.tsv OUT.jsonl [--beam K]      the first column is translated, the second referred to
    python3 parity.py compare OUT.jsonl OURS.txt                     one line a sentence: text, or ids with spaces

Sentences may differ where rounding decides: where PyTorch's margin was under 1e-4 at the first step that differs
(greedy, and ids given) or at any step. compare says how many differ, and how many of those have no such excuse.
"""

import argparse
import json
import math
import re
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
            record |= {"beam": args.beam, "truncated": found.truncated, "margins": [float(f"{m:.3g}") for m in found.margins]}
            out.write(json.dumps(record, ensure_ascii=False) + "\n")
    print(f"beam {args.beam}, {len(pairs)} sentences, {time.time() - begin:.0f} s")
    print(bleu.report(texts, [pair[1] for pair in pairs]))


def margin(record, line):
    """The margin of the first decision in which the two may differ."""
    is_ids = re.fullmatch(r"\d+( \d+)*", line)
    if not is_ids or record["beam"] > 1:
        return min(record["margins"])
    pairs = zip(map(int, line.split()), record["ids"])
    step = next((i for i, (ours, theirs) in enumerate(pairs) if ours != theirs), len(record["margins"]))
    return record["margins"][step] if step < len(record["margins"]) else math.inf


def compare(args):
    records = [json.loads(line) for line in open(args.theirs, encoding="utf-8")]
    ours = open(args.ours, encoding="utf-8").read().split("\n")[: len(records)]
    assert len(ours) == len(records), f"{len(ours)} lines for {len(records)} sentences"
    unexcused = differing = 0
    for number, (record, line) in enumerate(zip(records, ours), 1):
        if line in (record["text"], " ".join(map(str, record["ids"]))):
            continue
        excuse = margin(record, line)
        differing += 1
        unexcused += excuse >= EXCUSE
        print(f"{number}\tmargin {excuse:.3g}\n  PyTorch {record['text']}\n  ours    {line}")
    print(f"{len(records)} sentences, {differing} differ, {unexcused} of them with a margin of {EXCUSE} or more")
    return unexcused


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
