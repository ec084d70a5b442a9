"""Small seeded models in Marian's own files, as Firefox has them, and what NumPy computes with them in float64
(marian.py): the goldens of tests/core/marian_test.cc and of the tests in JavaScript.

    python3 make_marian_goldens.py tests/goldens
"""

import gzip
import json
import pathlib
import struct
import sys

import numpy as np
import sentencepiece

import marian

# Each in one of the types that Marian writes.
MODELS = {
    "ssru-int8": {"d": 16, "ffn": 24, "heads": 4, "layers": (2, 2), "pieces": 320},
    "ssru-int8-two": {"d": 16, "ffn": 20, "heads": 2, "layers": (1, 2), "pieces": (60, 64)},
    "ssru-f16": {"d": 12, "ffn": 20, "heads": 3, "layers": (1, 1), "pieces": 64, "kind": "float16"},
    "ssru-pre-norm": {
        **{"d": 12, "ffn": 20, "heads": 2, "layers": (2, 1), "pieces": 64},
        **{"kind": "float32", "pre_norm": True, "activation": "swish"},
    },
    "self-attention-f32": {
        **{"d": 12, "ffn": 16, "heads": 3, "layers": (1, 2), "pieces": 64},
        **{"kind": "float32", "ssru": False},
    },
    "trained-positions": {
        **{"d": 12, "ffn": 16, "heads": 3, "layers": (1, 2), "pieces": 64},
        **{"kind": "float32", "ssru": False, "activation": "gelu", "residual": False, "trained": 40},
    },
}
TEXTS = ["My brother sings.", "It is raining.", "Привет 2026!", "No."]


def train(path, sentences, pieces, **more):
    """A vocabulary with Marian's ids and split digits, and byte fallback where it has room for that."""
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(sentences),
        model_prefix=str(path.with_suffix("")),
        vocab_size=pieces,
        **{"bos_id": -1, "eos_id": 0, "unk_id": 1, "pad_id": -1, "num_threads": 1, "minloglevel": 2},
        **{"byte_fallback": pieces > 256, "split_digits": True, "normalization_rule_name": "identity"},
        **more,
    )
    path.with_suffix(".model").rename(path)
    path.with_suffix(".vocab").unlink()
    return sentencepiece.SentencePieceProcessor(model_file=str(path))


def shortlist(random, source, target):
    """A shortlist that gives each source piece some target pieces."""
    lists = [random.choice(target, 3, replace=False) for _ in range(source)]
    offsets = np.arange(source + 1, dtype="<u8") * 3
    body = struct.pack("<4Q", 20, 3, len(offsets), 3 * source) + offsets.tobytes()
    body += np.sort(np.stack(lists)).astype("<u4").tobytes()
    total, mask = 0, (1 << 64) - 1
    for word in struct.unpack(f"<{len(body) // 8}Q", body[: len(body) // 8 * 8]):
        total ^= (word + 0x9E3779B9 + (total << 6 & mask) + (total >> 2)) & mask
    return struct.pack("<QQ", 0xF11A48D5013417F5, total) + body


def numbers(values, into):
    into.append(np.ascontiguousarray(values, np.float64).ravel())
    return {"shape": list(values.shape), "offset": sum(map(len, into[:-1]))}


def golden(model, source, target, text, lists, traced, into):
    ids = source.encode(text) + [0]
    names = {"text": text, "source_ids": ids}
    candidates = lists.candidates(ids, model.shared)
    for name, columns in (("whole", None), ("shortlist", candidates)):
        written, gap = model.translate(ids, columns)
        names[name] = {"ids": written, "text": target.decode(written), "gap": gap}
    forced = target.encode("A " + text[::-1][:12]) + [0]
    log_probs, trace = model.forward(ids, forced)
    picked = log_probs[np.arange(len(forced)), forced]
    names |= {"target_ids": forced, "candidates": candidates, "log_probs": numbers(picked, into)}
    return names | {kind: numbers(values, into) for kind, values in trace.items() if traced}


def make(folder, seed, spec, sentences):
    folder.mkdir(parents=True, exist_ok=True)
    model = marian.Model(seed, **spec)
    if model.shared:
        source = target = train(folder / "vocab.xxyy.spm", sentences, model.pieces[0])
    else:
        source = train(folder / "srcvocab.xxyy.spm", sentences[0::2], model.pieces[0])
        target = train(folder / "trgvocab.xxyy.spm", sentences[1::2], model.pieces[1], model_type="bpe")
    path = folder / "model.xxyy.bin"
    model.write(path)
    lex = shortlist(np.random.default_rng(seed), *model.pieces)
    (folder / "lex.xxyy.s2t.bin").write_bytes(lex)
    if seed == 1:  # as they are published
        for file in (path, folder / "lex.xxyy.s2t.bin", folder / "vocab.xxyy.spm"):
            with gzip.GzipFile(f"{file}.gz", "wb", mtime=0) as out:
                out.write(file.read_bytes())
            file.unlink()
    into = []
    lists = marian.Shortlist(lex)
    texts = [golden(model, source, target, text, lists, text == TEXTS[1], into) for text in TEXTS]
    # Some rows of every matrix, as [outputs, inputs].
    rows = {}
    for name, exact in model.exact.items():
        lies = exact if name.endswith("Wemb") or not model._is_matrix(name) else exact.T
        rows[name] = numbers(lies[: 2 if len(lies) > 1 else 1], into)
    (folder / "goldens.json").write_text(json.dumps({"goldens": texts, "tensors": rows}, ensure_ascii=False) + "\n")
    np.concatenate(into).tofile(folder / "goldens.bin")


def main():
    goldens = pathlib.Path(sys.argv[1])
    sentences = (goldens / "sentences.txt").read_text().splitlines()
    for seed, (name, spec) in enumerate(MODELS.items(), 1):
        make(goldens / "marian" / name, seed, spec, sentences)


if __name__ == "__main__":
    main()
