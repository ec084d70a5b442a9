"""Small seeded models in BERT's, DistilBERT's, RoBERTa's and GPT-2's layouts, and what PyTorch computes with them.

    /usr/bin/python3 tests/oracle/make_one_sided_models.py

writes tests/goldens/one-sided/NAME: a model folder, and goldens.json beside it: for each text `ids`, `types`, the last
layer's rows `hidden` (encoders), `logits`, `attention` [layers, heads, T, T], all from float64 with the folder's weights;
`float32_error` is the largest error of PyTorch's own float32. GPT-2's logits are those after the last piece; they have
`greedy` and `penalised`, the ids of a text with its continuation.
"""

import collections
import json
import pathlib
import subprocess

import torch

import one_sided
from make_tiny_models import write_safetensors

ROOT = pathlib.Path(__file__).resolve().parent.parent
GOLDENS = ROOT / "goldens"
DTYPES = {"F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16}
LABELS = {"id2label": {"0": "calm", "1": "glad", "2": "cross"}, "label2id": {"calm": 0, "glad": 1, "cross": 2}}
PAIR = [["Is it cold?", "Yes, it is very cold today."], ["Where is the cat?", "The cat sleeps on the chair."]]
TEXTS = [["Where is the kitchen?"], ["I love you very much."]]

bert = lambda head, d=12, layers=2, heads=3, ffn=20, **more: {
    "model_type": "bert", "architectures": ["BertFor" + head], "hidden_size": d, "num_hidden_layers": layers,
    "num_attention_heads": heads, "intermediate_size": ffn, "max_position_embeddings": 40, "type_vocab_size": 2,
    "hidden_act": "gelu", "layer_norm_eps": 1e-12, "pad_token_id": 0, **more,
}
MODELS = {
    "bert-masked": (bert("MaskedLM"), "bert-uncased", "F32", [["The cat sleeps on the [MASK]."], ["[MASK] is [MASK]."]]),
    "bert-sequence": (bert("SequenceClassification", 10, 1, 5, 16, hidden_act="silu", **LABELS), "bert-cased", "F16", TEXTS + PAIR),
    "bert-tokens": (bert("TokenClassification", 8, 2, 1, 12, hidden_act="relu", **LABELS), "bert-cased", "BF16", TEXTS),
    "bert-answer": (bert("QuestionAnswering", 12, 1, 4, 14), "bert-uncased", "F16", PAIR),
    "distilbert-masked": (
        {"model_type": "distilbert", "architectures": ["DistilBertForMaskedLM"], "dim": 12, "n_layers": 2, "n_heads": 2,
         "hidden_dim": 18, "max_position_embeddings": 40, "activation": "gelu", "sinusoidal_pos_embds": False},
        "bert-uncased", "F16", [["The [MASK] is cold."]]),
    "distilbert-sequence": (
        {"model_type": "distilbert", "architectures": ["DistilBertForSequenceClassification"], "dim": 9, "n_layers": 1,
         "n_heads": 3, "hidden_dim": 10, "max_position_embeddings": 40, "activation": "relu",
         "problem_type": "multi_label_classification", **LABELS},
        "bert-uncased", "F16", TEXTS),
    "roberta-masked": (
        {**bert("MaskedLM", 12, 2, 2, 16, layer_norm_eps=1e-5), "model_type": "roberta", "architectures": ["RobertaForMaskedLM"],
         "type_vocab_size": 1, "pad_token_id": 1},
        "roberta", "F16", [["It is a <mask> day."]]),
    "roberta-sequence": (
        {**bert("SequenceClassification", 8, 1, 2, 9, layer_norm_eps=1e-5, **LABELS), "model_type": "roberta",
         "architectures": ["RobertaForSequenceClassification"], "type_vocab_size": 1, "pad_token_id": 1},
        "roberta", "F16", TEXTS + PAIR),
    "gpt2": (
        {"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "n_embd": 12, "n_layer": 2, "n_head": 3, "n_positions": 48,
         "n_inner": None, "activation_function": "gelu_new", "layer_norm_epsilon": 1e-5},
        "gpt2", "F32", TEXTS),
    "gpt2-untied": (
        {"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "n_embd": 10, "n_layer": 1, "n_head": 2, "n_ctx": 32,
         "n_inner": 14, "activation_function": "relu", "layer_norm_epsilon": 1e-3, "tie_word_embeddings": False},
        "gpt2", "F16", TEXTS),
    "roberta-masked-relu": (
        {**bert("MaskedLM", 12, 1, 2, 16, layer_norm_eps=1e-5, hidden_act="relu"), "model_type": "roberta",
         "architectures": ["RobertaForMaskedLM"], "type_vocab_size": 1, "pad_token_id": 1},
        "roberta", "F16", [["It is a <mask> day."]]),
}


def shapes(config):
    """{name: shape} of a folder's tensors"""
    d, v = config.get("hidden_size", config.get("dim", config.get("n_embd"))), config["vocab_size"]
    out = {}

    def linear(name, outputs, inputs):
        out[name + ".weight"], out[name + ".bias"] = (outputs, inputs), (outputs,)

    def norm(name):
        out[name + ".weight"] = out[name + ".bias"] = (d,)

    kind, head = config["model_type"], config["architectures"][0]
    if kind == "gpt2":
        out["transformer.wte.weight"] = (v, d)
        out["transformer.wpe.weight"] = (config.get("n_positions", config.get("n_ctx")), d)
        for i in range(config["n_layer"]):
            layer, ffn = f"transformer.h.{i}.", config["n_inner"] or 4 * d
            for name, inputs, outputs in (("attn.c_attn", d, 3 * d), ("attn.c_proj", d, d), ("mlp.c_fc", d, ffn), ("mlp.c_proj", ffn, d)):
                out[layer + name + ".weight"], out[layer + name + ".bias"] = (inputs, outputs), (outputs,)
            norm(layer + "ln_1"), norm(layer + "ln_2")
        norm("transformer.ln_f")
        if not config.get("tie_word_embeddings", True):
            out["lm_head.weight"] = (v, d)
        return out
    distil = kind == "distilbert"
    base = kind + "."
    out[base + "embeddings.word_embeddings.weight"] = (v, d)
    out[base + "embeddings.position_embeddings.weight"] = (config["max_position_embeddings"], d)
    if not distil:
        out[base + "embeddings.token_type_embeddings.weight"] = (config["type_vocab_size"], d)
    norm(base + "embeddings.LayerNorm")
    for i in range(config["n_layers" if distil else "num_hidden_layers"]):
        ffn = config["hidden_dim" if distil else "intermediate_size"]
        if distil:
            layer = f"{base}transformer.layer.{i}."
            for part in ("q_lin", "k_lin", "v_lin", "out_lin"):
                linear(layer + "attention." + part, d, d)
            linear(layer + "ffn.lin1", ffn, d), linear(layer + "ffn.lin2", d, ffn)
            norm(layer + "sa_layer_norm"), norm(layer + "output_layer_norm")
        else:
            layer = f"{base}encoder.layer.{i}."
            for part in ("self.query", "self.key", "self.value", "output.dense"):
                linear(layer + "attention." + part, d, d)
            linear(layer + "intermediate.dense", ffn, d), linear(layer + "output.dense", d, ffn)
            norm(layer + "attention.output.LayerNorm"), norm(layer + "output.LayerNorm")
    if head.endswith("MaskedLM"):
        dense, normed, bias = {"bert": ("cls.predictions.transform.dense", "cls.predictions.transform.LayerNorm", "cls.predictions.bias"),
                               "distilbert": ("vocab_transform", "vocab_layer_norm", "vocab_projector.bias"),
                               "roberta": ("lm_head.dense", "lm_head.layer_norm", "lm_head.bias")}[kind]
        linear(dense, d, d), norm(normed)
        out[bias] = (v,)
    elif head.endswith("SequenceClassification"):
        linear({"bert": "bert.pooler.dense", "distilbert": "pre_classifier", "roberta": "classifier.dense"}[kind], d, d)
        linear("classifier.out_proj" if kind == "roberta" else "classifier", 3, d)
    elif head.endswith("TokenClassification"):
        linear("classifier", 3, d)
    else:
        linear("qa_outputs", 2, d)
    return out


def random_weights(config, generator):
    """Weights large enough that attention is neither uniform nor one-hot, and that every bias and gain matters."""
    weights = {}
    for name, shape in shapes(config).items():
        noise = torch.randn(*shape, generator=generator)
        is_norm = len(shape) == 1 and any(part in name.lower() for part in ("norm", "ln_"))
        if is_norm:
            weights[name] = noise * 0.2 + (1 if name.endswith("weight") else 0)
        elif len(shape) == 1:
            weights[name] = noise * 0.1
        else:
            weights[name] = noise * (1.4 * shape[-1] ** -0.5 if "embedding" not in name and "w" + "te" not in name else 0.8)
    return weights


def write_weights(folder, weights, dtype):
    """One file; for two models in PyTorch's format, for another model in two shards."""
    if folder.name in ("gpt2-untied", "roberta-masked-relu"):
        torch.save(collections.OrderedDict(weights), folder / "pytorch_model.bin")
    elif folder.name == "bert-answer":
        names = sorted(weights)
        halves = {"model-00001-of-00002.safetensors": names[::2], "model-00002-of-00002.safetensors": names[1::2]}
        for file, part in halves.items():
            write_safetensors(folder / file, {k: (dtype, weights[k]) for k in part})
        index = {"metadata": {}, "weight_map": {k: file for file, part in halves.items() for k in part}}
        (folder / "model.safetensors.index.json").write_text(json.dumps(index) + "\n")
    else:
        write_safetensors(folder / "model.safetensors", {k: (dtype, w) for k, w in weights.items()})


def tokenize(path, texts):
    lines = "\n".join(json.dumps(text) for text in texts)
    out = subprocess.run(["node", str(ROOT / "oracle" / "tokenize.mjs"), str(path)], input=lines, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in out.stdout.strip().split("\n")]


def digits(tensor):
    return [float(f"{x:.9g}") for x in tensor.flatten().tolist()]


def make(name, config, tokenizer, dtype, texts, seed):
    folder = GOLDENS / "one-sided" / name
    folder.mkdir(parents=True, exist_ok=True)
    source = GOLDENS / "tokenizers" / f"{tokenizer}.json"
    (folder / "tokenizer.json").write_text(source.read_text())
    vocab = json.loads(source.read_text())["model"]["vocab"]
    config = {**config, "vocab_size": len(vocab)}
    if config["model_type"] == "gpt2":
        config["bos_token_id"] = config["eos_token_id"] = vocab["<|endoftext|>"]
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    weights = {k: w.to(DTYPES[dtype]) for k, w in random_weights(config, torch.Generator().manual_seed(seed)).items()}
    write_weights(folder, weights, dtype)
    kind = one_sided.Gpt2 if config["model_type"] == "gpt2" else one_sided.Encoder
    exact, single = kind(config, weights, torch.float64), kind(config, weights, torch.float32)

    def run(model, ids, types):
        if kind is one_sided.Gpt2:
            return {"logits": model.logits(ids)[-1:], "attention": torch.stack(model.attention_weights)}
        hidden = model.hidden(ids, types)
        rows = hidden
        if config["architectures"][0].endswith("MaskedLM"):
            mask = vocab.get("[MASK]", vocab.get("<mask>"))
            rows = hidden[[i for i, id in enumerate(ids) if id == mask]]
        return {"hidden": hidden, "logits": model.logits(rows), "attention": torch.stack(model.attention_weights)}

    entries = []
    for text, (ids, types) in zip(texts, tokenize(source, texts)):
        truth, theirs = run(exact, ids, types), run(single, ids, types)
        entry = {"text": text, "ids": ids, "types": types}
        for key, value in truth.items():
            entry[key] = {"shape": list(value.shape), "data": digits(value)}
            entry[key]["float32_error"] = float((theirs[key].double() - value).abs().max())
        if kind is one_sided.Gpt2:
            for key, penalty in (("greedy", 1.0), ("penalised", 1.3)):
                found, margin = exact.greedy(ids, 8, penalty)
                assert margin > 1e-4, (name, text, margin)
                entry[key] = found
        entries.append(entry)
    lines = ",\n".join(json.dumps(entry, ensure_ascii=False, separators=(",", ":")) for entry in entries)
    (folder / "goldens.json").write_text(f'{{"goldens": [\n{lines}\n]}}\n')


def main():
    torch.set_num_threads(1)
    for seed, (name, (config, tokenizer, dtype, texts)) in enumerate(MODELS.items(), 1):
        make(name, config, tokenizer, dtype, texts, seed)


if __name__ == "__main__":
    main()
