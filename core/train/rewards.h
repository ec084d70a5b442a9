// Rewards of choices that a forward drew: REINFORCE (Williams 1992), as Xu et al. 2015 (section 4.2) train hard
// attention.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/matrix.h"
#include "core/base/tape.h"

namespace qkv {

// The reward of the choice of a target row is log p of its piece, r. The baseline b is the mean reward of the other
// rows, which does not depend on this choice, so that the gradient stays unbiased (Kool et al. 2019). The loss is
// minimised, so its gradient with respect to log p(choice) is -scale (r - b), and with respect to the entropy a small
// multiple of -scale. logits [rows, pieces] are those before cross-entropy.
void SetRewards(ConstMatrixView logits, std::span<const int32_t> targets, float scale, Tape::Choices& choices);

}  // namespace qkv
