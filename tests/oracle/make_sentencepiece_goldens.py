"""Makes tests/goldens/sentencepiece: small .spm models, trained on tests/goldens/sentences.txt or written by hand, and
how the reference SentencePiece encodes ordinary and hostile lines with them and with the default model.

    python3 make_sentencepiece_goldens.py        (Debian's python3-sentencepiece and sentencepiece)

Text, which may be invalid UTF-8, is written with one character per byte: U+00E9 is the byte E9.
"""

import itertools
import json
import pathlib
import random
import struct
import subprocess
import tempfile

import sentencepiece

from sentencepiece_parity import pieces_of, random_ids

ROOT = pathlib.Path(__file__).resolve().parents[2]
OUT = ROOT / "tests/goldens/sentencepiece"
SENTENCES = (ROOT / "tests/goldens/sentences.txt").read_text().splitlines()

FRENCH = """Où est la gare ? Je ne l’ai pas trouvée.
Elle a été très heureuse d'apprendre la nouvelle hier soir.
Nous aurions dû réserver une chambre à l'hôtel.
Ça m'est égal, fais comme tu voudras !
Le garçon mange un gâteau aux œufs dans la forêt.
« Qu'est-ce que c'est ? » demanda-t-il en souriant.
Il y a vingt-deux élèves dans notre classe cette année.
Je suis désolé, mais le musée est fermé le lundi.""".splitlines()

# Replaced text and replacement, for --normalization_rule_tsv: one to many, many to one, to a space, to nothing, and
# rules with a common beginning.
RULES = {
    "ﬁ": "fi", "①": "1", "e\u0301": "é", "a\u0302": "â", "…": "...", "...": "…", "....": "!", "\u00A0": " ", "\t": " ",
    "\u3000": "  ", "\u200B": "", "\u200D": "", "ab": "x y", "ﷺ": "صلى الله عليه وسلم", "Q": "q", "QU": " Q", "\u2581": "_",
}  # fmt: skip

TRAINED = {
    "unigram": ["--model_type=unigram", "--vocab_size=400", "--normalization_rule_tsv={rules}"],
    "unigram-bytes": [
        "--model_type=unigram", "--vocab_size=560", "--byte_fallback", "--character_coverage=0.98",
        "--user_defined_symbols=<sep>,[X],ou,a b,é", "--unk_surface=<?>", "--remove_extra_whitespaces=false",
        "--normalization_rule_name=identity",
    ],
    "unigram-suffix": [
        "--model_type=unigram", "--vocab_size=300", "--treat_whitespace_as_suffix", "--normalization_rule_tsv={rules}",
        "--control_symbols=<c1>,<c2>",
    ],
    "bpe": ["--model_type=bpe", "--vocab_size=400", "--normalization_rule_tsv={rules}", "--user_defined_symbols=Tom,  ,lol"],
    "bpe-bytes": [
        "--model_type=bpe", "--vocab_size=620", "--byte_fallback", "--character_coverage=0.98", "--add_dummy_prefix=false",
        "--normalization_rule_name=identity", "--user_defined_symbols=<sep>,ﬁ",
    ],
    "bpe-suffix": [
        "--model_type=bpe", "--vocab_size=300", "--treat_whitespace_as_suffix", "--remove_extra_whitespaces=false",
        "--normalization_rule_name=identity", "--split_by_whitespace=false",
    ],
}  # fmt: skip


def train(name, options):
    with tempfile.TemporaryDirectory() as folder:
        corpus, rules = pathlib.Path(folder, "corpus"), pathlib.Path(folder, "rules.tsv")
        corpus.write_text("\n".join(SENTENCES + FRENCH) + "\n")
        hexadecimal = lambda text: " ".join(f"{ord(c):X}" for c in text)
        rules.write_text("".join(f"{hexadecimal(old)}\t{hexadecimal(new)}\n" for old, new in RULES.items()))
        prefix = pathlib.Path(folder, name)
        fixed = ["--input=corpus", f"--model_prefix={name}", "--num_threads=1", "--minloglevel=2", "--hard_vocab_limit=false"]
        options = [option.format(rules="rules.tsv") for option in options]
        subprocess.run(["spm_train", *fixed, *options], check=True, cwd=folder)
        (OUT / f"{name}.spm").write_bytes(prefix.with_suffix(".model").read_bytes())


# The wire format, for fields that the trainer never writes.


def varint(value):
    return bytes([value]) if value < 128 else bytes([value & 127 | 128]) + varint(value >> 7)


def scalar(field, value):
    return varint(field << 3) + varint(value)


def message(field, content):
    return varint(field << 3 | 2) + varint(len(content)) + content


def piece(text, score=0.0, kind=1):
    return message(1, message(1, text.encode()) + b"\x15" + struct.pack("<f", score) + scalar(3, kind))


def write_by_hand(name, algorithm, normalizer=b"", user_defined=("ccc", "ff"), more=()):
    """Equal scores, unused pieces inside others, user-defined pieces inside normal ones: every rule that breaks ties."""
    texts = ["".join(t) for n in (1, 2, 3) for t in itertools.product("ab▁", repeat=n)]
    texts += ["abab", "aaaa", "baba", "ab▁ab", "aaaaaaaa", "c", "ccc", "accc", "ccca", "f", "ff", "aff", "ffb"]
    source = random.Random(5)
    kinds = {text: 5 if len(text) in (2, 4) and source.random() < 0.5 else 1 for text in texts}
    kinds.update((text, 4) for text in user_defined)
    scores = {text: -source.choice([0.1, 0.2, 0.3, 1.0, 2.0]) * len(text) for text in texts}
    scores.update(more)
    texts = list(scores)
    source.shuffle(texts)
    pieces = [piece(text, scores[text], kinds.get(text, 1)) for text in texts]
    special = [piece("<s>", kind=3), piece("</s>", kind=3), piece("<unk>", kind=2)]
    content = b"".join(pieces[:9] + special + pieces[9:])
    (OUT / f"{name}.spm").write_bytes(content + message(2, scalar(3, algorithm)) + message(3, normalizer))


# With these scores "ff" is 0.1 below two "f", because the bonus of a user-defined piece is the length times the
# greatest score less 0.1. "d", an unknown 10 below the least score, is better before "f" than "df", but not before "e".
POSITIVE = {"▁a": 0.25, "f": 10.5, "df": -20.0, "e": 9.5, "de": -20.0}

ATOMS = [text.encode() for text in """a b c e s the Tom lol ou QU ab a▁b <sep> [X] <s> </s> <unk> <c1> <0x41> Hello . .. ... .... ,
' ’ " « » … 1 2024 !!! aaaa abab é e\u0301 \u0301 a\u0302\u0301 ﬁ ﬃ ① ﷺ Å ß İ ｱﾞ 한국 \u1112\u1161\u11AB 中文 😀 👨\u200D👩\u200D👧 🇫🇷 𝄞
\uFFFD \uFFFF \U0010FFFF \uE000 Привет שלום ไทย ▁ ▁▁""".split()]  # fmt: skip
ATOMS += [text.encode() for text in ["\u00A0", "\u2003", "\u3000", "\u200B", "\uFEFF", "\u00AD", "\u2028", "\u0085"]]
ATOMS += [b" ", b"  ", b"   ", b"\t", b"\r", b"\n", b"\0", b"\x01", b"\x7F"]
BROKEN = [b"\xFF", b"\x80", b"\xC0\x80", b"\xED\xA0\x80", b"\xED\xB0\x80", b"\xE2\x96", b"\xE2", b"\xF0\x9F\x98",
          b"\xF4\x90\x80\x80", b"\xF8\x88\x80\x80\x80", b"\xC3", b"\xE0\x80\xAF"]  # fmt: skip

LETTERS = [b"a", b"b", b"a", b"b", b" ", b"ccc", b"ff", b"de", b"df", b"c"]


def lines(count, seed):
    """Ordinary, mixed and broken lines."""
    source = random.Random(seed)
    words = [word.encode() for word in " ".join(SENTENCES + FRENCH).split()]
    yield from (line.encode() for line in source.sample(SENTENCES, count // 8) + FRENCH)
    yield from ATOMS
    yield from BROKEN
    yield from (b"", b" ", b"    ", b" a", b"a ", b"  a  b  ", "▁".encode(), "▁a▁".encode(), b"\n", b"a\0b")
    for i in range(count):
        pool = [ATOMS + [b" "] * 20, words + ATOMS + [b" "] * 90, ATOMS + BROKEN, LETTERS][i % 4]
        yield b"".join(source.choices(pool, k=source.choice([2, 4, 8, 24])))


def as_text(data):
    return data.decode("latin-1")


def fnv1a(numbers):
    """64-bit FNV-1a over little-endian 32-bit numbers."""
    value = 0xCBF29CE484222325
    for byte in struct.pack(f"<{len(numbers)}I", *numbers):
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return f"{value:016x}"


def encode(processor, line):
    return [number for piece in pieces_of(processor.encode(line, out_type="serialized_proto"))[1] for number in piece]


def decode(processor, ids):
    if not ids:
        return b"", []
    text, pieces = pieces_of(processor.decode(ids, out_type="serialized_proto"))
    return text, [offset for piece in pieces for offset in piece[1:]]


LONG = {"a": 100000, "x": 100000, "ab": 50000, " ": 100000, "a ": 50000, "é": 50000, "😀": 25000, "\u0301": 50000,
        "Where is the kitchen? ": 5000, "abcdefghijklmnopqrstuvwxyz": 4000, "▁": 30000, "\0": 100000}  # fmt: skip


def make(path, name, count):
    processor = sentencepiece.SentencePieceProcessor(str(ROOT / path))
    encoded = []
    for line in lines(count, name):
        pieces = encode(processor, line)
        text, spans = decode(processor, pieces[::3])
        encoded.append({"text": as_text(line), "pieces": pieces, "decoded": as_text(text), "decodedSpans": spans})
    decoded = []
    for ids in random_ids(processor, 60):
        text, spans = decode(processor, ids)
        decoded.append({"ids": ids, "decoded": as_text(text), "decodedSpans": spans})
    long = []
    for unit, times in LONG.items():
        pieces = encode(processor, unit.encode() * times)
        long.append({"unit": as_text(unit.encode()), "times": times, "pieces": len(pieces) // 3, "fnv1a": fnv1a(pieces)})
    vocabulary = {"size": len(processor), "unknown": processor.unk_id(), "texts": []}
    for i in range(0, len(processor), max(1, len(processor) // 40)):
        vocabulary["texts"].append([i, as_text(processor.id_to_piece(i).encode()), processor.is_control(i)])
    golden = {"model": path, "vocabulary": vocabulary, "lines": encoded, "ids": decoded, "long": long}
    rows = lambda items: "[\n" + ",\n".join(json.dumps(item, separators=(",", ":")) for item in items) + "\n]"
    body = ",\n".join(f'"{key}": {rows(value) if isinstance(value, list) else json.dumps(value)}' for key, value in golden.items())
    (OUT / f"{name}.json").write_text("{\n" + body + "\n}\n")


def main():
    OUT.mkdir(exist_ok=True)
    for name, options in TRAINED.items():
        train(name, options)
    write_by_hand("hand-unigram", 1, scalar(4, 0), more=POSITIVE)
    write_by_hand("hand-negative", 1, user_defined=("ab", "ccc", "ba▁"))
    write_by_hand("hand-bpe", 2, scalar(3, 0) + scalar(5, 1))
    write_by_hand("hand-unescaped", 2, scalar(5, 0) + scalar(4, 0))
    for path in sorted(OUT.glob("*.spm")):
        make(str(path.relative_to(ROOT)), path.stem, 100)
    make("web/models/en-fr/source.spm", "default", 240)


if __name__ == "__main__":
    main()
