// Initial weights.
#pragma once

#include "core/train/parameters.h"

namespace qkv {

// By each parameter's kind (core/layers/weight_slots.h):
//   kMatrix     uniform in +-sqrt(6 / (inputs + outputs)): keeps the variance in both
//               directions (Glorot and Bengio 2010, equation 16);
//   kEmbedding  normal of deviation inputs^-1/2, so that a row times sqrt(inputs), or a product of two rows, is of
//               order 1 (Vaswani et al. 2017, section 3.4);
//   kZeros, kOnes;
//   kForgetting 1 for an LSTM's forget gate and 0 for the others, so that it first keeps its state
//               (Gers et al. 2000; Jozefowicz et al. 2015, section 3.1).
// Parameter number i draws from stream i of the seed: the same numbers on every machine.
void Initialise(Parameters& parameters, uint64_t seed);

}  // namespace qkv
