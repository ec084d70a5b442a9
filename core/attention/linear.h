// Linear attention (Katharopoulos et al. 2020, "Transformers are RNNs"): the weights are phi(q)'phi(k) divided by their
// sum. So sums over keys and values are computed first, and queries read only these sums.
//
//   S = sum_j phi(k_j) v_j',  z = sum_j phi(k_j),  output_i = S'phi(q_i) / z'phi(q_i),  phi(x) = elu(x) + 1
//
// If causal, the sums are over the keys up to the query's place: a recurrence whose state has a fixed size. Time grows
// with the length, and memory does not. The result is that of the score `linear` with softmax (core/attention/
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

// output [H, queries, dv]. `state` holds the earlier keys; these keys are added to it. If causal, there are as many
// keys as queries, and query i sees the state and keys [0, i]. A query that has seen nothing gets zeros.
void AttendLinear(const AttentionInputs& in, bool causal, LinearState& state, Heads output);

// Gradients, added to; without data where not wanted. The state before the call is empty.
struct LinearGradients {
  Heads query = {}, key = {}, value = {};
};
void AttendLinearBackward(const AttentionInputs& in, bool causal, ConstHeads output_gradient,
                          const LinearGradients& to);

}  // namespace qkv
