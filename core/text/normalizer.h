// Normalises a text before it is cut into pieces: the character map replaces strings, spaces are trimmed and become
// U+2581, and one space is put before the text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/text/charsmap.h"
#include "core/text/spm_file.h"
#include "core/text/trie.h"

namespace qkv {

inline constexpr std::string_view kSpaceSymbol = "\xE2\x96\x81";  // U+2581

struct Normalized {
  std::string text;
  // [text.size() + 1]: the offset in the input of the character that a byte was made from. Offsets ascend and are never
  // inside a code point.
  std::vector<uint32_t> origin;
  bool cut = false;  // the end of the input was not read
};

class Normalizer {
 public:
  Normalizer(const NormalizerOptions& options, Charsmap charsmap) : options_(options), charsmap_(std::move(charsmap)) {}

  // Strings in `kept` are not changed. `input` must be shorter than 4 GiB. It is read until the result has kLongestText
  // bytes.
  Normalized Normalize(std::string_view input, const Trie& kept) const;

 private:
  // How the beginning of a text is replaced.
  struct Step {
    size_t length = 0;  // bytes of the input, at least 1
    std::string_view replacement;
  };
  Step Next(std::string_view input, const Trie& kept) const;
  void Append(std::string_view text, size_t origin, Normalized* out) const;
  size_t StripTrailingSpaces(size_t consumed, Normalized* out) const;

  std::string_view Space() const { return options_.escape_whitespaces ? kSpaceSymbol : " "; }

  NormalizerOptions options_;
  Charsmap charsmap_;
};

}  // namespace qkv
