"""Trains a model of `qkv train` further on a GPU, in PyTorch. It takes the same config and the same model folders.

    python3 gpu.py run.json [--minutes 2]

web/docs/training.md explains the fields. A field that this script does not know is an error. These things differ from `qkv train`:

- There is no dropout. The model must be post-norm, with ReLU, in MarianMT's layout.
- The schedule must be `cosine`.
- In an epoch, a pair of a corpus with weight 1.5 is read once or twice, each with probability 0.5.
- PyTorch rounds to bfloat16 in its own way.
- With `"weights": "int4"`, the multiplier of each group is chosen again only every twenty updates.
- With --minutes, training ends after this time, the rate depends on the time, and `steps` is ignored.

Needs torch, sentencepiece and numpy.
"""
import argparse
import gzip
import itertools
import json
import math
import pathlib
import re
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
    torch.backends.cuda.enable_cudnn_sdp(False)  # cuDNN prepares a plan for each new shape, and batches have many shapes

KNOWN = {"precision", "out", "vocabulary", "from", "dev", "preset", "corpora", "batch", "schedule", "average", "optimiser", "weights",
         "steps", "seed", "measure", "checkpoint", "log", "model"}


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
    """Rounds the weights to 4 bits for a pass, as `qkv quantize --bits 4` does (web/docs/int4.md). Adam updates the floats.
    A group is 32 inputs of a row. Its multiplier is one byte. The groups of all matrices are one tensor, [groups, 32]."""

    def __init__(self, model):
        self.matrices = [w for w in model.parameters() if w.dim() == 2]

    @torch.no_grad()
    def set(self, choose):
        """Puts the rounded weights into the model. `choose`: whether to choose the multipliers again."""
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
        """Puts the floats back into the model."""
        for w, floats in zip(self.matrices, self.floats):
            w.copy_(floats)

    @staticmethod
    def round(scaled, byte):
        """The nearest int8 weights that groups with these multipliers m can have: (q m + 4) >> 3 with -8 <= q <= 7."""
        q = (scaled * (8 / byte)).clamp(-8, 7).add(8.5).floor() - 8
        return ((q * byte + 4) / 8).floor().clamp(-127, 127)

    def choose(self, scaled):
        """[groups, 1]: the multiplier with the smallest sum of squared errors."""
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
    """The name of a weight in this module. `name` is its name in the model folder."""
    return re.sub(r"^model\.(encoder|decoder)\.layers\.", r"\1.", name).replace("model.shared", "shared")


def read_pairs(config, tokenizer):
    """[(source, target)] as pieces without </s>, and how often an epoch reads each pair, on average."""
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
    """The batches of one epoch, in random order. A batch is a list of (source, target), with </s>, of similar lengths."""
    draw = np.random.default_rng(seed)
    # Draw the pairs, in random order.
    order = np.repeat(np.arange(len(pairs)), (times + draw.random(len(times))).astype(int))
    draw.shuffle(order)
    # Join some pairs to one line, as batch.joined says. If the line would be too long, keep the pairs apart.
    odds, longest = config["batch"].get("joined", [1]), config["batch"].get("longest", 256)
    counts, at, lines = draw.choice(len(odds), len(order), p=np.array(odds) / sum(odds)) + 1, 0, []
    for count in counts:
        some = [pairs[i] for i in order[at : at + count]]
        at += count
        joined = [tuple(list(itertools.chain.from_iterable(side)) + [EOS] for side in zip(*some))] if some else []
        fits = joined and max(map(len, joined[0])) <= longest
        lines += joined if fits else [(s + [EOS], t + [EOS]) for s, t in some]
    # Sort the lines by length. Fill each batch until its padded pieces, of both sides, reach the limit.
    lines.sort(key=lambda line: (len(line[0]), len(line[1])))
    room, out, first = config["batch"]["tokens"] * config["batch"].get("accumulate", 1), [], 0
    while first < len(lines):
        end, widths = first, (0, 0)
        while end < len(lines):
            widths = tuple(max(width, len(side)) for width, side in zip(widths, lines[end]))
            if end > first and sum(widths) * (end - first + 1) > room:
                break
            end += 1
        out.append(lines[first:end])
        first = end
    draw.shuffle(out)
    return out


def padded(rows, pad):
    """[B, T]: the rows, filled with `pad`. T is a multiple of 8, because matrix units are faster with such sizes."""
    width = (max(map(len, rows)) + 7) // 8 * 8
    x = np.full((len(rows), width), pad)
    for i, row in enumerate(rows):
        x[i, : len(row)] = row
    return torch.from_numpy(x).to(DEVICE, non_blocking=True)


def train(model, config, supply, minutes):
    """Trains with Adam. Returns {name: weight}: the mean of the last steps if `average` asks for it, else the last weights."""
    schedule, optimiser, average = config["schedule"], config.get("optimiser", {}), config.get("average", {})
    weights = dict(model.named_parameters())
    adam = torch.optim.AdamW(weights.values(), betas=(optimiser.get("beta1", 0.9), optimiser.get("beta2", 0.98)), eps=1e-9,
                             weight_decay=optimiser.get("decay", 0))
    int4 = Int4(model) if config.get("weights") == "int4" else None
    begun, mean, means, total, pieces = time.time(), {}, 0, 0.0, 0
    for step, batch in enumerate(supply, 1):
        # Set the learning rate, by steps or by time.
        done = (time.time() - begun) / (60 * minutes) if minutes else (step - 1) / config["steps"]
        if done >= 1:
            break
        floor = schedule.get("floor", 0.02)
        cosine = floor + (1 - floor) * (1 + math.cos(math.pi * done)) / 2
        for group in adam.param_groups:
            group["lr"] = schedule["peak"] * min(1, step / schedule.get("warmup", 1000)) * cosine
        # Compute the loss and its gradient, and update the weights.
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
        # Add the weights to the mean, and report the loss.
        count = sum(len(t) for _, t in batch)
        total, pieces = total + loss.detach() * count, pieces + count
        if average.get("from", 0) and done > average["from"] and step % average.get("every", 10) == 0:
            means += 1
            mean = {k: mean[k].lerp_(w.detach(), 1 / means) if mean else w.detach().clone() for k, w in weights.items()}
        if step % 50 == 0:
            print(f"step {step}, {100 * done:.0f} %, loss {float(total) / pieces:.3f}, {time.time() - begun:.0f} s", flush=True)
            total, pieces = 0.0, 0
    return mean or weights


def read_config(path):
    """The config, with paths relative to its folder. What this script cannot do is an error."""
    config = json.loads(path.read_text())
    unknown = sorted(set(config) - KNOWN)
    if unknown:
        sys.exit(f"{path}: gpu.py does not know {', '.join(unknown)}")
    if config["schedule"].get("kind") != "cosine":
        sys.exit(f"{path}: gpu.py needs \"kind\": \"cosine\" in \"schedule\"")
    if any("path" not in corpus for corpus in config["corpora"]):
        sys.exit(f"{path}: gpu.py needs a \"path\" in each of the corpora")
    for owner, name in [(config, "from"), (config, "out"), (config, "vocabulary"), *((corpus, "path") for corpus in config["corpora"])]:
        owner[name] = str(path.parent / owner[name])
    return config


def read_model(folder):
    """The model, and {name in the folder: array}. What this script cannot train is an error."""
    config = json.loads((folder / "config.json").read_text())
    if config.get("normalize_before") or config["activation_function"] != "relu" or not config.get("scale_embedding"):
        sys.exit(f"{folder}: gpu.py trains only post-norm models with ReLU and scaled embeddings")
    model, tensors = Transformer(config), mix.read(folder)
    shapes = {name: w.shape for name, w in model.state_dict().items()}
    model.load_state_dict({short(name): torch.from_numpy(w.reshape(shapes[short(name)])) for name, w in tensors.items()})
    return model, tensors


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("config", type=pathlib.Path)
    parser.add_argument("--minutes", type=float)
    options = parser.parse_args()
    config = read_config(options.config)
    start = pathlib.Path(config["from"])
    model, first = read_model(start)
    tokenizer = sentencepiece.SentencePieceProcessor(model_file=str(pathlib.Path(config["vocabulary"]) / "source.spm"))
    pairs, times = read_pairs(config, tokenizer)
    print(f"{len(pairs)} pairs", flush=True)
    seed = 1000 * config.get("seed", 1)
    supply = itertools.chain.from_iterable(batches(pairs, times, config, seed + epoch) for epoch in itertools.count())
    weights = train(model.to(DEVICE), config, supply, options.minutes)

    arrays = {name: weights[short(name)].detach().float().cpu().numpy().reshape(w.shape) for name, w in first.items()}
    mix.save(start, arrays, pathlib.Path(config["out"]) / "model")


if __name__ == "__main__":
    main()
