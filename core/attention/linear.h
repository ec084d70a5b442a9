// Linear attention (Katharopoulos et al. 2020, "Transformers are RNNs"): with weights phi(q)'phi(k) over their sum, the
// keys and values come together first, and no query looks at a single key again.
//
//   S = sum_j phi(k_j) v_j',  z = sum_j phi(k_j),  output_i = S'phi(q_i) / z'phi(q_i),  phi(x) = elu(x) + 1
//
// Causal, S and z are those of the keys up to the query's: a recurrence with a state of one size. Time grows with the
// length, and memory with nothing but the state. The result is that of the score `linear` with softmax (core/attention/
// scores/linear.cc) up to rounding: sums are in double here.
#pragma once

#include <span>
#include <vector>

#include "core/attention/attention.h"

namespace qkv {

// S and z of one head each, [heads, key dim, value dim + 1], z in the last column. Empty: nothing was read.
using LinearState = std::vector<double>;

// The size of the state of these inputs.
inline size_t LinearStateSize(const AttentionInputs& in) { return in.key.heads * in.key.dim * (in.value.dim + 1); }

// Checks that shapes fit one another, and the state unless it is empty. The error names the argument.
Result<void> CheckLinear(const AttentionInputs& in, bool causal, const LinearState& state);

// output [H, queries, dv]. `state` is that of earlier keys, and these are added to it; causal, query i sees it and keys
// [0, i], of which there are as many as queries. A query that has seen nothing gets zeros.
void AttendLinear(const AttentionInputs& in, bool causal, LinearState& state, Heads output);

// Gradients, added to; without data where not wanted. The state before the call is empty.
struct LinearGradients {
  Heads query = {}, key = {}, value = {};
};
void AttendLinearBackward(const AttentionInputs& in, bool causal, ConstHeads output_gradient,
                          const LinearGradients& to);

}  // namespace qkv
