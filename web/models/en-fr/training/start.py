"""Makes the first weights of a model that translates to English, from two trained models.

    /usr/bin/python3 start.py en-de fr-en OUT

The vocabulary is that of the first model, English to German. The layers are those of the second model, French to English, which already
writes English. The embeddings of pieces that both vocabularies have are the second model's too. The other pieces have the first
model's embeddings, mapped into the space of the second model: by the orthogonal matrix that brings the shared pieces' embeddings
nearest to each other (Procrustes; Xing et al. 2015), and by the ratio of their mean lengths. Needs numpy.
"""
import json
import shutil
import sys
from pathlib import Path

import numpy as np

from mix import read, write

EMBEDDINGS, BIAS = "model.shared.weight", "final_logits_bias"


def lengths(rows):
    return np.linalg.norm(rows, axis=1)


def turned(rows, ours, theirs):
    """Maps rows, [n, d], into the space of `theirs`. `ours` and `theirs` are the two embeddings of the same pieces, [m, d]."""
    known = (lengths(ours) > 0) & (lengths(theirs) > 0)  # the row that decoding starts from is zero
    ours, theirs = ours[known], theirs[known]
    u, _, v = np.linalg.svd(ours.T @ theirs)
    return rows @ (u @ v) * (lengths(theirs).mean() / lengths(ours).mean())


def main(reverse, model, out):
    vocabularies = [json.loads((folder / "vocab.json").read_text()) for folder in (reverse, model)]
    shared = [piece for piece in vocabularies[0] if piece in vocabularies[1]]
    ours, theirs = ([vocabulary[piece] for piece in shared] for vocabulary in vocabularies)
    given, tensors = read(reverse), read(model)

    rows = turned(given[EMBEDDINGS], given[EMBEDDINGS][ours], tensors[EMBEDDINGS][theirs])
    rows[ours] = tensors[EMBEDDINGS][theirs]
    bias = given[BIAS].reshape(-1).copy()
    bias[ours] = tensors[BIAS].reshape(-1)[theirs]
    out.mkdir(exist_ok=True)
    tensors |= {EMBEDDINGS: rows.astype(np.float32), BIAS: bias.reshape(given[BIAS].shape)}
    write(out / "model.safetensors", tensors)
    for name in ("config.json", "generation_config.json", "vocab.json", "source.spm"):
        shutil.copy(reverse / name, out)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
