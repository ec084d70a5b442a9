"""The encoder-decoder Transformer (Vaswani et al. 2017, https://arxiv.org/abs/1706.03762) in PyTorch, as an oracle.

Written from the paper's equations, in MarianMT's layout, one sentence at a time: no padding, no cache, no mask but the
causal one, so that nothing here can be wrong in the same way as the engine. Any dtype: float64 is the truth that
float32 implementations are measured against.

Matrices of 8 bits (I8, with their scales beside them) are multiplied as core/kernels/quantized.h says, the rest is the same. Those of
4 bits (U8, with their scales) become such matrices, as web/docs/int4.md says.

Where MarianMT departs from the paper, MarianMT is followed: positions are [sin | cos] halves instead of interleaved,
decoding starts from the pad row at position 0, the logits have a bias.

Symbols: S source pieces, T target pieces, d model width, h heads, V vocabulary.
"""

import json
import math
import pathlib
import re
import struct

import sentencepiece
import torch

DTYPES = {"F64": torch.float64, "F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16, "I8": torch.int8, "U8": torch.uint8}


def read_safetensors(path):
    """{name: tensor} as stored. Format: u64 header length, JSON header, data (https://github.com/huggingface/safetensors)."""
    raw = pathlib.Path(path).read_bytes()
    (length,) = struct.unpack("<Q", raw[:8])
    header = json.loads(raw[8 : 8 + length])
    data = bytearray(raw[8 + length :])
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        begin, end = entry["data_offsets"]
        tensors[name] = torch.frombuffer(data[begin:end], dtype=DTYPES[entry["dtype"]]).reshape(entry["shape"])
    return tensors


def unpack_int4(rows):
    """int8 [outputs, inputs] of uint8 [outputs, inputs / 32 * 17]: groups of a byte m and 32 numbers q, in two halves of 16."""
    groups = rows.reshape(len(rows), -1, 17).to(torch.int32)
    m, pairs = groups[..., :1], groups[..., 1:]
    q = torch.cat([pairs % 16, pairs // 16], -1)
    q = torch.where(q > 7, q - 16, q)
    return ((q * m + 4) >> 3).clamp(-127, 127).to(torch.int8).reshape(len(rows), -1)


def positions(count, d):
    """[count, d] float64. PE(pos, i) = sin(pos / 10000^(2i/d)) in the first half, cos of the same in the second."""
    pos = torch.arange(count, dtype=torch.float64)[:, None]
    i = torch.arange(d // 2, dtype=torch.float64)[None, :]
    angle = pos / torch.pow(torch.tensor(10000.0, dtype=torch.float64), 2 * i / d)
    return torch.cat([angle.sin(), angle.cos()], 1)


class Tokenizer:
    """Text to ids and back: SentencePiece gives pieces, vocab.json their ids."""

    def __init__(self, folder):
        folder = pathlib.Path(folder)
        self.source = sentencepiece.SentencePieceProcessor(model_file=str(folder / "source.spm"))
        target = folder / "target.spm"
        self.target = sentencepiece.SentencePieceProcessor(model_file=str(target)) if target.exists() else self.source
        read = lambda name: json.loads((folder / name).read_text())
        self.source_ids = read("vocab.json")
        self.ids = read("target_vocab.json") if (folder / "target_vocab.json").exists() else self.source_ids
        self.pieces = {i: piece for piece, i in self.ids.items()}
        self.eos, self.pad = self.ids["</s>"], self.ids["<pad>"]

    def encode(self, text, side="source"):
        """Ids with </s> at the end. A token of a target language, ">>fra<<", that a source begins with is one piece."""
        model, ids = (self.source, self.source_ids) if side == "source" else (self.target, self.ids)
        language = re.match(">>.+?<<", text)
        first = [language[0]] if side == "source" and language and language[0] in ids else []
        pieces = first + model.encode(text[len("".join(first)) :], out_type=str)
        return [ids.get(piece, ids["<unk>"]) for piece in pieces] + [self.eos]

    def decode(self, ids):
        return self.target.decode_pieces([self.pieces[i] for i in ids if i not in (self.eos, self.pad)])


class Int8Matrix:
    """W [outputs, inputs] = scale[o] q[o, i], q of 8 bits. Its other operand is rounded to 7 bits, row by row; scales,
    zero points and all that comes after the sums is in `dtype`."""

    def __init__(self, q, scale, dtype):
        self.q = q.to(torch.float64)  # sums of products of whole numbers are exact
        self.scale = scale.to(dtype)

    def rows(self, ids):
        return self.q[ids].to(self.scale.dtype) * self.scale[ids][..., None]

    def product(self, x):
        """x W'. x = s (q - z) with 0 <= q <= 127; s spans the row's least and greatest number, and 0."""
        least, greatest = x.amin(-1, keepdim=True).clamp(max=0), x.amax(-1, keepdim=True).clamp(min=0)
        scale = (greatest - least) / 127
        inverse = torch.where(scale > 0, 1 / scale, torch.zeros_like(scale))
        zero = (-least * inverse).round()  # of halves to the even one
        q = ((x * inverse).round() + zero).clamp(0, 127)
        sums = (q - zero).to(torch.float64) @ self.q.T
        return sums.to(x.dtype) * (scale * self.scale)


class FloatMatrix:
    """W [outputs, inputs]"""

    def __init__(self, w):
        self.w = w

    def rows(self, ids):
        return self.w[ids]

    def product(self, x):
        """x W'"""
        return x @ self.w.T


class Transformer:
    """A MarianMT folder, computing in `dtype`."""

    def __init__(self, folder, dtype=torch.float32):
        folder = pathlib.Path(folder)
        self.config = json.loads((folder / "config.json").read_text())
        generation = folder / "generation_config.json"
        self.generation = json.loads(generation.read_text()) if generation.exists() else {}
        self.dtype = dtype
        stored = read_safetensors(folder / "model.safetensors")
        stored = {k: unpack_int4(v) if v.dtype == torch.uint8 else v for k, v in stored.items()}
        self.weights = {k: v.to(dtype) for k, v in stored.items() if v.dim() == 1 or k == "final_logits_bias"}
        self.matrices = {
            k: Int8Matrix(v, stored[k + "_scale"], dtype) if v.dtype == torch.int8 else FloatMatrix(v.to(dtype))
            for k, v in stored.items()
            if k not in self.weights
        }
        self.d = self.config["d_model"]
        self.scale = math.sqrt(self.d) if self.config["scale_embedding"] else 1.0
        self.dropout = {}  # rates by the names in config.json; none: what inference does
        self.start = self.config["decoder_start_token_id"]
        self.eos = self.config["eos_token_id"]
        self.bad = [ids[0] for ids in self.generation.get("bad_words_ids", [[self.config["pad_token_id"]]])]
        self.activation = {"relu": torch.relu, "swish": torch.nn.functional.silu, "silu": torch.nn.functional.silu, "gelu": torch.nn.functional.gelu}[
            self.config["activation_function"]
        ]

    def drop(self, which, x):
        """Dropout (Srivastava et al. 2014) as in MarianMT: "dropout" of embeddings and of each residual branch's output,
        "attention_dropout" of attention's weights, "activation_dropout" of the feed-forward's hidden units."""
        rate = self.dropout.get(which, 0)
        return torch.nn.functional.dropout(x, rate) if rate else x

    def linear(self, name, x):
        """x W' + b"""
        return self.matrices[name + ".weight"].product(x) + self.weights[name + ".bias"]

    def norm(self, name, x):
        """LayerNorm, epsilon 1e-5 (Ba et al. 2016)"""
        gain, bias = self.weights[name + ".weight"], self.weights[name + ".bias"]
        return torch.nn.functional.layer_norm(x, (self.d,), gain, bias, 1e-5)

    def attention(self, name, x, memory, heads, causal=False):
        """Multi-head attention: softmax(q k' / sqrt(d/h)) v per head, concatenated, projected.
        x [..., T, d], memory [..., S, d] -> [..., T, d] and the weights [..., h, T, S]."""
        split = lambda y: y.unflatten(-1, (heads, self.d // heads)).transpose(-3, -2)  # [..., h, rows, d/h]
        q = split(self.linear(name + ".q_proj", x))
        k = split(self.linear(name + ".k_proj", memory))
        v = split(self.linear(name + ".v_proj", memory))
        score = q @ k.transpose(-1, -2) / math.sqrt(self.d // heads)
        if causal:
            hidden = torch.ones(x.shape[-2], x.shape[-2], dtype=torch.bool).triu(1)
            score = score.masked_fill(hidden, -math.inf)
        weight = score.softmax(-1)
        context = self.drop("attention_dropout", weight) @ v
        return self.linear(name + ".out_proj", context.transpose(-3, -2).flatten(-2)), weight

    def residual(self, name, x, part):
        """norm(x + part(x)), post-norm; or x + part(norm(x)), pre-norm (Xiong et al. 2020). part gives (y, ...)."""
        if self.config.get("normalize_before"):
            y, *rest = part(self.norm(name, x))
            return x + self.drop("dropout", y), *rest
        y, *rest = part(x)
        return self.norm(name, x + self.drop("dropout", y)), *rest

    def last(self, side, x):
        return self.norm(f"model.{side}.layer_norm", x) if self.config.get("add_final_layer_norm") else x

    def feed_forward(self, name, x):
        hidden = self.activation(self.linear(name + ".fc1", x))
        return self.linear(name + ".fc2", self.drop("activation_dropout", hidden))

    def embed(self, side, ids):
        """[..., n] -> [..., n, d]: rows scaled by sqrt(d), plus positions from 0, normed on request."""
        shared = self.matrices.get("model.shared.weight")
        table = self.matrices[f"model.{side}.embed_tokens.weight"] if shared is None else shared
        x = table.rows(ids) * self.scale + positions(ids.shape[-1], self.d).to(self.dtype)
        if self.config.get("normalize_embedding"):
            x = self.norm(f"model.{side}.layernorm_embedding", x)
        return self.drop("dropout", x)

    def encode(self, source):
        """ids [S] -> memory [S, d], and attentions [layers, h, S, S]"""
        x, weights = self.embed("encoder", torch.as_tensor(source)), []
        for i in range(self.config["encoder_layers"]):
            layer = f"model.encoder.layers.{i}"
            heads = self.config["encoder_attention_heads"]
            attend = lambda y: self.attention(layer + ".self_attn", y, y, heads)
            x, weight = self.residual(layer + ".self_attn_layer_norm", x, attend)
            (x,) = self.residual(layer + ".final_layer_norm", x, lambda y: (self.feed_forward(layer, y),))
            weights.append(weight)
        return self.last("encoder", x), torch.stack(weights)

    def decode(self, inputs, memory):
        """decoder inputs [..., T] (the start piece first), memory [S, d]
        -> hidden [..., T, d], and attentions: self [layers, ..., h, T, T] and cross [layers, ..., h, T, S]"""
        x, own, cross = self.embed("decoder", torch.as_tensor(inputs)), [], []
        heads = self.config["decoder_attention_heads"]
        for i in range(self.config["decoder_layers"]):
            layer = f"model.decoder.layers.{i}"
            look_back = lambda y: self.attention(layer + ".self_attn", y, y, heads, causal=True)
            read = lambda y: self.attention(layer + ".encoder_attn", y, memory, heads)
            x, weight = self.residual(layer + ".self_attn_layer_norm", x, look_back)
            own.append(weight)
            x, weight = self.residual(layer + ".encoder_attn_layer_norm", x, read)
            cross.append(weight)
            (x,) = self.residual(layer + ".final_layer_norm", x, lambda y: (self.feed_forward(layer, y),))
        return self.last("decoder", x), torch.stack(own), torch.stack(cross)

    def logits(self, hidden):
        """[..., d] -> [..., V]"""
        names = ("lm_head.weight", "model.shared.weight", "model.decoder.embed_tokens.weight")
        return next(self.matrices[name] for name in names if name in self.matrices).product(hidden) + self.weights["final_logits_bias"].flatten()

    def replay(self, source, target):
        """The forced pass over ids that both end in </s>: row t of every result is the step that produces target[t].
        {logits [T, V], encoder_self [layers, h, S, S], decoder_self [layers, h, T, T], cross [layers, h, T, S]}"""
        memory, encoder_self = self.encode(source)
        hidden, decoder_self, cross = self.decode([self.start] + list(target[:-1]), memory)
        return {
            "logits": self.logits(hidden),
            "encoder_self": encoder_self,
            "decoder_self": decoder_self,
            "cross": cross,
        }


def setup(threads=1):
    """The settings every oracle script runs under: inference, few threads, denormals flushed as fast kernels do."""
    torch.set_num_threads(threads)
    torch.set_grad_enabled(False)
    torch.set_flush_denormal(True)
