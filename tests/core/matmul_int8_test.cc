#include "core/kernels/matmul_int8.h"

#include <limits>

#include "core/base/random.h"
#include "tests/core/kernel_testing.h"

namespace qkv {
namespace {

QuantizedMatrix RandomWeights(Int8Layout layout, size_t outputs, size_t inputs, uint64_t seed) {
  Random random(seed);
  QuantizedMatrix w(layout, outputs, inputs);
  std::vector<int8_t> row(inputs);
  for (size_t o = 0; o < outputs; ++o) {
    // Every fourth row holds only extreme values, which would show any saturation.
    for (int8_t& q : row) q = static_cast<int8_t>(o % 4 == 3 ? -128 : static_cast<int>(random.Uniform() * 256) - 128);
    w.SetRow(o, row.data());
    w.SetScale(o, o % 4 == 3 ? 1.0f : 0.001f * static_cast<float>(1 + random.Uniform()));
  }
  return w;
}

struct Problem {
  Guarded x, bias;
  QuantizedMatrix w;
  Problem(Int8Layout layout, size_t rows, size_t inputs, size_t outputs)
      : x(RandomMatrix(rows, inputs, 1)),
        bias(RandomMatrix(1, outputs, 2)),
        w(RandomWeights(layout, outputs, inputs, 3)) {}

  Guarded Product(ThreadPool& pool, Activation activation = Activation::kNone) const {
    Arena arena;
    Guarded y(static_cast<size_t>(x.read().rows()), w.outputs());
    const QuantizedRows q = Quantize(x.read(), arena);
    if (w.layout() == Int8Layout::kPanels) {
      MatMul(q, w, bias.read().data(), activation, y.view(), pool);
    } else {
      MatMulOutputs(q, w, 0, bias.read().data(), y.view(), pool);
    }
    EXPECT_TRUE(y.Intact());
    return y;
  }
  Guarded Naive(Activation activation = Activation::kNone) const {
    Arena arena;
    Guarded y(static_cast<size_t>(x.read().rows()), w.outputs());
    MatMulNaive(Quantize(x.read(), arena), w, bias.read().data(), activation, y.view());
    return y;
  }
};

// The oracle adds integers and rounds in the same order: no bit may differ, on any target.
TEST(MatMulInt8, EqualsTheScalarReferenceToTheBit) {
  ThreadPool pool(1);
  for (const Int8Layout layout : {Int8Layout::kPanels, Int8Layout::kRows}) {
    for (const size_t inputs : {1, 3, 4, 5, 31, 64, 65, 128, 300}) {
      for (const size_t outputs : {1, 3, 8, 15, 16, 17, 33, 64, 100, 130}) {
        for (const size_t rows : {0, 1, 2, 3, 4, 5, 7, 8, 9, 17}) {
          const Problem p(layout, rows, inputs, outputs);
          const Guarded naive = p.Naive();
          ForEachTarget([&] {
            ASSERT_TRUE(SameBits(p.Product(pool).read(), naive.read())) << rows << " x " << inputs << " x " << outputs;
          });
        }
      }
    }
  }
}

// These shapes test AMX where the processor has it: full tiles, tiles with fewer rows, and odd numbers of panels.
TEST(MatMulInt8, EqualsTheScalarReferenceInTiles) {
  ThreadPool one(1), three(3);
  for (const size_t inputs : {64, 128, 320}) {
    for (const size_t outputs : {1, 16, 17, 32, 33, 100}) {
      for (const size_t rows : {7, 8, 15, 16, 17, 31, 32, 33, 64, 70}) {
        const Problem p(Int8Layout::kPanels, rows, inputs, outputs);
        const Guarded naive = p.Naive(Activation::kRelu);
        ForEachTarget([&] {
          ASSERT_TRUE(SameBits(p.Product(one, Activation::kRelu).read(), naive.read()))
              << rows << " x " << inputs << " x " << outputs;
        });
      }
    }
  }
  // Several blocks of rows, and parts for several threads.
  const Problem tall(Int8Layout::kPanels, 301, 1024, 96);
  const Guarded naive = tall.Naive();
  ForEachTarget([&] {
    EXPECT_TRUE(SameBits(tall.Product(one).read(), naive.read()));
    EXPECT_TRUE(SameBits(tall.Product(three).read(), naive.read()));
  });
}

TEST(MatMulInt8, LargeSumsAreExact) {
  ThreadPool pool(1);
  for (const Int8Layout layout : {Int8Layout::kPanels, Int8Layout::kRows}) {
    const Problem p(layout, 9, 8192, 20);
    const Guarded naive = p.Naive();
    ForEachTarget([&] { EXPECT_TRUE(SameBits(p.Product(pool).read(), naive.read())); });
  }
}

TEST(MatMulInt8, ApproximatesTheProductOfFloats) {
  ThreadPool pool(1);
  const Guarded x = RandomMatrix(7, 256, 1), w = RandomMatrix(40, 256, 2);
  QuantizedMatrix q(Int8Layout::kPanels, 40, 256);
  std::vector<int8_t> row(256);
  for (size_t o = 0; o < 40; ++o) {
    q.SetScale(o, QuantizeWeights(w.read().data() + o * 256, 256, row.data()));
    q.SetRow(o, row.data());
  }
  Arena arena;
  const QuantizedRows rows = Quantize(x.read(), arena);
  Guarded y(7, 40);
  MatMul(rows, q, nullptr, Activation::kNone, y.view(), pool);
  for (Eigen::Index r = 0; r < 7; ++r) {
    for (Eigen::Index o = 0; o < 40; ++o) {
      // Each activation is off by half a step, or by one step at the clamped end. Each weight is off by half a step.
      const float step = rows.scales[r], weight_step = q.scales()[o];
      const double exact = x.read().row(r).cast<double>().dot(w.read().row(o).cast<double>());
      const double bound = step * w.read().row(o).cwiseAbs().sum() +
                           weight_step / 2 * (x.read().row(r).cwiseAbs().sum() + 256 * step) + 1e-3;
      EXPECT_NEAR(y.read()(r, o), exact, bound);
    }
  }
}

TEST(MatMulInt8, SomePiecesAreThoseOfAll) {
  ThreadPool one(1), two(2);
  const std::vector<int32_t> pieces = {0, 2, 3, 7, 8, 9, 40, 98, 99};
  for (const size_t rows : {1, 2, 5}) {
    const Problem p(Int8Layout::kRows, rows, 200, 100);
    ForEachTarget([&] {
      const Guarded all = p.Product(one);
      Arena arena;
      Guarded some(rows, pieces.size());
      MatMulRows(Quantize(p.x.read(), arena), p.w, pieces, p.bias.read().data(), some.view(), two);
      EXPECT_TRUE(some.Intact());
      for (size_t r = 0; r < rows; ++r) {
        for (size_t i = 0; i < pieces.size(); ++i) {
          EXPECT_EQ(some.data()[r * pieces.size() + i], all.read().data()[r * 100 + static_cast<size_t>(pieces[i])]);
        }
      }
    });
  }
}

TEST(MatMulInt8, SomeOutputsAreThoseOfAll) {
  ThreadPool one(1), two(2);
  for (const Int8Layout layout : {Int8Layout::kPanels, Int8Layout::kRows}) {
    for (const size_t rows : {1, 5, 40}) {
      const Problem p(layout, rows, 192, 4100);
      ForEachTarget([&] {
        const Guarded all = p.Product(one);
        for (const auto& [first, count] : {std::pair<size_t, size_t>{0, 1024}, {1024, 2048}, {4096, 4}}) {
          Arena arena;
          Guarded some(rows, count);
          MatMulOutputs(Quantize(p.x.read(), arena), p.w, first, p.bias.read().data(), some.view(), two);
          EXPECT_TRUE(some.Intact());
          EXPECT_TRUE(SameBits(some.read(), ReadColumns(all, first, count).read()));
        }
      });
    }
  }
}

TEST(MatMulInt8, DoesNotDependOnThreadsOrBatch) {
  ThreadPool one(1), three(3);
  for (const Int8Layout layout : {Int8Layout::kPanels, Int8Layout::kRows}) {
    const Problem p(layout, 40, 512, 400);
    ForEachTarget([&] {
      const Guarded y = p.Product(one);
      EXPECT_TRUE(SameBits(y.read(), p.Product(three).read()));
    });
  }
  const Problem tall(Int8Layout::kPanels, 5000, 64, 16);
  ForEachTarget([&] { EXPECT_TRUE(SameBits(tall.Product(one).read(), tall.Product(three).read())); });
}

TEST(MatMulInt8, ActivationsInTheEpilogue) {
  ThreadPool pool(1);
  const Problem p(Int8Layout::kPanels, 5, 64, 37);
  ForEachTarget([&] {
    EXPECT_TRUE(SameBits(p.Product(pool, Activation::kRelu).read(), p.Naive(Activation::kRelu).read()));
    const Guarded y = p.Product(pool, Activation::kSilu), naive = p.Naive(Activation::kSilu);
    for (Eigen::Index i = 0; i < y.read().size(); ++i) {
      const float exact = naive.read().data()[i];
      EXPECT_NEAR(y.read().data()[i], exact, 16 * kUnit * std::abs(exact) + 1e-36);
    }
  });
}

TEST(Quantize, EqualsTheScalarReferenceOnEveryTarget) {
  for (const size_t size : {1, 2, 3, 7, 8, 15, 16, 17, 64, 100, 257}) {
    for (const float spread : {1.0f, 1e-30f, 1e-38f, 1e-40f, 1e30f, 0.0f}) {
      Guarded x = RandomMatrix(3, size, 7, spread);
      for (size_t i = 0; i < size; ++i) x.data()[i] = std::abs(x.data()[i]);                 // a row without negatives
      for (size_t i = 0; i < size; ++i) x.data()[size + i] = -std::abs(x.data()[size + i]);  // one without positives
      ForEachTarget([&] {
        Arena arena;
        const QuantizedRows q = Quantize(x.read(), arena);
        std::vector<QuantizedActivation> naive(size);
        for (size_t r = 0; r < 3; ++r) {
          float scale;
          int32_t zero;
          QuantizeNaive(x.data() + r * size, size, naive.data(), &scale, &zero);
          EXPECT_EQ(q.scales[r], scale);
          EXPECT_EQ(q.zeros[r], zero);
          for (size_t i = 0; i < size; ++i) ASSERT_EQ(q.data[r * q.stride + i], naive[i]) << size << ", " << i;
          for (size_t i = size; i < q.stride; ++i) ASSERT_EQ(q.data[r * q.stride + i], 0);
        }
      });
    }
  }
}

TEST(Quantize, IsWithinAStep) {
  const Guarded x = RandomMatrix(20, 300, 11, 3);
  Arena arena;
  const QuantizedRows q = Quantize(x.read(), arena);
  for (size_t r = 0; r < 20; ++r) {
    for (size_t i = 0; i < 300; ++i) {
      const float back = q.scales[r] * static_cast<float>(q.data[r * q.stride + i] - q.zeros[r]);
      EXPECT_NEAR(back, x.read().data()[r * 300 + i], q.scales[r] * 1.001f);
    }
  }
}

// A scale below some 3e-39 has an infinite inverse, and would have a zero point that no integer can hold.
TEST(Quantize, TheSmallestRowsAreWithinAStepToo) {
  for (const float largest : {3.7e-37f, 1e-38f, 1e-42f, std::numeric_limits<float>::denorm_min()}) {
    Guarded x(1, 64);
    for (size_t i = 0; i < 64; ++i) x.data()[i] = i % 2 == 0 ? largest : -largest;
    ForEachTarget([&] {
      Arena arena;
      const QuantizedRows q = Quantize(x.read(), arena);
      EXPECT_TRUE(std::isfinite(1 / q.scales[0]));
      EXPECT_GE(q.zeros[0], 0);
      EXPECT_LE(q.zeros[0], 127);
      for (size_t i = 0; i < 64; ++i) {
        const float back = q.scales[0] * static_cast<float>(q.data[i] - q.zeros[0]);
        EXPECT_NEAR(back, x.data()[i], q.scales[0]) << largest;
      }
    });
  }
}

TEST(Quantize, WhatIsNotFiniteStaysInItsRow) {
  ThreadPool pool(1);
  for (const float strange : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                              -std::numeric_limits<float>::infinity()}) {
    const Problem clean(Int8Layout::kPanels, 5, 50, 20);
    Problem dirty(Int8Layout::kPanels, 5, 50, 20);
    dirty.x.view()(2, 30) = strange;
    ForEachTarget([&] {
      const Guarded a = clean.Product(pool), b = dirty.Product(pool);
      for (Eigen::Index r = 0; r < 5; ++r) {
        if (r == 2) {
          EXPECT_FALSE(b.read().row(r).array().isFinite().any());
        } else {
          EXPECT_TRUE(SameBits(ReadRows(a, r, 1), ReadRows(b, r, 1)));
        }
      }
    });
  }
}

TEST(QuantizedMatrix, RowsComeBack) {
  for (const Int8Layout layout : {Int8Layout::kPanels, Int8Layout::kRows}) {
    const QuantizedMatrix w = RandomWeights(layout, 21, 37, 5);
    Random random(5);
    std::vector<int8_t> row(37);
    std::vector<float> floats(37);
    for (size_t o = 0; o < 21; ++o) {
      w.GetRow(o, row.data());
      w.GetRow(o, floats.data());
      int32_t sum = 0;
      for (size_t i = 0; i < 37; ++i) {
        sum += row[i];
        EXPECT_EQ(floats[i], w.scales()[o] * static_cast<float>(row[i]));
      }
      EXPECT_EQ(sum, w.sums()[o]);
    }
    EXPECT_GE(w.bytes(), 21u * 37);
  }
}

TEST(QuantizeWeights, NearestOfAllWithTheLargestAt127) {
  const float weights[] = {0.5f, -1.0f, 0.25f, 0, 1.0f / 127, 0.6f / 127};
  int8_t q[6];
  EXPECT_FLOAT_EQ(QuantizeWeights(weights, 6, q), 1.0f / 127);
  EXPECT_EQ(std::vector<int>(q, q + 6), (std::vector<int>{64, -127, 32, 0, 1, 1}));
  const float zeros[3] = {};
  EXPECT_EQ(QuantizeWeights(zeros, 3, q), 0);
  EXPECT_EQ(q[0], 0);
}

}  // namespace
}  // namespace qkv
