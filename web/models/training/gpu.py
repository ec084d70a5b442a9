"""Trains a model of `qkv train` further on a GPU, in PyTorch. It takes the same config and the same model folders.

    python3 gpu.py run.json [--minutes 2]

web/docs/training.md explains the fields. A field that this script does not know is an error. These things differ from `qkv train`:

- There is no dropout. The model must be post-norm, with ReLU, in MarianMT's layout.
- The schedule must be `cosine`.
- In an epoch, a pair of a corpus with weight 1.5 is read once or twice, each with probability 0.5.
- On a GPU a pass computes with a copy of the weights in bfloat16, and its activations are in bfloat16 too. Adam updates floats.
- With `"weights": "int4"`, the multiplier of each group is chosen again only every twenty updates.
- With --minutes, training ends after this time, the rate depends on the time, and `steps` is ignored.

If the config has `dev`, each report has its loss: nats a piece, without label smoothing.

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
WORKING = torch.bfloat16 if DEVICE == "cuda" else torch.float32
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

    def loss(self, source, target, smoothing):
        """The mean cross-entropy of the pieces of `target`, in nats (Szegedy et al. 2016 for the smoothing)."""
        logits = self(source, target).float().flatten(0, 1)
        return F.cross_entropy(logits, target.flatten(), ignore_index=self.pad, label_smoothing=smoothing)


class Int4:
    """Rounds matrices to the nearest weights of 4 bits, as `qkv quantize --bits 4` does (web/docs/int4.md).
    A group is 32 inputs of a row. Its multiplier is one byte. The groups of all matrices are one tensor, [groups, 32]."""

    def __init__(self, matrices):
        self.matrices, self.passes = matrices, 0

    @torch.no_grad()
    def rounded(self):
        """The rounded matrices. Every twentieth call chooses the multipliers again."""
        scales = [w.abs().amax(1, keepdim=True) / 127 for w in self.matrices]
        scaled = torch.cat([(w / s.clamp(min=1e-30)).view(-1, 32) for w, s in zip(self.matrices, scales)])
        if self.passes % 20 == 0:
            self.bytes = self.choose(scaled)
        self.passes += 1
        parts = self.round(scaled, self.bytes).split([w.numel() // 32 for w in self.matrices])
        return [part.reshape(w.shape) * s for w, s, part in zip(self.matrices, scales, parts)]

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


class Weights:
    """Two copies of the weights: floats, which Adam updates, and those of `model`, which a pass computes with.
    The model's are rounded to the type WORKING, with `int4` to 4 bits before that."""

    def __init__(self, model, int4):
        self.working = dict(model.named_parameters())
        self.floats = {name: w.detach().float().clone() for name, w in self.working.items()}
        for w in self.floats.values():
            w.grad = torch.zeros_like(w)
        model.to(WORKING)
        self.matrices = [name for name, w in self.floats.items() if w.dim() == 2]
        self.int4 = Int4([self.floats[name] for name in self.matrices]) if int4 else None
        self.to_model()

    @torch.no_grad()
    def to_model(self):
        rounded = dict(zip(self.matrices, self.int4.rounded())) if self.int4 else {}
        for name, w in self.floats.items():
            self.working[name].copy_(rounded.get(name, w))

    @torch.no_grad()
    def take_gradients(self):
        for name, w in self.floats.items():
            w.grad.copy_(self.working[name].grad)
            self.working[name].grad = None


class Lines:
    """Lists of pieces as one array. Line i is pieces[ends[i] - sizes[i] : ends[i]]."""

    def __init__(self, pieces, sizes):
        self.pieces, self.sizes, self.ends = pieces, sizes, sizes.cumsum()

    @classmethod
    def of(cls, lists):
        return cls(np.fromiter(itertools.chain.from_iterable(lists), np.int32), np.array([len(x) for x in lists], np.int64))

    def take(self, which):
        """These lines, in this order."""
        sizes = self.sizes[which]
        skipped = (self.ends[which] - sizes.cumsum()).repeat(sizes)
        return Lines(self.pieces[skipped + np.arange(len(skipped))], sizes)

    def joined(self, firsts):
        """Each line with those after it, up to the next of `firsts`, as one line."""
        return Lines(self.pieces, np.add.reduceat(self.sizes, firsts))

    def padded(self, which, pad):
        """[B, T] on the device: the pieces of these lines, </s>, and `pad`. T is a multiple of 8: matrix units are faster with such sizes."""
        sizes = self.sizes[which][:, None]
        place = np.arange((sizes.max() + 8) // 8 * 8)
        pieces = self.pieces[np.minimum(self.ends[which][:, None] - sizes + place, len(self.pieces) - 1)]
        x = np.where(place < sizes, pieces, np.where(place == sizes, EOS, pad)).astype(np.int64)
        return torch.from_numpy(x).to(DEVICE, non_blocking=True)


def read_lines(path, tokenizer):
    """The sources and the targets of a file of pairs."""
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf8") as file:
        rows = [line.rstrip("\n").split("\t")[:2] for line in file]
    return [tokenizer.encode([row[side] for row in rows], num_threads=8) for side in (0, 1)]


def read_pairs(config, tokenizer):
    """The sources and the targets of all corpora, and how often an epoch reads each pair, on average."""
    sides, times, longest = ([], []), [], config["batch"].get("longest", 256) - 1
    for corpus in config["corpora"]:
        for s, t in zip(*read_lines(corpus["path"], tokenizer)):
            if 0 < len(s) <= longest and 0 < len(t) <= longest and UNK not in t:
                sides[0].append(s)
                sides[1].append(t)
                times.append(corpus.get("weight", 1))
    if not times:
        sys.exit("gpu.py found no pair that it can train on")
    return Lines.of(sides[0]), Lines.of(sides[1]), np.array(times)


def batches(pairs, config, pad, seed):
    """The batches of one epoch, in random order: (source, target, pieces), as `padded` gives them."""
    draw, (sources, targets, times) = np.random.default_rng(seed), pairs
    # Draw the pairs, in random order.
    order = np.repeat(np.arange(len(times)), (times + draw.random(len(times))).astype(int))
    draw.shuffle(order)
    sources, targets = sources.take(order), targets.take(order)
    # Join some pairs to one line, as batch.joined says. If the line would be too long, keep the pairs apart.
    odds, longest = config["batch"].get("joined", [1]), config["batch"].get("longest", 256)
    counts = draw.choice(len(odds), len(order), p=np.array(odds) / sum(odds)) + 1
    firsts = np.append(0, counts.cumsum())
    firsts = firsts[firsts < len(order)]
    sizes = np.maximum(sources.joined(firsts).sizes, targets.joined(firsts).sizes)
    is_first = sizes.repeat(np.diff(np.append(firsts, len(order)))) >= longest
    is_first[firsts] = True
    sources, targets = (side.joined(is_first.nonzero()[0]) for side in (sources, targets))
    # Sort the lines by length. Fill each batch until its padded pieces, of both sides, reach the limit.
    order = np.lexsort((targets.sizes, sources.sizes))
    room, first, spans = config["batch"]["tokens"] * config["batch"].get("accumulate", 1), 0, []
    sizes = np.stack([sources.sizes[order], targets.sizes[order]]) + 1
    while first < len(order):
        widths = np.maximum.accumulate(sizes[:, first : first + room], 1).sum(0)
        end = first + max(1, int((widths * np.arange(1, len(widths) + 1) <= room).sum()))
        spans.append(order[first:end])
        first = end
    draw.shuffle(spans)
    for which in spans:
        yield sources.padded(which, pad), targets.padded(which, pad), int((targets.sizes[which] + 1).sum())


@torch.no_grad()
def loss_of(model, sources, targets):
    """The mean loss of all pieces of `targets`."""
    total, count, order = 0.0, 0, np.argsort(sources.sizes)
    for which in np.array_split(order, max(1, len(order) // 200)):
        pieces = int((targets.sizes[which] + 1).sum())
        total += float(model.loss(sources.padded(which, model.pad), targets.padded(which, model.pad), 0)) * pieces
        count += pieces
    return total / count


def train(model, config, supply, dev, minutes):
    """Trains with Adam. Returns {name: weight}: the mean of the last steps if `average` asks for it, else the last weights."""
    schedule, optimiser, average = config["schedule"], config.get("optimiser", {}), config.get("average", {})
    weights = Weights(model, config.get("weights") == "int4")
    floats = weights.floats
    adam = torch.optim.AdamW(floats.values(), betas=(optimiser.get("beta1", 0.9), optimiser.get("beta2", 0.98)), eps=1e-9,
                             weight_decay=optimiser.get("decay", 0))
    begun, mean, means, total, pieces, reported = time.time(), {}, 0, 0.0, 0, time.time()
    for step, (source, target, count) in enumerate(supply, 1):
        # Set the learning rate, by steps or by time.
        done = (time.time() - begun) / (60 * minutes) if minutes else (step - 1) / config["steps"]
        if done >= 1:
            break
        floor = schedule.get("floor", 0.02)
        cosine = floor + (1 - floor) * (1 + math.cos(math.pi * done)) / 2
        for group in adam.param_groups:
            group["lr"] = schedule["peak"] * min(1, step / schedule.get("warmup", 1000)) * cosine
        # Compute the loss and its gradient, and update the weights.
        loss = model.loss(source, target, optimiser.get("smoothing", 0.1))
        loss.backward()
        weights.take_gradients()
        floats["shared.weight"].grad[model.pad] = 0
        torch.nn.utils.clip_grad_norm_(floats.values(), optimiser.get("clip", 1) or math.inf)
        adam.step()
        weights.to_model()
        # Add the weights to the mean, and report the loss.
        total, pieces = total + loss.detach() * count, pieces + count
        if average.get("from", 0) and done > average["from"] and step % average.get("every", 10) == 0:
            means += 1
            mean = {name: mean[name].lerp_(w, 1 / means) if mean else w.clone() for name, w in floats.items()}
        if time.time() - reported > 20:
            measured = f", dev {loss_of(model, *dev):.3f}" if dev else ""
            print(f"step {step}, {100 * done:.0f} %, loss {float(total) / pieces:.3f}{measured}, {time.time() - begun:.0f} s", flush=True)
            total, pieces, reported = 0.0, 0, time.time()
    return mean or floats


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
    fields = [(config, name) for name in ("from", "out", "vocabulary", "dev") if name in config]
    for owner, name in fields + [(corpus, "path") for corpus in config["corpora"]]:
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


def short(name):
    """The name of a weight in this module. `name` is its name in the model folder."""
    return re.sub(r"^model\.(encoder|decoder)\.layers\.", r"\1.", name).replace("model.shared", "shared")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("config", type=pathlib.Path)
    parser.add_argument("--minutes", type=float)
    options = parser.parse_args()
    config = read_config(options.config)
    start = pathlib.Path(config["from"])
    model, first = read_model(start)
    model.to(DEVICE)
    tokenizer = sentencepiece.SentencePieceProcessor(model_file=str(pathlib.Path(config["vocabulary"]) / "source.spm"))
    pairs = read_pairs(config, tokenizer)
    dev = [Lines.of(side) for side in read_lines(config["dev"], tokenizer)] if "dev" in config else None
    print(f"{len(pairs[2])} pairs", flush=True)
    seed = 1000 * config.get("seed", 1)
    supply = itertools.chain.from_iterable(batches(pairs, config, model.pad, seed + epoch) for epoch in itertools.count())
    weights = train(model, config, supply, dev, options.minutes)

    arrays = {name: weights[short(name)].cpu().numpy().reshape(w.shape) for name, w in first.items()}
    mix.save(start, arrays, pathlib.Path(config["out"]) / "model")


if __name__ == "__main__":
    main()
