#include "core/layers/attention_layer.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/core/kernel_testing.h"

namespace qkv {
namespace {

Linear RandomLinear(size_t outputs, size_t inputs, uint64_t seed) {
  const Guarded w = RandomMatrix(outputs, inputs, seed), b = RandomMatrix(1, outputs, seed + 100);
  return {Pack(w.read()), Vector(b.read().row(0).transpose())};
}

// 6 heads of 5 for queries and keys and of 3 for values, in two groups.
AttentionLayer Grouped() {
  AttentionLayer layer;
  layer.heads = 6;
  layer.key_heads = 2;
  layer.query = RandomLinear(30, 11, 1);
  layer.key = RandomLinear(10, 9, 2);
  layer.value = RandomLinear(6, 7, 3);
  layer.output = RandomLinear(13, 18, 4);
  return layer;
}

class LayerAttention : public testing::Test {
 protected:
  Arena arena_;
  ThreadPool pool_{1};
  Context ctx_{arena_, pool_};

  Matrix Run(const AttentionLayer& layer, ConstMatrixView q, ConstMatrixView k, ConstMatrixView v,
             AttentionMemory* memory = nullptr) {
    const Result<void> checked = CheckAttentionLayer(layer, q, k, v, memory);
    EXPECT_TRUE(checked) << (checked ? "" : checked.error().ToString());
    return Forward(ctx_, layer, q, k, v, memory);
  }
};

Eigen::MatrixXd Projected(const Linear& linear, ConstMatrixView x) {
  Eigen::MatrixXd y(x.rows(), static_cast<Eigen::Index>(linear.weight.outputs()));
  Vector row(x.cols());
  for (Eigen::Index o = 0; o < y.cols(); ++o) {
    linear.weight.GetRow(static_cast<size_t>(o), row.data());
    y.col(o) = (x.cast<double>() * row.cast<double>()).array() + static_cast<double>(linear.bias[o]);
  }
  return y;
}

// Vaswani et al., section 3.2.2, in double.
TEST_F(LayerAttention, IsThePapersEquation) {
  const AttentionLayer layer = Grouped();
  const Guarded q = RandomMatrix(8, 11, 5), k = RandomMatrix(12, 9, 6), v = RandomMatrix(12, 7, 7);
  const Eigen::MatrixXd Q = Projected(layer.query, q.read()), K = Projected(layer.key, k.read()),
                        V = Projected(layer.value, v.read());
  Matrix joined(8, 18);
  for (int h = 0; h < 6; ++h) {
    const int g = h / 3;
    Eigen::MatrixXd weights =
        (Q.middleCols(5 * h, 5) * K.middleCols(5 * g, 5).transpose() / std::sqrt(5.0)).array().exp();
    weights.array().colwise() /= weights.rowwise().sum().array().eval();
    joined.middleCols(3 * h, 3) = (weights * V.middleCols(3 * g, 3)).cast<float>();
  }
  const Eigen::MatrixXd expected = Projected(layer.output, View(joined));
  const Matrix output = Run(layer, q.read(), k.read(), v.read());
  EXPECT_LT((output.cast<double>() - expected).cwiseAbs().maxCoeff(), 1e-5);
}

TEST_F(LayerAttention, WithoutProjectionsOneHeadIsPlainAttention) {
  const Guarded q = RandomMatrix(8, 5, 5), k = RandomMatrix(12, 5, 6), v = RandomMatrix(12, 7, 7);
  Matrix plain(8, 7);
  Attend(ctx_, {},
         {Dense(q.read().data(), 1, 8, 5), Dense(k.read().data(), 1, 12, 5), Dense(v.read().data(), 1, 12, 7)},
         Dense(plain.data(), 1, 8, 7));
  EXPECT_TRUE(SameBits(View(Run({}, q.read(), k.read(), v.read())), View(plain)));
}

// One row at a time with a memory equals the whole sequence under a causal mask.
TEST_F(LayerAttention, AMemoryContinues) {
  for (const char* score : {"scaled-dot", "alibi", "gaussian"}) {
    AttentionLayer layer = Grouped();
    layer.attention.score = FindScore(score);
    layer.attention.mask.causal = true;
    const Guarded q = RandomMatrix(40, 11, 5), k = RandomMatrix(40, 9, 6), v = RandomMatrix(40, 7, 7);
    const Matrix whole = Run(layer, q.read(), k.read(), v.read());
    AttentionMemory memory;
    for (Eigen::Index i = 0; i < 40; ++i) {
      const Matrix row = Run(layer, ReadRows(q, i, 1), ReadRows(k, i, 1), ReadRows(v, i, 1), &memory);
      EXPECT_LT((row.row(0) - whole.row(i)).cwiseAbs().maxCoeff(), 1e-5) << score << " " << i;
    }
    EXPECT_EQ(memory.rows, 40u);
  }
}

TEST_F(LayerAttention, TakesNoMoreRoomThanItSays) {
  const Guarded q = RandomMatrix(900, 11, 5), k = RandomMatrix(2000, 9, 6), v = RandomMatrix(2000, 7, 7);
  const AttentionLayer layer = Grouped();
  arena_.Floats(ForwardMemoryNeed(layer, q.read(), k.read(), v.read(), nullptr) / sizeof(float));
  arena_.Rewind({});
  const size_t before = arena_.capacity();
  Run(layer, q.read(), k.read(), v.read());
  EXPECT_EQ(arena_.capacity(), before);
}

TEST_F(LayerAttention, SaysWhatDoesNotFit) {
  const Guarded q = RandomMatrix(2, 11, 5), k = RandomMatrix(3, 9, 6), v = RandomMatrix(3, 7, 7),
                wide = RandomMatrix(3, 8, 8);
  const auto where = [](const Result<void>& result) { return result ? "" : result.error().where; };
  AttentionLayer layer = Grouped();
  EXPECT_EQ(where(CheckAttentionLayer(layer, wide.read(), k.read(), v.read(), nullptr)), "query");
  EXPECT_EQ(where(CheckAttentionLayer(layer, q.read(), wide.read(), v.read(), nullptr)), "key");
  EXPECT_EQ(where(CheckAttentionLayer(layer, q.read(), k.read(), wide.read(), nullptr)), "value");
  EXPECT_EQ(where(CheckAttentionLayer(layer, q.read(), k.read(), ReadRows(v, 0, 2), nullptr)), "value");
  AttentionMemory other;
  other.rows = 1;
  other.keys = {1};
  EXPECT_EQ(where(CheckAttentionLayer(layer, q.read(), k.read(), v.read(), &other)), "memory");
  layer.heads = 7;
  EXPECT_EQ(where(CheckAttentionLayer(layer, q.read(), k.read(), v.read(), nullptr)), "heads");
  layer = Grouped();
  layer.heads = 3;  // queries of 10 columns, keys of 5
  EXPECT_EQ(where(CheckAttentionLayer(layer, q.read(), k.read(), v.read(), nullptr)), "output");
  layer.output = {};
  EXPECT_EQ(where(CheckAttentionLayer(layer, q.read(), k.read(), v.read(), nullptr)), "key");
}

}  // namespace
}  // namespace qkv
