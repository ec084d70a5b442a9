"""Gradients and first losses of the small models of tests/goldens/models by PyTorch's autograd in float64.

    python3 make_gradient_goldens.py tests/goldens

Writes gradients/MODEL.safetensors: d loss / d weight under the weight's name, in F32; and gradients/MODEL.json: the batch,
the loss, and the first ten losses of Adam (eps 1e-6) on that batch, over and over.
"""

import json
import pathlib
import struct
import sys

import torch

from transformer import FloatMatrix, Transformer

SMOOTHING = 0.1
RATE = 1e-3


def batch(model, seed):
    """Pairs of id sequences, </s> at the end of each side; lengths differ, a pair of one piece among them."""
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


def main(folder):
    to = pathlib.Path(folder) / "gradients"
    for path in sorted((pathlib.Path(folder) / "models").glob("tiny-*")):
        model = Transformer(path, torch.float64)
        if any(not isinstance(m, FloatMatrix) for m in model.matrices.values()):
            continue
        for t in parameters(model).values():
            t.requires_grad_()
        pairs = batch(model, seed=len(path.name))
        value = loss(model, pairs)
        value.backward()
        gradients = {k: t.grad if t.grad is not None else torch.zeros_like(t) for k, t in parameters(model).items()}
        write_safetensors(to / f"{path.name}.safetensors", gradients)
        golden = {
            "pairs": pairs,
            "smoothing": SMOOTHING,
            "loss": float(value.detach()),
            "rate": RATE,
            "losses": first_losses(model, pairs),
        }
        (to / f"{path.name}.json").write_text(json.dumps(golden) + "\n")
        print(path.name, golden["loss"], golden["losses"][-1])


if __name__ == "__main__":
    main(sys.argv[1])
