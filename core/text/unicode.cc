#include "core/text/unicode.h"

#include <algorithm>
#include <iterator>
#include <memory>

#include "core/text/utf.h"

#ifdef __EMSCRIPTEN__
#include <emscripten/em_js.h>

// Six words for each of 256 code points: those of CharFacts. unicode_tables.mjs cuts this function out and runs it. The
// compiler takes one backslash of each pair.
// clang-format off
EM_JS(void, qkv_unicode_block, (uint32_t first, void* out), {
  /* facts */
  const kinds = [/\\p{L}/u, /\\p{N}/u, /\\p{Mn}/u, /\\p{P}/u, /[\\p{Cc}\\p{Cf}\\p{Co}\\p{Cs}]/u, /\\p{M}/u];
  for (let i = 0; i < 256; ++i) {
    const c = first + i;
    const s = String.fromCodePoint(c);
    const list = (text, size) => Array.from({ length: size }, (_, k) => [...text][k]?.codePointAt(0) ?? 0);
    const base = s.normalize('NFD').replace(/\\p{Mn}/gu, "");
    const facts = [kinds.findIndex((kind) => kind.test(s)) + 1, ...list(s.toLowerCase(), 2), ...list(base, 3)];
    HEAPU32.set(facts, (out >> 2) + 6 * i);
  }
  /* end */
});
// clang-format on
#endif

namespace qkv {
namespace {

static_assert(sizeof(CharFacts) == 6 * sizeof(uint32_t));
constexpr uint32_t kReplacement = 0xFFFD;

#ifndef __EMSCRIPTEN__

struct KindFrom {  // up to the next entry's code point
  uint32_t begin, kind;
};
struct LowerOf {
  uint32_t begin, first, second;
};
struct BaseOf {
  uint32_t begin, first, second, third;
};
#include "core/text/unicode_tables.inc"

template <class Row, size_t size>
const Row* LastUpTo(const Row (&table)[size], uint32_t code_point) {
  const Row* const after =
      std::upper_bound(table, table + size, code_point, [](uint32_t c, const Row& row) { return c < row.begin; });
  return after == table ? nullptr : after - 1;
}

// The Unicode Standard, section 3.12: a syllable is a leading consonant, a vowel and an optional trailing consonant.
void DecomposeHangul(uint32_t syllable, uint32_t (&to)[3]) {
  constexpr uint32_t kTrailing = 28, kVowels = 21;
  to[0] = 0x1100 + syllable / (kVowels * kTrailing);
  to[1] = 0x1161 + syllable / kTrailing % kVowels;
  to[2] = syllable % kTrailing == 0 ? 0 : 0x11A7 + syllable % kTrailing;
}

#endif

}  // namespace

#ifdef __EMSCRIPTEN__

CharFacts FactsOf(uint32_t code_point) {
  struct Block {
    CharFacts facts[256];
  };
  static std::unique_ptr<Block> blocks[0x1100];
  std::unique_ptr<Block>& block = blocks[code_point >> 8];
  if (block == nullptr) {
    block = std::make_unique<Block>();
    qkv_unicode_block(code_point & ~255u, block->facts);
  }
  return block->facts[code_point & 255];
}

#else

CharFacts FactsOf(uint32_t code_point) {
  CharFacts facts{static_cast<CharKind>(LastUpTo(kKinds, code_point)->kind), {code_point}, {code_point}};
  if (facts.kind == CharKind::kMark) facts.base[0] = 0;
  const LowerOf* const lower = LastUpTo(kLower, code_point);
  if (lower != nullptr && lower->begin == code_point) {
    facts.lower[0] = lower->first;
    facts.lower[1] = lower->second;
  }
  const BaseOf* const base = LastUpTo(kBase, code_point);
  if (base != nullptr && base->begin == code_point) {
    facts.base[0] = base->first;
    facts.base[1] = base->second;
    facts.base[2] = base->third;
  }
  if (code_point >= 0xAC00 && code_point <= 0xD7A3) DecomposeHangul(code_point - 0xAC00, facts.base);
  return facts;
}

#endif

bool IsWhite(uint32_t c) {
  return (c >= 9 && c <= 13) || c == 0x20 || c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) ||
         c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

Decoded DecodeOne(std::string_view text) {
  const size_t length = Utf8Length(text);
  if (length == 0) return {kReplacement, 1};
  const auto lead = static_cast<uint8_t>(text[0]);
  uint32_t code_point = length == 1 ? lead : lead & (0x7Fu >> length);
  for (size_t i = 1; i < length; ++i) code_point = code_point << 6 | (static_cast<uint8_t>(text[i]) & 0x3F);
  return {code_point, static_cast<uint32_t>(length)};
}

void AppendUtf8(uint32_t c, std::string& text) {
  const auto trail = [&](int shift) { text += static_cast<char>(0x80 | (c >> shift & 0x3F)); };
  if (c < 0x80) {
    text += static_cast<char>(c);
    return;
  }
  const int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  text += static_cast<char>((more == 1 ? 0xC0 : more == 2 ? 0xE0 : 0xF0) | c >> (6 * more));
  for (int i = more - 1; i >= 0; --i) trail(6 * i);
}

}  // namespace qkv
