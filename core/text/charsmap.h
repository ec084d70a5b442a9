// The precompiled character map inside a .spm: strings and their replacements, as the trainer compiled them from
// Unicode's normalisation forms. The longest string that matches is replaced. The format is a little-endian uint32 with
// the size of a double-array trie in bytes, the trie in the layout of Darts-clone, and the replacements, each ended by
// a NUL; the trie's values are offsets into the replacements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace qkv {

class Charsmap {
 public:
  // Maps nothing.
  Charsmap() = default;

  // Every offset of the trie is checked here, so that Longest needs no check. Errors: kInvalidFile; kLimitExceeded for
  // a replacement over 256 bytes, which would let a short text become very long.
  static Result<Charsmap> Parse(std::span<const uint8_t> blob, std::string_view where);

  struct Match {
    size_t length = 0;  // bytes of the text, 0 if nothing matches
    std::string_view replacement;
  };
  // The longest rule, of at most 256 bytes, that `text` begins with.
  Match Longest(std::string_view text) const;

 private:
  // One unit of the double array. A node's unit holds its label, whether a key ends there, and an offset; the offset
  // XOR the node's index is where its children are. If a key ends there, the child for the byte 0 holds the value.
  struct Unit {
    uint32_t bits;
    bool IsValue() const { return (bits >> 31) != 0; }
    uint32_t Value() const { return bits & 0x7FFFFFFF; }
    uint32_t Label() const { return bits & 0x800000FF; }
    bool HasValue() const { return ((bits >> 8) & 1) != 0; }
    uint32_t Offset() const { return (bits >> 10) << ((bits & (1U << 9)) >> 6); }
  };
  Result<void> Check(std::string_view where) const;

  std::vector<Unit> units_;
  std::string replacements_;
};

}  // namespace qkv
