// Sinusoidal positions (Vaswani et al. 2017, section 3.5).
#pragma once

#include <cstddef>

#include "core/base/matrix.h"

namespace qkv {

// PE [positions, d] in MarianMT's layout: columns [0, ceil(d/2)) are sin(p / 10000^(2j/d)), the others
// cos(p / 10000^(2j/d)). Computed in double, rounded once.
Matrix SinusoidalPositions(size_t positions, size_t d);

}  // namespace qkv
