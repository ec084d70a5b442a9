#include "core/text/sentences.h"

#include <algorithm>

#include "core/text/unicode.h"

namespace qkv {
namespace {

bool IsOneOf(uint32_t c, std::u32string_view list) { return list.find(static_cast<char32_t>(c)) != list.npos; }
bool Ends(uint32_t c) { return IsOneOf(c, U".!?\u2026\u3002\uFF01\uFF1F"); }
bool EndsWithoutSpace(uint32_t c) { return IsOneOf(c, U"\u3002\uFF01\uFF1F"); }
bool Closes(uint32_t c) { return IsOneOf(c, U"\"'\u2019\u201D\u00BB)]"); }

// The end of the longest run of code points from `at` on that satisfy `is`.
template <class Is>
size_t After(std::string_view text, size_t at, Is is) {
  while (at < text.size()) {
    const Decoded one = DecodeOne(text.substr(at));
    if (!is(one.code_point)) break;
    at += one.length;
  }
  return at;
}

bool IsSmall(std::string_view text) {
  if (text.empty()) return false;
  const uint32_t c = DecodeOne(text).code_point;
  const bool has_capitals = c < 0x590 || (c >= 0x1E00 && c < 0x2000);  // Latin, Greek, Cyrillic, Armenian
  const CharFacts facts = FactsOf(c);
  return has_capitals && facts.kind == CharKind::kLetter && (facts.lower[0] == c || facts.lower[0] == 0);
}

// Whether a text without the white space at its end ends with "Mr." or with an initial. "I." ends a sentence.
bool EndsUnfinished(std::string_view text) {
  if (!text.ends_with('.')) return false;
  text.remove_suffix(1);
  const size_t before = text.find_last_of(" \t(\"'");
  const std::string_view word = before == text.npos ? text : text.substr(before + 1);
  constexpr std::string_view kShort[] = {"Mr",  "Mrs",  "Ms", "Mx",  "Dr",  "Prof", "St",  "Mt",
                                         "Gen", "Capt", "Lt", "Sgt", "Rev", "Hon",  "Mme", "Mlle"};
  if (word.size() == 1) return word[0] >= 'A' && word[0] <= 'Z' && word[0] != 'I';
  return std::find(std::begin(kShort), std::end(kShort), word) != std::end(kShort);
}

// The end of the sentence that begins at `begin`: after its end mark and closing quotes.
size_t SentenceEnd(std::string_view text, size_t begin) {
  for (size_t at = begin; at < text.size();) {
    const Decoded one = DecodeOne(text.substr(at));
    if (!Ends(one.code_point)) {
      at += one.length;
      continue;
    }
    bool wide = false;
    at = After(text, at, [&](uint32_t c) { return Ends(c) && (wide = wide || EndsWithoutSpace(c), true); });
    at = After(text, at, Closes);
    const size_t next = After(text, at, IsWhite);
    const bool ends = next == text.size() || ((wide || next > at) && !EndsUnfinished(text.substr(begin, at - begin)) &&
                                              !IsSmall(text.substr(next)));
    if (ends) return at;
  }
  return text.size();
}

}  // namespace

std::vector<TextPart> SplitSentences(std::string_view text) {
  std::vector<TextPart> parts;
  const auto add = [&](size_t begin, size_t end, bool sentence) {
    if (begin < end) parts.push_back({text.substr(begin, end - begin), sentence});
  };
  for (size_t at = 0; at < text.size();) {
    const size_t begin = After(text, at, IsWhite);
    add(at, begin, false);
    at = SentenceEnd(text, begin);
    size_t end = at;  // without white space where no mark ends it
    while (end > begin && IsWhite(static_cast<unsigned char>(text[end - 1]))) --end;
    add(begin, end, true);
    add(end, at, false);
  }
  return parts;
}

}  // namespace qkv
