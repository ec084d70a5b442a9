// The SSRU: its kernel against its equations on every target, its gradient against differences of the equations.
#include "core/layers/ssru.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/tape.h"
#include "core/kernels/gates.h"
#include "tests/core/kernel_testing.h"

namespace qkv {
namespace {

TEST(Ssru, IsTheEquationsOnEveryTarget) {
  for (const size_t n : {1, 3, 16, 21}) {
    for (const bool begins : {true, false}) {
      constexpr size_t kRows = 5;
      Guarded w = RandomMatrix(kRows, n, 1, 4), a = RandomMatrix(kRows, n, 2, 4), before = RandomMatrix(1, n, 3);
      Guarded expected_gates = a, expected_cells(kRows, n), expected(kRows, n);
      const float* const past = begins ? nullptr : before.data();
      RunSsruNaive({kRows, n, w.data(), expected_gates.data(), past, expected_cells.data(), expected.data()});
      ForEachTarget([&] {
        Guarded gates = a, cells(kRows, n), outputs(kRows, n);
        RunSsru({kRows, n, w.data(), gates.data(), past, cells.data(), outputs.data()});
        EXPECT_TRUE(gates.Intact() && cells.Intact() && outputs.Intact());
        constexpr float kBound = 32 * static_cast<float>(kUnit);  // of five rows, of numbers up to 4
        EXPECT_LE((gates.read() - expected_gates.read()).cwiseAbs().maxCoeff(), kBound) << n;
        EXPECT_LE((cells.read() - expected_cells.read()).cwiseAbs().maxCoeff(), kBound) << n;
        EXPECT_LE((outputs.read() - expected.read()).cwiseAbs().maxCoeff(), kBound) << n;
      });
    }
  }
}

TEST(Ssru, RowsOneByOneAreTheSequence) {
  constexpr size_t kRows = 6, kUnits = 21;
  Guarded w = RandomMatrix(kRows, kUnits, 1, 4), a = RandomMatrix(kRows, kUnits, 2, 4);
  ForEachTarget([&] {
    Guarded gates = a, cells(kRows, kUnits), outputs(kRows, kUnits);
    RunSsru({kRows, kUnits, w.data(), gates.data(), nullptr, cells.data(), outputs.data()});
    Guarded own_gates = a, own_cells(kRows, kUnits), own(kRows, kUnits);
    for (size_t row = 0; row < kRows; ++row) {
      const size_t at = row * kUnits;
      const float* const before = row > 0 ? own_cells.data() + at - kUnits : nullptr;
      RunSsru({1, kUnits, w.data() + at, own_gates.data() + at, before, own_cells.data() + at, own.data() + at});
    }
    EXPECT_EQ(std::memcmp(own.data(), outputs.data(), kRows * kUnits * sizeof(float)), 0);
    EXPECT_EQ(std::memcmp(own_cells.data(), cells.data(), kRows * kUnits * sizeof(float)), 0);
  });
}

// sum_i g_i y_i in double precision.
double Loss(const std::vector<double>& w, const std::vector<double>& a, const float* g, size_t n) {
  double sum = 0;
  std::vector<double> cell(n);
  for (size_t i = 0; i < w.size(); ++i) {
    const double f = 1 / (1 + std::exp(-a[i]));
    cell[i % n] = f * cell[i % n] + (1 - f) * w[i];
    sum += g[i] * std::max(cell[i % n], 0.0);
  }
  return sum;
}

TEST(Ssru, GradientIsThatOfDifferences) {
  constexpr size_t kRows = 5, kUnits = 7, kCount = kRows * kUnits;
  Guarded w = RandomMatrix(kRows, kUnits, 1, 2), a = RandomMatrix(kRows, kUnits, 2, 2),
          g = RandomMatrix(kRows, kUnits, 3), gates = a, cells(kRows, kUnits), outputs(kRows, kUnits);
  RunSsru({kRows, kUnits, w.data(), gates.data(), nullptr, cells.data(), outputs.data()});
  std::vector<float> dw(kCount), da(kCount);
  SsruBackward({kRows, kUnits, w.data(), gates.data(), nullptr, cells.data(), outputs.data()}, g.data(), dw.data(),
               da.data());
  const std::vector<double> exact_w(w.data(), w.data() + kCount), exact_a(a.data(), a.data() + kCount);
  constexpr double kStep = 1e-6;
  for (size_t i = 0; i < kCount; ++i) {
    const auto slope = [&](std::vector<double> x, const auto& loss) {
      x[i] += kStep;
      const double above = loss(x);
      x[i] -= 2 * kStep;
      return (above - loss(x)) / (2 * kStep);
    };
    EXPECT_NEAR(dw[i], slope(exact_w, [&](const auto& x) { return Loss(x, exact_a, g.data(), kUnits); }), 1e-5) << i;
    EXPECT_NEAR(da[i], slope(exact_a, [&](const auto& x) { return Loss(exact_w, x, g.data(), kUnits); }), 1e-5) << i;
  }
}

// The layer: each packed sequence starts anew. The weights of a row and the remaining weight of the initial zeros add
// up to 1.
TEST(Ssru, SharesAreWhatIsLeftOfEachRow) {
  constexpr size_t kRows = 4, kWidth = 16;
  Arena arena;
  ThreadPool pool(1);
  AttentionTrace trace;
  trace.Reserve(AttentionKind::kDecoderSelf, 1, 1, kRows, kRows);
  Context ctx{arena, pool, &trace};
  Ssru layer;
  layer.candidate.weight = Weight(Pack(RandomMatrix(kWidth, kWidth, 1).read()));
  layer.forget.weight = Weight(Pack(RandomMatrix(kWidth, kWidth, 2).read()));
  layer.forget.bias = Vector::Constant(kWidth, 1);
  Guarded x = RandomMatrix(kRows, kWidth, 3);
  const SsruPart whole[] = {{0, kRows, nullptr}};
  const AttentionPlace place = {AttentionKind::kDecoderSelf, 0};
  const Matrix once = Forward(ctx, layer, x.read(), whole, place);
  const float* const shares = trace.Map(AttentionKind::kDecoderSelf).weights.data();
  const Matrix gates =
      Matrix(Forward(ctx, layer.forget, x.read())).unaryExpr([](float v) { return 1 / (1 + std::exp(-v)); });
  for (size_t t = 0; t < kRows; ++t) {
    float sum = 0;
    for (size_t j = 0; j < kRows; ++j) {
      if (j > t) EXPECT_EQ(shares[t * kRows + j], 0);
      sum += shares[t * kRows + j];
    }
    float lost = 0;  // the mean of f_0 ... f_t: the remaining weight of the initial zeros
    for (size_t u = 0; u < kWidth; ++u) {
      lost += gates.col(static_cast<Eigen::Index>(u)).head(static_cast<Eigen::Index>(t) + 1).prod() / kWidth;
    }
    EXPECT_NEAR(sum, 1 - lost, 1e-5) << t;
  }
  Context plain{arena, pool};
  const SsruPart halves[] = {{0, 2, nullptr}, {2, 2, nullptr}};
  const Matrix apart = Forward(plain, layer, x.read(), halves, place);
  EXPECT_EQ(Matrix(apart.topRows(2)), Matrix(once.topRows(2)));
  EXPECT_NE(Matrix(apart.bottomRows(2)), Matrix(once.bottomRows(2)));
}

}  // namespace
}  // namespace qkv
