"""Recurrent layers by PyTorch's nn.GRU and nn.LSTM in float64: outputs, last states and all gradients.

    python3 make_recurrent_goldens.py tests/goldens

Writes recurrent.json and recurrent.bin: float64 arrays, each named with its offset and shape. Sequences run one by one,
so that no padding has a part in it. Inputs and weights are numbers that float32 holds.
"""

import json
import pathlib
import sys

import torch

LENGTHS = [3, 1, 6, 3]
INPUTS, HIDDEN = 5, 7
CASES = [
    {"kind": kind, "layers": layers, "bidirectional": both}
    for kind in ("gru", "lstm")
    for layers, both in ((1, False), (2, False), (2, True))
]


def rounded(t):
    return t.to(torch.float32).to(torch.float64)


def run(case, generator):
    make = torch.nn.GRU if case["kind"] == "gru" else torch.nn.LSTM
    layers = make(INPUTS, HIDDEN, case["layers"], bidirectional=case["bidirectional"]).to(torch.float64)
    draw = lambda *shape: rounded(torch.randn(*shape, generator=generator, dtype=torch.float64))
    for p in layers.parameters():
        p.data = draw(*p.shape) / 2
    x = draw(sum(LENGTHS), INPUTS).requires_grad_()
    rows, last = [], []
    for part in x.split(LENGTHS):
        y, state = layers(part[:, None])
        rows.append(y[:, 0])
        state = state if case["kind"] == "lstm" else (state,)
        directions = 2 if case["bidirectional"] else 1
        # [layers * directions, 1, n] -> the last layer's, directions side by side
        last.append([s.view(case["layers"], directions, HIDDEN)[-1].flatten() for s in state])
    rows = torch.cat(rows)
    last = [torch.stack([each[i] for each in last]) for i in range(len(last[0]))]
    d_rows, d_last = draw(*rows.shape), [draw(*s.shape) for s in last]
    loss = (rows * d_rows).sum() + sum((s * d).sum() for s, d in zip(last, d_last))
    loss.backward()
    tensors = {"x": x, "rows": rows, "d_rows": d_rows, "dx": x.grad}
    for name, s, d in zip(("hidden", "cell"), last, d_last):
        tensors[name], tensors["d_" + name] = s, d
    for name, p in layers.named_parameters():
        tensors[name], tensors["d_" + name] = p, p.grad
    return tensors


def main(folder):
    generator = torch.Generator().manual_seed(7)
    folder = pathlib.Path(folder)
    data, offset, cases = b"", 0, []
    for case in CASES:
        kept = {}
        for name, t in run(case, generator).items():
            kept[name] = {"offset": offset, "shape": list(t.shape)}
            data += t.detach().contiguous().numpy().tobytes()
            offset += t.numel()
        cases.append({**case, "inputs": INPUTS, "hidden": HIDDEN, "lengths": LENGTHS, "tensors": kept})
    (folder / "recurrent.json").write_text(json.dumps({"cases": cases}) + "\n")
    (folder / "recurrent.bin").write_bytes(data)


if __name__ == "__main__":
    main(sys.argv[1])
