// The logarithm of the product of features (Katharopoulos et al. 2020). With softmax the weights are those of linear
// attention, phi(q)'phi(k) over its sum: what core/attention/linear.h computes without weights, for every mask, window
// and selection, in the time of all pairs.
#include <algorithm>

#include "core/attention/feature_map.h"
#include "core/attention/score_backward.h"
#include "core/kernels/pairwise_backward.h"

namespace qkv {
namespace {

// Features that underflow have a product of at least this, whose logarithm is a number.
constexpr float kLeast = 1e-37f;

// The products of one query and the keys of a panel, [kPanel].
void Products(const Pairs& p, size_t row, size_t panel, float* sums) {
  std::fill_n(sums, kPanel, 0.0f);
  const float* keys = p.keys + panel * p.dim * kPanel;
  for (size_t c = 0; c < p.dim; ++c) {
    const float feature = Feature(p.queries[row * p.dim + c]);
    for (size_t j = 0; j < kPanel; ++j) sums[j] += feature * keys[c * kPanel + j];
  }
}

void LogProducts(const Pairs& p) {
  float sums[kPanel];
  for (size_t r = 0; r < p.rows; ++r) {
    for (size_t panel = 0; panel < p.count / kPanel; ++panel) {
      Products(p, r, panel, sums);
      float* scores = p.scores + r * p.stride + panel * kPanel;
      for (size_t j = 0; j < kPanel; ++j) scores[j] = static_cast<float>(Logarithm(std::max(sums[j], kLeast)));
    }
  }
}

// d log s = ds / s: dq_c = phi'(q_c) sum_j g_j phi(k_jc) / s_j, and the key's feature has g_j phi(q_c) / s_j.
void LogProductsBackward(const Pairs& p, const PairsGradient& g) {
  float sums[kPanel];
  for (size_t r = 0; r < p.rows; ++r) {
    for (size_t panel = 0; panel < p.count / kPanel; ++panel) {
      Products(p, r, panel, sums);
      const float* of_scores = g.scores + r * g.stride + panel * kPanel;
      for (size_t j = 0; j < kPanel; ++j) {
        if (of_scores[j] == 0 || sums[j] < kLeast) continue;
        const float share = of_scores[j] / sums[j];
        for (size_t c = 0; c < p.dim; ++c) {
          const size_t at = panel * p.dim * kPanel + c * kPanel + j;
          const float q = p.queries[r * p.dim + c];
          g.queries[r * p.dim + c] += share * p.keys[at] * FeatureSlope(q);
          g.keys[at] += share * Feature(q);
        }
      }
    }
  }
}

}  // namespace

static void Prepare(const ScoreInputs& in, Arena& arena, PreparedScore& out) {
  float* features = arena.Floats(in.keys.rows * in.keys.dim);
  for (size_t r = 0; r < in.keys.rows; ++r) {
    for (size_t c = 0; c < in.keys.dim; ++c) features[r * in.keys.dim + c] = Feature(in.keys.Row(r)[c]);
  }
  out.keys = {features, in.keys.rows, in.keys.dim, in.keys.dim};
  out.pair_sum = LogProducts;
  if (kTrainable) out.pair_sum_backward = LogProductsBackward;
}

static void Backward(const ScoreBackward& b) {
  Add(b.mapped_queries, b.to_queries);
  if (b.to_keys.data == nullptr) return;
  for (size_t r = 0; r < b.in.keys.rows; ++r) {
    for (size_t c = 0; c < b.in.keys.dim; ++c) {
      const float d = b.mapped_keys.Row(r)[c];
      if (d != 0) b.to_keys.Row(r)[c] += d * FeatureSlope(b.in.keys.Row(r)[c]);
    }
  }
}

extern const Score kLinear = {"linear", "log phi(q)'phi(k), phi(x) = elu(x) + 1", "Katharopoulos et al. 2020", true, {},
                              Prepare,  kTrainable ? Backward : nullptr};

}  // namespace qkv
