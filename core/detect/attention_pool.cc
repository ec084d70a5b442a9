#include "core/detect/attention_pool.h"

#include <algorithm>
#include <cmath>

#include "core/base/exponential.h"
#include "core/base/tape.h"

namespace qkv {
namespace {

// A sum of d terms in a fixed order.
float Dot(const float* a, const float* b, size_t d) {
  float sum = 0;
  for (size_t i = 0; i < d; ++i) sum += a[i] * b[i];
  return sum;
}

void AddScaled(float scale, const float* from, size_t d, float* to) {
  for (size_t i = 0; i < d; ++i) to[i] += scale * from[i];
}

void Softmax(float* scores, size_t count) {
  const float most = *std::max_element(scores, scores + count);
  double sum = 0;
  for (size_t i = 0; i < count; ++i) {
    scores[i] = static_cast<float>(Exponential(scores[i] - most));
    sum += scores[i];
  }
  const auto scale = static_cast<float>(1 / sum);
  for (size_t i = 0; i < count; ++i) scores[i] *= scale;
}

struct Pooled {
  ConstMatrixView queries, x;
  Segments texts;
  float* weights;  // [heads, rows]
  float* output;   // [texts, heads * d]

  size_t d() const { return static_cast<size_t>(x.cols()); }
  size_t rows() const { return static_cast<size_t>(x.rows()); }
  float scale() const { return 1 / std::sqrt(static_cast<float>(d())); }

  void Forward(size_t text, size_t head) const {
    float* const w = weights + head * rows();
    const size_t begin = texts.begin(text), end = texts.end(text);
    float* const c = output + (text * static_cast<size_t>(queries.rows()) + head) * d();
    for (size_t i = begin; i < end; ++i) w[i] = scale() * Dot(queries.data() + head * d(), x.data() + i * d(), d());
    Softmax(w + begin, end - begin);
    std::fill_n(c, d(), 0.0f);
    for (size_t i = begin; i < end; ++i) AddScaled(w[i], x.data() + i * d(), d(), c);
  }

  // dw_i = dc . e_i,  ds_i = w_i (dw_i - sum_j w_j dw_j),  de_i = w_i dc + scale ds_i q,  dq = sum_i scale ds_i e_i.
  void Backward(size_t text, size_t head, const float* d_output, float* d_queries, float* d_x) const {
    const float* const w = weights + head * rows();
    const size_t begin = texts.begin(text), end = texts.end(text);
    const float* const dc = d_output + (text * static_cast<size_t>(queries.rows()) + head) * d();
    const float* const c = output + (text * static_cast<size_t>(queries.rows()) + head) * d();
    const float mean = Dot(dc, c, d());  // sum_j w_j dw_j
    for (size_t i = begin; i < end; ++i) {
      const float* const e = x.data() + i * d();
      const float ds = scale() * w[i] * (Dot(dc, e, d()) - mean);
      AddScaled(w[i], dc, d(), d_x + i * d());
      AddScaled(ds, queries.data() + head * d(), d(), d_x + i * d());
      AddScaled(ds, e, d(), d_queries + head * d());
    }
  }
};

}  // namespace

MatrixView AttentionPool(Context& ctx, ConstMatrixView queries, ConstMatrixView x, const Segments& texts,
                         float* weights) {
  const auto heads = static_cast<size_t>(queries.rows());
  MatrixView output = ctx.New(static_cast<Eigen::Index>(texts.size()), queries.rows() * queries.cols());
  if (weights == nullptr) weights = ctx.arena.Floats(heads * texts.rows());
  const Pooled pooled{queries, x, texts, weights, output.data()};
  for (size_t text = 0; text < texts.size(); ++text) {
    for (size_t head = 0; head < heads; ++head) pooled.Forward(text, head);
  }
  if (ctx.Recording() == nullptr) return output;
  ctx.tape->Record(View(output), [ctx, pooled, heads] {
    const float* const d_output = ctx.tape->Gradient(pooled.output);
    float* const d_queries = ctx.tape->Gradient(pooled.queries.data());
    float* const d_x = ctx.tape->Gradient(pooled.x.data());
    for (size_t text = 0; text < pooled.texts.size(); ++text) {
      for (size_t head = 0; head < heads; ++head) pooled.Backward(text, head, d_output, d_queries, d_x);
    }
  });
  return output;
}

}  // namespace qkv
