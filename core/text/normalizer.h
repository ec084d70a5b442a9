// What happens to a text before it is cut into pieces: strings are replaced by the character map, spaces are pruned and
// become U+2581, and one is put before the text.
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
  // [text.size() + 1]: where in the input that begins which became the byte. Never inside a code point, ascending.
  std::vector<uint32_t> origin;
  bool cut = false;  // the end of the input was not read
};

class Normalizer {
 public:
  Normalizer(const NormalizerOptions& options, Charsmap charsmap) : options_(options), charsmap_(std::move(charsmap)) {}

  // `kept` are strings that are left as they are. `input` is shorter than 4 GiB, and is read until it has become
  // kLongestText.
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
