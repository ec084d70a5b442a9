"""Recurrent encoder-decoders, from the equations of the papers that core/models/rnn_config.h names; a sentence at a
time, a step at a time. Weights are a dictionary by the names of a model folder's file."""

import math

import torch


class Rnn:
    def __init__(self, config, weights):
        self.c, self.w = config, weights
        self.cell = config.get("cell", "lstm")
        self.variant = config["variant"]
        self.before = self.variant in ("bahdanau", "textbook")
        self.luong = self.variant == "luong"
        self.both = config.get("bidirectional", self.variant == "bahdanau")
        self.d = config["d_model"]
        scaled = config.get("scale_embedding", False)
        self.scale = config.get("d_embedding", self.d) ** 0.5 if scaled else 1

    def step(self, name, suffix, x, state):
        """x [1, inputs], state (h,) or (h, c) of [1, d] each -> the next state."""
        w = [self.w[f"{name}.{part}_{suffix}"] for part in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")]
        return self.advance(x @ w[0].T + w[2], state, w[1], w[3])

    def advance(self, a, state, w_hh, b_hh):
        """From a = W_ih x + b_ih."""
        b = state[0] @ w_hh.T + b_hh
        if self.cell == "lstm":
            i, f, g, o = (a + b).chunk(4, -1)
            c = f.sigmoid() * state[1] + i.sigmoid() * g.tanh()
            return o.sigmoid() * c.tanh(), c
        (ar, az, an), (br, bz, bn) = a.chunk(3, -1), b.chunk(3, -1)
        z = (az + bz).sigmoid()
        return ((1 - z) * (an + (ar + br).sigmoid() * bn).tanh() + z * state[0],)

    def zeros(self):
        zero = torch.zeros(1, self.d, dtype=torch.float64)
        return (zero, zero) if self.cell == "lstm" else (zero,)

    def direction(self, x, suffix, backwards):
        states, state = [None] * len(x), self.zeros()
        for t in reversed(range(len(x))) if backwards else range(len(x)):
            state = self.step("encoder.rnn", suffix, x[t : t + 1], state)
            states[t] = state[0]
        return torch.cat(states), state

    def encode(self, source):
        """-> memory [S, m] and the last state of each layer, directions side by side; self-attention [1, h, S, S]."""
        table = self.w.get("embedding.weight", self.w.get("encoder.embedding.weight"))
        x, last = self.scale * table[source], []
        for l in range(self.c["encoder_layers"]):
            rows, state = self.direction(x, f"l{l}", self.c.get("reverse_source", False))
            if self.both:
                back, of_back = self.direction(x, f"l{l}_reverse", True)
                rows, state = torch.cat([rows, back], -1), tuple(torch.cat(s, -1) for s in zip(state, of_back))
            x = rows
            last.append(state)
        heads = self.c.get("self_attention_heads", 0)
        return (self.attend_itself(x, heads), last) if heads else (x, last)

    def attend_itself(self, x, heads):
        linear = lambda part, y: y @ self.w[f"encoder.self_attn.{part}.weight"].T + self.w[f"encoder.self_attn.{part}.bias"]
        q, k, v = (linear(p, x).unflatten(-1, (heads, -1)).transpose(0, 1) for p in ("q_proj", "k_proj", "v_proj"))
        weights = (q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])).softmax(-1)
        y = x + linear("out_proj", (weights @ v).transpose(0, 1).flatten(-2))
        gain, bias = self.w["encoder.self_attn_layer_norm.weight"], self.w["encoder.self_attn_layer_norm.bias"]
        return torch.nn.functional.layer_norm(y, y.shape[-1:], gain, bias, 1e-5)

    def first_states(self, last):
        if "bridge.0.hidden.weight" not in self.w:
            return list(last)
        states = []
        for l in range(self.c["decoder_layers"]):
            state = last[min(l, len(last) - 1)]
            linear = lambda part, y: y @ self.w[f"bridge.{l}.{part}.weight"].T + self.w[f"bridge.{l}.{part}.bias"]
            states.append((linear("hidden", state[0]).tanh(), *(linear("cell", c) for c in state[1:])))
        return states

    def attend(self, h, memory, t):
        """h [1, d] -> context [1, m], weights [S], the window's centre or None."""
        a, size, score = lambda n: self.w["decoder.attention." + n], len(memory), self.c.get("score")
        score = score or ("additive" if self.before else "general")
        if score == "dot":
            scores = memory @ h[0]
        elif score == "general":
            scores = (memory @ a("W_a").T) @ h[0]
        elif score == "location":
            scores = a("W_a")[:size] @ h[0]
        else:
            scores = (h @ a("W_a").T + memory @ a("U_a").T).tanh() @ a("v_a")
        window, width, centre = self.c.get("window", "global"), self.c.get("half_width", 10), None
        if window == "local-m":
            centre = torch.tensor(float(min(t, size - 1)), dtype=torch.float64)
        elif window == "local-p":
            centre = size * ((h @ a("W_p").T).tanh() @ a("v_p")).sigmoid()[0]
        places = torch.arange(size, dtype=torch.float64)
        if centre is not None:
            scores = scores.masked_fill((places - centre.detach()).abs() > width, -math.inf)
        weights = scores.softmax(-1)
        if window == "local-p":
            weights = self.shaped(weights, torch.exp(-((places - centre) ** 2) / (2 * (width / 2) ** 2)))
        if self.c.get("selection") == "hard":
            largest = torch.zeros_like(weights)
            largest[weights.argmax()] = 1
            weights = largest if weights.max() > 0 else weights
        return weights[None] @ memory, weights, centre

    def shaped(self, weights, gaussian):
        """Weights by the window of local-p."""
        return weights * gaussian

    def decode(self, read, memory, last):
        """Input pieces [T] -> output rows [T, d], and weights [T, S] and centres [T] if the model attends."""
        table = self.w.get("embedding.weight", self.w.get("decoder.embedding.weight"))
        states, outputs, maps, centres = self.first_states(last), [], [], []
        attended = torch.zeros(1, self.d, dtype=torch.float64)
        for t, piece in enumerate(read):
            y, fed = self.scale * table[piece : piece + 1], None
            if self.before:
                fed, weights, centre = self.attend(states[-1][0], memory, t)
            elif self.variant == "plain" and self.c.get("context", "every") == "every":
                fed = last[-1][0]
            elif self.c.get("input_feeding", False):
                fed = attended
            x = y
            for l in range(self.c["decoder_layers"]):
                w = [self.w[f"decoder.rnn.{p}_l{l}"] for p in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")]
                a = x @ w[0].T + w[2]
                if l == 0 and fed is not None:
                    a = a + fed @ self.w["decoder.rnn.C"].T
                states[l] = self.advance(a, states[l], w[1], w[3])
                x = states[l][0]
            if self.before:
                context = fed
                if self.c.get("output_context", False):
                    x = (torch.cat([context, x, y], -1) @ self.w["decoder.W_o"].T).tanh()
            if self.luong:
                context, weights, centre = self.attend(x, memory, t)
                x = attended = (torch.cat([context, x], -1) @ self.w["decoder.W_c"].T).tanh()
            outputs.append(x)
            if self.variant != "plain":
                maps.append(weights)
                centres.append(centre)
        return torch.cat(outputs), maps, centres

    def logits(self, rows):
        table = self.w.get("output.weight")
        if table is None:
            table = self.w.get("embedding.weight", self.w.get("decoder.embedding.weight"))
        return rows @ table.T + self.w["output.bias"]


def shapes(config):
    """The names and shapes of a config's weights."""
    c = config
    d, v = c["d_model"], c["vocab_size"]
    e = c.get("d_embedding", d)
    both = c.get("bidirectional", c["variant"] == "bahdanau")
    m = 2 * d if both else d
    gates = (4 if c.get("cell", "lstm") == "lstm" else 3) * d
    out = {}
    if c.get("share_encoder_decoder_embeddings", True):
        out["embedding.weight"] = (v, e)
    else:
        out["encoder.embedding.weight"] = out["decoder.embedding.weight"] = (v, e)
    if not c.get("tie_word_embeddings", True):
        out["output.weight"] = (v, d)
    out["output.bias"] = (v,)

    def cell(name, suffix, inputs):
        out[f"{name}.weight_ih_{suffix}"], out[f"{name}.weight_hh_{suffix}"] = (gates, inputs), (gates, d)
        out[f"{name}.bias_ih_{suffix}"] = out[f"{name}.bias_hh_{suffix}"] = (gates,)

    for l in range(c["encoder_layers"]):
        for suffix in (f"l{l}", f"l{l}_reverse")[: 2 if both else 1]:
            cell("encoder.rnn", suffix, m if l else e)
    if c.get("self_attention_heads", 0):
        for part in ("q_proj", "k_proj", "v_proj", "out_proj"):
            out[f"encoder.self_attn.{part}.weight"], out[f"encoder.self_attn.{part}.bias"] = (m, m), (m,)
        out["encoder.self_attn_layer_norm.weight"] = out["encoder.self_attn_layer_norm.bias"] = (m,)
    if both or c["encoder_layers"] != c["decoder_layers"] or c["variant"] == "bahdanau":
        for l in range(c["decoder_layers"]):
            for part in ("hidden", "cell")[: 2 if c.get("cell", "lstm") == "lstm" else 1]:
                out[f"bridge.{l}.{part}.weight"], out[f"bridge.{l}.{part}.bias"] = (d, m), (d,)
    for l in range(c["decoder_layers"]):
        cell("decoder.rnn", f"l{l}", d if l else e)
    before = c["variant"] in ("bahdanau", "textbook")
    if before or (c["variant"] == "plain" and c.get("context", "every") == "every"):
        out["decoder.rnn.C"] = (gates, m)
    elif c.get("input_feeding", False):
        out["decoder.rnn.C"] = (gates, d)
    if c["variant"] == "plain":
        return out
    score = c.get("score") or ("additive" if before else "general")
    if score == "general":
        out["decoder.attention.W_a"] = (d, m)
    elif score == "location":
        out["decoder.attention.W_a"] = (c["max_position_embeddings"], d)
    elif score != "dot":
        out["decoder.attention.W_a"], out["decoder.attention.U_a"] = (d, d), (d, m)
        out["decoder.attention.v_a"] = (d,)
    if c.get("window") == "local-p":
        out["decoder.attention.W_p"], out["decoder.attention.v_p"] = (d, d), (d,)
    if c["variant"] == "luong":
        out["decoder.W_c"] = (d, m + d)
    elif c.get("output_context", False):
        out["decoder.W_o"] = (d, m + d + e)
    return out
