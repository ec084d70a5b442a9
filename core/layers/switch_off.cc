#include "core/layers/switch_off.h"

#include <algorithm>

namespace qkv {

void ReplaceRows(const Interventions& interventions, Block block, bool decodes, size_t layer,
                 std::span<const AttendedSegment> segments, const float* x, MatrixView y) {
  const auto d = static_cast<size_t>(y.cols());
  for (const AttendedSegment& segment : segments) {
    if (!interventions.IsOff(segment.segment, segment.hypothesis, block, decodes, layer)) continue;
    const size_t first = segment.first_row * d, count = segment.rows * d;
    if (x == nullptr) {
      std::fill_n(y.data() + first, count, 0.0f);
    } else {
      std::copy_n(x + first, count, y.data() + first);
    }
  }
}

}  // namespace qkv
