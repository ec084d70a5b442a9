"""Recurrent encoder-decoders by PyTorch's autograd in float64: logits, attention, the loss and all gradients.

    python3 make_rnn_goldens.py tests/goldens

Writes rnn.json and rnn.bin: float64 arrays, each named with its offset and shape. Weights are numbers that float32
holds. Both sides of a pair end with </s>; row t of what is kept is the step that writes target piece t.
"""

import json
import pathlib
import sys

import torch

from rnn import Rnn, shapes

SMOOTHING = 0.1
BASE = {
    "model_type": "qkv-rnn",
    "vocab_size": 13,
    "d_model": 6,
    "encoder_layers": 1,
    "decoder_layers": 1,
    "max_position_embeddings": 16,
    "eos_token_id": 0,
    "pad_token_id": 12,
}
TWO = {"encoder_layers": 2, "decoder_layers": 2}
CASES = {
    "plain, every step, from </s>": {**TWO, "variant": "plain", "reverse_source": True, "decoder_start_token_id": 0},
    "plain, first state": {
        "variant": "plain",
        "cell": "gru",
        "context": "first",
        "d_embedding": 5,
        "scale_embedding": True,
        "tie_word_embeddings": False,
        "share_encoder_decoder_embeddings": False,
    },
    "bahdanau": {"variant": "bahdanau", "cell": "gru", "output_context": True},
    "bahdanau, LSTM, general, local-p": {
        "variant": "bahdanau",
        "cell": "lstm",
        "score": "general",
        "window": "local-p",
        "half_width": 2,
        "d_embedding": 4,
        "tie_word_embeddings": False,
        "output_context": True,
    },
    "textbook": {**TWO, "variant": "textbook", "cell": "gru"},
    "textbook, uneven": {"decoder_layers": 3, "variant": "textbook", "cell": "lstm", "score": "dot"},
    "luong, dot": {**TWO, "variant": "luong", "score": "dot"},
    "luong, general, fed": {**TWO, "variant": "luong", "input_feeding": True},
    "luong, concat, local-m, fed": {
        "variant": "luong",
        "cell": "gru",
        "score": "concat",
        "scale_embedding": True,
        "window": "local-m",
        "half_width": 2,
        "input_feeding": True,
    },
    "luong, location": {"variant": "luong", "score": "location", "bidirectional": True},
    "luong, general, local-p, fed": {
        **TWO,
        "variant": "luong",
        "window": "local-p",
        "half_width": 2,
        "input_feeding": True,
    },
    "luong, dot, local-p, over self-attention": {
        "variant": "luong",
        "cell": "gru",
        "score": "dot",
        "window": "local-p",
        "half_width": 3,
        "self_attention_heads": 2,
    },
}


def rounded(t):
    return t.to(torch.float32).to(torch.float64)


def batch(config, generator):
    draw = lambda n: torch.randint(1, config["vocab_size"] - 1, (n,), generator=generator).tolist() + [0]
    return [(draw(s), draw(t)) for s, t in [(5, 7), (0, 3), (9, 4), (3, 0)]]


def run(config, generator):
    weights = {
        name: rounded(torch.randn(*shape, generator=generator, dtype=torch.float64) * 0.6)
        for name, shape in shapes(config).items()
    }
    for w in weights.values():
        w.requires_grad_()
    model, pairs = Rnn(config, weights), batch(config, generator)
    start = config.get("decoder_start_token_id", config["pad_token_id"])
    total, count, kept = 0, 0, {"logits": [], "weights": [], "centres": []}
    for source, target in pairs:
        memory, last = model.encode(source)
        rows, maps, centres = model.decode([start] + target[:-1], memory, last)
        logits = model.logits(rows)
        total = total + torch.nn.functional.cross_entropy(
            logits, torch.tensor(target), label_smoothing=SMOOTHING, reduction="sum"
        )
        count += len(target)
        kept["logits"].append(logits.flatten())
        kept["weights"] += maps
        kept["centres"] += [c.reshape(1) for c in centres if c is not None]
    loss = total / count
    loss.backward()
    tensors = {name: torch.cat(parts) for name, parts in kept.items() if parts}
    for name, w in weights.items():
        tensors["w " + name] = w
        tensors["d " + name] = w.grad if w.grad is not None else torch.zeros_like(w)
    return pairs, float(loss.detach()), tensors


def main(folder):
    generator = torch.Generator().manual_seed(11)
    folder = pathlib.Path(folder)
    data, offset, cases = b"", 0, []
    for name, choices in CASES.items():
        config = {**BASE, **choices}
        pairs, loss, tensors = run(config, generator)
        kept = {}
        for key, t in tensors.items():
            kept[key] = {"offset": offset, "size": t.numel()}
            data += t.detach().contiguous().numpy().tobytes()
            offset += t.numel()
        cases.append({"name": name, "config": config, "pairs": pairs, "loss": loss, "tensors": kept})
        print(name, loss)
    (folder / "rnn.json").write_text(json.dumps({"smoothing": SMOOTHING, "cases": cases}) + "\n")
    (folder / "rnn.bin").write_bytes(data)


if __name__ == "__main__":
    main(sys.argv[1])
