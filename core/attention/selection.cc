#include "core/attention/selection.h"

#include <cmath>

#include "core/attention/entmax.h"
#include "core/base/random.h"
#include "core/kernels/softmax.h"

namespace qkv {
namespace {

bool HasNaN(KeyRange range, const float* row) {
  return std::any_of(row + range.begin, row + range.end, [](float x) { return std::isnan(x); });
}

// A row with NaN has no largest logit: all weights that are not masked become NaN.
bool SpreadNaN(KeyRange range, float* row) {
  if (!HasNaN(range, row)) return false;
  for (size_t j = range.begin; j < range.end; ++j) {
    row[j] = row[j] == kMasked ? 0 : std::numeric_limits<float>::quiet_NaN();
  }
  return true;
}

void OneHot(KeyRange range, int32_t chosen, float* row) {
  std::fill(row + range.begin, row + range.end, 0.0f);
  if (chosen != kNoKey) row[chosen] = 1;
}

void SoftmaxRange(KeyRange range, float* row) {
  Softmax({row + range.begin, 1, static_cast<Eigen::Index>(range.size())});
}

// The first key whose cumulative probability exceeds u; rounding may leave the sum below it, then the last possible.
int32_t Draw(KeyRange range, const float* weights, double u) {
  int32_t chosen = kNoKey;
  double sum = 0;
  for (size_t j = range.begin; j < range.end && sum <= u; ++j) {
    if (weights[j] > 0) chosen = static_cast<int32_t>(j);
    sum += weights[j];
  }
  return chosen;
}

}  // namespace

int32_t LargestLogit(KeyRange range, const float* row) {
  int32_t largest = kNoKey;
  float best = kMasked;
  for (size_t j = range.begin; j < range.end; ++j) {
    if (std::isnan(row[j])) return kNoKey;
    if (row[j] > best) {
      best = row[j];
      largest = static_cast<int32_t>(j);
    }
  }
  return largest;
}

int32_t Select(const Selection& selection, size_t head, size_t place, KeyRange range, float* row) {
  if (range.empty()) return kNoKey;
  // A row with a NaN is NaN everywhere, and chooses no key.
  switch (selection.kind) {
    case SelectionKind::kSoft:
      SoftmaxRange(range, row);
      return kNoKey;
    case SelectionKind::kArgmax: {
      if (SpreadNaN(range, row)) return kNoKey;
      const int32_t chosen = LargestLogit(range, row);
      OneHot(range, chosen, row);
      return chosen;
    }
    case SelectionKind::kSampled: {
      SoftmaxRange(range, row);
      if (HasNaN(range, row)) return kNoKey;
      const uint32_t bits = Random(selection.seed, head).Block(place)[0];
      const int32_t chosen = Draw(range, row, bits * 0x1p-32);
      OneHot(range, chosen, row);
      return chosen;
    }
    case SelectionKind::kGate:
      for (size_t j = range.begin; j < range.end; ++j) row[j] = 1 / (1 + std::exp(-row[j]));
      return kNoKey;
    case SelectionKind::kSparsemax:
    case SelectionKind::kEntmax:
      if (selection.power() == 1) {
        SoftmaxRange(range, row);
      } else if (!SpreadNaN(range, row)) {
        Entmax(selection.power(), range, row);
      }
      return kNoKey;
    case SelectionKind::kMaxPool:
      break;
  }
  return kNoKey;
}

}  // namespace qkv
