// Byte-pair encoding by a list of merges (Sennrich et al. 2016): repeatedly join, of all adjacent pairs, the one that
// was learnt first.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/text/segment.h"

namespace qkv {

class PairMerges {
 public:
  struct Merge {
    int32_t left, right;  // pieces
    int32_t joined;
  };

  // Bytes of memory for a merge, in the list and in this class.
  static constexpr uint64_t kBytes = sizeof(Merge) + 16;

  PairMerges() = default;
  // `merges` are in the order in which they were learnt. If a pair occurs twice, the later merge counts.
  explicit PairMerges(const std::vector<Merge>& merges);

  // `symbols` are a word's pieces before any merge, each with its end. Takes O(n log n) for n symbols. Of equal merges
  // the left one comes first.
  std::vector<Segment> Join(std::span<const Segment> symbols) const;

 private:
  struct Entry {
    uint64_t pair;
    uint32_t rank;
    int32_t joined;
  };
  const Entry* Find(int32_t left, int32_t right) const;

  std::vector<Entry> entries_;  // by pair
};

}  // namespace qkv
