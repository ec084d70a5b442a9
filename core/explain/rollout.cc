#include "core/explain/rollout.h"

#include <algorithm>

namespace qkv {
namespace {

// 0.5 A + 0.5 I of each layer, [layers, n, n].
std::vector<double> WithResiduals(const AttentionMap& map) {
  const size_t n = map.sources;
  std::vector<double> layers(map.layers * n * n);
  for (size_t layer = 0; layer < map.layers; ++layer) {
    double* to = layers.data() + layer * n * n;
    for (size_t head = 0; head < map.heads; ++head) {
      const float* weights = map.Row(layer, head, 0);
      for (size_t i = 0; i < n * n; ++i)
        to[i] += static_cast<double>(weights[i]) / (2.0 * static_cast<double>(map.heads));
    }
    for (size_t i = 0; i < n; ++i) to[i * n + i] += 0.5;
  }
  return layers;
}

}  // namespace

AttentionMap Rollout(const AttentionMap& map) {
  const size_t n = map.sources;
  const std::vector<double> layers = WithResiduals(map);
  std::vector<double> product(n * n), next(n * n);
  for (size_t i = 0; i < n; ++i) product[i * n + i] = 1;
  for (size_t layer = 0; layer < map.layers; ++layer) {
    const double* a = layers.data() + layer * n * n;
    std::fill(next.begin(), next.end(), 0.0);
    for (size_t i = 0; i < n; ++i) {
      for (size_t k = 0; k < n; ++k) {
        for (size_t j = 0; j < n; ++j) next[i * n + j] += a[i * n + k] * product[k * n + j];
      }
    }
    product.swap(next);
  }
  AttentionMap rollout{1, 1, n, n, std::vector<float>(product.begin(), product.end()), 0, {}, {}, {}};
  return rollout;
}

AttentionFlow::AttentionFlow(const AttentionMap& map)
    : n_(map.sources),
      layers_(map.layers),
      capacity_(WithResiduals(map)),
      level_((map.layers + 1) * map.sources),
      next_(level_.size()) {}

// Node (layer l, row i) is number l n + i; the pieces are layer 0.
double& AttentionFlow::Free(size_t node, size_t next) {
  const size_t layer = std::max(node, next) / n_ - 1;
  const size_t edge = (layer * n_ + std::max(node, next) % n_) * n_ + std::min(node, next) % n_;
  return node > next ? down_[edge] : up_[edge];
}

// Breadth first from `from`; false if `to` is not reached.
bool AttentionFlow::FindLevels(size_t from, size_t to) {
  std::fill(level_.begin(), level_.end(), -1);
  std::vector<size_t> queue = {from};
  level_[from] = 0;
  for (size_t at = 0; at < queue.size() && level_[to] < 0; ++at) {
    const size_t node = queue[at], layer = node / n_;
    for (const size_t other : {layer - 1, layer + 1}) {
      if (other > layers_) continue;  // also below 0
      for (size_t next = other * n_; next < (other + 1) * n_; ++next) {
        if (level_[next] >= 0 || Free(node, next) <= 0) continue;
        level_[next] = level_[node] + 1;
        queue.push_back(next);
      }
    }
  }
  return level_[to] >= 0;
}

// Pushes at most `most` along the levels; returns how much. As deep as there are levels.
double AttentionFlow::Push(size_t node, size_t to, double most) {
  if (node == to) return most;
  const size_t layer = node / n_, first = layer == 0 ? n_ : (layer - 1) * n_;
  const size_t below = layer == 0 ? 0 : n_, above = layer == layers_ ? 0 : n_;
  double pushed = 0;
  for (size_t& edge = next_[node]; edge < below + above; ++edge) {
    const size_t next = edge < below ? first + edge : (layer + 1) * n_ + (edge - below);
    double& free = Free(node, next);
    if (free <= 0 || level_[next] != level_[node] + 1) continue;
    const double some = Push(next, to, std::min(most - pushed, free));
    free -= some;
    Free(next, node) += some;
    pushed += some;
    if (pushed >= most) return pushed;
  }
  return pushed;
}

// Dinic's algorithm (1970).
float AttentionFlow::Between(size_t to, size_t from) {
  down_ = capacity_;
  up_.assign(capacity_.size(), 0);
  const size_t top = layers_ * n_ + to;
  double flow = 0;
  while (FindLevels(top, from)) {
    std::fill(next_.begin(), next_.end(), size_t{0});
    const double pushed = Push(top, from, 1);
    if (pushed < 1e-9) break;
    flow += pushed;
  }
  return static_cast<float>(flow);
}

}  // namespace qkv
