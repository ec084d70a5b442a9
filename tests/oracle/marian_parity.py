"""Marian's files at the sizes that Firefox has: what bergamot, NumPy and `qkv` make of models of random weights.

    python3 marian_parity.py QKV VOCAB.spm LEX.bin LINES [kind...]      kinds: tiny, base, base-memory, untied, each with :SEED

Of each model, over the lines: how many of bergamot's translations are NumPy's with bergamot's arithmetic, how many of ours
are bergamot's; and where ours are others, how far our piece is below the best one by the float model, at the first place.
"""

import gzip
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import sentencepiece

import marian

SHAPES = {
    "tiny": {"d": 256, "ffn": 1536, "heads": 8, "layers": (6, 2), "sharp": 1.0},
    "base": {"d": 512, "ffn": 2048, "heads": 8, "layers": (6, 2), "sharp": 1.0},
    "base-memory": {"d": 384, "ffn": 1536, "heads": 8, "layers": (6, 4), "sharp": 1.0},
    "untied": {"d": 256, "ffn": 1536, "heads": 8, "layers": (6, 2), "sharp": 1.0},
}


def lines_of(command, text=None):
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    return done.stdout.rstrip("\n").split("\n")


def distance(model, source, ours, theirs, candidates):
    """How far the piece that we wrote first otherwise is below the best one."""
    at = next(i for i, (a, b) in enumerate(zip([*ours, 0], [*theirs, 0])) if a != b)
    row = model.decode(model.encode(source, []), [*ours[:at], 0], [], [])[-1:]
    logits = model.product(row, model.table(), "decoder_ff_logit_out_b", candidates)[0]
    return float(logits.max() - logits[candidates.index(([*ours, 0])[at])])


def compare(kind, seed, qkv, vocabulary, lex, lines):
    pieces = vocabulary.get_piece_size()
    model = marian.Model(seed, **SHAPES[kind], pieces=(pieces, pieces) if kind == "untied" else pieces)
    shortlist = marian.Shortlist(lex)
    texts = pathlib.Path(lines).read_text().splitlines()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        model.write(folder / "model.xxyy.bin")
        (folder / "lex.xxyy.bin").write_bytes(lex)
        spm = vocabulary.serialized_model_proto()
        names = ["srcvocab.xxyy.spm", "trgvocab.xxyy.spm"] if kind == "untied" else ["vocab.xxyy.spm"]
        for each in names:
            (folder / each).write_bytes(spm)
        oracle = pathlib.Path(__file__).with_name("bergamot.mjs")
        files = [folder / "model.xxyy.bin", folder / "lex.xxyy.bin", lines, *(folder / each for each in names)]
        theirs = lines_of(["node", oracle, *files])
        trace = ["--trace", folder / "trace.json"]
        ours = lines_of([qkv, "translate", "--model", folder, *trace], "\n".join(texts) + "\n")
        our_ids = [json.loads(line)["target"]["ids"][:-1] for line in (folder / "trace.json").open()]
    model.as_bergamot = True
    ids = [vocabulary.encode(text) + [0] for text in texts]
    lists = [shortlist.candidates(source, kind != "untied") for source in ids]
    numpy = [model.translate(source, some) for source, some in zip(ids, lists)]
    model.as_bergamot = False
    exact = sum(vocabulary.decode(written) == text for (written, _), text in zip(numpy, theirs))
    equal, furthest = 0, 0.0
    for source, some, our, (written, _), text, their in zip(ids, lists, our_ids, numpy, ours, theirs):
        equal += text == their
        if text != their and our != written:
            furthest = max(furthest, distance(model, source, our, written, some))
    print(f"{kind}:{seed}  lines {len(texts)}  bergamot as NumPy {exact}  ours as bergamot {equal}  furthest {furthest:.3f}", flush=True)


def main():
    qkv, spm, lex, lines, *kinds = sys.argv[1:]
    vocabulary = sentencepiece.SentencePieceProcessor(model_file=spm)
    data = pathlib.Path(lex).read_bytes()
    data = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    for kind in kinds or [f"{kind}:1" for kind in SHAPES]:
        name, _, seed = kind.partition(":")
        compare(name, int(seed or 1), qkv, vocabulary, data, lines)


if __name__ == "__main__":
    main()
