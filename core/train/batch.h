// The input of one training step: examples as packed rows, without padding.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/attention/segments.h"

namespace qkv {

// Example i is segment i of each side.
//
// A pair: the source ends with </s>. target_in is the start piece, then the target; target_out is the target, then
// </s>. Row t of target_in therefore predicts target_out[t]. A text for a decoder alone has no source. A text for an
// encoder alone has no target: target_out holds the labels of the rows `labelled` of the source.
struct Batch {
  std::vector<int32_t> source;      // [source rows]
  std::vector<int32_t> target_in;   // [target rows]
  std::vector<int32_t> target_out;  // [target rows], or [labelled]
  std::vector<int32_t> labelled;    // rows of the source that have a label, ascending
  Segments source_segments, target_segments;

  size_t size() const { return std::max(source_segments.size(), target_segments.size()); }
  // Rows read and labels: the unit of cost and of speed.
  size_t tokens() const { return source.size() + target_out.size(); }

  // Appends a pair; both sides end with </s> already.
  void AddPair(std::span<const int32_t> source_rows, std::span<const int32_t> target_rows, int32_t start) {
    source.insert(source.end(), source_rows.begin(), source_rows.end());
    source_segments.Add(source_rows.size());
    AddText(target_rows, start);
  }
  // Appends a text for a decoder; it ends with </s> already.
  void AddText(std::span<const int32_t> target_rows, int32_t start) {
    target_out.insert(target_out.end(), target_rows.begin(), target_rows.end());
    target_in.push_back(start);
    target_in.insert(target_in.end(), target_rows.begin(), target_rows.end() - 1);
    target_segments.Add(target_rows.size());
  }
  // Appends a text for an encoder. labels [rows.size()]: the label of each row, or kNoLabel.
  static constexpr int32_t kNoLabel = -1;
  void AddTokenLabels(std::span<const int32_t> rows, std::span<const int32_t> labels) {
    for (size_t i = 0; i < rows.size(); ++i) {
      if (labels[i] == kNoLabel) continue;
      labelled.push_back(static_cast<int32_t>(source.size() + i));
      target_out.push_back(labels[i]);
    }
    source.insert(source.end(), rows.begin(), rows.end());
    source_segments.Add(rows.size());
  }
  // Appends a text that has one label.
  void AddLabelled(std::span<const int32_t> rows, int32_t label) {
    source.insert(source.end(), rows.begin(), rows.end());
    source_segments.Add(rows.size());
    target_out.push_back(label);
  }
};

}  // namespace qkv
