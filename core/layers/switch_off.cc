#include "core/layers/switch_off.h"

#include <algorithm>

namespace qkv {

void SwitchOff(const Context& ctx, Block block, bool decodes, size_t layer, std::span<const AttendedSegment> segments,
               const float* x, MatrixView y) {
  if (ctx.interventions == nullptr) return;
  const auto d = static_cast<size_t>(y.cols());
  for (size_t h = 0; h < segments.size(); ++h) {
    if (!ctx.interventions->IsOff(segments[h].segment, h, block, decodes, layer)) continue;
    const size_t first = segments[h].first_row * d, count = segments[h].rows * d;
    if (x == nullptr) {
      std::fill_n(y.data() + first, count, 0.0f);
    } else {
      std::copy_n(x + first, count, y.data() + first);
    }
  }
}

}  // namespace qkv
