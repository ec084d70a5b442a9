#include "core/train/schedule.h"

#include <algorithm>
#include <cmath>

namespace qkv {

double RateAt(const Schedule& s, uint64_t step) {
  const auto at = static_cast<double>(step), warmup = static_cast<double>(std::max<uint64_t>(s.warmup, 1));
  if (at < warmup) return s.peak * at / warmup;
  switch (s.kind) {
    case ScheduleKind::kInverseSqrt:
      return s.peak * std::sqrt(warmup / at);
    case ScheduleKind::kCosine: {
      const double rest = std::max(static_cast<double>(s.steps) - warmup, 1.0);
      const double done = std::min((at - warmup) / rest, 1.0);
      return s.peak * (s.floor + (1 - s.floor) * (1 + std::cos(3.14159265358979323846 * done)) / 2);
    }
    case ScheduleKind::kConstant:
      return s.peak;
  }
  return s.peak;
}

}  // namespace qkv
