#include "core/attention/head_backward.h"

#include <algorithm>
#include <cmath>

#include "core/attention/attend_head.h"
#include "core/attention/row_odds.h"
#include "core/kernels/pairwise_backward.h"
#include "core/kernels/softmax_backward.h"

namespace qkv {
namespace {

// Queries worked on at a time. More than in the forward: products whose sums run over queries are as long.
constexpr size_t kGroup = kPairRows;

const AttentionRecord kNoRecord;

class Backward : public HeadWeights {
 public:
  Backward(const HeadCall& call, Arena& arena)
      : HeadWeights(call.attention, call.in.query.Head(call.head), call.state.score, call.keys, call.packed_keys,
                    call.head, kNoRecord),
        call_(call),
        met_queries_(call.state.met_queries + call.first_query * call.state.dim()),
        met_keys_(call.state.met_keys + call.first_key * call.state.dim()),
        centres_(call.state.centres + call.first_query),
        sums_(call.state.sums + call.segment * call.state.sums_size()),
        loss_(call.loss),
        bias_(call.bias),
        arena_(arena),
        dim_(call.state.dim()),
        local_p_(call.attention.window.kind == WindowKind::kLocalP) {
    const SelectionKind kind = call.attention.selection.kind;
    const bool of_weights = kind == SelectionKind::kSoft || kind == SelectionKind::kGate;
    reaches_logits_ = (of_weights && (call.packed_values != nullptr || call.loss.weights != nullptr)) ||
                      call.loss.log_likelihood != nullptr || call.loss.entropy != nullptr;
  }

  void Run() {
    const ArenaScope scope(arena_);
    queries_at_ = arena_.Floats(kGroup * dim_);
    mapped_at_ = arena_.Floats(kGroup * dim_);
    logits_ = arena_.Floats(kGroup * width_);
    weights_ = local_p_ ? arena_.Floats(kGroup * width_) : logits_;
    gradient_ = arena_.Floats(kGroup * width_);
    kept_ = arena_.Floats(width_);
    gaussian_ = arena_.Floats(width_);
    if (a_.mask_used) {
      used_ = reinterpret_cast<uint8_t*>(arena_.Floats(keys_ / sizeof(float) + 1));
      std::fill_n(used_, keys_, uint8_t{0});
    }
    of_keys_ = arena_.Floats(width_ * dim_);
    std::fill_n(of_keys_, width_ * dim_, 0.0f);
    finite_keys_ = IsFinite(call_.keys);
    for (size_t first = 0; first < queries_.rows; first += kGroup) {
      Group(first, std::min(kGroup, queries_.rows - first));
    }
    const bool packed = score_.pair_sum != nullptr;
    const size_t stride = packed ? kPanel : width_;
    for (size_t j = 0; j < keys_; ++j) {
      const float* from = packed ? of_keys_ + j / kPanel * kPanel * dim_ + j % kPanel : of_keys_ + j;
      for (size_t c = 0; c < dim_; ++c) met_keys_[j * dim_ + c] = from[c * stride];
    }
  }

 private:
  void Group(size_t first, size_t count) {
    double centres[kGroup] = {};
    KeyRange seen[kGroup];
    const KeyRange all = Look(first, count, seen, centres);
    float* met = met_queries_ + first * dim_;
    std::fill_n(met, count * dim_, 0.0f);
    if (all.empty()) return;
    MapQueries(first, count, queries_at_);
    std::copy_n(queries_at_, count * dim_, mapped_at_);
    ScaleQueries(count, queries_at_);
    SumPairs(queries_at_, count, all, logits_);
    if (a_.selection.kind == SelectionKind::kMaxPool) return MaxPool(first, count, seen);
    OutputToWeights(first, count, all);
    for (size_t r = 0; r < count; ++r) RowBackward(first + r, seen[r], centres[r], all, r * width_);
    WeightsToValues(first, count, all);
    if (!reaches_logits_) return;
    LogitsToMet(count, all, met);
    ScaleBackward(count, met);
  }

  void MaxPool(size_t first, size_t count, const KeyRange* seen) {
    if (call_.value.data == nullptr || call_.output.data == nullptr) return;
    for (size_t r = 0; r < count; ++r) {
      float* row = logits_ + r * width_;
      Edit(first + r, seen[r], row, used_);
      ForEachWinner(seen[r], row, call_.in.value.Head(OfKeys(call_.in, head_)),
                    [&](size_t c, size_t winner) { call_.value.Row(winner)[c] += call_.output.Row(first + r)[c]; });
    }
  }

  // The weights' gradients: do v', and what the loss has of them.
  void OutputToWeights(size_t first, size_t count, KeyRange all) {
    if (call_.packed_values != nullptr) {
      const size_t dim = call_.output.dim;
      Product product;
      product.x = call_.output.Row(first);
      product.x_stride = call_.output.stride;
      product.inputs = dim;
      product.w = call_.packed_values + all.begin * dim;
      product.panel_stride = dim * kPanel;
      product.outputs = RoundUp(all.end, kPanel) - all.begin;
      product.y = gradient_ + all.begin;
      product.y_stride = width_;
      Multiply(product, count);
    } else {
      std::fill_n(gradient_, count * width_, 0.0f);
    }
    if (loss_.weights == nullptr) return;
    for (size_t r = 0; r < count; ++r) {
      const float* more = loss_.weights + Kept(first + r);
      for (size_t j = all.begin; j < all.end; ++j) gradient_[r * width_ + j] += more[j];
    }
  }

  // Scores at `at` become weights, and gradients of weights those of scores.
  void RowBackward(size_t query, KeyRange seen, double centre, KeyRange all, size_t at) {
    float *p = logits_ + at, *w = weights_ + at, *g = gradient_ + at;
    Edit(query, seen, p, used_);
    std::copy(p + seen.begin, p + seen.end, kept_ + seen.begin);
    const int32_t selected = Select(a_.selection, head_, Place(query), seen, p);
    if (local_p_) {
      std::fill(gaussian_ + seen.begin, gaussian_ + seen.end, 1.0f);
      Weigh(a_.window, centre, seen, gaussian_);
      for (size_t j = seen.begin; j < seen.end; ++j) w[j] = p[j] * gaussian_[j];
    }
    ClearRest(seen, all, w);
    const int32_t chosen = Chosen(query, selected, seen, w);
    if (used_ != nullptr && chosen != kNoKey) used_[chosen] = 1;
    // Nothing passes where a weight is 0, whatever the value's gradient is there.
    for (size_t j = seen.begin; j < seen.end; ++j) g[j] = p[j] == 0 ? 0 : g[j];
    double of_centre = 0;
    if (local_p_) of_centre = GaussianBackward(seen, centre, p, g);
    SelectionBackward(seen, p, g);
    if (loss_.log_likelihood != nullptr || loss_.entropy != nullptr) {
      of_centre += OddsBackward(query, chosen, seen, centre, g);
    }
    if (local_p_) centres_[query] = static_cast<float>(of_centre);
    EditBackward(query, seen, g);
    ClearRest(seen, {all.begin, RoundUp(all.end, kPanel)}, g);
  }

  size_t InLoss(size_t query) const { return head_ * call_.queries + call_.first_query + query; }

  int32_t Chosen(size_t query, int32_t selected, KeyRange seen, const float* weights) const {
    if (loss_.chosen != nullptr) return loss_.chosen[InLoss(query)];
    return selected == kNoKey && used_ != nullptr ? LargestWeight(seen, weights) : selected;
  }

  // w = p exp(-(j - c)^2 / (2 sigma^2)): returns the gradient of c.
  double GaussianBackward(KeyRange seen, double centre, const float* p, float* g) const {
    const double sigma = a_.window.half_width / 2;
    double of_centre = 0;
    for (size_t j = seen.begin; j < seen.end; ++j) {
      if (p[j] == 0) continue;
      g[j] *= gaussian_[j];
      of_centre += static_cast<double>(g[j]) * p[j] * (static_cast<double>(j) - centre) / (sigma * sigma);
    }
    return of_centre;
  }

  void SelectionBackward(KeyRange seen, const float* p, float* g) const {
    switch (a_.selection.kind) {
      case SelectionKind::kSoft:
        return SoftmaxBackward(p + seen.begin, g + seen.begin, seen.size());
      case SelectionKind::kGate:
        for (size_t j = seen.begin; j < seen.end; ++j) {
          if (p[j] != 0) g[j] *= p[j] / (1 + std::exp(kept_[j]));
        }
        return;
      case SelectionKind::kArgmax:
      case SelectionKind::kSampled:
      case SelectionKind::kMaxPool:
        std::fill(g + seen.begin, g + seen.end, 0.0f);
    }
  }

  // d log p_c / d l_j = [j = c] - p_j and d H / d l_j = -p_j (log p_j + H). Returns the gradient of the centre.
  double OddsBackward(size_t query, int32_t chosen, KeyRange seen, double centre, float* g) const {
    double likelihood = loss_.log_likelihood != nullptr ? loss_.log_likelihood[InLoss(query)] : 0;
    const double entropy = loss_.entropy != nullptr ? loss_.entropy[InLoss(query)] : 0;
    const auto key = static_cast<size_t>(chosen);
    const bool sees = chosen != kNoKey && key >= seen.begin && key < seen.end && kept_[key] != kMasked;
    if (!sees) likelihood = 0;
    const RowOdds odds(seen, kept_);
    for (size_t j = seen.begin; j < seen.end; ++j) {
      const double log_p = odds.LogProbability(kept_[j]);
      if (log_p == kMasked) continue;
      g[j] -= static_cast<float>(std::exp(log_p) * (likelihood + entropy * (log_p + odds.entropy)));
    }
    if (!sees) return 0;
    g[key] += static_cast<float>(likelihood);
    if (!local_p_ || a_.selection.kind != SelectionKind::kSoft) return 0;
    const double sigma = a_.window.half_width / 2;
    return likelihood * (static_cast<double>(key) - centre) / (sigma * sigma);
  }

  // Gradients of logits become those of scores.
  void EditBackward(size_t query, KeyRange seen, float* g) {
    const float factor = 1 / a_.selection.temperature;
    for (size_t j = seen.begin; j < seen.end; ++j) g[j] = kept_[j] == kMasked ? 0 : g[j] * factor;
    if (bias_ != nullptr) {
      float* bias = bias_ + head_ * a_.mask.bias_head_stride + query * keys_;
      for (size_t j = seen.begin; j < seen.end; ++j) bias[j] += g[j];
    }
    if (score_.slope == 0) return;
    double sum = 0;
    for (size_t j = seen.begin; j < seen.end; ++j) {
      sum += static_cast<double>(g[j]) * std::abs(static_cast<double>(Place(query)) - static_cast<double>(j));
    }
    sums_[dim_ + 1] -= static_cast<float>(sum);
  }

  // dv' += do' w
  void WeightsToValues(size_t first, size_t count, KeyRange all) {
    if (call_.of_values == nullptr) return;
    const ConstRows output = Part(call_.output, first, count);
    AddProduct(output.dim, all.size(), count, {output.data, output.stride, true}, {weights_ + all.begin, width_},
               IsFinite(output), {call_.of_values + all.begin, output.dim, all.size(), width_}, arena_, one_);
  }

  // Gradients of scores become those of the queries and keys that met.
  void LogitsToMet(size_t count, KeyRange all, float* met) {
    const size_t begin = all.begin, end = RoundUp(all.end, kPanel);
    if (score_.pair_sum != nullptr) {
      const Pairs pairs = {queries_at_, count, dim_, packed_ + begin * dim_, end - begin, score_.pair_weight};
      return score_.pair_sum_backward(pairs, {gradient_ + begin, width_, met, of_keys_ + begin * dim_,
                                              score_.pair_weight != nullptr ? sums_ : nullptr});
    }
    const Factor scores = {gradient_ + begin, width_};
    AddProduct(count, dim_, all.size(), scores, {call_.keys.Row(begin), call_.keys.stride}, finite_keys_,
               {met, count, dim_, dim_}, arena_, one_);
    AddProduct(dim_, all.size(), count, {queries_at_, dim_, true}, scores, IsFinite({queries_at_, count, dim_, dim_}),
               {of_keys_ + begin, dim_, all.size(), width_}, arena_, one_);
  }

  // What met was scale x / |x| or scale x of the mapped queries x.
  void ScaleBackward(size_t count, float* met) {
    const Rows mapped = {mapped_at_, count, dim_, dim_}, gradient = {met, count, dim_, dim_};
    std::copy_n(mapped_at_, count * dim_, queries_at_);
    if (score_.unit_queries) DivideByLength({queries_at_, count, dim_, dim_});
    double of_scale = 0;
    for (size_t i = 0; i < count * dim_; ++i) {
      if (met[i] == 0) continue;
      of_scale += static_cast<double>(met[i]) * queries_at_[i];
      met[i] *= score_.scale;
    }
    sums_[dim_] += static_cast<float>(of_scale);
    if (score_.unit_queries) DivideByLengthBackward(mapped, gradient, gradient, /*add=*/false);
  }

  const HeadCall& call_;
  float *met_queries_, *met_keys_, *centres_, *sums_;
  const AttentionLoss& loss_;
  float* bias_;
  Arena& arena_;
  ThreadPool one_{1};
  size_t dim_;
  bool local_p_, reaches_logits_;

  uint8_t* used_ = nullptr;                             // [keys]
  float *queries_at_ = nullptr, *mapped_at_ = nullptr;  // [kGroup, n]: as they meet keys, and before they are scaled
  float *logits_ = nullptr, *weights_ = nullptr;        // [kGroup, width]: before and after the Gaussian
  float* gradient_ = nullptr;                           // [kGroup, width]: of weights, then of scores
  float *kept_ = nullptr, *gaussian_ = nullptr;         // [width]: one row's logits, and its Gaussian
  // The keys' gradients, packed as keys for pairs and else [n, width]: a product then packs what lies in rows.
  float* of_keys_ = nullptr;
  bool finite_keys_ = true;
};

}  // namespace

void HeadBackward(const HeadCall& call, Arena& arena) { Backward(call, arena).Run(); }

}  // namespace qkv
