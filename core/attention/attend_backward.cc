#include "core/attention/attend_backward.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/attention/attend_head.h"
#include "core/base/tape.h"
#include "core/kernels/pairwise_backward.h"
#include "core/kernels/softmax_backward.h"

namespace qkv {
namespace {

// Queries worked on at a time. More than in the forward: products whose sums run over queries are as long.
constexpr size_t kGroup = kPairRows;

const AttentionRecord kNoRecord;

size_t OfKeys(const AttentionInputs& in, size_t head) { return head / (in.query.heads / in.key.heads); }

// A head's numbers for all segments: what its score made ready, and gradients that its score's backward passes on.
struct HeadState {
  ReadyScore score;
  float* met_queries = nullptr;  // [queries, n]
  float* met_keys = nullptr;     // [keys, n]
  float* centres = nullptr;      // [queries]
  // For each segment, n of the pair weight, the scale, the slope.
  float* sums = nullptr;

  size_t dim() const { return score.keys.dim; }
  size_t sums_size() const { return dim() + 2; }
};

// What a softmax of one row gives to gradients: likelihoods and entropies.
struct RowOdds {
  double max = kMasked, log_sum = 0, entropy = 0;

  RowOdds(KeyRange seen, const float* logits) {
    for (size_t j = seen.begin; j < seen.end; ++j)
      max = std::isnan(logits[j]) ? logits[j] : std::max<double>(max, logits[j]);
    if (max == kMasked) return;
    double sum = 0, product = 0;
    for (size_t j = seen.begin; j < seen.end; ++j) {
      if (logits[j] == kMasked) continue;
      const double e = std::exp(logits[j] - max);
      sum += e;
      product += e * (logits[j] - max);
    }
    log_sum = std::log(sum);
    entropy = log_sum - product / sum;
  }
  double LogProbability(float logit) const { return logit == kMasked ? kMasked : logit - max - log_sum; }
};

double LogGaussian(const Window& window, double centre, size_t key) {
  const double distance = (static_cast<double>(key) - centre) / (window.half_width / 2);
  return -distance * distance / 2;
}

// One head of one segment.
class HeadBackward : public HeadWeights {
 public:
  struct Call {
    const Attention& attention;
    AttentionInputs in;  // of the segment
    size_t head;
    ConstRows keys;               // the score's
    const float* packed_keys;     // the same
    const float* packed_values;   // as keys are; null where no output's gradient meets them
    ConstRows output;             // gradient of the segment's output, or without data
    Rows value;                   // gradient of the segment's values, or without data
    float* of_values;             // [dv, width]: what products add to it, to be added at the end; null without both
    size_t first_query, queries;  // the segment's first in the loss's arrays, and what these have of a head
  };

  HeadBackward(const Call& call, const HeadState& state, float* met_queries, float* met_keys, float* centres,
               float* sums, const AttentionLoss& loss, float* bias, Arena& arena)
      : HeadWeights(call.attention, call.in.query.Head(call.head), state.score, call.keys, call.packed_keys, call.head,
                    kNoRecord),
        call_(call),
        met_queries_(met_queries),
        met_keys_(met_keys),
        centres_(centres),
        sums_(sums),
        loss_(loss),
        bias_(bias),
        arena_(arena),
        dim_(state.dim()),
        local_p_(call.attention.window.kind == WindowKind::kLocalP) {
    const SelectionKind kind = call.attention.selection.kind;
    const bool of_weights = kind == SelectionKind::kSoft || kind == SelectionKind::kGate;
    reaches_logits_ = (of_weights && (call.packed_values != nullptr || loss.weights != nullptr)) ||
                      loss.log_likelihood != nullptr || loss.entropy != nullptr;
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

  const Call& call_;
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

// One call: all heads of all segments.
class CallBackward {
 public:
  CallBackward(Context& ctx, const Attention& attention, const AttentionInputs& in, const Segments& query_segments,
               const Segments& key_segments, const AttentionLoss& loss, const AttentionGradients& to)
      : ctx_(ctx),
        a_(attention),
        in_(in),
        query_segments_(query_segments),
        key_segments_(key_segments),
        loss_(loss),
        to_(to) {}

  void Run() {
    const ArenaScope scope(ctx_.arena);
    for (size_t head = 0; head < in_.query.heads; ++head) heads_.push_back(Ready(head));
    // Heads of queries that share values add to one gradient, one after the other; so do all that share a bias.
    const bool alone = to_.bias != nullptr && a_.mask.bias_head_stride == 0;
    const size_t tasks = query_segments_.size() * in_.key.heads;
    const size_t threads = alone ? 1 : std::clamp<size_t>(tasks, 1, ctx_.pool.size());
    const size_t grain = std::max<size_t>((tasks + threads - 1) / threads, 1);
    std::vector<Arena> arenas(threads);
    ctx_.pool.For(tasks, grain, [&](size_t begin, size_t end) {
      for (size_t task = begin; task < end; ++task) {
        Segment(task / in_.key.heads, task % in_.key.heads, arenas[begin / grain]);
      }
    });
    for (size_t head = 0; head < in_.query.heads; ++head) {
      ScoreToInputs(head);
      CentresToInputs(head);
    }
  }

 private:
  HeadState Ready(size_t head) {
    HeadState state;
    const ConstRows keys = in_.key.Head(OfKeys(in_, head));
    state.score.keys = keys;
    a_.score->ready({keys, in_.query.dim, head, in_.query.heads, a_.parameters}, ctx_.arena, state.score);
    state.met_queries = Zeros(in_.query.rows * state.dim());
    state.met_keys = Zeros(in_.key.rows * state.dim());
    state.centres = Zeros(in_.query.rows);
    state.sums = Zeros(query_segments_.size() * state.sums_size());
    return state;
  }
  float* Zeros(size_t count) {
    float* zeros = ctx_.arena.Floats(count);
    std::fill_n(zeros, count, 0.0f);
    return zeros;
  }

  // Segment s, the heads of queries that meet one head of keys.
  void Segment(size_t s, size_t of_keys, Arena& arena) {
    const ArenaScope scope(arena);
    const size_t first = query_segments_.begin(s), count = query_segments_.length(s);
    const size_t first_key = key_segments_.begin(s), keys = key_segments_.length(s);
    if (count == 0 || keys == 0) return;
    const AttentionInputs in = {in_.query.Slice(first, count), in_.key.Slice(first_key, keys),
                                in_.value.Slice(first_key, keys)};
    const float* values = nullptr;
    if (loss_.output.data != nullptr && in.value.data != nullptr) values = PackKeys(in.value.Head(of_keys), arena);
    Attention attention = a_;
    attention.window.centres = a_.window.centres.Slice(first, count);
    const size_t group = in.query.heads / in.key.heads, dim = in.value.dim, width = RoundUp(keys, kPanel);
    const Rows to_values = to_.value.Slice(first_key, keys).Head(of_keys);
    float* of_values = nullptr;
    if (values != nullptr && to_values.data != nullptr && a_.selection.kind != SelectionKind::kMaxPool) {
      of_values = arena.Floats(dim * width);
      std::fill_n(of_values, dim * width, 0.0f);
    }
    for (size_t head = of_keys * group; head < (of_keys + 1) * group; ++head) {
      const ArenaScope of_head(arena);
      HeadState& state = heads_[head];
      const ConstRows met = Part(state.score.keys, state.score.places ? 0 : first_key, keys);
      const HeadBackward::Call call = {attention,
                                       in,
                                       head,
                                       met,
                                       PackKeys(met, arena),
                                       values,
                                       loss_.output.Slice(first, count).Head(head),
                                       to_values,
                                       of_values,
                                       first,
                                       in_.query.rows};
      HeadBackward(call, state, state.met_queries + first * state.dim(), state.met_keys + first_key * state.dim(),
                   state.centres + first, state.sums + s * state.sums_size(), loss_, to_.bias, arena)
          .Run();
    }
    for (size_t j = 0; j < keys && of_values != nullptr; ++j) {
      for (size_t c = 0; c < dim; ++c) to_values.Row(j)[c] += of_values[c * width + j];
    }
  }

  void ScoreToInputs(size_t head) {
    const ArenaScope scope(ctx_.arena);
    const HeadState& state = heads_[head];
    const size_t dim = state.dim();
    std::vector<double> sums(state.sums_size());
    for (size_t s = 0; s < query_segments_.size(); ++s) {
      for (size_t i = 0; i < sums.size(); ++i) sums[i] += state.sums[s * sums.size() + i];
    }
    std::vector<float> pair_weight(sums.begin(), sums.end());
    a_.score->backward({{in_.key.Head(OfKeys(in_, head)), in_.query.dim, head, in_.query.heads, a_.parameters},
                        in_.query.Head(head),
                        state.score,
                        key_segments_,
                        {state.met_queries, in_.query.rows, dim, dim},
                        {state.met_keys, in_.key.rows, dim, dim},
                        pair_weight.data(),
                        pair_weight[dim],
                        pair_weight[dim + 1],
                        to_.query.Head(head),
                        to_.key.Head(OfKeys(in_, head)),
                        to_.parameters,
                        ctx_.arena,
                        ctx_.pool});
  }

  template <class T>
  static RowsOf<T> OfHead(const HeadsOf<T>& heads, size_t head) {
    return heads.Head(heads.heads == 1 ? 0 : head);
  }

  // p = S sigmoid(v' tanh(W q))
  void CentresToInputs(size_t head) {
    const Window& window = a_.window;
    if (window.kind != WindowKind::kLocalP) return;
    const ArenaScope scope(ctx_.arena);
    const float* of_centres = heads_[head].centres;
    const size_t rows = in_.query.rows;
    if (window.centres.data != nullptr) return Add({of_centres, rows, 1, 1}, OfHead(to_.centres, head));
    const ConstRows queries = in_.query.Head(head), W = OfHead(window.W_p, head), v = OfHead(window.v_p, head);
    const ConstRows mapped = MapRows(queries, W, ctx_.arena);
    float *of_mapped = Zeros(rows * W.rows), *of_v = Zeros(W.rows);
    for (size_t s = 0; s < query_segments_.size(); ++s) {
      const auto length = static_cast<double>(std::min(key_segments_.length(s), a_.mask.padding_from));
      for (size_t i = query_segments_.begin(s); i < query_segments_.end(s); ++i) {
        if (of_centres[i] != 0) CentreBackward(length * of_centres[i], mapped.Row(i), v, of_v, of_mapped + i * W.rows);
      }
    }
    Add({of_v, 1, W.rows, W.rows}, OfHead(to_.v_p, head));
    const Factor d = {of_mapped, W.rows};
    AddProduct(rows, W.dim, W.rows, d, {W.data, W.stride}, IsFinite(W), to_.query.Head(head), ctx_.arena, ctx_.pool);
    AddProduct(W.rows, W.dim, rows, Transposed(d), {queries.data, queries.stride}, IsFinite(queries),
               OfHead(to_.W_p, head), ctx_.arena, ctx_.pool);
  }

  static void CentreBackward(double of_sigmoid, const float* mapped, ConstRows v, float* of_v, float* of_mapped) {
    double sum = 0;
    for (size_t c = 0; c < v.dim; ++c) {
      of_mapped[c] = std::tanh(mapped[c]);
      sum += static_cast<double>(v.data[c]) * of_mapped[c];
    }
    const double of_sum = of_sigmoid / ((1 + std::exp(-sum)) * (1 + std::exp(sum)));
    for (size_t c = 0; c < v.dim; ++c) {
      const double tanh = of_mapped[c];
      of_v[c] += static_cast<float>(of_sum * tanh);
      of_mapped[c] = static_cast<float>(of_sum * v.data[c] * (1 - tanh * tanh));
    }
  }

  Context& ctx_;
  const Attention& a_;
  const AttentionInputs& in_;
  const Segments &query_segments_, &key_segments_;
  const AttentionLoss& loss_;
  const AttentionGradients& to_;
  std::vector<HeadState> heads_;
};

// The forward of Likelihood for one head of one segment.
class HeadLikelihood : public HeadWeights {
 public:
  using HeadWeights::HeadWeights;

  // chosen, likelihoods, entropies [queries]
  void Run(const int32_t* chosen, float* likelihoods, float* entropies, Arena& arena) {
    const ArenaScope scope(arena);
    const size_t dim = score_.keys.dim;
    float *queries = arena.Floats(kGroup * dim), *logits = arena.Floats(kGroup * width_);
    std::vector<uint8_t> used(a_.mask_used ? keys_ : 0);
    for (size_t first = 0; first < queries_.rows; first += kGroup) {
      const size_t count = std::min(kGroup, queries_.rows - first);
      double centres[kGroup] = {};
      KeyRange seen[kGroup];
      const KeyRange all = Look(first, count, seen, centres);
      MapQueries(first, count, queries);
      ScaleQueries(count, queries);
      SumPairs(queries, count, all, logits);
      for (size_t r = 0; r < count; ++r) {
        const size_t i = first + r;
        Edit(i, seen[r], logits + r * width_, a_.mask_used ? used.data() : nullptr);
        const RowOdds odds(seen[r], logits + r * width_);
        entropies[i] = static_cast<float>(odds.entropy);
        likelihoods[i] = OfKey(odds, chosen[i], seen[r], centres[r], logits + r * width_);
        if (a_.mask_used && chosen[i] != kNoKey) used[static_cast<size_t>(chosen[i])] = 1;
      }
    }
  }

 private:
  float OfKey(const RowOdds& odds, int32_t chosen, KeyRange seen, double centre, const float* logits) const {
    if (chosen == kNoKey) return 0;
    const auto key = static_cast<size_t>(chosen);
    if (key < seen.begin || key >= seen.end) return kMasked;
    double likelihood = odds.LogProbability(logits[key]);
    if (a_.window.kind == WindowKind::kLocalP && a_.selection.kind == SelectionKind::kSoft) {
      likelihood += LogGaussian(a_.window, centre, key);
    }
    return static_cast<float>(likelihood);
  }
};

Heads GradientOf(Tape& tape, ConstHeads x) {
  return {x.data != nullptr ? tape.Gradient(x.data) : nullptr, x.heads, x.rows, x.dim, x.head_stride, x.row_stride};
}

// Calls AttendSegmentsBackward for what the tape wants.
void TapeBackward(Context& ctx, const Attention& attention, const AttentionInputs& in, const Segments& query_segments,
                  const Segments& key_segments, const AttentionLoss& loss) {
  Tape& tape = *ctx.tape;
  std::vector<ParameterGradient> parameters;
  for (const Parameter& p : attention.parameters) parameters.push_back({p.name, GradientOf(tape, p.value)});
  AttentionGradients to = {GradientOf(tape, in.query), GradientOf(tape, in.key), GradientOf(tape, in.value),
                           parameters};
  to.W_p = GradientOf(tape, attention.window.W_p);
  to.v_p = GradientOf(tape, attention.window.v_p);
  to.centres = GradientOf(tape, attention.window.centres);
  if (attention.mask.bias != nullptr) to.bias = tape.Gradient(attention.mask.bias);
  AttendSegmentsBackward(ctx, attention, in, query_segments, key_segments, loss, to);
}

}  // namespace

void AttendSegmentsBackward(Context& ctx, const Attention& attention, const AttentionInputs& in,
                            const Segments& query_segments, const Segments& key_segments, const AttentionLoss& loss,
                            const AttentionGradients& gradients) {
  assert(query_segments.size() == key_segments.size());
  CallBackward(ctx, attention, in, query_segments, key_segments, loss, gradients).Run();
}

void AttendBackward(Context& ctx, const Attention& attention, const AttentionInputs& in, const AttentionLoss& loss,
                    const AttentionGradients& gradients) {
  AttendSegmentsBackward(ctx, attention, in, Segments::One(in.query.rows), Segments::One(in.key.rows), loss, gradients);
}

MatrixView Likelihood(Context& ctx, const Attention& attention, const AttentionInputs& in,
                      const Segments& query_segments, const Segments& key_segments, const int32_t* chosen) {
  const size_t heads = in.query.heads, rows = in.query.rows;
  MatrixView result = ctx.New(2, static_cast<Eigen::Index>(heads * rows));
  for (size_t s = 0; s < query_segments.size(); ++s) {
    const size_t first = query_segments.begin(s), first_key = key_segments.begin(s), keys = key_segments.length(s);
    for (size_t head = 0; head < heads; ++head) {
      const ArenaScope scope(ctx.arena);
      const AttentionInputs part = {in.query.Slice(first, query_segments.length(s)), in.key.Slice(first_key, keys), {}};
      const ReadyHead ready = MakeReady(attention, part, head, ctx.arena);
      float* likelihoods = result.data() + head * rows + first;
      HeadLikelihood(attention, part.query.Head(head), ready.score, Part(ready.score.keys, 0, keys), ready.keys, head,
                     kNoRecord)
          .Run(chosen + head * rows + first, likelihoods, likelihoods + heads * rows, ctx.arena);
    }
  }
  if (Tape* tape = ctx.Recording()) {
    tape->Record(View(result), [ctx, attention, in, query_segments, key_segments, chosen, result]() mutable {
      AttentionLoss loss;
      loss.chosen = chosen;
      loss.log_likelihood = ctx.tape->Gradient(result.data());
      loss.entropy = loss.log_likelihood + result.cols();
      TapeBackward(ctx, attention, in, query_segments, key_segments, loss);
    });
  }
  return result;
}

void RecordAttend(Context& ctx, const Attention& attention, const AttentionInputs& in, const Segments& query_segments,
                  const Segments& key_segments, Heads output) {
  if (output.data == nullptr || output.rows == 0) return;
  const size_t size = (output.heads - 1) * output.head_stride + (output.rows - 1) * output.row_stride + output.dim;
  ctx.tape->Record({output.data, 1, static_cast<Eigen::Index>(size)},
                   [ctx, attention, in, query_segments, key_segments, output]() mutable {
                     AttentionLoss loss;
                     loss.output = GradientOf(*ctx.tape, output);
                     TapeBackward(ctx, attention, in, query_segments, key_segments, loss);
                   });
}

}  // namespace qkv
