// What one step of training sees: pairs of sentences as packed rows, without padding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/attention/segments.h"

namespace qkv {

// Pair i is segment i of both sides. Its source ends with </s>; what the decoder reads is the start piece and then the
// target, what it is to write is the target and then </s>: row t of target_in has read everything before target_out[t].
struct Batch {
  std::vector<int32_t> source;                 // [source rows]
  std::vector<int32_t> target_in, target_out;  // [target rows] each
  Segments source_segments, target_segments;

  size_t size() const { return target_segments.size(); }
  // Of both sides: what a step costs, and what speed is counted in.
  size_t tokens() const { return source.size() + target_out.size(); }

  // Appends a pair; both sides end with </s> already.
  void Add(std::span<const int32_t> source_rows, std::span<const int32_t> target_rows, int32_t start) {
    source.insert(source.end(), source_rows.begin(), source_rows.end());
    source_segments.Add(source_rows.size());
    target_out.insert(target_out.end(), target_rows.begin(), target_rows.end());
    target_in.push_back(start);
    target_in.insert(target_in.end(), target_rows.begin(), target_rows.end() - 1);
    target_segments.Add(target_rows.size());
  }
};

}  // namespace qkv
