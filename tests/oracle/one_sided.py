"""Encoder-only and decoder-only Transformers in PyTorch, as oracles: BERT (https://arxiv.org/abs/1810.04805), RoBERTa
(https://arxiv.org/abs/1907.11692), DistilBERT (https://arxiv.org/abs/1910.01108) and GPT-2 (Radford et al. 2019), from
the papers' equations and by the names that Hugging Face's files have. One text at a time, no padding, no cache.

Symbols: T pieces, d width, h heads, V vocabulary.
"""

import math

import torch


def gelu(x):
    """x Phi(x)"""
    return x * 0.5 * (1 + torch.erf(x / math.sqrt(2)))


def gelu_new(x):
    """the approximation of https://arxiv.org/abs/1606.08415"""
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


ACTIVATIONS = {"gelu": gelu, "gelu_new": gelu_new, "relu": torch.relu, "silu": torch.nn.functional.silu}


class Model:
    def __init__(self, config, weights, dtype):
        self.config = config
        self.w = {name: tensor.to(dtype) for name, tensor in weights.items()}
        self.attention_weights = []

    def linear(self, name, x):
        """x W' + b"""
        return x @ self.w[name + ".weight"].T + self.w[name + ".bias"]

    def norm(self, name, x, epsilon):
        """Ba et al. 2016"""
        centred = x - x.mean(-1, keepdim=True)
        scaled = centred / torch.sqrt((centred**2).mean(-1, keepdim=True) + epsilon)
        return scaled * self.w[name + ".weight"] + self.w[name + ".bias"]

    def attend(self, q, k, v, heads, causal):
        """softmax(q k' / sqrt(d / h)) v, [T, d]; keeps the weights [h, T, T]"""
        split = lambda x: x.reshape(len(x), heads, -1).transpose(0, 1)
        scores = split(q) @ split(k).transpose(1, 2) / math.sqrt(q.shape[1] // heads)
        if causal:
            scores = scores.masked_fill(torch.ones(scores.shape[1:]).triu(1).bool(), -math.inf)
        weights = scores.softmax(-1)
        self.attention_weights.append(weights)
        return (weights @ split(v)).transpose(0, 1).reshape(q.shape)


class Encoder(Model):
    """Post-norm: y = norm(x + attention(x)), norm(y + ffn(y))."""

    def __init__(self, config, weights, dtype):
        super().__init__(config, weights, dtype)
        self.kind = config["model_type"]
        self.prefix = self.kind + "."
        self.epsilon = config.get("layer_norm_eps", 1e-12)
        distil = self.kind == "distilbert"
        self.layers = config["n_layers" if distil else "num_hidden_layers"]
        self.heads = config["n_heads" if distil else "num_attention_heads"]
        self.activation = ACTIVATIONS[config["activation" if distil else "hidden_act"]]

    def hidden(self, ids, types):
        """[T, d] of the last layer"""
        self.attention_weights = []
        table = lambda name: self.w[f"{self.prefix}embeddings.{name}_embeddings.weight"]
        first = self.config["pad_token_id"] + 1 if self.kind == "roberta" else 0
        x = table("word")[ids] + table("position")[torch.arange(len(ids)) + first]
        if self.kind != "distilbert":
            known = self.config["type_vocab_size"]
            x = x + table("token_type")[[t if t < known else 0 for t in types]]
        x = self.norm(self.prefix + "embeddings.LayerNorm", x, self.epsilon)
        for i in range(self.layers):
            x = self.distil_layer(i, x) if self.kind == "distilbert" else self.bert_layer(i, x)
        return x

    def bert_layer(self, i, x):
        layer = f"{self.prefix}encoder.layer.{i}."
        q, k, v = (self.linear(f"{layer}attention.self.{part}", x) for part in ("query", "key", "value"))
        a = self.linear(layer + "attention.output.dense", self.attend(q, k, v, self.heads, False))
        y = self.norm(layer + "attention.output.LayerNorm", x + a, self.epsilon)
        f = self.linear(layer + "output.dense", self.activation(self.linear(layer + "intermediate.dense", y)))
        return self.norm(layer + "output.LayerNorm", y + f, self.epsilon)

    def distil_layer(self, i, x):
        layer = f"{self.prefix}transformer.layer.{i}."
        q, k, v = (self.linear(f"{layer}attention.{part}_lin", x) for part in "qkv")
        a = self.linear(layer + "attention.out_lin", self.attend(q, k, v, self.heads, False))
        y = self.norm(layer + "sa_layer_norm", x + a, self.epsilon)
        f = self.linear(layer + "ffn.lin2", self.activation(self.linear(layer + "ffn.lin1", y)))
        return self.norm(layer + "output_layer_norm", y + f, self.epsilon)

    def logits(self, x):
        """The head on rows of the last layer; a sequence head uses the first row."""
        head = self.config["architectures"][0]
        if head.endswith("ForMaskedLM"):
            dense, norm, bias = {
                "bert": ("cls.predictions.transform.dense", "cls.predictions.transform.LayerNorm", "cls.predictions.bias"),
                "distilbert": ("vocab_transform", "vocab_layer_norm", "vocab_projector.bias"),
                "roberta": ("lm_head.dense", "lm_head.layer_norm", "lm_head.bias"),
            }[self.kind]
            activation = gelu if self.kind == "roberta" else self.activation  # transformers' RobertaLMHead
            y = self.norm(norm, activation(self.linear(dense, x)), self.epsilon)
            return y @ self.w[self.prefix + "embeddings.word_embeddings.weight"].T + self.w[bias]
        if head.endswith("ForSequenceClassification"):
            first = x[:1]
            if self.kind == "bert":
                return self.linear("classifier", torch.tanh(self.linear("bert.pooler.dense", first)))
            if self.kind == "distilbert":
                return self.linear("classifier", torch.relu(self.linear("pre_classifier", first)))
            return self.linear("classifier.out_proj", torch.tanh(self.linear("classifier.dense", first)))
        return self.linear("classifier" if head.endswith("ForTokenClassification") else "qa_outputs", x)


class Gpt2(Model):
    """Pre-norm: y = x + attention(norm(x)), y + ffn(norm(y)). Matrices are written [inputs, outputs]."""

    def conv(self, name, x):
        return x @ self.w[name + ".weight"] + self.w[name + ".bias"]

    def logits(self, ids):
        """[T, V]"""
        self.attention_weights = []
        c, prefix, epsilon = self.config, "transformer.", self.config["layer_norm_epsilon"]
        x = self.w[prefix + "wte.weight"][ids] + self.w[prefix + "wpe.weight"][torch.arange(len(ids))]
        for i in range(c["n_layer"]):
            layer = f"{prefix}h.{i}."
            q, k, v = self.conv(layer + "attn.c_attn", self.norm(layer + "ln_1", x, epsilon)).chunk(3, -1)
            x = x + self.conv(layer + "attn.c_proj", self.attend(q, k, v, c["n_head"], True))
            f = ACTIVATIONS[c["activation_function"]](self.conv(layer + "mlp.c_fc", self.norm(layer + "ln_2", x, epsilon)))
            x = x + self.conv(layer + "mlp.c_proj", f)
        x = self.norm(prefix + "ln_f", x, epsilon)
        return x @ self.w["lm_head.weight" if "lm_head.weight" in self.w else prefix + "wte.weight"].T

    def greedy(self, ids, count, penalty=1.0):
        """The next `count` ids, and the smallest margin between the best two logits."""
        ids, margin = list(ids), math.inf
        for _ in range(count):
            row = self.logits(ids)[-1].clone()
            for seen in set(ids):
                row[seen] = row[seen] / penalty if row[seen] > 0 else row[seen] * penalty
            best = row.topk(2).values
            margin = min(margin, float(best[0] - best[1]))
            ids.append(int(row.argmax()))
            if ids[-1] == self.config["eos_token_id"]:
                break
        return ids, margin
