#include "core/attention/attend_backward.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/attention/attend_head.h"
#include "core/attention/head_backward.h"

namespace qkv {
namespace {

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
      const HeadState& state = heads_[head];
      const ConstRows met = Part(state.score.keys, state.score.places ? 0 : first_key, keys);
      const ConstRows output = loss_.output.Slice(first, count).Head(head);
      HeadBackward({.attention = attention,
                    .in = in,
                    .segment = s,
                    .first_query = first,
                    .first_key = first_key,
                    .head = head,
                    .state = state,
                    .keys = met,
                    .packed_keys = PackKeys(met, arena),
                    .packed_values = values,
                    .output = output,
                    .value = to_values,
                    .of_values = of_values,
                    .loss = loss_,
                    .queries = in_.query.rows,
                    .bias = to_.bias},
                   arena);
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

}  // namespace qkv
