"""Makes tests/goldens/hostile.json: 1,000 unusual lines, and how the reference SentencePiece
encodes them with the default model.

    /usr/bin/python3 make_hostile_lines.py        (Debian's python3-sentencepiece)

A line is a list of [unit, times], where the unit is repeated that many times. Text, which may be invalid UTF-8, has
one character per byte, U+00E9 for the byte E9. `pieces` holds id, begin and end of each piece, where there are few; `fnv1a` is their hash,
and `spelled` that of the bytes that they decode to.
"""

import json
import random

import sentencepiece

from make_sentencepiece_goldens import BROKEN, ROOT, as_text, decode, encode, fnv1a

MODEL = "web/models/en-fr/source.spm"
LINES = 1000
MOST_PIECES = 16  # written out

words = lambda text: [word.encode() for word in text.split()]
ordinary = words("the kitchen Where is my sister's tea I you never coffee, Tom. house! 1984 please? don't a London")
KINDS = {
    "control": [bytes([code]) for code in [*range(32), 127]] + [chr(code).encode() for code in range(0x80, 0xA0)],
    "nul": [b"\0", b"\0\0", b"a\0b", b"\0 \0"],
    "broken": BROKEN + [b"\xED\xAF\xBF", b"\xFE\xFF", b"\xFF\xFE", b"\xC1\xBF", b"\xF0\x80\x80\xAF", b"\xE2\x82", b"\x9F"],
    "combining": words("e\u0301 a\u0302\u0301 n\u0303\u0323 \u0301 \u0300\u0300 Z\u0351\u036B\u0343 o\u20DD \u0E33 \u0BCD a\u200D\u0301"),
    "joiners": words("\u200D \u200C \u2060 \uFEFF a\u200Db \u0646\u0647\u200C\u062E \u034F \u00AD \u180E soft\u00ADhyphen"),
    "right to left": words("שלום مرحبا \u202Eabc\u202C \u200Fx \u2067سلام\u2069 \u202D1\u202E2 ﷺ ﻻ اَلْعَرَبِيَّةُ 1\u066B5"),
    "full width": words("Ｈｅｌｌｏ　 ｗｏｒｌｄ１２３ ！？ ｶﾞ ﾊﾟ ＡａＺ ｟ ￥ ㎏ ㍿ ℡ Ⅳ ① ﬁ ﬃ ſt ᵃ ½ ²"),
    "emoji": words("😀 👨‍👩‍👧‍👦 🏳️‍🌈 🇫🇷 🇫 👍🏽 👩🏾‍🚀 ❤️ ☺︎ 1️⃣ 🏴󠁧󠁢󠁥󠁮󠁧󠁿 🧑‍🤝‍🧑 🫠"),
    "white space": [chr(code).encode() for code in
                    [9, 10, 11, 12, 13, 32, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000]],
    "other scripts": words("中文字符 日本語です 한국어 \u1112\u1161\u11AB ไทยไม่มี หน้า Ελλάδα Привет हिन्दी தமிழ் ქართული ᚠᚢ 𐍈 𝔘𝔫 𓀀 𠀀"),
    "edges": [chr(code).encode() for code in
              [0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFDD0, 0xFFFD, 0xFFFE, 0xFFFF, 0x10000, 0x1FFFF, 0x10FFFF]],
    "its own marks": words("▁ ▁▁ ▁the <unk> </s> <s> <pad> <0x41> ⁇ \u2047 \u2581a <2fr> >>fra<< {{}} ${x} %s \\u0041 &amp;"),
    "markup": words("<script>alert(1)</script> '; DROP TABLE t;-- ../../etc/passwd http://x.y/?a=b&c=d#e a@b.cd `rm` {\"a\":[1]}"),
    "punctuation": words("!!!!!! ????? ...... ,,,, ;;;; '''' \"\"\" «»‹› “”‘’ ‽ ⸘ — – ‐ ‑ − · … ¿¡ () [[]] |||"),
    "numbers": words("0 00 1e400 -0 NaN 3.14159265358979 1,000,000 0x1F 999999999999999999999 ١٢٣ १२३ 〇 Ⅻ ½⅓"),
}  # fmt: skip
LONG = [
    [("a", 10000)], [("Z", 10000)], [("é", 10000)], [("字", 10000)], [("antidisestablishmentarianism", 400)],
    [("a", 100000)], [("the cat sat ", 8333), ("mat.", 1)], [("😀", 25000)], [(" ", 100000)], [("\u0301", 50000)],
    [("\0", 100000)], [("\u200D", 33333)], [("ab", 50000)], [(".", 100000)], [("▁", 33333)], [("\n", 100000)],
    [("👨‍👩‍👧", 5000)], [("a\u0301", 30000)], [("\u3000", 30000)], [("\u202E", 30000), ("abc", 1)], [("0", 100000)],
    [("I said that ", 5000), ("x", 10000)], [("x", 10000), (" y", 5000)], [("ﷺ", 20000)], [("￼", 20000)],
    [("e", 1), ("\u0301", 10000)], [("A b ", 25000)], [("<unk>", 10000)], [("</s>", 20000)], [("\t \r", 20000)],
]  # fmt: skip


def lines():
    """Each a list of (unit, times)."""
    yield []
    for kind in KINDS.values():
        yield from ([(atom, 1)] for atom in kind)
    for line in LONG:
        yield [(unit.encode(), times) for unit, times in line]
    for byte in (b"\xFF", b"\xE2\x96", b"\xF0\x9F\x98", b"\x80"):
        yield [(byte, 20000)]
    source = random.Random(7)
    kinds = list(KINDS.values())
    while True:
        pool = source.choice(kinds) * 2 + (source.choice(kinds) if source.random() < 0.5 else ordinary)
        glue = source.choice([b"", b" ", b" "])
        yield [(glue.join(source.choices(pool, k=source.choice([2, 3, 5, 8]))), source.choice([1, 1, 1, 1, 1, 2, 40]))]


def main():
    processor = sentencepiece.SentencePieceProcessor(str(ROOT / MODEL))
    seen, rows = set(), []
    for line in lines():
        text = b"".join(unit * times for unit, times in line)
        if text in seen:
            continue
        seen.add(text)
        pieces = encode(processor, text)
        golden = {"line": [[as_text(unit), times] for unit, times in line], "count": len(pieces) // 3}
        golden |= {"pieces": pieces} if len(pieces) <= 3 * MOST_PIECES else {"fnv1a": fnv1a(pieces)}
        golden["spelled"] = fnv1a(list(decode(processor, pieces[::3])[0]))
        rows.append(json.dumps(golden, separators=(",", ":")))
        if len(rows) == LINES:
            break
    (ROOT / "tests/goldens/hostile.json").write_text(
        '{"model": "%s", "lines": [\n%s\n]}\n' % (MODEL, ",\n".join(rows))
    )


if __name__ == "__main__":
    main()
