"""What PyTorch computes when attention is changed: every kind of change at every place, on the small models.

    /usr/bin/python3 tests/oracle/make_intervention_goldens.py tests/goldens

writes interventions.json. Each case has the `changes` as web/docs/interventions.md describes them, and from PyTorch in
float64 `rows`: of each attention [heads, T] in the order in which it is computed, the sum over keys of weight times
cos(key + 1). Besides:

- of a translation model: its `folder`, `source` and `target` ids, and the `log_probs` of the target's pieces; one of Marian's with
  an SSRU, which has no self-attention in its decoder, is computed by NumPy and its weights by PyTorch;
- of an encoder: its `folder`, the `text`, and the `logits` of the first mask's 16 first pieces;
- of a generator: its `folder`, the `text`, and the `log_probs` of its pieces after the first;
- of a recurrent model: the `name` of its case in rnn.json, the number of the `pair`, whether its attention is made `hard`, and
  `log_probs`. Its cross attention is that of one step after the other, by the window of local-p.

The oracles are those of the other goldens. Changes are made by a hook in place of their softmax, on whole matrices.
"""

import json
import math
import pathlib
import sys

import numpy
import torch

import make_marian_goldens
import marian
import one_sided
import transformer
from rnn import Rnn
from transformer import read_safetensors

SOFTMAX = torch.Tensor.softmax


def table(value, queries, keys, shape, empty):
    """A number, a row or a matrix as a whole matrix [T, S], `empty` where it has no number."""
    whole = torch.full(shape, empty, dtype=torch.float64)
    value = torch.tensor(value, dtype=torch.float32).to(torch.float64)
    if value.dim() == 0:
        return whole.fill_(float(value))
    columns = range(value.shape[-1]) if keys is None else keys
    rows = range(shape[0]) if value.dim() == 1 else range(len(value)) if queries is None else queries
    for i, row in enumerate(rows):
        for j, column in enumerate(columns):
            if row < shape[0] and column < shape[1]:
                whole[row, column] = value[j] if value.dim() == 1 else value[i, j]
    return whole


def is_for(change, kind, layer):
    block = change.get("block", "attention")
    if block == "layer":
        side = change.get("side", kind if kind != "cross" else "decoder")
        return side == ("encoder" if kind == "encoder" else "decoder") and change.get("layer", layer) == layer
    return block == "attention" and change.get("attention", kind) == kind and change.get("layer", layer) == layer


def changed(scores, changes, kind, layer, first=0):
    """scores [h, T, S], -inf where masked, of queries from `first` on -> weights, and of each row whether they are given."""
    heads, rows, columns = scores.shape
    visible = ~torch.isinf(scores)
    mine = [c for c in changes if is_for(c, kind, layer)]

    def chosen(change):
        head = torch.tensor([change.get("head", h) == h for h in range(heads)])[:, None, None]
        query = torch.tensor([t in change.get("queries", [t]) for t in range(first, first + rows)])[None, :, None]
        key = torch.tensor([s in change.get("keys", [s]) for s in range(columns)])[None, None, :]
        return head & query, key

    logits, given = scores, torch.zeros(heads, rows, 1, dtype=torch.bool)
    for change in mine:
        (row, key), kind_of = chosen(change), change["kind"]
        shape = (first + rows, columns)
        if kind_of == "hide":
            logits = logits.masked_fill(row & key, -math.inf)
        elif kind_of == "add":
            bias = table(change["value"], change.get("queries"), change.get("keys"), shape, 0.0)[first:]
            logits = torch.where(row & key, logits + bias, logits)
        elif kind_of == "temperature":
            logits = torch.where(row, logits / change["value"], logits)
        elif kind_of == "uniform":
            equal = torch.zeros_like(logits).masked_fill(~key | torch.isinf(logits), -math.inf)
            logits, given = torch.where(row, equal, logits), given | row
        elif kind_of == "set":
            weights = table(change["weights"], change.get("queries"), change.get("keys"), shape, 0.0)[first:]
            row = row & (weights.sum(-1) > 0)[None, :, None]  # a matrix without queries has the first rows alone
            logits = torch.where(row, weights.log().masked_fill(torch.isinf(logits), -math.inf), logits)
            given = given | row
    weights = torch.nan_to_num(SOFTMAX(logits.masked_fill(~visible, -math.inf), -1))
    for change in mine:
        if change["kind"] == "off":
            row, key = chosen(change)
            weights = weights.masked_fill(row & key, 0)
    return weights, given


class Hook:
    """While it is entered, each softmax of scores is `changed`; `places` says, call by call, of which attention and layer."""

    def __init__(self, changes, places, first=lambda call: 0):
        self.changes, self.places, self.first, self.maps = changes, places, first, []

    def __enter__(self):
        def softmax(scores, _axis):
            call = len(self.maps)
            kind, layer = self.places[call % len(self.places)]
            whole = scores if scores.dim() == 3 else scores[None, None]
            weights, self.given = changed(whole, self.changes, kind, layer, self.first(call))
            self.maps.append(weights)
            return weights if scores.dim() == 3 else weights[0, 0]

        torch.Tensor.softmax = softmax
        return self

    def __exit__(self, *_):
        torch.Tensor.softmax = SOFTMAX

    def rows(self):
        """Of each attention [heads, T], flat; of a recurrent model one for each step."""
        return [projected(weights) for weights in self.maps]


def projected(weights):
    return rounded((weights * torch.cos(torch.arange(weights.shape[-1], dtype=torch.float64) + 1)).sum(-1))


def rounded(tensor):
    return [float(f"{x:.7g}") for x in tensor.flatten().tolist()]


def is_off(changes, block, side, layer):
    return any(
        c.get("block") == block and c.get("side", side) == side and c.get("layer", layer) == layer for c in changes
    )


class Transformer(transformer.Transformer):
    changes = []

    @staticmethod
    def place(name):
        _, side, _, layer, *_ = name.split(".")
        return side, int(layer)

    def feed_forward(self, name, x):
        y = super().feed_forward(name, x)
        return torch.zeros_like(y) if is_off(self.changes, "feedForward", *self.place(name)) else y

    def residual(self, name, x, part):
        y, *rest = super().residual(name, x, part)
        return (x if is_off(self.changes, "layer", *self.place(name)) else y), *rest


class Bert(one_sided.Encoder):
    changes = []

    def linear(self, name, x):
        y = super().linear(name, x)
        parts = name.split(".")
        is_last = parts[-2:] == ["output", "dense"] and parts[-3].isdigit()
        return torch.zeros_like(y) if is_last and is_off(self.changes, "feedForward", "encoder", int(parts[-3])) else y

    def bert_layer(self, i, x):
        y = super().bert_layer(i, x)
        return x if is_off(self.changes, "layer", "encoder", i) else y


class Gpt2(one_sided.Gpt2):
    """Pre-norm: a layer whose two parts are zeros hands on its input."""

    changes = []

    def conv(self, name, x):
        y, parts = super().conv(name, x), name.split(".")
        layer = int(parts[2])
        off = is_off(self.changes, "layer", "decoder", layer) and parts[-1] == "c_proj"
        off = off or (is_off(self.changes, "feedForward", "decoder", layer) and parts[-2:] == ["mlp", "c_proj"])
        return torch.zeros_like(y) if off else y


def kinds(kind):
    """Changes of one attention: each kind, for all of it and for some of it."""
    some = {"attention": kind, "head": 1, "queries": [1, 2, 4], "keys": [0, 2]}
    return [
        [{"kind": "off", "attention": kind}],
        [{"kind": "off", **some}],
        [{"kind": "uniform", "attention": kind, "head": 0}],
        [{"kind": "uniform", **some}],
        [{"kind": "hide", "attention": kind, "keys": [1]}],
        [{"kind": "hide", **some}],
        [{"kind": "hide", "attention": kind, "keys": [0]}],
        [{"kind": "add", "attention": kind, "keys": [1, 3], "value": 1.5}],
        [{"kind": "add", "attention": kind, "value": [0.5, -2, 1.25]}],
        [{"kind": "add", **some, "value": [[1, -1], [0.5, 3], [-2, 0.25]]}],
        [{"kind": "set", "attention": kind, "weights": [0.25, 0.75]}],
        [{"kind": "set", **some, "weights": [[0.5, 0.5], [0, 1], [0.875, 0.125]]}],
        [{"kind": "set", "attention": kind, "weights": [[1], [1], [1]]}],
        [{"kind": "temperature", "attention": kind, "value": 2}],
        [{"kind": "temperature", "attention": kind, "head": 1, "queries": [0, 2], "value": 0.125}],
    ]


# Several in order, with blocks and layers.
COMPOSED = [
    [{"kind": "off"}],
    [{"kind": "hide", "keys": [2]}, {"kind": "uniform", "attention": "cross"}],
    [{"kind": "uniform", "attention": "cross"}, {"kind": "hide", "attention": "cross", "keys": [0, 1]}],
    [{"kind": "set", "weights": [0.5, 0.25, 0.25]}, {"kind": "temperature", "value": 0.5}],
    [{"kind": "set", "weights": [0.5, 0.5]}, {"kind": "add", "keys": [1], "value": 1}, {"kind": "off", "queries": [3]}],
    [{"kind": "temperature", "value": 3}, {"kind": "add", "keys": [0], "value": 2}, {"kind": "hide", "keys": [1]}],
    [{"kind": "set", "weights": [1]}, {"kind": "set", "queries": [1, 2], "weights": [0, 1]}],
    [{"kind": "off", "block": "feedForward"}],
    [{"kind": "off", "block": "feedForward", "side": "encoder", "layer": 0}],
    [{"kind": "off", "block": "feedForward", "side": "decoder"}, {"kind": "off", "attention": "encoder", "head": 0}],
    [{"kind": "off", "block": "layer", "side": "encoder", "layer": 0}],
    [{"kind": "off", "block": "layer", "side": "decoder", "layer": 0}, {"kind": "uniform", "head": 1}],
    [{"kind": "off", "block": "layer"}],
]
PAIRS = {"tiny-f32": ([2, 48, 3, 2, 15, 4, 10, 0], [30, 2, 20, 32, 2, 6, 0]), "tiny-pre-norm": ([2, 9, 3, 5, 4, 10, 0], [3, 2, 20, 7, 0])}


def translations(goldens):
    for name, (source, target) in PAIRS.items():
        model = Transformer(goldens / "models" / name, torch.float64)
        encoder, decoder = model.config["encoder_layers"], model.config["decoder_layers"]
        places = [("encoder", i) for i in range(encoder)]
        places += [(kind, i) for i in range(decoder) for kind in ("decoder", "cross")]
        cases = [c for kind in ("encoder", "decoder", "cross") for c in kinds(kind)] + COMPOSED
        if encoder > 1:
            cases += [[{"kind": "off", "attention": kind, "layer": 1, "head": 0}] for kind in ("encoder", "decoder", "cross")]
        for changes in cases:
            model.changes = changes
            with Hook(changes, places) as hook:
                logits = model.replay(source, target)["logits"]
            logits[:, model.bad] = -math.inf
            log_probs = logits.log_softmax(-1)[torch.arange(len(target)), target]
            yield {
                "folder": f"models/{name}",
                "source": source,
                "target": target,
                "changes": changes,
                "log_probs": rounded(log_probs),
                "rows": hook.rows(),
            }


class Ssru(marian.Model):
    changes = []

    def softmax(self, name, scores):
        side, layer, part = self.place(name)
        weights, _ = changed(torch.tensor(scores), self.changes, "cross" if part == "context" else side, layer)
        self.maps.append(weights)
        return weights.numpy()

    @staticmethod
    def place(name):
        side, layer, *part = name.split("_")
        return side, int(layer[1:]) - 1, *part

    def feed(self, name, x):
        side, layer, _ = self.place(name)
        return super().feed(name, x) * (0 if is_off(self.changes, "feedForward", side, layer) else 1)

    def encoder_layer(self, name, x, keep):
        y = super().encoder_layer(name, x, keep)
        return x if is_off(self.changes, "layer", *self.place(name)) else y

    def decoder_layer(self, name, x, *more):
        y = super().decoder_layer(name, x, *more)
        return x if is_off(self.changes, "layer", *self.place(name)) else y


def ssru_cases(goldens):
    for seed, (name, spec) in enumerate(make_marian_goldens.MODELS.items(), 1):
        if name not in ("ssru-f16", "ssru-pre-norm"):
            continue
        model = Ssru(seed, **spec)
        golden = json.loads((goldens / "marian" / name / "goldens.json").read_text())["goldens"][1]
        source = golden["source_ids"]
        target = [piece for piece in golden["target_ids"] if piece != 1]  # <unk> is never written
        for changes in [*kinds("encoder"), *kinds("cross"), *COMPOSED]:
            model.changes, model.maps = changes, []
            log_probs, _ = model.forward(source, target)
            picked = torch.tensor(log_probs[numpy.arange(len(target)), target])
            case = {"folder": f"marian/{name}", "source": source, "target": target, "changes": changes}
            yield {**case, "log_probs": rounded(picked), "rows": [projected(weights) for weights in model.maps]}


def for_side(changes, kind):
    """Whether changes are of this attention alone."""
    sides = {c.get("attention") or c.get("side") for c in changes}
    return sides == {kind} or sides == {None}


def one_sided_cases(goldens):
    for name, text in (("bert-masked", "The cat sleeps on the [MASK]."), ("gpt2", "Where is the kitchen?")):
        folder = goldens / "one-sided" / name
        config = json.loads((folder / "config.json").read_text())
        golden = json.loads((folder / "goldens.json").read_text())["goldens"][0]
        assert golden["text"] == [text]
        decodes, ids = name == "gpt2", golden["ids"]
        weights = read_weights(folder)
        model = (Gpt2 if decodes else Bert)(config, weights, torch.float64)
        kind = "decoder" if decodes else "encoder"
        layers = config["n_layer" if decodes else "num_hidden_layers"]
        cases = [c for c in kinds(kind) + COMPOSED if for_side(c, kind)]
        for changes in cases:
            model.changes = changes
            with Hook(changes, [(kind, i) for i in range(layers)]) as hook:
                if decodes:
                    log_probs = model.logits(ids).log_softmax(-1)
                    kept = {"log_probs": rounded(log_probs[torch.arange(len(ids) - 1), ids[1:]])}
                else:
                    mask = ids.index(json.loads((folder / "tokenizer.json").read_text())["model"]["vocab"]["[MASK]"])
                    kept = {"logits": rounded(model.logits(model.hidden(ids, golden["types"]))[mask, :16])}
            yield {"folder": f"one-sided/{name}", "text": text, "changes": changes, **kept, "rows": hook.rows()}


def read_weights(folder):
    index = folder / "model.safetensors.index.json"
    files = sorted(set(json.loads(index.read_text())["weight_map"].values())) if index.exists() else ["model.safetensors"]
    weights = {}
    for file in files:
        weights.update(read_safetensors(folder / file))
    return weights


class Recurrent(Rnn):
    hook = None

    def shaped(self, weights, gaussian):
        """Weights that are given are not shaped by the window."""
        return weights if self.hook.given.all() else super().shaped(weights, gaussian)


def recurrent_changes(heads):
    """Changes of what a recurrent model has: cross attention with one head, and self-attention of the encoder with `heads`."""
    without_head = lambda change: {field: value for field, value in change.items() if field != "head"}
    cases = [[without_head(one) for one in case] for case in kinds("cross")] + (kinds("encoder") if heads else [])
    places = {None, "cross"} | ({"encoder"} if heads else set())
    return cases + [c for c in COMPOSED if all("block" not in one and one.get("attention") in places for one in c)]


def recurrent_cases(goldens):
    data = numpy.fromfile(goldens / "rnn.bin", dtype="<f8")
    for case in json.loads((goldens / "rnn.json").read_text())["cases"]:
        config = case["config"]
        if config["variant"] == "plain":
            continue
        weights = {}
        for key, tensor in case["tensors"].items():
            if key.startswith("w "):
                flat = torch.tensor(data[tensor["offset"] : tensor["offset"] + tensor["size"]])
                weights[key[2:]] = flat
        weights = shaped(config, weights)
        # Hard attention is for a global window without input feeding.
        can_be_hard = config["variant"] == "luong" and not {"window", "input_feeding"} & set(config)
        for hard in (False, True)[: 1 + can_be_hard]:
            model = Recurrent({**config, "selection": "hard" if hard else "soft"}, weights)
            for changes in recurrent_changes(config.get("self_attention_heads", 0)):
                kept = recurrent_pass(model, case["pairs"][0], changes)
                yield {"name": case["name"], "pair": 0, **({"hard": True} if hard else {}), "changes": changes, **kept}


def recurrent_pass(model, pair, changes):
    (source, target), config = pair, model.c
    start, encodes = config.get("decoder_start_token_id", config["pad_token_id"]), "self_attention_heads" in config
    places = [("encoder", 0)] * encodes + [("cross", 0)] * len(target)
    with Hook(changes, places, lambda call: max(call - encodes, 0)) as model.hook:
        memory, last = model.encode(source)
        rows, cross, _ = model.decode([start] + target[:-1], memory, last)
        logits = model.logits(rows)
    log_probs = logits.log_softmax(-1)[torch.arange(len(target)), target]
    of_cross = [x for weights in cross for x in projected(weights)]
    return {"log_probs": rounded(log_probs), "rows": model.hook.rows()[:encodes] + [of_cross]}


def shaped(config, flat):
    from rnn import shapes

    return {name: flat[name].reshape(shape) for name, shape in shapes(config).items()}


def main(folder):
    transformer.setup()
    goldens = pathlib.Path(folder)
    cases = [*translations(goldens), *ssru_cases(goldens), *one_sided_cases(goldens), *recurrent_cases(goldens)]
    lines = ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases)
    (goldens / "interventions.json").write_text('{"cases":[\n' + lines + "\n]}\n")
    print(len(cases), "cases")


if __name__ == "__main__":
    main(sys.argv[1])
