// Byte-pair encoding by a list of merges (Sennrich et al. 2016): of all neighbours the pair that was learnt first is
// joined, again and again.
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

  // What a merge takes, in the list and here.
  static constexpr uint64_t kBytes = sizeof(Merge) + 16;

  PairMerges() = default;
  // In the order in which they were learnt; of two for one pair the later one counts.
  explicit PairMerges(const std::vector<Merge>& merges);

  // `symbols` are a word's pieces before any merge, each with where it ends. n log n in their number; of equal merges
  // the first one from the left.
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
