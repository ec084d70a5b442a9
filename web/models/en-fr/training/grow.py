"""A larger model that computes the same: more layers in the encoder, more inner units. `qkv train` goes on with it.

    python3 grow.py MODEL FOLDER --after 1,3 --encoder-inner 2048 --decoder-inner 1536

--after: the layers of the encoder, from 0, that a new layer follows. The model must be post-norm.

A new inner unit has random weights in fc1 and zeros in fc2, so it adds nothing at first (like Net2Net, Chen et al. 2016,
https://arxiv.org/abs/1511.05641). A new layer is a copy of the one before it with zeros in out_proj and fc2. Its norms would still
change the result. So the last norm of the layer before, g (x - mean) / std + b, moves to the end of the new layer, and the norms in
between have a gain of 1 and a bias of 0. Their results have mean 0 and deviation 1, which a further norm does not change.
"""
import argparse
import json
import pathlib

import numpy as np

import mix


def plain(name, w):
    """A norm's gain of 1 or bias of 0."""
    return np.full_like(w, name.endswith("weight"))


def before_new(layer):
    """The tensors of a layer that a new one follows."""
    return {name: plain(name, w) if name.startswith("final_layer_norm") else w for name, w in layer.items()}


def new_after(layer):
    """The tensors of the new layer."""
    out = dict(layer)
    for name, w in layer.items():
        if name.startswith(("self_attn.out_proj", "fc2")):
            out[name] = np.zeros_like(w)
        elif name.startswith("self_attn_layer_norm"):
            out[name] = plain(name, w)
    return out


def insert_layers(tensors, layers, after):
    """The tensors of a model that has a new layer after each layer of the encoder that `after` names."""
    prefix = "model.encoder.layers."
    out, stack = {name: w for name, w in tensors.items() if not name.startswith(prefix)}, []
    for number in range(layers):
        layer = {name.removeprefix(f"{prefix}{number}."): w for name, w in tensors.items() if name.startswith(f"{prefix}{number}.")}
        stack += [before_new(layer), new_after(layer)] if number in after else [layer]
    for number, layer in enumerate(stack):
        out |= {f"{prefix}{number}.{name}": w for name, w in layer.items()}
    return out


def widen(tensors, side, inner, draw):
    """The tensors of a model whose layers of `side` have `inner` units between fc1 [inner, d] and fc2 [d, inner]."""
    out = dict(tensors)
    for name, w in tensors.items():
        more = inner - w.shape[1 if name.endswith("fc2.weight") else 0]
        if not name.startswith(f"model.{side}.layers.") or more <= 0:
            continue
        if name.endswith("fc1.weight"):
            out[name] = np.concatenate([w, draw.normal(0, w.std(), (more, w.shape[1]))]).astype(np.float32)
        elif name.endswith("fc1.bias"):
            out[name] = np.concatenate([w, np.zeros(more, np.float32)])
        elif name.endswith("fc2.weight"):
            out[name] = np.concatenate([w, np.zeros((w.shape[0], more), np.float32)], 1)
    return out


def numbers(text):
    return {int(number) for number in text.split(",")}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--after", default=set(), type=numbers)
    parser.add_argument("--encoder-inner", type=int, default=0)
    parser.add_argument("--decoder-inner", type=int, default=0)
    options = parser.parse_args()
    config = json.loads((options.model / "config.json").read_text())
    if config.get("normalize_before"):
        parser.error(f"{options.model}: the model must be post-norm")
    if not options.after <= set(range(config["encoder_layers"])):
        parser.error(f"--after: the encoder has layers 0 to {config['encoder_layers'] - 1}")

    tensors, draw = insert_layers(mix.read(options.model), config["encoder_layers"], options.after), np.random.default_rng(5)
    config["encoder_layers"] += len(options.after)
    for side, inner in (("encoder", options.encoder_inner), ("decoder", options.decoder_inner)):
        if inner:
            if inner < config[f"{side}_ffn_dim"]:
                parser.error(f"--{side}-inner: the model has {config[f'{side}_ffn_dim']} units already")
            tensors, config[f"{side}_ffn_dim"] = widen(tensors, side, inner, draw), inner
    mix.save(options.model, tensors, options.folder)
    (options.folder / "config.json").write_text(json.dumps(config, indent=2) + "\n")


if __name__ == "__main__":
    main()
