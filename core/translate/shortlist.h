// The lexical shortlist: for each piece of the source the pieces that may translate it, so that a search chooses among
// some hundred pieces instead of the whole vocabulary. The file has Marian's binary format (Junczys-Dowmunt et al.
// 2018), which bergamot's models have as lex.*.s2t.bin. Little-endian:
//
//   u64  0xF11A48D5013417F5
//   u64  checksum of all that follows
//   u64  first              rows 0 .. first - 1 are in every list: frequent ones, if the vocabulary is sorted so
//   u64  best               the longest list that its maker allowed; readers do not need it
//   u64  offsets            rows of the source's vocabulary, plus one
//   u64  pieces             of all lists
//   u64  offset[offsets]    the list of row s is piece[offset[s]] .. piece[offset[s + 1] - 1]
//   u32  piece[pieces]      rows of the target's vocabulary
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace qkv {

class Shortlist {
 public:
  // No reference to `file` is kept. A file may have one row less than the vocabulary: Hugging Face's converter adds
  // <pad> after Marian's pieces. Errors: kInvalidFile; kLimitExceeded for more than 64 MiB.
  static Result<Shortlist> Parse(std::span<const uint8_t> file, size_t source_vocabulary, size_t target_vocabulary,
                                 std::string_view file_name = "shortlist.bin");

  // The pieces that a sentence's translation may use: the frequent ones, those of each source piece, those of `always`,
  // and further frequent ones until their number is a multiple of `multiple`. They are ascending and unique. Ids of
  // both sides must be in their vocabulary.
  std::vector<int32_t> Pieces(std::span<const int32_t> source, std::span<const int32_t> always,
                              size_t multiple = 1) const;

 private:
  Shortlist() = default;
  size_t target_vocabulary_ = 0, first_ = 0;
  std::vector<uint32_t> begin_;   // [source vocabulary + 1]
  std::vector<uint32_t> pieces_;  // the pieces of all lists
};

// The content of a shortlist's file.
struct ShortlistContent {
  uint64_t first = 0, best = 0;
  std::vector<std::vector<int32_t>> lists;  // one for each row of the source's vocabulary
};

// Writes the file. Marian refuses a file whose last list is empty.
std::vector<uint8_t> WriteShortlist(const ShortlistContent& content);

}  // namespace qkv
