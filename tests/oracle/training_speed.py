"""The speed of `qkv train` and of PyTorch eager, in float32, on the same pairs: tokens of both sides per second.

    python3 training_speed.py QKV PAIRS.tsv[.gz] VOCABULARY [--threads 2] [--rounds 3] [--steps 40]

QKV is the native command, VOCABULARY a folder with source.spm and vocab.json. Both train the preset `small` (4 + 2 layers,
width 256, inner width 1,024, 8 heads, dropout 0.1 everywhere) with Adam, label smoothing and clipping, in turns; PyTorch by
its own nn.Transformer on batches padded to their longest sentence, of as many real tokens as qkv's. Padding is not counted.
"""

import argparse
import gzip
import json
import math
import pathlib
import random
import statistics
import subprocess
import tempfile
import time

import sentencepiece
import torch

D, HEADS, FFN, ENCODER, DECODER, DROPOUT, SMOOTHING = 256, 8, 1024, 4, 2, 0.1, 0.1
BATCH = 4096


class Model(torch.nn.Module):
    """nn.Transformer, post-norm, with tied embeddings."""

    def __init__(self, vocabulary, pad):
        super().__init__()
        self.pad = pad
        self.table = torch.nn.Embedding(vocabulary, D, padding_idx=pad)
        torch.nn.init.normal_(self.table.weight, std=D**-0.5)
        self.body = torch.nn.Transformer(D, HEADS, ENCODER, DECODER, FFN, DROPOUT, batch_first=True)
        self.dropout = torch.nn.Dropout(DROPOUT)
        angle = torch.arange(512)[:, None] * torch.pow(10000.0, -2 * torch.arange(D // 2) / D)
        self.register_buffer("positions", torch.cat([angle.sin(), angle.cos()], 1))

    def embed(self, ids):
        return self.dropout(self.table(ids) * math.sqrt(D) + self.positions[: ids.shape[1]])

    def forward(self, source, target):
        hidden = source == self.pad
        causal = torch.nn.Transformer.generate_square_subsequent_mask(target.shape[1])
        y = self.body(
            self.embed(source),
            self.embed(target),
            tgt_mask=causal,
            src_key_padding_mask=hidden,
            memory_key_padding_mask=hidden,
        )
        return y @ self.table.weight.T


def read_pairs(path, vocabulary, most=40000):
    opened = gzip.open(path, "rt", encoding="utf8") if path.endswith(".gz") else open(path, encoding="utf8")
    with opened as file:
        lines = [line.rstrip("\n").split("\t")[:2] for _, line in zip(range(most), file)]
    pieces = sentencepiece.SentencePieceProcessor(model_file=str(vocabulary / "source.spm"))
    ids = json.loads((vocabulary / "vocab.json").read_text())
    rows = lambda text: [ids.get(p, ids["<unk>"]) for p in pieces.encode(text, out_type=str)] + [ids["</s>"]]
    pairs = [(rows(a), rows(b)) for a, b in lines]
    return [p for p in pairs if max(map(len, p)) <= 100], max(ids.values()) + 1, ids["<pad>"]


def batches(pairs):
    """Sorted by length, as qkv's are, about BATCH real tokens each."""
    order = sorted(pairs, key=lambda p: (len(p[1]), len(p[0])))
    batch, size, all_batches = [], 0, []
    for pair in order:
        batch.append(pair)
        size += len(pair[0]) + len(pair[1])
        if size >= BATCH:
            all_batches.append(batch)
            batch, size = [], 0
    random.Random(1).shuffle(all_batches)
    return all_batches


def pad(rows, value):
    longest = max(map(len, rows))
    return torch.tensor([r + [value] * (longest - len(r)) for r in rows])


def pytorch(model, optimiser, work, steps, offset):
    tokens, start = 0, time.perf_counter()
    for i in range(steps):
        batch = work[(offset + i) % len(work)]
        source, target = pad([s for s, _ in batch], model.pad), pad([t for _, t in batch], model.pad)
        read = torch.cat([torch.full((len(batch), 1), model.pad), target[:, :-1]], 1)
        optimiser.zero_grad(set_to_none=True)
        kept = target.view(-1) != model.pad
        logits = model(source, read).view(-1, model.table.num_embeddings)[kept]
        loss = torch.nn.functional.cross_entropy(logits, target.view(-1)[kept], label_smoothing=SMOOTHING)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        tokens += sum(len(s) + len(t) for s, t in batch)
    return tokens / (time.perf_counter() - start)


def qkv(command, pairs, vocabulary, threads, steps):
    with tempfile.TemporaryDirectory() as folder:
        run = {
            "out": "run",
            "vocabulary": str(vocabulary.resolve()),
            "corpora": [{"path": str(pathlib.Path(pairs).resolve()), "held_out": 0.0001}],
            "preset": "small",
            "batch": {"tokens": BATCH, "longest": 100, "joined": [1]},
            "measure": {"pairs": 1},
            "steps": steps + 4,
            "log": {"every": 4},
        }
        file = pathlib.Path(folder) / "run.json"
        file.write_text(json.dumps(run))
        subprocess.run([command, "train", str(file), "--threads", str(threads)], check=True, capture_output=True)
        log = [json.loads(line) for line in (pathlib.Path(folder) / "run" / "log.jsonl").read_text().splitlines()]
        seen = [entry for entry in log if entry["kind"] == "step"]
        first, last = seen[0], seen[-1]  # what comes before the first is warming up
        return (last["tokens"] - first["tokens"]) / (last["seconds"] - first["seconds"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("qkv")
    parser.add_argument("pairs")
    parser.add_argument("vocabulary", type=pathlib.Path)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=40)
    args = parser.parse_args()
    torch.manual_seed(1)
    torch.set_num_threads(args.threads)
    torch.set_flush_denormal(True)
    pairs, rows, start = read_pairs(args.pairs, args.vocabulary)
    work = batches(pairs)
    model = Model(rows, start)
    optimiser = torch.optim.Adam(model.parameters(), lr=1e-4, betas=(0.9, 0.98), eps=1e-9)
    pytorch(model, optimiser, work, 2, 0)
    ours, theirs = [], []
    for i in range(args.rounds):
        ours.append(qkv(args.qkv, args.pairs, args.vocabulary, args.threads, args.steps))
        theirs.append(pytorch(model, optimiser, work, args.steps, 2 + i * args.steps))
        print(f"round {i + 1}: qkv {ours[-1]:.0f}, PyTorch {theirs[-1]:.0f} tokens a second", flush=True)
    ratio = statistics.median(ours) / statistics.median(theirs)
    print(f"medians: qkv {statistics.median(ours):.0f}, PyTorch {statistics.median(theirs):.0f}: {ratio:.2f} times as fast")


if __name__ == "__main__":
    main()
