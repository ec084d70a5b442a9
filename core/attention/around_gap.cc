#include "core/attention/around_gap.h"

#include <algorithm>

#include "core/attention/head_stages.h"
#include "core/kernels/softmax.h"

namespace qkv {
namespace {

KeyRange Common(KeyRange a, KeyRange b) {
  const KeyRange common = {std::max(a.begin, b.begin), std::min(a.end, b.end)};
  return common.empty() ? KeyRange{} : common;
}

// Whether the softmax is the only thing that reads the rows of scores.
bool OnlySoftmaxReadsRows(const GroupTask& group) {
  const Attention& a = group.task.attention;
  const AttentionRecord& record = group.record;
  const bool records = record.scores != nullptr || record.logits != nullptr || record.weights != nullptr ||
                       record.empty != nullptr || record.chosen != nullptr;
  return a.selection.kind == SelectionKind::kSoft && a.custom_selection == nullptr && !a.mask_used && !records &&
         group.head.values != nullptr && group.head.finite_values && group.task.score.relative_values.empty();
}

// The keys between the sinks and the window that no query of the group sees, as whole chains (kKeyChain).
KeyRange FindGap(const VisibleKeys* visible, size_t count) {
  KeyRange gap = visible[0].hidden;
  for (size_t r = 1; r < count; ++r) gap = Common(gap, visible[r].hidden);
  gap = {RoundUp(gap.begin, kKeyChain), gap.end / kKeyChain * kKeyChain};
  return gap.empty() ? KeyRange{} : gap;
}

// The softmax of `size` logits as if those of the gap were masked. Its kernel sums exponentials in blocks, and a block
// of masked logits adds nothing. So whole blocks of the gap are cut out of the row before the kernel runs, and put back
// afterwards.
void SoftmaxAround(KeyRange gap, size_t size, float* row) {
  constexpr size_t kBlock = 512;  // of RowExpSum
  const KeyRange closed = {RoundUp(gap.begin, kBlock), gap.end / kBlock * kBlock};
  if (closed.empty()) {
    std::fill(row + gap.begin, row + gap.end, kMasked);
    return Softmax({row, 1, static_cast<Eigen::Index>(size)});
  }
  std::fill(row + gap.begin, row + closed.begin, kMasked);
  std::fill(row + closed.end, row + gap.end, kMasked);
  std::copy(row + closed.end, row + size, row + closed.begin);
  Softmax({row, 1, static_cast<Eigen::Index>(size - closed.size())});
  std::copy_backward(row + closed.begin, row + size - closed.size(), row + size);
}

// output += weights V. Chains are added in the order in which one product over all keys adds them. `sums`: [count, dv].
void AddValues(const GroupTask& group, KeyRange keys, const float* rows, float* sums) {
  const size_t dim = group.output.dim;
  for (size_t begin = keys.begin; begin < keys.end; begin += kKeyChain) {
    const KeyRange chain = {begin, std::min(begin + kKeyChain, keys.end)};
    MultiplyPacked(group.task, group.head, chain, rows, group.count, sums, dim);
    for (size_t r = 0; r < group.count; ++r) {
      float* output = group.output.Row(group.first + r);
      for (size_t c = 0; c < dim; ++c) output[c] += sums[r * dim + c];
    }
  }
}

// Returns false if there is nothing to leave out.
bool AttendParts(const GroupTask& group) {
  const auto& [task, head, record, first, count, scratch, output] = group;
  if (!OnlySoftmaxReadsRows(group)) return false;
  VisibleKeys visible[kQueryGroup];
  const KeyRange computed = FindVisibleKeys(task, first, count, visible, record), gap = FindGap(visible, count);
  if (gap.empty()) return false;
  const KeyRange parts[] = {{computed.begin, gap.begin}, {gap.end, computed.end}};
  float* rows = scratch + QueryFloats(task);
  // Scores before the gap and after it.
  MapQueries(task, first, count, scratch);
  ScaleQueries(task, count, scratch);
  for (const KeyRange part : parts) ComputeScores(task, first, scratch, count, part, rows);
  // Each row by itself: logits and weights.
  for (size_t r = 0; r < count; ++r) {
    float* row = rows + r * task.row_width();
    const auto& [keys, centre, hidden] = visible[r];
    for (const KeyRange part : parts) {
      ScoresToLogits(task, first + r, {Common(keys, part), centre, Common(hidden, part)}, nullptr, row);
    }
    SoftmaxAround(gap, keys.end, row);
    ClearRest(keys, computed, row);
  }
  // weights V: the product over the first part, and the sums of the chains after the gap.
  MultiplyPacked(task, head, parts[0], rows, count, output.Row(first), output.stride);
  AddValues(group, parts[1], rows, rows + kQueryGroup * task.row_width());
  return true;
}

}  // namespace

void AttendAroundGap(Context& ctx, const Attention& attention, const AttentionInputs& in, Heads output,
                     const AttentionRecord& record) {
  AttendWith(attention.window.sinks > 0 ? AttendParts : nullptr, ctx, attention, in, output, record);
}

}  // namespace qkv
