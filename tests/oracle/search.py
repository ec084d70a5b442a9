"""Greedy and beam search, one sentence at a time, recomputing the whole prefix at every step.

The rule is Hugging Face Transformers' generate() with early_stopping = False, written out:
- Length counts produced pieces with </s>, without the start piece. It is at most min(config's, positions, 3 S + 50).
- Pieces in bad_words_ids get -inf before the log-softmax.
- Beam K: of all (hypothesis, piece) the 2K best by summed log-probability; ties: lower hypothesis, then lower piece.
  In order: </s> at rank < K goes to the finished list with sum / length^penalty, which keeps the best K; other pieces
  become the next K hypotheses.
- Stop when the finished list is full and its worst is no worse than the best of the 2K at this length.
- At the last length every hypothesis is ended by </s> at no cost.
- Greedy is K = 1.
"""

import dataclasses
import math

import torch


@dataclasses.dataclass
class Found:
    ids: list  # with </s>
    score: float  # summed log-probability / length^penalty
    truncated: bool  # ended because of its length
    margins: list  # per step, how far the closest decision was from being another one; see below


def maximum_length(model, source):
    configured = model.generation.get("max_length", model.config.get("max_length", 512))
    return min(configured, model.config["max_position_embeddings"], 3 * len(source) + 50)


def log_probabilities(model, memory, prefixes):
    """[n, t] -> [n, V], of the piece after each prefix"""
    hidden, _, _ = model.decode(prefixes, memory)
    logits = model.logits(hidden[:, -1])
    logits[:, model.bad] = -math.inf
    return logits.log_softmax(-1)


def best(values, count):
    """The `count` largest and their indices; on ties the lower index first, which topk does not guarantee."""
    index = (values >= values.topk(count).values[-1]).nonzero()[:, 0]
    value, order = values[index].sort(descending=True, stable=True)
    return value[:count], index[order[:count]]


def greedy(model, source):
    """margins: the best log-probability minus the second."""
    memory, _ = model.encode(source)
    limit, penalty = maximum_length(model, source), model.generation.get("length_penalty", 1.0)
    ids, total, margins = [], 0.0, []
    while len(ids) < limit - 1:
        logp = log_probabilities(model, memory, torch.tensor([[model.start] + ids]))[0]
        value, index = best(logp, 2)
        ids.append(int(index[0]))
        margins.append(float(value[0] - value[1]))
        total += float(value[0])
        if ids[-1] == model.eos:
            return Found(ids, total / len(ids) ** penalty, False, margins)
    return Found(ids + [model.eos], total / limit**penalty, True, margins)


def decision_margin(value, ends, beams):
    """value: the 2K + 1 best sums, in order; ends: which of them are </s>."""
    others = [v for v, end in zip(value, ends) if not end]
    gaps = [a - b for a, b in zip(others[beams - 1 :], others[beams:])][:1]
    for rank, (v, end) in enumerate(zip(value, ends)):
        if end:
            gaps.append(v - value[beams] if rank < beams else value[beams - 1] - v)
    return min(gaps, default=math.inf)


def beam(model, source, beams):
    """margins: per step the smallest change of a sum that would keep another hypothesis, count another </s> or stop at
    another length; at the last step also the lead of the winner."""
    memory, _ = model.encode(source)
    limit, penalty = maximum_length(model, source), model.generation.get("length_penalty", 1.0)
    live, scores, finished, margins = [[]], torch.zeros(1, dtype=model.dtype), [], []

    def finish(ids, total, truncated):
        found = Found(ids, total / len(ids) ** penalty, truncated, margins)
        if len(finished) < beams or found.score > min(f.score for f in finished):
            finished.append(found)
            if len(finished) > beams:
                finished.remove(min(finished, key=lambda f: f.score))

    for length in range(1, limit):
        prefixes = torch.tensor([[model.start] + ids for ids in live])
        candidates = scores[:, None] + log_probabilities(model, memory, prefixes)
        vocabulary = candidates.shape[1]
        value, index = best(candidates.flatten(), 2 * beams + 1)
        value, index = value.tolist(), index.tolist()
        margins.append(decision_margin(value, [i % vocabulary == model.eos for i in index], beams))
        hypotheses, sums = [], []
        for rank, (total, i) in enumerate(zip(value[:-1], index[:-1])):
            ids = live[i // vocabulary] + [i % vocabulary]
            if ids[-1] == model.eos:
                if rank < beams:
                    finish(ids, total, False)
            elif len(hypotheses) < beams:
                hypotheses.append(ids)
                sums.append(total)
        live, scores = hypotheses, torch.tensor(sums, dtype=model.dtype)
        if len(finished) == beams:
            worst, attainable = min(f.score for f in finished), value[0] / length**penalty
            if worst != attainable:  # equal: the </s> just counted, compared with itself
                margins[-1] = min(margins[-1], abs(worst - attainable))
            if worst >= attainable:
                break
    else:
        for ids, total in zip(live, scores.tolist()):
            finish(ids + [model.eos], total, True)
    order = sorted(finished, key=lambda f: -f.score)  # stable: of equals the one added earlier
    if len(order) > 1:
        margins[-1] = min(margins[-1], order[0].score - order[1].score)
    return order[0]
