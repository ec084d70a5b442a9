#include "core/detect/letters.h"

#include "core/text/unicode.h"

namespace qkv {
namespace {

bool IsLetter(CharKind kind) {
  return kind == CharKind::kLetter || kind == CharKind::kMark || kind == CharKind::kWideMark;
}

}  // namespace

std::vector<Letter> ReadLetters(std::string_view text, size_t most) {
  std::vector<Letter> letters;
  size_t count = 0;
  for (size_t at = 0; at < text.size() && count < most;) {
    const Decoded decoded = DecodeOne(text.substr(at));
    const auto begin = static_cast<uint32_t>(at), end = begin + decoded.length;
    at = end;
    const CharFacts facts = FactsOf(decoded.code_point);
    // Everything except letters is an edge of words; several in a row count as one.
    if (!IsLetter(facts.kind)) {
      if (!letters.empty() && letters.back().code_point != kEdge) letters.push_back({kEdge, begin, begin});
      continue;
    }
    if (letters.empty()) letters.push_back({kEdge, begin, begin});
    // A letter becomes lower case, which may be several letters.
    for (const uint32_t lower : facts.lower) {
      if (lower != 0) letters.push_back({lower, begin, end});
    }
    ++count;
  }
  if (!letters.empty() && letters.back().code_point != kEdge) {
    letters.push_back({kEdge, letters.back().end, letters.back().end});
  }
  return letters;
}

}  // namespace qkv
