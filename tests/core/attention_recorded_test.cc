// The backward of attention as layers record it on a tape, against differences of their forward.
#include "core/attention/attend_backward.h"
#include "core/attention/likelihood.h"
#include "core/base/tape.h"
#include "core/layers/attention_layer.h"
#include "core/layers/positions.h"
#include "tests/core/attention_changeable.h"

namespace qkv {
namespace {

class Recorded : public testing::Test {
 protected:
  // The loss is sum(y . r), r random.
  static double Loss(ConstMatrixView y) {
    double loss = 0;
    for (Eigen::Index i = 0; i < y.size(); ++i) loss += static_cast<double>(y.data()[i]) * Factor(i);
    return loss;
  }
  static float Factor(Eigen::Index i) { return GeneratedValue(900, static_cast<uint32_t>(i)); }

  // Runs `forward` with a tape that watches all of x, and compares with differences.
  void ExpectSlopes(Named x, const std::function<MatrixView(Context&, Named&)>& forward) {
    Named gradients;
    Tape tape;
    for (auto& [name, values] : x) {
      gradients[name].resize(values.size());
      tape.Watch(values.data(), values.size(), gradients[name].data());
    }
    Arena arena;
    ThreadPool pool(2);
    Context ctx{arena, pool};
    ctx.tape = &tape;
    const MatrixView y = forward(ctx, x);
    std::vector<float> of_y(static_cast<size_t>(y.size()));
    for (size_t i = 0; i < of_y.size(); ++i) of_y[i] = Factor(static_cast<Eigen::Index>(i));
    tape.SetGradient(y.data(), of_y.data());
    tape.Backward();
    ctx.tape = nullptr;
    ExpectSlope(x, gradients, [&] {
      const ArenaScope scope(arena);
      return Loss(View(forward(ctx, x)));
    });
  }

  static std::vector<float> Values(size_t size, uint32_t seed) {
    std::vector<float> values(size);
    for (size_t i = 0; i < size; ++i) values[i] = GeneratedValue(seed, static_cast<uint32_t>(i));
    return values;
  }
  static ConstMatrixView Rows(const std::vector<float>& x, Eigen::Index rows) {
    return {x.data(), rows, static_cast<Eigen::Index>(x.size()) / rows};
  }
};

// One matrix is queries, keys and values at once, and groups share keys.
TEST_F(Recorded, SelfAttentionOfRowsThemselves) {
  for (const size_t key_heads : {1, 3}) {
    ExpectSlopes({{"x", Values(6 * 12, 1)}, {"W", Values(4 * (12 / key_heads), 2)}}, [&](Context& ctx, Named& x) {
      AttentionLayer layer;
      layer.heads = 3;
      layer.key_heads = key_heads;
      layer.attention.score = FindScore("general");
      const size_t dim = 12 / key_heads;
      const Parameter W[] = {{"W", Dense<const float>(x["W"].data(), 1, 4, dim)}};
      static Parameter kept[1];  // must outlive the tape
      kept[0] = W[0];
      layer.attention.parameters = kept;
      layer.attention.mask.causal = true;
      return Forward(ctx, layer, Rows(x["x"], 6), Rows(x["x"], 6), Rows(x["x"], 6));
    });
  }
}

TEST_F(Recorded, ProjectionsHeadsAndAWindow) {
  AttentionLayer layer;
  layer.heads = 4;
  layer.key_heads = 2;
  const auto linear = [](size_t outputs, size_t inputs, uint64_t seed) {
    return Linear{Pack(RandomMatrix(outputs, inputs, seed).read()), {}};
  };
  layer.query = linear(12, 7, 1);
  layer.key = linear(6, 5, 2);
  layer.value = linear(8, 5, 3);
  layer.output = linear(6, 16, 4);
  const std::vector<float> W_p = Values(2 * 3, 5);
  layer.attention.window = {WindowKind::kLocalP, 4.3, 0, Dense(W_p.data(), 1, 2, 3), Dense(W_p.data(), 1, 1, 2), {}};
  ExpectSlopes({{"q", Values(5 * 7, 6)}, {"m", Values(8 * 5, 7)}}, [&](Context& ctx, Named& x) {
    return Forward(ctx, layer, Rows(x["q"], 5), Rows(x["m"], 8), Rows(x["m"], 8));
  });
}

// Earlier rows of a memory are constants: the second call's gradient is of its own rows only.
TEST_F(Recorded, AMemorysFormerRowsAreConstants) {
  AttentionLayer layer;
  layer.heads = layer.key_heads = 2;
  layer.attention.mask.causal = true;
  const std::vector<float> before = Values(3 * 8, 1);
  ExpectSlopes({{"x", Values(4 * 8, 2)}}, [&](Context& ctx, Named& x) {
    AttentionMemory memory;
    Context quiet = ctx;
    quiet.tape = nullptr;
    Forward(quiet, layer, Rows(before, 3), Rows(before, 3), Rows(before, 3), &memory);
    return Forward(ctx, layer, Rows(x["x"], 4), Rows(x["x"], 4), Rows(x["x"], 4), &memory);
  });
}

TEST_F(Recorded, Segmented) {
  Segments queries, keys;
  for (const size_t length : {2, 3}) queries.Add(length);
  for (const size_t length : {4, 2}) keys.Add(length);
  const Attention attention;
  ExpectSlopes({{"q", Values(5 * 8, 1)}, {"k", Values(6 * 4, 2)}, {"v", Values(6 * 6, 3)}}, [&](Context& ctx,
                                                                                                Named& x) {
    MatrixView y = ctx.New(5, 12);
    AttendSegments(ctx, attention,
                   {SideBySide<const float>(x["q"].data(), 2, 5, 4), SideBySide<const float>(x["k"].data(), 1, 6, 4),
                    SideBySide<const float>(x["v"].data(), 1, 6, 6)},
                   queries, keys, SideBySide(y.data(), 2, 5, 6));
    return y;
  });
}

TEST_F(Recorded, Likelihoods) {
  Segments queries, keys;
  for (const size_t length : {3, 3}) queries.Add(length);
  for (const size_t length : {4, 5}) keys.Add(length);
  const int32_t chosen[] = {0, 3, 1, 4, kNoKey, 2, 1, 0, 2, 0, 1, 3};
  Attention attention;
  attention.mask_used = true;
  ExpectSlopes({{"q", Values(6 * 8, 1)}, {"k", Values(9 * 8, 2)}}, [&](Context& ctx, Named& x) {
    return Likelihood(
        ctx, attention,
        {SideBySide<const float>(x["q"].data(), 2, 6, 4), SideBySide<const float>(x["k"].data(), 2, 9, 4), {}}, queries,
        keys, chosen);
  });
}

TEST_F(Recorded, Positions) {
  for (const PairLayout layout : {PairLayout::kHalves, PairLayout::kInterleaved}) {
    ExpectSlopes({{"x", Values(5 * 8, 1)}, {"table", Values(9 * 8, 2)}}, [&](Context& ctx, Named& x) {
      MatrixView learned = ctx.New(5, 8), turned = ctx.New(5, 8);
      LearnedPositions(ctx, Rows(x["x"], 5), Rows(x["table"], 9), 3, learned);
      RotaryPositions(ctx, SideBySide<const float>(learned.data(), 2, 5, 4), 7, SideBySide(turned.data(), 2, 5, 4),
                      layout);
      // The same in place.
      LearnedPositions(ctx, View(turned), Rows(x["table"], 9), 1, turned);
      const Heads heads = SideBySide(turned.data(), 1, 5, 8);
      RotaryPositions(ctx, heads, 0, heads, layout);
      return turned;
    });
  }
}

}  // namespace
}  // namespace qkv
