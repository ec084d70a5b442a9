// Tables by the distance of a key from its query (Shaw et al. 2018; Raffel et al. 2019): the places of a key and of its
// query are compared, and each bin of distances has a row.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/attention/heads.h"
#include "core/attention/mask.h"

namespace qkv {

struct RelativeTable {
  ConstRows rows;           // [bins, n], or [bins, 1] of numbers; without data there is none
  bool multiplied = false;  // a row's product with the scaled query is added, else its number
  // The least distance of each bin on one side of the query, ascending. The bins of keys before the query come first,
  // then, if `both_sides`, those of keys after it.
  // Null: 2r + 1 bins for the distances clipped to -r ... r.
  const float* starts = nullptr;
  size_t side = 0;  // bins on one side
  bool both_sides = false;

  bool empty() const { return rows.data == nullptr; }
  size_t size() const { return empty() ? 0 : rows.rows * rows.dim; }

  // The bin of a key at `place` + `distance`.
  size_t Bin(int64_t distance) const {
    if (starts == nullptr) {
      const auto reach = static_cast<int64_t>(rows.rows / 2);
      return static_cast<size_t>(std::clamp(distance, -reach, reach) + reach);
    }
    const bool after = distance > 0;
    const float length = after && !both_sides ? 0 : static_cast<float>(after ? distance : -distance);
    const auto bin = static_cast<size_t>(std::upper_bound(starts + 1, starts + side, length) - starts) - 1;
    return bin + (after && both_sides ? side : 0);
  }

  // Calls function(bin, keys) for the keys of `range`, as seen from `place`: each time the longest run in one bin.
  template <class Function>
  void ForEachRun(size_t place, KeyRange range, const Function& function) const {
    const auto bin_of = [&](size_t key) { return Bin(static_cast<int64_t>(key) - static_cast<int64_t>(place)); };
    for (size_t begin = range.begin, end = begin; begin < range.end; begin = end) {
      const size_t bin = bin_of(begin);
      while (end < range.end && bin_of(end) == bin) ++end;
      function(bin, KeyRange{begin, end});
    }
  }
};

}  // namespace qkv
