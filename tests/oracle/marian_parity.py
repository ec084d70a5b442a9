"""Marian's files at Firefox's sizes: the translations of bergamot, NumPy and `qkv` by models of random weights.

    python3 marian_parity.py QKV VOCAB.spm LEX.bin LINES [kind...]      kinds: tiny, base, base-memory, untied, each with :SEED

Of each model, over the lines: how many of bergamot's translations are NumPy's with bergamot's arithmetic (marian_wasm.py),
and how many of ours are bergamot's. Where ours is another one: the margin, how far the best two logits are apart by the model
in float64, where the two translations first differ; and how far our piece is below the best one there. The largest of each.
Ours may also stop: after a phrase has been repeated for long, where bergamot goes on.
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
import marian_wasm

SHAPES = {
    "tiny": {"d": 256, "ffn": 1536, "heads": 8, "layers": (6, 2), "sharp": 1.0},
    "base": {"d": 512, "ffn": 2048, "heads": 8, "layers": (6, 2), "sharp": 1.0},
    "base-memory": {"d": 384, "ffn": 1536, "heads": 8, "layers": (6, 4), "sharp": 1.0},
    "untied": {"d": 256, "ffn": 1536, "heads": 8, "layers": (6, 2), "sharp": 1.0},
}


def lines_of(command, text=None):
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    return done.stdout.rstrip("\n").split("\n")


def difference(model, source, ours, theirs, candidates):
    """Where the pieces first differ: the margin of the best two, and how far our piece is below the best."""
    at = next(i for i, (a, b) in enumerate(zip([*ours, 0], [*theirs, 0])) if a != b)
    row = model.decode(model.encode(source, []), [*ours[:at], 0], [], [])[-1:]
    logits = model.product(row, model.table(), "decoder_ff_logit_out_b", candidates)[0]
    logits[np.equal(candidates, 1)] = -np.inf
    best, second = -np.partition(-logits, 1)[:2]
    return np.array([best - second, best - logits[candidates.index([*ours, 0][at])]])


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
    wasm = marian_wasm.Wasm(model)
    exact, equal, stopped, largest = 0, 0, 0, np.zeros(2)
    for text, our, their, ids in zip(texts, ours, theirs, our_ids):
        source = vocabulary.encode(text) + [0]
        candidates = shortlist.candidates(source, kind != "untied")
        written = wasm.translate(source, candidates)
        exact += vocabulary.decode(written) == their
        equal += our == their
        if ids == written[: len(ids)]:
            stopped += len(ids) < len(written)
        else:
            largest = np.maximum(largest, difference(model, source, ids, written, candidates))
    counts = f"lines {len(texts)}  bergamot as NumPy {exact}  ours as bergamot {equal}  stopped {stopped}"
    print(f"{kind}:{seed}  {counts}  margin {largest[0]:.3f}  below {largest[1]:.3f}", flush=True)


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
