// The scores of a decoder that goes step by step (core/layers/step_attention.h).
#pragma once

namespace qkv {

enum class StepScore {
  kDot,       // h' k
  kGeneral,   // h' W_a k
  kAdditive,  // v_a' tanh(W_a h + U_a k): Bahdanau's, and Luong's concat, whose W_a is [W_a U_a] here
  kLocation,  // row j of W_a, times h
};

}  // namespace qkv
