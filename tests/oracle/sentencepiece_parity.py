#!/usr/bin/python3
"""Compares our SentencePiece with the reference, line by line: ids, spans in bytes, decoded text and its spans.

    sentencepiece_parity.py DUMP MODEL.spm TEXT...
    sentencepiece_parity.py DUMP MODEL.spm --random-ids COUNT

The second form decodes random ids, control, unknown and byte pieces often among them. DUMP is the program of spm_dump.cc. A text is a file of lines, or of tab-separated columns (.tsv: each column counts as
a line of its own), gzipped or not. Lines are bytes and may be invalid UTF-8. Needs Debian's python3-sentencepiece.
"""

import gzip
import random
import subprocess
import sys
import threading

import sentencepiece

SHOWN = 10


def lines_of(path):
    file = gzip.open(path, "rb") if path.endswith(".gz") else open(path, "rb")
    with file:
        for line in file.read().removesuffix(b"\n").split(b"\n"):
            yield from line.split(b"\t") if ".tsv" in path else [line]


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def pieces_of(proto):
    """(text, [(id, begin, end)]) of a serialised SentencePieceText."""
    text, pieces, at = b"", [], 0
    while at < len(proto):
        tag, at = varint(proto, at)
        length, at = varint(proto, at)
        value = proto[at : at + length]
        at += length
        if tag == 0x0A:
            text = value
        elif tag == 0x12:
            pieces.append(piece_of(value))
    return text, pieces


def piece_of(proto):
    fields, at = {}, 0
    while at < len(proto):
        tag, at = varint(proto, at)
        if tag & 7 == 2:
            length, at = varint(proto, at)
            at += length
        else:
            fields[tag >> 3], at = varint(proto, at)
    return fields.get(2, 0), fields.get(4, 0), fields.get(5, 0)


def escape(text):
    return text.replace(b"\\", b"\\\\").replace(b"\n", b"\\n").replace(b"\t", b"\\t").replace(b"\r", b"\\r")


def decoded(processor, ids):
    """The line of the dump about Decode."""
    text, pieces = pieces_of(processor.decode(ids, out_type="serialized_proto")) if ids else (b"", [])
    return b" ".join(b"%d:%d" % piece[1:] for piece in pieces) + b"\t" + escape(text)


def encoded(processor, line):
    """Both lines of the dump about a line of text, and the number of pieces."""
    _, pieces = pieces_of(processor.encode(line, out_type="serialized_proto"))
    output = b" ".join(b"%d:%d:%d" % piece for piece in pieces)
    return [output, decoded(processor, [piece[0] for piece in pieces])], len(pieces)


def random_ids(processor, count):
    random_source = random.Random(count)
    everything = range(len(processor))
    special = [i for i in everything if processor.is_control(i) or processor.is_unknown(i) or processor.is_byte(i)]
    spaced = [i for i in everything if processor.id_to_piece(i).startswith("▁")]
    for _ in range(count):
        pools = random_source.choices([everything, special, spaced], k=random_source.randrange(1, 12))
        yield [random_source.choice(pool or everything) for pool in pools]


def compare(command, inputs, expect):
    """Feeds the command lines and compares what it prints; returns whether all is equal."""
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def feed():
        for line in inputs:
            process.stdin.write(line + b"\n")
        process.stdin.close()

    threading.Thread(target=feed, daemon=True).start()
    pieces = different = 0
    for line in inputs:
        want, count = expect(line)
        pieces += count
        got = [process.stdout.readline().rstrip(b"\n") for _ in want]
        if got != want:
            different += 1
            if different <= SHOWN:
                print("line", line, "want", *want, "got", *got, sep="\n  ")
    print(f"{len(inputs)} lines, {pieces} pieces, {different} lines differ")
    return process.wait() == 0 and different == 0


def main():
    dump, model, *texts = sys.argv[1:]
    processor = sentencepiece.SentencePieceProcessor(model)
    if texts[0] == "--random-ids":
        lists = {b" ".join(b"%d" % i for i in ids): ids for ids in random_ids(processor, int(texts[1]))}
        expect = lambda line: ([decoded(processor, lists[line])], len(lists[line]))
        equal = compare([dump, "--ids", model], list(lists), expect)
    else:
        lines = [line for path in texts for line in lines_of(path)]
        equal = compare([dump, model], lines, lambda line: encoded(processor, line))
    return 0 if equal else 1


if __name__ == "__main__":
    sys.exit(main())
