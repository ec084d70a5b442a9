"""Gradients and first losses of the small models of tests/goldens/models by PyTorch's autograd in float64.

    python3 make_gradient_goldens.py tests/goldens

Writes gradients/MODEL.safetensors: d loss / d weight under the weight's name, in F32; and gradients/MODEL.json: the batch,
the loss, the first ten losses of Adam (eps 1e-6) on that batch, over and over, and the mean and the standard deviation of
the loss under dropout, of each kind alone and of all three.
"""

import json
import pathlib
import struct
import sys

import torch

from transformer import Transformer

SMOOTHING = 0.1
RATE = 1e-3
DROPOUT, DRAWS = 0.3, 4000
MODELS = ("tiny-f32", "tiny-f16", "tiny-bf16")
KINDS = ("dropout", "attention_dropout", "activation_dropout")


def batch(model, seed):
    """Pairs of id sequences with </s> at the end of each side. Lengths differ; one pair has a single piece."""
    generator = torch.Generator().manual_seed(seed)
    pieces = model.config["vocab_size"] - 1  # the last row is the start piece's
    draw = lambda n: torch.randint(1, pieces, (n,), generator=generator).tolist() + [model.eos]
    return [(draw(s), draw(t)) for s, t in [(5, 7), (0, 3), (9, 4), (3, 0)]]


def loss(model, pairs):
    """Mean over target pieces of the cross-entropy with label smoothing (Szegedy et al. 2016)."""
    total, count = 0, 0
    for source, target in pairs:
        logits = forced(model, source, [model.start] + target[:-1])
        total = total + torch.nn.functional.cross_entropy(
            logits, torch.tensor(target), label_smoothing=SMOOTHING, reduction="sum"
        )
        count += len(target)
    return total / count


def forced(model, source, read):
    memory, _ = model.encode(source)
    return model.logits(model.decode(read, memory)[0])


def parameters(model):
    named = dict(model.weights)
    named.update({k: m.w for k, m in model.matrices.items()})
    return named


def write_safetensors(path, tensors):
    header, data, offset = {}, b"", 0
    for name, t in tensors.items():
        raw = t.to(torch.float32).contiguous().numpy().tobytes()
        header[name] = {"dtype": "F32", "shape": list(t.shape), "data_offsets": [offset, offset + len(raw)]}
        data += raw
        offset += len(raw)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def first_losses(model, pairs, steps=10):
    named = parameters(model)
    optimiser = torch.optim.Adam(named.values(), lr=RATE, betas=(0.9, 0.98), eps=1e-6)
    losses = []
    for _ in range(steps):
        optimiser.zero_grad()
        value = loss(model, pairs)
        value.backward()
        optimiser.step()
        losses.append(float(value.detach()))
    return losses


@torch.no_grad()
def losses_under_dropout(model, pairs):
    torch.manual_seed(1)
    found = []
    for kinds in [*[(kind,) for kind in KINDS], KINDS]:
        model.dropout = {kind: DROPOUT for kind in kinds}
        drawn = torch.stack([loss(model, pairs) for _ in range(DRAWS)])
        found.append({"of": kinds, "rate": DROPOUT, "draws": DRAWS, "mean": float(drawn.mean()), "deviation": float(drawn.std())})
    model.dropout = {}
    return found


def main(folder):
    to = pathlib.Path(folder) / "gradients"
    for name in MODELS:
        path = pathlib.Path(folder) / "models" / name
        model = Transformer(path, torch.float64)
        for t in parameters(model).values():
            t.requires_grad_()
        pairs = batch(model, seed=len(name))
        under_dropout = losses_under_dropout(model, pairs)
        value = loss(model, pairs)
        value.backward()
        gradients = {k: t.grad if t.grad is not None else torch.zeros_like(t) for k, t in parameters(model).items()}
        write_safetensors(to / f"{name}.safetensors", gradients)
        golden = {
            "pairs": pairs,
            "smoothing": SMOOTHING,
            "loss": float(value.detach()),
            "rate": RATE,
            "losses": first_losses(model, pairs),
            "dropout": under_dropout,
        }
        (to / f"{name}.json").write_text(json.dumps(golden) + "\n")
        print(name, golden["loss"], golden["losses"][-1])


if __name__ == "__main__":
    main(sys.argv[1])
