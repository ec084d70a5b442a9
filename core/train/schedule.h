// The learning rate by step.
#pragma once

#include <cstdint>
#include <string_view>

namespace qkv {

enum class ScheduleKind {
  kInverseSqrt,  // falls with the square root of the step (Vaswani et al. 2017, equation 3)
  kCosine,       // half a cosine down to `floor` at the last step (Loshchilov and Hutter 2017)
  kConstant,
};

// In the order of ScheduleKind: their names in configs.
inline constexpr std::string_view kScheduleNames[] = {"inverse-sqrt", "cosine", "constant"};

struct Schedule {
  ScheduleKind kind = ScheduleKind::kInverseSqrt;
  double peak = 1e-3;      // reached after a linear warm-up
  uint64_t warmup = 1000;  // steps
  uint64_t steps = 0;      // of the whole run; the cosine's length
  double floor = 0.02;     // of a cosine, as a share of the peak
};

// The rate of step 1, 2, ...
double RateAt(const Schedule& schedule, uint64_t step);

}  // namespace qkv
