"""Trains a Transformer of `qkv train` further on a GPU, in PyTorch: the same config, the same folders of models.

    python3 gpu.py run.json [--minutes 2]

It reads `from`, `vocabulary`, `corpora`, `batch`, `schedule`, `average`, `optimiser`, `weights`, `steps`, `seed` and `out`, with the
meaning that web/docs/training.md gives them. Differences: no dropout; a corpus of weight 1.5 is read once, and half of it twice, in an
epoch; products are of bfloat16 by PyTorch's own rules; with weights of 4 bits, the byte of a group is chosen once in twenty updates.
With --minutes the rate falls by time, and `steps` does not count.
Needs torch, sentencepiece and numpy.
"""
import argparse
import gzip
import itertools
import json
import math
import pathlib
import re
import shutil
import sys
import time

import numpy as np
import sentencepiece
import torch
import torch.nn.functional as F
from torch import nn

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "en-fr/training"))
import mix

EOS, UNK = 0, 1
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
if DEVICE == "cuda":
    torch.backends.cuda.enable_cudnn_sdp(False)  # it makes a plan for each new shape: half a second a step


class Attention(nn.Module):
    """softmax(q k' / sqrt(d / H)) v (Vaswani et al. 2017). x is [B, T, d], `memory` [B, S, d]; `mask` is true where a key may be seen."""

    def __init__(self, d, heads):
        super().__init__()
        self.heads = heads
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (nn.Linear(d, d) for _ in range(4))

    def forward(self, x, memory, mask):
        split = lambda y: y.view(*y.shape[:2], self.heads, -1).transpose(1, 2)
        q, k, v = split(self.q_proj(x)), split(self.k_proj(memory)), split(self.v_proj(memory))
        if hasattr(F, "scaled_dot_product_attention"):
            y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        else:  # PyTorch 1
            scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
            y = scores.masked_fill(~mask, -math.inf).softmax(-1) @ v
        return self.out_proj(y.transpose(1, 2).reshape(x.shape))


class Layer(nn.Module):
    """A layer of the encoder, or with `cross` of the decoder: post-norm, ReLU."""

    def __init__(self, d, inner, heads, cross):
        super().__init__()
        self.self_attn, self.self_attn_layer_norm = Attention(d, heads), nn.LayerNorm(d)
        if cross:
            self.encoder_attn, self.encoder_attn_layer_norm = Attention(d, heads), nn.LayerNorm(d)
        self.fc1, self.fc2, self.final_layer_norm = nn.Linear(d, inner), nn.Linear(inner, d), nn.LayerNorm(d)

    def forward(self, x, mask, memory=None, seen=None):
        x = self.self_attn_layer_norm(x + self.self_attn(x, x, mask))
        if memory is not None:
            x = self.encoder_attn_layer_norm(x + self.encoder_attn(x, memory, seen))
        return self.final_layer_norm(x + self.fc2(F.relu(self.fc1(x))))


class Transformer(nn.Module):
    """MarianMT's layout, with its names of weights. The row `pad` of the embedding is zero: decoding starts from it."""

    def __init__(self, config):
        super().__init__()
        self.d, self.pad = config["d_model"], config["pad_token_id"]
        layers = lambda side, cross: nn.ModuleList(
            Layer(self.d, config[f"{side}_ffn_dim"], config[f"{side}_attention_heads"], cross) for _ in range(config[f"{side}_layers"]))
        self.shared = nn.Embedding(config["vocab_size"], self.d)
        self.encoder, self.decoder = layers("encoder", False), layers("decoder", True)
        self.final_logits_bias = nn.Parameter(torch.zeros(config["vocab_size"]))
        angle = torch.arange(config["max_position_embeddings"])[:, None] * 10000.0 ** (-2 * torch.arange(self.d // 2) / self.d)
        self.register_buffer("positions", torch.cat([angle.sin(), angle.cos()], 1), persistent=False)

    def embed(self, ids):
        return self.shared(ids) * math.sqrt(self.d) + self.positions[: ids.shape[1]]

    def forward(self, source, target):
        """Logits [B, T, rows] of each piece of `target` [B, T]; the decoder reads `pad` and the pieces before."""
        seen = (source != self.pad)[:, None, None]
        memory, x = self.embed(source), self.embed(F.pad(target[:, :-1], (1, 0), value=self.pad))
        for layer in self.encoder:
            memory = layer(memory, seen)
        causal = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool, device=x.device).tril()
        for layer in self.decoder:
            x = layer(x, causal, memory, seen)
        return F.linear(x, self.shared.weight, self.final_logits_bias)


class Int4:
    """Weights rounded to 4 bits for a pass, as `qkv quantize --bits 4` rounds them (web/docs/int4.md); updates go to the floats.
    A group is 32 inputs of a row. All groups of all matrices are one tensor, [groups, 32]."""

    def __init__(self, model):
        self.matrices = [w for w in model.parameters() if w.dim() == 2]

    @torch.no_grad()
    def set(self, choose):
        """`choose`: whether the bytes are chosen anew."""
        self.floats = [w.clone() for w in self.matrices]
        scales = [w.abs().amax(1, keepdim=True) / 127 for w in self.matrices]
        scaled = torch.cat([(w / s.clamp(min=1e-30)).view(-1, 32) for w, s in zip(self.matrices, scales)])
        if choose:
            self.bytes = self.choose(scaled)
        parts = self.round(scaled, self.bytes).split([w.numel() // 32 for w in self.matrices])
        for w, s, part in zip(self.matrices, scales, parts):
            w.copy_(part.reshape(w.shape) * s)

    @torch.no_grad()
    def restore(self):
        for w, floats in zip(self.matrices, self.floats):
            w.copy_(floats)

    @staticmethod
    def round(scaled, byte):
        """The nearest weights in int8 that groups with these bytes can have: (q m + 4) >> 3 with -8 <= q <= 7."""
        q = (scaled * (8 / byte)).clamp(-8, 7).add(8.5).floor() - 8
        return ((q * byte + 4) / 8).floor().clamp(-127, 127)

    def choose(self, scaled):
        """[groups, 1]: the byte with the least sum of squared errors."""
        largest = scaled.abs().amax(1, keepdim=True)
        first = (0.75 * largest).floor().clamp(1, 255)
        last = torch.maximum((8 / 6.5 * largest).floor().clamp(max=255), first)
        best, least = first.clone(), torch.full_like(first, math.inf)
        for k in range(int((last - first).max()) + 1):
            byte = torch.minimum(first + k, last)
            error = (scaled - self.round(scaled, byte)).square().sum(1, keepdim=True)
            best, least = torch.where(error < least, byte, best), torch.minimum(error, least)
        return best


def short(name):
    """The name here of a weight of the folder."""
    return re.sub(r"^model\.(encoder|decoder)\.layers\.", r"\1.", name).replace("model.shared", "shared")


def read_pairs(config, tokenizer):
    """[(source, target)] of pieces, </s> included, and how often an epoch reads each."""
    pairs, times = [], []
    for corpus in config["corpora"]:
        with (gzip.open if corpus["path"].endswith(".gz") else open)(corpus["path"], "rt", encoding="utf8") as file:
            rows = [line.rstrip("\n").split("\t")[:2] for line in file]
        sides = [tokenizer.encode([row[side] for row in rows], num_threads=8) for side in (0, 1)]
        longest = config["batch"].get("longest", 256) - 1
        for s, t in zip(*sides):
            if 0 < len(s) <= longest and 0 < len(t) <= longest and UNK not in t:
                pairs.append((s, t))
                times.append(corpus.get("weight", 1))
    return pairs, np.array(times)


def batches(pairs, times, config, seed):
    """The batches of an epoch, in a random order: lists of (source, target), some of them joined pairs, of like lengths."""
    draw = np.random.default_rng(seed)
    # Which pairs, in which order.
    order = np.repeat(np.arange(len(pairs)), (times + draw.random(len(times))).astype(int))
    draw.shuffle(order)
    # Some of them joined; what is too long stays apart.
    odds, longest = config["batch"].get("joined", [1]), config["batch"].get("longest", 256)
    counts, at, lines = draw.choice(len(odds), len(order), p=np.array(odds) / sum(odds)) + 1, 0, []
    for count in counts:
        some = [pairs[i] for i in order[at : at + count]]
        at += count
        joined = [tuple(list(itertools.chain.from_iterable(side)) + [EOS] for side in zip(*some))] if some else []
        fits = joined and max(map(len, joined[0])) <= longest
        lines += joined if fits else [(s + [EOS], t + [EOS]) for s, t in some]
    # Batches of lines of like lengths, as many as there is room for.
    lines.sort(key=lambda line: (len(line[0]), len(line[1])))
    room, out, first = config["batch"]["tokens"] * config["batch"].get("accumulate", 1), [], 0
    while first < len(lines):
        end, widest = first, 0
        while end < len(lines):
            widest = max(widest, len(lines[end][0]) + len(lines[end][1]))
            if end > first and widest * (end - first + 1) > room:
                break
            end += 1
        out.append(lines[first:end])
        first = end
    draw.shuffle(out)
    return out


def padded(rows, pad):
    width = (max(map(len, rows)) + 7) // 8 * 8  # as matrix units like it
    x = np.full((len(rows), width), pad)
    for i, row in enumerate(rows):
        x[i, : len(row)] = row
    return torch.from_numpy(x).to(DEVICE, non_blocking=True)


def train(model, config, supply, minutes):
    """Adam at the rate of `schedule`. Gives the mean of the weights over the last steps, as `average` says, or the last ones."""
    schedule, optimiser, average = config["schedule"], config.get("optimiser", {}), config.get("average", {})
    weights = dict(model.named_parameters())
    adam = torch.optim.AdamW(weights.values(), betas=(optimiser.get("beta1", 0.9), optimiser.get("beta2", 0.98)), eps=1e-9,
                             weight_decay=optimiser.get("decay", 0))
    int4 = Int4(model) if config.get("weights") == "int4" else None
    begun, mean, means, total, pieces = time.time(), {}, 0, 0.0, 0
    for step, batch in enumerate(supply, 1):
        # The rate, by steps or by time.
        done = (time.time() - begun) / (60 * minutes) if minutes else (step - 1) / config["steps"]
        if done >= 1:
            break
        floor = schedule.get("floor", 0.02)
        cosine = floor + (1 - floor) * (1 + math.cos(math.pi * done)) / 2
        for group in adam.param_groups:
            group["lr"] = schedule["peak"] * min(1, step / schedule["warmup"]) * cosine
        # The loss, and a step of Adam.
        source, target = (padded(side, model.pad) for side in zip(*batch))
        if int4:
            int4.set(step % 20 == 1)
        with torch.autocast(DEVICE, torch.bfloat16, enabled=DEVICE == "cuda"):
            logits = model(source, target)
        loss = F.cross_entropy(logits.float().flatten(0, 1), target.flatten(), ignore_index=model.pad,
                               label_smoothing=optimiser.get("smoothing", 0.1))
        adam.zero_grad(set_to_none=True)
        loss.backward()
        if int4:
            int4.restore()
        model.shared.weight.grad[model.pad] = 0
        torch.nn.utils.clip_grad_norm_(weights.values(), optimiser.get("clip", 1) or math.inf)
        adam.step()
        # What is kept and what is reported.
        count = sum(len(t) for _, t in batch)
        total, pieces = total + loss.detach() * count, pieces + count
        if average.get("from", 0) and done > average["from"] and step % average.get("every", 10) == 0:
            means += 1
            mean = {k: mean[k].lerp_(w.detach(), 1 / means) if mean else w.detach().clone() for k, w in weights.items()}
        if step % 50 == 0:
            print(f"step {step}, {100 * done:.0f} %, loss {float(total) / pieces:.3f}, {time.time() - begun:.0f} s", flush=True)
            total, pieces = 0.0, 0
    return mean or weights


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("config", type=pathlib.Path)
    parser.add_argument("--minutes", type=float)
    options = parser.parse_args()
    config = json.loads(options.config.read_text())
    start, out = pathlib.Path(config["from"]), pathlib.Path(config["out"]) / "model"
    torch.manual_seed(config.get("seed", 1))

    model, first = Transformer(json.loads((start / "config.json").read_text())), mix.read(start)
    model.load_state_dict({short(name): torch.from_numpy(w.reshape(model.state_dict()[short(name)].shape)) for name, w in first.items()})
    tokenizer = sentencepiece.SentencePieceProcessor(model_file=str(pathlib.Path(config["vocabulary"]) / "source.spm"))
    pairs, times = read_pairs(config, tokenizer)
    print(f"{len(pairs)} pairs", flush=True)
    supply = itertools.chain.from_iterable(batches(pairs, times, config, config.get("seed", 1) * 1000 + epoch) for epoch in itertools.count())
    weights = train(model.to(DEVICE), config, supply, options.minutes)

    out.mkdir(parents=True, exist_ok=True)
    for name in ("config.json", "generation_config.json", "vocab.json", "source.spm"):
        shutil.copy(start / name, out)
    mix.write(out / "model.safetensors", {name: weights[short(name)].detach().float().cpu().numpy().reshape(w.shape) for name, w in first.items()})


if __name__ == "__main__":
    main()
