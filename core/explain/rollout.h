// How much of each piece of a text reaches each row of an encoder's last layer, by its attention alone (Abnar and
// Zuidema 2020, "Quantifying Attention Flow in Transformers"). Both take a layer as 0.5 A + 0.5 I, where A is the mean
// of its heads and I stands for the residual. They know nothing of values, norms and feed-forward blocks: they are
// bounds on where information can come from, not a measure of what the model uses.
#pragma once

#include "core/attention/trace.h"

namespace qkv {

// [1, 1, n, n] of the maps [layers, heads, n, n]: the product of all layers. Rows sum to 1 where the weights do.
AttentionMap Rollout(const AttentionMap& encoder_self);

// One number of the flow: the most that can flow from row `to` of the last layer down to piece `from`, where each layer
// is a pipe of that capacity. At most 1.
class AttentionFlow {
 public:
  explicit AttentionFlow(const AttentionMap& encoder_self);
  float Between(size_t to, size_t from);

 private:
  bool FindLevels(size_t from, size_t to);
  double Push(size_t node, size_t to, double most);
  // The free capacity of the pipe between two nodes of neighbouring layers, in this direction.
  double& Free(size_t node, size_t next);

  size_t n_, layers_;
  std::vector<double> capacity_;   // [layers, n, n]
  std::vector<double> down_, up_;  // free capacity, the same shape
  std::vector<int> level_;         // of each node, [layers + 1, n]; -1: not reached
  std::vector<size_t> next_;       // the first edge of each node that is not used up
};

}  // namespace qkv
