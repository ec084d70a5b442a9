"""Makes vocabularies read typographic marks that they have no piece for as the plain ones that they have: ’ as ', “ as ".

    /usr/bin/python3 marks.py FOLDER...        (Debian's python3-sentencepiece)

Rewrites source.spm in each folder of a model. Keyboards of phones write ’ by themselves, and sentences to learn from rarely
have it: without this "don’t" is "don", something unknown, "t". The rules for normalising text that SentencePiece compiled
into the model are read back, further ones are added, and SentencePiece compiles them again; pieces and scores stay as they
are, and whatever reads the file cuts text in the same way.
"""

import io
import pathlib
import struct
import sys
import tempfile

import sentencepiece

# What a mark is read as: the first of these that has a piece.
PLAIN = {
    "\u2018": "'", "\u2019": "'", "\u201B": "'", "\u02BC": "'",
    "\u201C": '"', "\u201D": '"', "\u201E": '"', "\u201F": '"', "\u00AB": '"', "\u00BB": '"',
    "\u2010": "-", "\u2012": "–-", "\u2013": "-", "\u2014": "–-", "\u2015": "—–-", "\u2212": "-",
}  # fmt: skip
NORMALIZER, CHARSMAP = 3, 2  # fields of ModelProto and NormalizerSpec, in sentencepiece_model.proto


def varint(value):
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def read_varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift, at = shift + 7, at + 1
        if data[at - 1] < 128:
            return value, at


def fields(message):
    """(number, content, all of its bytes) of a protobuf message's fields; content is None where it has no length."""
    at = 0
    while at < len(message):
        begin = at
        key, at = read_varint(message, at)
        content = None
        if key & 7 == 2:
            size, at = read_varint(message, at)
            content, at = message[at : at + size], at + size
        elif key & 7 == 0:
            _, at = read_varint(message, at)
        else:
            at += {1: 8, 5: 4}[key & 7]
        yield key >> 3, content, message[begin:at]


def field(message, number):
    return next(content for found, content, _ in fields(message) if found == number)


def replaced(message, number, content):
    """The message with that content in the field of that number."""
    new = varint(number << 3 | 2) + varint(len(content)) + content
    return b"".join(new if found == number else raw for found, _, raw in fields(message))


def rules(charsmap):
    """{text: what it becomes}. The size of a double array (Darts-clone's units of 32 bits), the array, and what it points
    to, each ended by a zero."""
    (size,) = struct.unpack_from("<I", charsmap)
    units, texts = struct.unpack_from(f"<{size // 4}I", charsmap, 4), charsmap[4 + size :]
    below = lambda place: place ^ (units[place] >> 10) << ((units[place] & 1 << 9) >> 6)
    found, open_nodes = {}, [(below(0), b"")]
    while open_nodes:
        node, text = open_nodes.pop()
        for byte in range(1, 256):
            place = node ^ byte
            if place >= len(units) or units[place] & (1 << 31 | 255) != byte:
                continue
            longer = text + bytes([byte])
            if units[place] & 1 << 8:
                begin = units[below(place)] & (1 << 31) - 1
                found[longer.decode()] = texts[begin : texts.index(b"\0", begin)].decode()
            open_nodes.append((below(place), longer))
    return found


def compiled(normalizing):
    """The same as SentencePiece writes it."""
    codes = lambda text: " ".join(f"{ord(character):X}" for character in text)
    model = io.BytesIO()
    with tempfile.NamedTemporaryFile("w", suffix=".tsv") as table:
        table.writelines(f"{codes(text)}\t{codes(to)}\n" for text, to in sorted(normalizing.items()))
        table.flush()
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(["a b c"] * 10),
            model_writer=model,
            vocab_size=8,
            hard_vocab_limit=False,
            normalization_rule_tsv=table.name,
            minloglevel=2,
        )
    return field(field(model.getvalue(), NORMALIZER), CHARSMAP)


def read_marks(path):
    model = path.read_bytes()
    normalizer = field(model, NORMALIZER)
    known = rules(field(normalizer, CHARSMAP))
    assert compiled(known) == field(normalizer, CHARSMAP), f"{path}: these rules are not read back as they were written"
    processor = sentencepiece.SentencePieceProcessor(model_proto=model)
    has_piece = lambda mark: not processor.is_unknown(processor.piece_to_id(mark))
    added = {}
    for mark, choices in PLAIN.items():
        plain = next(filter(has_piece, choices), None)
        if mark not in known and not has_piece(mark) and plain:
            added[mark] = plain
    if added:
        path.write_bytes(replaced(model, NORMALIZER, replaced(normalizer, CHARSMAP, compiled(known | added))))
    print(path, " ".join(f"{mark}{plain}" for mark, plain in added.items()) or "has them all")


if __name__ == "__main__":
    for folder in sys.argv[1:]:
        read_marks(pathlib.Path(folder) / "source.spm")
