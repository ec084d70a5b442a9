#include "core/attention/attend_backward.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/attention/head_backward.h"
#include "core/attention/head_stages.h"
#include "core/attention/window_backward.h"

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
    for (size_t head = 0; head < in_.query.heads; ++head) heads_.push_back(Prepare(head));
    // A task is one segment and one key head, because query heads that share values add to one gradient, one after the
    // other. If all heads share a bias, they add to one gradient too, so one thread runs all tasks.
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
  HeadGradients Prepare(size_t head) {
    HeadGradients state;
    const ConstRows keys = in_.key.Head(in_.KeyHead(head));
    state.score.keys = keys;
    a_.score->prepare({keys, in_.query.dim, head, in_.query.heads, a_.parameters}, ctx_.arena, state.score);
    state.mapped_queries = Zeros(in_.query.rows * state.dim());
    state.mapped_keys = Zeros(in_.key.rows * state.dim());
    state.centres = Zeros(in_.query.rows);
    state.sums = Zeros(query_segments_.size() * state.sums_size());
    return state;
  }
  float* Zeros(size_t count) {
    float* zeros = ctx_.arena.Floats(count);
    std::fill_n(zeros, count, 0.0f);
    return zeros;
  }

  // Segment s: the query heads that use one key head.
  void Segment(size_t s, size_t key_head, Arena& arena) {
    const ArenaScope scope(arena);
    const size_t first = query_segments_.begin(s), count = query_segments_.length(s);
    const size_t first_key = key_segments_.begin(s), keys = key_segments_.length(s);
    if (count == 0 || keys == 0) return;
    // The segment's rows, its values packed for do v', and its window.
    const AttentionInputs in = {in_.query.Slice(first, count), in_.key.Slice(first_key, keys),
                                in_.value.Slice(first_key, keys)};
    const float* values = nullptr;
    if (loss_.output.data != nullptr && in.value.data != nullptr) values = PackKeys(in.value.Head(key_head), arena);
    Attention attention = a_;
    attention.window.centres = a_.window.centres.Slice(first, count);
    // Gradients of values are summed over the group's query heads, transposed: [dim, keys].
    const size_t group = in.query.heads / in.key.heads, dim = in.value.dim, width = RoundUp(keys, kPanel);
    const Rows to_values = to_.value.Slice(first_key, keys).Head(key_head);
    float* value_sums = nullptr;
    if (values != nullptr && to_values.data != nullptr && a_.selection.kind != SelectionKind::kMaxPool) {
      value_sums = arena.Floats(dim * width);
      std::fill_n(value_sums, dim * width, 0.0f);
    }
    // The query heads of the group, one after another.
    for (size_t head = key_head * group; head < (key_head + 1) * group; ++head) {
      const ArenaScope head_scope(arena);
      const HeadGradients& gradients = heads_[head];
      const ConstRows score_keys = Part(gradients.score.keys, gradients.score.places ? 0 : first_key, keys);
      const ConstRows output = loss_.output.Slice(first, count).Head(head);
      HeadBackward({.attention = attention,
                    .in = in,
                    .segment = s,
                    .first_query = first,
                    .first_key = first_key,
                    .head = head,
                    .head_gradients = gradients,
                    .keys = score_keys,
                    .packed_keys = PackKeys(score_keys, arena),
                    .packed_values = values,
                    .output = output,
                    .value = to_values,
                    .value_sums = value_sums,
                    .loss = loss_,
                    .queries = in_.query.rows,
                    .bias = to_.bias},
                   arena);
    }
    // Transposed back to the caller's rows.
    for (size_t j = 0; j < keys && value_sums != nullptr; ++j) {
      for (size_t c = 0; c < dim; ++c) to_values.Row(j)[c] += value_sums[c * width + j];
    }
  }

  // From the gradients of a head's score to those of its queries, keys and parameters.
  void ScoreToInputs(size_t head) {
    const ArenaScope scope(ctx_.arena);
    const HeadGradients& state = heads_[head];
    const size_t dim = state.dim();
    // Sums over segments, which threads wrote apart.
    std::vector<double> sums(state.sums_size());
    for (size_t s = 0; s < query_segments_.size(); ++s) {
      for (size_t i = 0; i < sums.size(); ++i) sums[i] += state.sums[s * sums.size() + i];
    }
    std::vector<float> pair_weight(sums.begin(), sums.end());
    // The score's own backward: after the weights of its pairs come two factors, then the sums by distance.
    a_.score->backward({{in_.key.Head(in_.KeyHead(head)), in_.query.dim, head, in_.query.heads, a_.parameters},
                        in_.query.Head(head),
                        state.score,
                        key_segments_,
                        {state.mapped_queries, in_.query.rows, dim, dim},
                        {state.mapped_keys, in_.key.rows, dim, dim},
                        pair_weight.data(),
                        pair_weight[dim],
                        pair_weight[dim + 1],
                        pair_weight.data() + dim + 2,
                        pair_weight.data() + dim + 2 + state.score.relative.size(),
                        to_.query.Head(head),
                        to_.key.Head(in_.KeyHead(head)),
                        to_.parameters,
                        ctx_.arena,
                        ctx_.pool});
  }

  void CentresToInputs(size_t head) {
    const Window& window = a_.window;
    if (window.kind != WindowKind::kLocalP) return;
    const ArenaScope scope(ctx_.arena);
    const float* centres = heads_[head].centres;
    const size_t rows = in_.query.rows;
    if (window.centres.data != nullptr) return Add({centres, rows, 1, 1}, OfHead(to_.centres, head));
    // Each query's gradient with respect to W_p q, and the sum for v_p.
    const ConstRows queries = in_.query.Head(head), W = OfHead(window.W_p, head), v = OfHead(window.v_p, head);
    float *products = Zeros(rows * W.rows), *v_sums = Zeros(W.rows);
    std::vector<double> hidden(W.rows);
    for (size_t s = 0; s < query_segments_.size(); ++s) {
      const auto keys = static_cast<double>(std::min(key_segments_.length(s), a_.mask.padding_from));
      for (size_t i = query_segments_.begin(s); i < query_segments_.end(s); ++i) {
        if (centres[i] == 0) continue;
        PredictPlaceBackward(W, v.data, queries.Row(i), keys, centres[i], hidden, v_sums, products + i * W.rows);
      }
    }
    // From W_p q to W_p and q.
    Add({v_sums, 1, W.rows, W.rows}, OfHead(to_.v_p, head));
    const Factor d = {products, W.rows};
    AddProduct(rows, W.dim, W.rows, d, {W.data, W.stride}, IsFinite(W), to_.query.Head(head), ctx_.arena, ctx_.pool);
    AddProduct(W.rows, W.dim, rows, Transposed(d), {queries.data, queries.stride}, IsFinite(queries),
               OfHead(to_.W_p, head), ctx_.arena, ctx_.pool);
  }

  Context& ctx_;
  const Attention& a_;
  const AttentionInputs& in_;
  const Segments &query_segments_, &key_segments_;
  const AttentionLoss& loss_;
  const AttentionGradients& to_;
  std::vector<HeadGradients> heads_;
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
