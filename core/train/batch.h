// What one step of training sees: examples as packed rows, without padding.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/attention/segments.h"

namespace qkv {

// Example i is segment i of each side that there is.
//
// A pair: its source ends with </s>; what the decoder reads is the start piece and then the target, what it is to write
// is the target and then </s>: row t of target_in has read everything before target_out[t]. A text to continue has no
// source. A text to understand has no target: rows of its source are asked, and target_out answers them.
struct Batch {
  std::vector<int32_t> source;      // [source rows]
  std::vector<int32_t> target_in;   // [target rows]
  std::vector<int32_t> target_out;  // [target rows], or [asked]
  std::vector<int32_t> asked;       // rows of the source, ascending
  Segments source_segments, target_segments;

  size_t size() const { return std::max(source_segments.size(), target_segments.size()); }
  // Rows read and pieces asked: what a step costs, and what speed is counted in.
  size_t tokens() const { return source.size() + target_out.size(); }

  // Appends a pair; both sides end with </s> already.
  void AddPair(std::span<const int32_t> source_rows, std::span<const int32_t> target_rows, int32_t start) {
    source.insert(source.end(), source_rows.begin(), source_rows.end());
    source_segments.Add(source_rows.size());
    AddText(target_rows, start);
  }
  // Appends a text to write; it ends with </s> already.
  void AddText(std::span<const int32_t> target_rows, int32_t start) {
    target_out.insert(target_out.end(), target_rows.begin(), target_rows.end());
    target_in.push_back(start);
    target_in.insert(target_in.end(), target_rows.begin(), target_rows.end() - 1);
    target_segments.Add(target_rows.size());
  }
  // Appends a text to read. answers [rows.size()]: what each row is asked, or kNotAsked.
  static constexpr int32_t kNotAsked = -1;
  void AddQuestions(std::span<const int32_t> rows, std::span<const int32_t> answers) {
    for (size_t i = 0; i < rows.size(); ++i) {
      if (answers[i] == kNotAsked) continue;
      asked.push_back(static_cast<int32_t>(source.size() + i));
      target_out.push_back(answers[i]);
    }
    source.insert(source.end(), rows.begin(), rows.end());
    source_segments.Add(rows.size());
  }
};

}  // namespace qkv
