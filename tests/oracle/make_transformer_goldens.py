"""Goldens of the Transformer, from PyTorch: what the tests compare the engine with. tests/goldens/README.md has the format.

    python3 make_transformer_goldens.py tests/goldens web/models/en-fr

The reference is PyTorch in float64 with the folder's weights. The goldens also hold the largest error of PyTorch's own
float32 over all elements: the engine may be off by twice that, plus 1e-6.

For an 8-bit model, the second folder, there are only translations. A number that is very close to the middle between
two steps of 7 bits is rounded up by one implementation and down by another, and logits move by far more than floats err:
no element has a bound of that kind. How far they move is measured, float32 beside float64, and printed.
"""

import json
import pathlib
import random
import struct
import sys

import torch

import search
import transformer

KINDS = ("logits", "encoder_self", "decoder_self", "cross")
COLUMNS = 64  # logits kept of each step, besides the largest
TOP = 8
VALUES = 1800  # attention weights kept of each kind where there are more

# If a decision's margin is smaller than this, a rounding error may change the decision.
# In int8 the log-probabilities of two implementations usually differ by 1e-6, as those of floats do. But in 9 of 100
# sentences the two round one activation to different integers. A log-probability then differs by up to 0.05, in one
# sentence by 0.07. Two pieces can move towards each other, so the margin is twice 0.05.
NEAR_TIE, NEAR_TIE_INT8 = 1e-4, 0.1

LONGEST, LONGEST_COMPLETE = 40, 10  # pieces of a greedy translation that are replayed

LONG = (
    "When I was a child, my family lived in a small house near the river, and every morning my father took me to school "
    "in his old green car. In the evening we ate together, and then my grandmother told us stories about the war. "
)
LONG_TARGET = "Nous avons parlé de la maison, du jardin et de la mer. "
# name, source, target to force (None: the greedy translation, cut where it is long)
CASES = [
    ("empty", "", None),
    ("one piece", "You", None),
    ("unknown", "漢字假名", None),
    ("all unknown", "龘 靐 齉 爨 㐂", None),
    ("emoji", "I ❤️ pizza 🍕 and 👩‍👩‍👧 too 😀!", None),
    ("two sentences", "I missed the bus this morning. I had to walk to school.", None),
    ("200 pieces", " ".join((LONG * 4).split(" ")[:172]), None),
    ("200 pieces of target", "We had a long talk.", LONG_TARGET * 13 + "Nous avons parlé"),
    ("forced", "I love you very much.", "Je vous aime beaucoup."),
    ("forced, another meaning", "The cat is on the table.", "Il pleut toujours en novembre."),
    ("forced, unknown", "She is happy.", "Elle est 幸福 😀."),
    ("forced end", "Nobody answered the telephone.", ""),
    ("forced source", "Where are you going?", "Where are you going?"),
    ("numbers", "Call 555-0199 at 7:45, or pay $12.50 (plus 20%).", None),
    ("capitals", "PLEASE DO NOT SMOKE IN THE LIFT!", None),
    ("repetition", "no no no no no no no no no no no no", None),
    ("French", "Il fait beau aujourd'hui.", None),
    ("question", "What would you do if you found a wallet in the street?", None),
    ("statement", "My brother sold his bicycle to a neighbour last week.", None),
    ("white space", "  This \t line   has  odd\u00a0white\u3000space. ", None),
]
TINY_CASES = [
    ("end only", "", None),
    ("sentence", "Is it cold?", None),
    ("unknown", "Ω ≈ 漢字 the", "tea Ω"),
    ("forced", "We go.", "The cat sleeps."),
]

LANGUAGE_CASES = [
    ("a language", ">>fra<< Is it cold?", None),
    ("a language alone", ">>deu<<", None),
    ("no language", ">>xyz<< Is it cold?", "The cat sleeps."),
]


class Blob:
    """Doubles, little-endian, one array after another; offsets count doubles."""

    def __init__(self):
        self.data = bytearray()

    def add(self, tensor):
        offset = len(self.data) // 8
        values = tensor.to(torch.float64).flatten().tolist()
        self.data += struct.pack(f"<{len(values)}d", *values)
        return offset


def sample_rows(shape, limit, rng):
    rows = 1
    for n in shape[:-1]:
        rows *= n
    keep = max(8, limit // shape[-1])
    return list(range(rows)) if rows <= keep else sorted(rng.sample(range(rows), keep))


def golden(case, exact, single, tokenizer, blob, rng, complete):
    name, source_text, target_text = case
    source = tokenizer.encode(source_text)
    forced = target_text is not None
    target = tokenizer.encode(target_text, "target") if forced else search.greedy(single, source).ids
    longest = LONGEST_COMPLETE if complete else LONGEST
    if len(target) > longest and not forced:
        target = target[:longest] + [exact.eos]
    truth, theirs = exact.replay(source, target), single.replay(source, target)
    entry = {"name": name, "source": source_text, "target": target_text, "source_ids": source, "target_ids": target}
    for kind in KINDS:
        full = truth[kind]
        shape = list(full.shape)
        flat = full.reshape(-1, shape[-1])
        logits = kind == "logits"
        rows = sample_rows(shape, flat.numel() if complete or logits else VALUES, rng)
        columns = list(range(shape[-1]))
        if logits and not complete:
            columns = sorted(set(rng.sample(columns, COLUMNS)) | {exact.eos, exact.start})
        entry[kind] = {
            "shape": shape,
            "rows": None if len(rows) == len(flat) else rows,
            "columns": None if len(columns) == shape[-1] else columns,
            "offset": blob.add(flat[rows][:, columns]),
            "float32_error": float((theirs[kind].double() - full).abs().max()),
        }
    if not complete:
        value, index = truth["logits"].topk(TOP)
        entry["top"] = {"columns": index.tolist(), "offset": blob.add(value)}
    allowed = truth["logits"].clone()
    allowed[:, exact.bad] = -float("inf")
    log_probabilities = allowed.log_softmax(-1).gather(1, torch.tensor(target)[:, None])
    entry["log_probabilities"] = {"offset": blob.add(log_probabilities), "sum": float(log_probabilities.sum())}
    return entry


def translation(found, tokenizer):
    return {
        "ids": found.ids,
        "text": tokenizer.decode(found.ids),
        "score": round(found.score, 6),
        "truncated": found.truncated,
        "margins": [float(f"{m:.2g}") for m in found.margins],
    }


def translations(sentences, model, tokenizer, beams):
    for sentence in sentences:
        ids = tokenizer.encode(sentence)
        yield {
            "source": sentence,
            "source_ids": ids,
            "greedy": translation(search.greedy(model, ids), tokenizer),
            "beam": translation(search.beam(model, ids, beams), tokenizer),
        }


def write_json(path, header, key, entries):
    """One line for each entry, so that diffs are readable."""
    lines = ",\n".join(json.dumps(entry, ensure_ascii=False, separators=(",", ":")) for entry in entries)
    head = json.dumps(header, ensure_ascii=False)[:-1]
    path.write_text(f'{head}, "{key}": [\n{lines}\n]}}\n')


def write_translations(folder, model, tokenizer, sentences, model_name, near_tie):
    beams = model.generation["num_beams"]
    header = {"model": model_name, "beams": beams, "near_tie": near_tie}
    found = list(translations(sentences, model, tokenizer, beams))
    write_json(folder / "translations.json", header, "translations", found)
    return found


def make(folder, cases, sentences, complete, name):
    exact = transformer.Transformer(folder, torch.float64)
    single = transformer.Transformer(folder, torch.float32)
    tokenizer, blob, rng = transformer.Tokenizer(folder), Blob(), random.Random(1)
    entries = [golden(case, exact, single, tokenizer, blob, rng, complete) for case in cases]
    errors = {kind: max(entry[kind]["float32_error"] for entry in entries) for kind in KINDS}
    write_json(folder / "transformer.json", {"model": name, "float32_error": errors}, "goldens", entries)
    (folder / "transformer.bin").write_bytes(blob.data)
    write_translations(folder, single, tokenizer, sentences, name, NEAR_TIE)
    for entry in entries:
        sizes = f"S {len(entry['source_ids'])} T {len(entry['target_ids'])}"
        print(entry["name"], sizes, {kind: f"{entry[kind]['float32_error']:.2g}" for kind in KINDS})
    print(name, errors)


def chosen(model, source, target):
    """[T], the log-probabilities of a forced target."""
    logits = model.replay(source, target)["logits"].double()
    logits[:, model.bad] = -float("inf")
    return logits.log_softmax(-1).gather(1, torch.tensor(target)[:, None])[:, 0]


def make_int8(folder, model_folder, sentences):
    exact = transformer.Transformer(model_folder, torch.float64)
    single = transformer.Transformer(model_folder, torch.float32)
    folder.mkdir(exist_ok=True)
    tokenizer = transformer.Tokenizer(model_folder)
    found = write_translations(folder, single, tokenizer, sentences, str(model_folder), NEAR_TIE_INT8)
    pairs = [(each["source_ids"], each["greedy"]["ids"]) for each in found]
    moved = torch.cat([(chosen(single, *pair) - chosen(exact, *pair)).abs() for pair in pairs])
    print(f"{model_folder}: float32 beside float64, of {len(moved)} chosen pieces' log-probabilities", end=" ")
    print(f"{int((moved > 1e-5).sum())} moved by over 1e-5, the farthest by {float(moved.max()):.3g}")
    assert float(moved.quantile(0.99)) <= NEAR_TIE_INT8


def main():
    goldens, default = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    transformer.setup(1)
    sentences = (goldens / "sentences.txt").read_text().splitlines()
    for folder in sorted((goldens / "models").iterdir()):  # small enough to keep every value
        languages = ">>fra<<" in (folder / "vocab.json").read_text()
        make(folder, TINY_CASES + LANGUAGE_CASES * languages, sentences[:4], True, f"tests/goldens/models/{folder.name}")
    make(goldens / "en-fr", CASES, sentences, False, "tests/goldens/en-fr")
    make_int8(goldens / "en-fr-int8", default, sentences)


if __name__ == "__main__":
    main()
