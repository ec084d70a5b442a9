"""Are whole traces as exact as PyTorch's float32? Every weight and log-probability, against float64.

    python3 full_parity.py MODEL TRACE.json ...       files that `qkv` wrote with --trace: one trace, a list, or one a line

The goldens keep a sample of large tensors; this compares all of them. Fails if our largest error of a kind is more than
twice PyTorch float32's own, plus 1e-6.
"""

import json
import pathlib
import sys

import torch

import transformer

KINDS = {"encoderSelf": "encoder_self", "decoderSelf": "decoder_self", "cross": "cross"}


def read_traces(path):
    text = pathlib.Path(path).read_text(encoding="utf-8")
    try:
        value = json.loads(text)
    except json.JSONDecodeError:
        value = [json.loads(line) for line in text.splitlines() if line.strip()]
    return value if isinstance(value, list) else [value]


def log_probabilities(model, replay, target):
    logits = replay["logits"].clone()
    logits[:, model.bad] = -float("inf")
    return logits.log_softmax(-1).gather(1, torch.tensor(target)[:, None])[:, 0]


def compare(trace, exact, single):
    """{kind: (our largest error, PyTorch float32's)}"""
    source, target = trace["source"]["ids"], trace["target"]["ids"]
    truth, theirs = exact.replay(source, target), single.replay(source, target)
    error = lambda x, y: float((x.double() - y).abs().max())
    errors = {}
    for kind, name in KINDS.items():
        ours = torch.tensor(trace[kind]["data"], dtype=torch.float64)
        assert list(truth[name].shape) == trace[kind]["shape"], (kind, trace[kind]["shape"], truth[name].shape)
        errors[kind] = error(ours.reshape(truth[name].shape), truth[name]), error(theirs[name], truth[name])
    expected = log_probabilities(exact, truth, target)
    ours = torch.tensor(trace["target"]["logProbs"], dtype=torch.float64)
    errors["logProbs"] = error(ours, expected), error(log_probabilities(single, theirs, target), expected)
    return errors


def main():
    transformer.setup(1)
    model, paths = sys.argv[1], sys.argv[2:]
    exact, single = transformer.Transformer(model, torch.float64), transformer.Transformer(model, torch.float32)
    traces = [trace for path in paths for trace in read_traces(path)]
    all_errors = [compare(trace, exact, single) for trace in traces]
    failed = False
    for kind in [*KINDS, "logProbs"]:
        ours, theirs = (max(errors[kind][i] for errors in all_errors) for i in (0, 1))
        ok = ours <= 2 * theirs + 1e-6
        failed |= not ok
        print(f"{kind}: ours {ours:.3g}, PyTorch float32 {theirs:.3g}{'' if ok else '  too far'}")
    print(f"{len(traces)} traces")
    return failed


if __name__ == "__main__":
    raise SystemExit(main())
