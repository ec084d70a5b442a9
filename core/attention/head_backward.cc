#include "core/attention/head_backward.h"

#include <algorithm>
#include <cmath>

#include "core/attention/entmax.h"
#include "core/attention/head_stages.h"
#include "core/attention/row_log_softmax.h"
#include "core/kernels/matmul.h"
#include "core/kernels/pairwise_backward.h"
#include "core/kernels/softmax_backward.h"

namespace qkv {
namespace {

// Queries of one group. More than in the forward: here some products sum over the queries of a group.
constexpr size_t kBackwardGroup = kPairRows;

class HeadBackwardPass {
 public:
  HeadBackwardPass(const HeadBackwardTask& call, Arena& arena)
      : call_(call),
        task_{call.attention, call.head_gradients.score, call.in.query.Head(call.head),
              call.keys,      call.packed_keys,          call.head},
        a_(call.attention),
        score_(call.head_gradients.score),
        loss_(call.loss),
        arena_(arena),
        dim_(task_.dim()),
        width_(task_.row_width()),
        mapped_queries_(call.head_gradients.mapped_queries + call.first_query * dim_),
        mapped_keys_(call.head_gradients.mapped_keys + call.first_key * dim_),
        centres_(call.head_gradients.centres + call.first_query),
        sums_(call.head_gradients.sums + call.segment * call.head_gradients.sums_size()),
        local_p_(call.attention.window.kind == WindowKind::kLocalP) {
    const SelectionKind kind = call.attention.selection.kind;
    const bool through_weights =
        kind == SelectionKind::kSoft || kind == SelectionKind::kGate || call.attention.selection.sparse();
    reaches_logits_ = (through_weights && (call.packed_values != nullptr || loss_.weights != nullptr)) ||
                      loss_.log_likelihood != nullptr || loss_.entropy != nullptr;
  }

  void Run() {
    const ArenaScope scope(arena_);
    Allocate();
    finite_keys_ = IsFinite(call_.keys);
    for (size_t first = 0; first < task_.queries.rows; first += kBackwardGroup) {
      Group(first, std::min(kBackwardGroup, task_.queries.rows - first));
    }
    // The sums of all groups, from their layout to rows.
    const bool packed = score_.pair_sum != nullptr;
    const size_t stride = packed ? kPanel : width_;
    for (size_t j = 0; j < call_.keys.rows; ++j) {
      const float* from = packed ? key_sums_ + j / kPanel * kPanel * dim_ + j % kPanel : key_sums_ + j;
      for (size_t c = 0; c < dim_; ++c) mapped_keys_[j * dim_ + c] = from[c * stride];
    }
  }

 private:
  void Allocate() {
    scaled_ = arena_.Floats(kBackwardGroup * dim_);
    unscaled_ = arena_.Floats(kBackwardGroup * dim_);
    logits_ = arena_.Floats(kBackwardGroup * width_);
    weights_ = local_p_ ? arena_.Floats(kBackwardGroup * width_) : logits_;
    gradient_ = arena_.Floats(kBackwardGroup * width_);
    row_logits_ = arena_.Floats(width_);
    gaussian_ = arena_.Floats(width_);
    if (a_.mask_used) {
      used_ = reinterpret_cast<uint8_t*>(arena_.Floats(call_.keys.rows / sizeof(float) + 1));
      std::fill_n(used_, call_.keys.rows, uint8_t{0});
    }
    key_sums_ = arena_.Floats(width_ * dim_);
    std::fill_n(key_sums_, width_ * dim_, 0.0f);
  }

  void Group(size_t first, size_t count) {
    // The forward again, up to scores.
    VisibleKeys visible[kBackwardGroup];
    const KeyRange computed = FindVisibleKeys(task_, first, count, visible);
    float* queries = mapped_queries_ + first * dim_;
    std::fill_n(queries, count * dim_, 0.0f);
    if (computed.empty()) return;
    MapQueries(task_, first, count, scaled_);
    std::copy_n(scaled_, count * dim_, unscaled_);
    ScaleQueries(task_, count, scaled_);
    ComputeScores(task_, first, scaled_, count, computed, logits_);
    if (a_.selection.kind == SelectionKind::kMaxPool) return MaxPool(first, count, visible);
    // Gradients, from the output back to the mapped queries and keys.
    OutputToWeights(first, count, computed);
    for (size_t r = 0; r < count; ++r) RowBackward(first + r, visible[r], computed, r * width_);
    WeightsToValues(first, count, computed);
    if (!reaches_logits_) return;
    ScoresToMapped(count, computed, queries);
    ScoresToRelative(first, count, computed, queries);
    ScaleBackward(count, queries);
  }

  // Key j wins column c of n columns, and G is the Gaussian: y_c = G_j v_jc, and the column adds G_j / n to w_j.
  void MaxPool(size_t first, size_t count, const VisibleKeys* visible) {
    const ConstRows values = call_.in.value.Head(call_.in.KeyHead(call_.head));
    const float share = 1 / static_cast<float>(values.dim);
    for (size_t r = 0; r < count; ++r) {
      const size_t query = first + r;
      const KeyRange seen = visible[r].keys;
      float *logits = logits_ + r * width_, *weights = gradient_;
      // The winner of each column, as in the forward.
      ScoresToLogits(task_, query, visible[r], used_, logits);
      std::fill(weights + seen.begin, weights + seen.end, 0.0f);
      double centre_gradient = 0;
      ForEachWinner(seen, logits, values, [&](size_t c, size_t winner) {
        const float factor = Gaussian(a_.window, visible[r].centre, winner);
        const float g = call_.output.data != nullptr ? call_.output.Row(query)[c] : 0;
        // Its value, its weight, and under local-p the centre of the Gaussian.
        if (call_.value.data != nullptr) call_.value.Row(winner)[c] += factor * g;
        weights[winner] += factor * share;
        if (!local_p_) return;
        double factor_gradient = static_cast<double>(g) * values.Row(winner)[c];
        if (loss_.weights != nullptr) {
          factor_gradient += static_cast<double>(loss_.weights[task_.RowOffset(query) + winner]) * share;
        }
        centre_gradient += factor_gradient * factor * GaussianSlope(visible[r].centre, winner);
      });
      if (local_p_) centres_[query] = static_cast<float>(centre_gradient);
      // A key that was chosen is masked for later queries.
      const int32_t chosen = Chosen(query, kNoKey, seen, weights);
      if (used_ != nullptr && chosen != kNoKey) used_[chosen] = 1;
    }
  }

  // Gradients of weights: do v', plus those that the loss gives directly.
  void OutputToWeights(size_t first, size_t count, KeyRange computed) {
    // do v' for all queries in one product.
    if (call_.packed_values != nullptr) {
      const size_t dim = call_.output.dim;
      Product product;
      product.x = call_.output.Row(first);
      product.x_stride = call_.output.stride;
      product.inputs = dim;
      product.w = call_.packed_values + computed.begin * dim;
      product.panel_stride = dim * kPanel;
      product.outputs = RoundUp(computed.end, kPanel) - computed.begin;
      product.y = gradient_ + computed.begin;
      product.y_stride = width_;
      Multiply(product, count);
      OutputToWeightsByDistance(first, count, computed);
    } else {
      std::fill_n(gradient_, count * width_, 0.0f);
    }
    // The loss's own gradients of weights.
    if (loss_.weights == nullptr) return;
    for (size_t r = 0; r < count; ++r) {
      const float* more = loss_.weights + task_.RowOffset(first + r);
      for (size_t j = computed.begin; j < computed.end; ++j) gradient_[r * width_ + j] += more[j];
    }
  }

  // The part of the values' table: do' a, for the row a of each key's distance.
  void OutputToWeightsByDistance(size_t first, size_t count, KeyRange computed) {
    const RelativeTable& table = score_.relative_values;
    if (table.empty()) return;
    for (size_t r = 0; r < count; ++r) {
      const float* output = call_.output.Row(first + r);
      table.ForEachRun(task_.Place(first + r), computed, [&](size_t bin, KeyRange keys) {
        const float* row = table.rows.Row(bin);
        double product = 0;
        for (size_t c = 0; c < table.rows.dim; ++c) product += static_cast<double>(output[c]) * row[c];
        for (size_t j = keys.begin; j < keys.end; ++j) gradient_[r * width_ + j] += static_cast<float>(product);
      });
    }
  }

  // One row: scores at `at` become weights, then gradients of weights become those of scores.
  void RowBackward(size_t query, const VisibleKeys& visible, KeyRange computed, size_t at) {
    const KeyRange seen = visible.keys;
    const double centre = visible.centre;
    float *p = logits_ + at, *w = weights_ + at, *g = gradient_ + at;
    // The forward again: weights before the Gaussian in p, after it in w.
    ScoresToLogits(task_, query, visible, used_, p);
    std::copy(p + seen.begin, p + seen.end, row_logits_ + seen.begin);
    const int32_t selected = Select(a_.selection, call_.head, task_.Place(query), seen, p);
    if (local_p_) {
      std::fill(gaussian_ + seen.begin, gaussian_ + seen.end, 1.0f);
      ApplyGaussian(a_.window, centre, seen, gaussian_);
      for (size_t j = seen.begin; j < seen.end; ++j) w[j] = p[j] * gaussian_[j];
    }
    ClearRest(seen, computed, w);
    const int32_t chosen = Chosen(query, selected, seen, w);
    if (used_ != nullptr && chosen != kNoKey) used_[chosen] = 1;
    // No gradient passes where a weight is 0, whatever the gradient of the value is.
    for (size_t j = seen.begin; j < seen.end; ++j) g[j] = p[j] == 0 ? 0 : g[j];
    double centre_gradient = 0;
    if (local_p_) centre_gradient = GaussianBackward(seen, centre, p, g);
    SelectionBackward(seen, p, g);
    if (loss_.log_likelihood != nullptr || loss_.entropy != nullptr) {
      centre_gradient += LikelihoodBackward(query, chosen, seen, centre, g);
    }
    if (local_p_) centres_[query] = static_cast<float>(centre_gradient);
    LogitsToScores(query, seen, g);
    ClearRest(seen, {computed.begin, RoundUp(computed.end, kPanel)}, g);
  }

  size_t LossIndex(size_t query) const { return call_.head * call_.queries + call_.first_query + query; }

  int32_t Chosen(size_t query, int32_t selected, KeyRange seen, const float* weights) const {
    if (loss_.chosen != nullptr) return loss_.chosen[LossIndex(query)];
    return selected == kNoKey && used_ != nullptr ? LargestWeight(seen, weights) : selected;
  }

  // d log G / d c of G = exp(-(j - c)^2 / (2 sigma^2)).
  double GaussianSlope(double centre, size_t key) const {
    const double sigma = a_.window.half_width / 2;
    return (static_cast<double>(key) - centre) / (sigma * sigma);
  }

  // w = p G: returns the gradient of c.
  double GaussianBackward(KeyRange seen, double centre, const float* p, float* g) const {
    double centre_gradient = 0;
    for (size_t j = seen.begin; j < seen.end; ++j) {
      if (p[j] == 0) continue;
      g[j] *= gaussian_[j];
      centre_gradient += static_cast<double>(g[j]) * p[j] * GaussianSlope(centre, j);
    }
    return centre_gradient;
  }

  void SelectionBackward(KeyRange seen, const float* p, float* g) const {
    switch (a_.selection.kind) {
      case SelectionKind::kSoft:
        return SoftmaxBackward(p + seen.begin, g + seen.begin, seen.size());
      case SelectionKind::kGate:
        for (size_t j = seen.begin; j < seen.end; ++j) {
          if (p[j] != 0) g[j] *= p[j] / (1 + std::exp(row_logits_[j]));
        }
        return;
      case SelectionKind::kSparsemax:
      case SelectionKind::kEntmax:
        return EntmaxBackward(a_.selection.power(), p + seen.begin, g + seen.begin, seen.size());
      case SelectionKind::kArgmax:
      case SelectionKind::kSampled:
      case SelectionKind::kMaxPool:
        std::fill(g + seen.begin, g + seen.end, 0.0f);
    }
  }

  // d log p_c / d l_j = [j = c] - p_j and d H / d l_j = -p_j (log p_j + H). Returns the gradient of the centre.
  double LikelihoodBackward(size_t query, int32_t chosen, KeyRange seen, double centre, float* g) const {
    double likelihood = loss_.log_likelihood != nullptr ? loss_.log_likelihood[LossIndex(query)] : 0;
    const double entropy = loss_.entropy != nullptr ? loss_.entropy[LossIndex(query)] : 0;
    const auto key = static_cast<size_t>(chosen);
    const bool sees = chosen != kNoKey && key >= seen.begin && key < seen.end && row_logits_[key] != kMasked;
    if (!sees) likelihood = 0;
    const RowLogSoftmax row_softmax(seen, row_logits_);
    for (size_t j = seen.begin; j < seen.end; ++j) {
      const double log_p = row_softmax.LogProbability(row_logits_[j]);
      if (log_p == kMasked) continue;
      g[j] -= static_cast<float>(std::exp(log_p) * (likelihood + entropy * (log_p + row_softmax.entropy)));
    }
    if (!sees) return 0;
    g[key] += static_cast<float>(likelihood);
    if (!local_p_ || a_.selection.kind != SelectionKind::kSoft) return 0;
    return likelihood * GaussianSlope(centre, key);
  }

  // Gradients of logits become those of scores.
  void LogitsToScores(size_t query, KeyRange seen, float* g) {
    const float factor = 1 / a_.selection.temperature;
    for (size_t j = seen.begin; j < seen.end; ++j) g[j] = row_logits_[j] == kMasked ? 0 : g[j] * factor;
    if (call_.bias != nullptr) {
      float* bias = call_.bias + call_.head * a_.mask.bias_head_stride + query * call_.keys.rows;
      for (size_t j = seen.begin; j < seen.end; ++j) bias[j] += g[j];
    }
    if (score_.slope == 0) return;
    double sum = 0;
    for (size_t j = seen.begin; j < seen.end; ++j) {
      sum += static_cast<double>(g[j]) * std::abs(static_cast<double>(task_.Place(query)) - static_cast<double>(j));
    }
    sums_[dim_ + 1] -= static_cast<float>(sum);
  }

  // dv' += do' w. The same for the values' table, whose rows are multiplied by the sum of the weights of a bin.
  void WeightsToValues(size_t first, size_t count, KeyRange computed) {
    const RelativeTable& table = score_.relative_values;
    float* sums = sums_ + dim_ + 2 + score_.relative.size();
    for (size_t r = 0; r < count && !table.empty() && call_.packed_values != nullptr; ++r) {
      const float* output = call_.output.Row(first + r);
      table.ForEachRun(task_.Place(first + r), computed, [&](size_t bin, KeyRange keys) {
        double weight = 0;
        for (size_t j = keys.begin; j < keys.end; ++j) weight += weights_[r * width_ + j];
        if (weight == 0) return;
        for (size_t c = 0; c < table.rows.dim; ++c) {
          sums[bin * table.rows.dim + c] += static_cast<float>(weight * output[c]);
        }
      });
    }
    if (call_.value_sums == nullptr) return;
    const ConstRows output = Part(call_.output, first, count);
    AddProduct(output.dim, computed.size(), count, {output.data, output.stride, true},
               {weights_ + computed.begin, width_}, IsFinite(output),
               {call_.value_sums + computed.begin, output.dim, computed.size(), width_}, arena_, one_);
  }

  // Gradients of scores become those of the scaled queries and of the score's keys.
  void ScoresToMapped(size_t count, KeyRange computed, float* queries) {
    const size_t begin = computed.begin, end = RoundUp(computed.end, kPanel);
    if (score_.pair_sum != nullptr) {
      const Pairs pairs = {scaled_, count, dim_, task_.packed_keys + begin * dim_, end - begin, score_.pair_weight};
      return score_.pair_sum_backward(pairs, {gradient_ + begin, width_, queries, key_sums_ + begin * dim_,
                                              score_.pair_weight != nullptr ? sums_ : nullptr});
    }
    const Factor scores = {gradient_ + begin, width_};
    AddProduct(count, dim_, computed.size(), scores, {call_.keys.Row(begin), call_.keys.stride}, finite_keys_,
               {queries, count, dim_, dim_}, arena_, one_);
    AddProduct(dim_, computed.size(), count, {scaled_, dim_, true}, scores, IsFinite({scaled_, count, dim_, dim_}),
               {key_sums_ + begin, dim_, computed.size(), width_}, arena_, one_);
  }

  // The table by distance. Let g be the sum of the gradients of the scores of a bin: its row gets g times the query,
  // and the query gets g times the row.
  void ScoresToRelative(size_t first, size_t count, KeyRange computed, float* queries) {
    const RelativeTable& table = score_.relative;
    for (size_t r = 0; r < count && !table.empty(); ++r) {
      table.ForEachRun(task_.Place(first + r), computed, [&](size_t bin, KeyRange keys) {
        double g = 0;
        for (size_t j = keys.begin; j < keys.end; ++j) g += gradient_[r * width_ + j];
        if (g == 0) return;
        const float *row = table.rows.Row(bin), *query = scaled_ + r * dim_;
        float *sums = sums_ + dim_ + 2 + bin * table.rows.dim, *to_query = queries + r * dim_;
        if (!table.multiplied) sums[0] += static_cast<float>(g);
        for (size_t c = 0; c < dim_ && table.multiplied; ++c) {
          sums[c] += static_cast<float>(g * query[c]);
          to_query[c] += static_cast<float>(g * row[c]);
        }
      });
    }
  }

  // The backward of ScaleQueries: the scaled query is scale x / |x| or scale x, with the mapped query x.
  void ScaleBackward(size_t count, float* queries) {
    const Rows mapped = {unscaled_, count, dim_, dim_}, gradient = {queries, count, dim_, dim_};
    std::copy_n(unscaled_, count * dim_, scaled_);
    if (score_.unit_queries) DivideByLength({scaled_, count, dim_, dim_});
    double scale_gradient = 0;
    for (size_t i = 0; i < count * dim_; ++i) {
      if (queries[i] == 0) continue;
      scale_gradient += static_cast<double>(queries[i]) * scaled_[i];
      queries[i] *= score_.scale;
    }
    sums_[dim_] += static_cast<float>(scale_gradient);
    if (score_.unit_queries) DivideByLengthBackward(mapped, gradient, gradient, /*add=*/false);
  }

  const HeadBackwardTask& call_;
  HeadTask task_;
  const Attention& a_;
  const PreparedScore& score_;
  const AttentionLoss& loss_;
  Arena& arena_;
  ThreadPool one_{1};
  size_t dim_, width_;
  float *mapped_queries_, *mapped_keys_, *centres_, *sums_;  // the segment's part of the head's gradients
  bool local_p_, reaches_logits_;

  uint8_t* used_ = nullptr;                            // [keys]
  float *scaled_ = nullptr, *unscaled_ = nullptr;      // [group, n]: mapped queries
  float *logits_ = nullptr, *weights_ = nullptr;       // [group, width]: weights before and after the Gaussian
  float* gradient_ = nullptr;                          // [group, width]: of weights, then of scores
  float *row_logits_ = nullptr, *gaussian_ = nullptr;  // [width]: one row
  // Gradients of the score's keys: packed as keys for sums over pairs, else [n, width], where a product packs rows.
  float* key_sums_ = nullptr;
  bool finite_keys_ = true;
};

}  // namespace

void HeadBackward(const HeadBackwardTask& task, Arena& arena) { HeadBackwardPass(task, arena).Run(); }

}  // namespace qkv
