"""Small seeded random models in MarianMT's layout, for what the default model does not have: other widths, head counts
that are not powers of two, head widths below a vector, other types, SiLU, GELU, pre-norm with all its norms, two
SentencePiece models with a joint vocabulary in an order of its own or with one each, a token of a target language,
another length penalty, short length limits.

    python3 make_tiny_models.py tests/goldens
"""

import json
import pathlib
import struct
import sys

import sentencepiece
import torch

BASE = {
    "architectures": ["MarianMTModel"],
    "model_type": "marian",
    "scale_embedding": True,
    "static_position_embeddings": True,
    "normalize_before": False,
    "normalize_embedding": False,
    "add_final_layer_norm": False,
    "share_encoder_decoder_embeddings": True,
    "tie_word_embeddings": True,
    "is_encoder_decoder": True,
    "max_position_embeddings": 64,
    "dropout": 0.1,
}
MODELS = {
    "tiny-f32": {
        "config": {"d_model": 30, "encoder_layers": 1, "decoder_layers": 1, "activation_function": "relu"},
        "heads": (3, 3),
        "ffn": (18, 22),
        "pieces": (60, None),
        "dtype": "F32",
        "generation": {"num_beams": 3, "length_penalty": 0.6, "max_length": 24},
    },
    "tiny-bf16": {
        "config": {"d_model": 20, "encoder_layers": 2, "decoder_layers": 2, "activation_function": "swish"},
        "heads": (5, 2),
        "ffn": (24, 20),
        "pieces": (97, None),
        "dtype": "BF16",
        "generation": {"num_beams": 4, "max_length": 32},
    },
    "tiny-f16": {
        "config": {"d_model": 36, "encoder_layers": 1, "decoder_layers": 1, "activation_function": "relu"},
        "heads": (1, 4),
        "ffn": (33, 17),
        "pieces": (70, 64),
        "dtype": "F16",
        "generation": {"num_beams": 2, "length_penalty": 1.5, "max_length": 12},
    },
    "tiny-pre-norm": {
        "config": {
            "d_model": 24,
            "encoder_layers": 2,
            "decoder_layers": 2,
            "activation_function": "gelu",
            "normalize_before": True,
            "normalize_embedding": True,
            "add_final_layer_norm": True,
            "share_encoder_decoder_embeddings": False,
        },
        "heads": (3, 2),
        "ffn": (20, 26),
        "pieces": (70, 64),
        "languages": [">>fra<<", ">>deu<<"],
        "dtype": "F32",
        "generation": {"num_beams": 3, "max_length": 20},
    },
}
TORCH = {"F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16}


def train_pieces(sentences, pieces, path):
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(sentences),
        model_prefix=str(path.with_suffix("")),
        vocab_size=pieces,
        character_coverage=1.0,
        hard_vocab_limit=True,
        normalization_rule_name="identity",
        bos_id=-1,
        eos_id=0,
        unk_id=1,
        num_threads=1,
        minloglevel=2,
    )
    path.with_suffix(".model").rename(path)
    path.with_suffix(".vocab").unlink()
    model = sentencepiece.SentencePieceProcessor(model_file=str(path))
    return [model.id_to_piece(i) for i in range(model.get_piece_size())]


def write_safetensors(path, tensors):
    header, offset, data = {}, 0, b""
    for name in sorted(tensors):
        kind, tensor = tensors[name]
        raw = tensor.contiguous().view(torch.int16 if kind != "F32" else torch.int32).numpy().tobytes()
        header[name] = {"dtype": kind, "shape": list(tensor.shape), "data_offsets": [offset, offset + len(raw)]}
        offset, data = offset + len(raw), data + raw
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def random_weights(config, generator):
    """Weights large enough that attention is neither uniform nor one-hot, and that every bias and gain matters."""
    normal = lambda *shape, std: torch.randn(*shape, generator=generator) * std
    d, weights = config["d_model"], {}

    def linear(name, outputs, inputs, gain=1.0):
        weights[name + ".weight"] = normal(outputs, inputs, std=gain * inputs**-0.5)
        weights[name + ".bias"] = normal(outputs, std=0.1)

    def norm(name):
        weights[name + ".weight"] = 1 + normal(d, std=0.2)
        weights[name + ".bias"] = normal(d, std=0.2)

    def attention(name):
        for part, gain in (("q_proj", 1.6), ("k_proj", 1.6), ("v_proj", 1.0), ("out_proj", 1.0)):
            linear(f"{name}.{part}", d, d, gain)
        norm(name + "_layer_norm")

    for side in ("encoder", "decoder"):
        for i in range(config[f"{side}_layers"]):
            layer = f"model.{side}.layers.{i}"
            attention(layer + ".self_attn")
            if side == "decoder":
                attention(layer + ".encoder_attn")
            linear(layer + ".fc1", config[f"{side}_ffn_dim"], d)
            linear(layer + ".fc2", d, config[f"{side}_ffn_dim"])
            norm(layer + ".final_layer_norm")
    for side in ("encoder", "decoder"):
        if config["normalize_embedding"]:
            norm(f"model.{side}.layernorm_embedding")
        if config["add_final_layer_norm"]:
            norm(f"model.{side}.layer_norm")
    target = "model.shared.weight"
    if not config["share_encoder_decoder_embeddings"]:
        weights["model.encoder.embed_tokens.weight"] = normal(config["vocab_size"], d, std=d**-0.5)
        target = "model.decoder.embed_tokens.weight"
    rows = config.get("decoder_vocab_size", config["vocab_size"])
    weights[target] = normal(rows, d, std=d**-0.5)
    weights[target][config["pad_token_id"]] = 0
    weights["final_logits_bias"] = normal(1, rows, std=0.5)
    return weights


def make(folder, name, seed, spec, sentences):
    folder.mkdir(parents=True, exist_ok=True)
    source = train_pieces(sentences[0::2], spec["pieces"][0], folder / "source.spm")
    target = train_pieces(sentences[1::2], spec["pieces"][1], folder / "target.spm") if spec["pieces"][1] else []
    generator = torch.Generator().manual_seed(seed)
    separate = "languages" in spec
    if separate:
        pieces = target + ["<pad>"]
    elif target:  # a joint vocabulary, in no side's order
        joint = sorted(set(source[2:] + target[2:]))
        order = torch.randperm(len(joint), generator=generator).tolist()
        pieces = source[:2] + [joint[i] for i in order] + ["<pad>"]
    else:
        pieces = source + ["<pad>"]
    pad = len(pieces) - 1
    heads, ffn = spec["heads"], spec["ffn"]
    special = {"pad_token_id": pad, "eos_token_id": 0, "decoder_start_token_id": pad, "forced_eos_token_id": 0}
    sizes = {"encoder_attention_heads": heads[0], "decoder_attention_heads": heads[1]}
    sizes |= {"encoder_ffn_dim": ffn[0], "decoder_ffn_dim": ffn[1], "vocab_size": len(pieces)}
    of_source = pieces
    if separate:  # but </s> has one row in both
        of_source = source[:2] + spec["languages"] + source[2:]
        sizes |= {"vocab_size": len(of_source), "decoder_vocab_size": len(pieces)}
    config = BASE | spec["config"] | sizes | special | {"bos_token_id": 0}
    config["torch_dtype"] = {"F32": "float32", "F16": "float16", "BF16": "bfloat16"}[spec["dtype"]]
    generation = {"decoder_start_token_id": pad, "pad_token_id": pad, "eos_token_id": 0, "forced_eos_token_id": 0}
    generation |= {"bad_words_ids": [[pad]]} | spec["generation"]
    weights = {k: (spec["dtype"], w.to(TORCH[spec["dtype"]])) for k, w in random_weights(config, generator).items()}
    write_safetensors(folder / "model.safetensors", weights)
    dump = lambda file, value, **more: (folder / file).write_text(json.dumps(value, ensure_ascii=False, **more) + "\n")
    dump("config.json", config, indent=2)
    dump("generation_config.json", generation)
    dump("vocab.json", {piece: i for i, piece in enumerate(of_source)})
    if separate:
        dump("target_vocab.json", {piece: i for i, piece in enumerate(pieces)})


def main():
    goldens = pathlib.Path(sys.argv[1])
    sentences = (goldens / "sentences.txt").read_text().splitlines()
    torch.set_num_threads(1)
    for seed, (name, spec) in enumerate(MODELS.items(), 1):
        make(goldens / "models" / name, name, seed, spec, sentences)


if __name__ == "__main__":
    main()
