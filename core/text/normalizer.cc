#include "core/text/normalizer.h"

#include <algorithm>

#include "core/base/budget.h"
#include "core/text/utf.h"

namespace qkv {

Normalized Normalizer::Normalize(std::string_view input, const Trie& kept) const {
  Normalized out;
  size_t at = 0;
  if (options_.remove_extra_whitespaces) {
    while (at < input.size()) {
      const Step step = Next(input.substr(at), kept);
      if (step.replacement != " ") break;
      at += step.length;
    }
  }
  // The spaces at the beginning are skipped. A text of only spaces is empty.
  if (at == input.size()) return out;

  out.text.reserve(std::min(input.size() + input.size() / 2, kLongestText) + 2 * kSpaceSymbol.size());
  out.origin.reserve(out.text.capacity() + 1);
  const bool suffix = options_.whitespace_as_suffix;
  if (options_.add_dummy_prefix && !suffix) Append(" ", at, &out);
  // Each step replaces a string or copies a character. A space after a space is dropped.
  bool after_space = options_.remove_extra_whitespaces;
  while (at < input.size() && out.text.size() < kLongestText) {
    const Step step = Next(input.substr(at), kept);
    std::string_view text = step.replacement;
    while (after_space && text.starts_with(' ')) text.remove_prefix(1);
    Append(text, at, &out);
    if (!text.empty()) after_space = options_.remove_extra_whitespaces && text.ends_with(' ');
    at += step.length;
  }
  // The end: spaces are removed, and the last entry of `origin` is the end of the text.
  out.cut = at < input.size();
  if (options_.remove_extra_whitespaces) at = StripTrailingSpaces(at, &out);
  if (options_.add_dummy_prefix && suffix) Append(" ", at, &out);
  out.origin.push_back(static_cast<uint32_t>(at));
  return out;
}

Normalizer::Step Normalizer::Next(std::string_view input, const Trie& kept) const {
  if (const size_t length = kept.LongestPrefix(input); length > 0) return {length, input.substr(0, length)};
  if (const Charsmap::Match match = charsmap_.Longest(input); match.length > 0) {
    return {match.length, match.replacement};
  }
  const size_t length = Utf8Length(input);
  if (length == 0) return {1, kReplacementCharacter};
  return {length, input.substr(0, length)};
}

void Normalizer::Append(std::string_view text, size_t origin, Normalized* out) const {
  for (const char byte : text) {
    if (byte == ' ') {
      out->text += Space();
    } else {
      out->text += byte;
    }
    while (out->origin.size() < out->text.size()) out->origin.push_back(static_cast<uint32_t>(origin));
  }
}

size_t Normalizer::StripTrailingSpaces(size_t consumed, Normalized* out) const {
  while (out->text.ends_with(Space())) {
    const size_t length = out->text.size() - Space().size();
    consumed = out->origin[length];
    out->text.resize(length);
    out->origin.resize(length);
  }
  return consumed;
}

}  // namespace qkv
