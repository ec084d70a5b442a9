#include "core/kernels/matmul.h"

#include <limits>

#include "tests/core/kernel_testing.h"

namespace qkv {
namespace {

struct Problem {
  Guarded x, w, bias;
  PackedMatrix packed;
  Problem(size_t rows, size_t inputs, size_t outputs)
      : x(RandomMatrix(rows, inputs, 1)),
        w(RandomMatrix(outputs, inputs, 2)),
        bias(RandomMatrix(1, outputs, 3)),
        packed(Pack(w.read())) {}
  Guarded Product(ThreadPool& pool, Activation activation = Activation::kNone) const {
    Guarded y(static_cast<size_t>(x.read().rows()), packed.outputs());
    MatMul(x.read(), packed, bias.read().data(), activation, y.view(), pool);
    EXPECT_TRUE(y.Intact());
    return y;
  }
};

double ActivateDouble(Activation activation, double v) {
  if (activation == Activation::kRelu) return v < 0 ? 0 : v;
  if (activation == Activation::kSilu) return v / (1 + std::exp(-v));
  if (activation == Activation::kGelu) return v / 2 * std::erfc(-v / std::sqrt(2.0));
  return v;
}

// |y - exact| <= gamma_(inputs + 1) (sum |x w| + |b|) before the activation. No activation has a slope above 1.13. SiLU
// and GELU add some units of the result for their own rounding.
void ExpectProduct(const Problem& p, bool bias, Activation activation, const Guarded& y) {
  const ConstMatrixView x = p.x.read(), w = p.w.read(), b = p.bias.read(), out = y.read();
  for (Eigen::Index r = 0; r < x.rows(); ++r) {
    for (Eigen::Index o = 0; o < w.rows(); ++o) {
      double sum = bias ? b(0, o) : 0, size = std::abs(sum);
      for (Eigen::Index i = 0; i < x.cols(); ++i) {
        const double term = static_cast<double>(x(r, i)) * w(o, i);
        sum += term;
        size += std::abs(term);
      }
      const double exact = ActivateDouble(activation, sum);
      const double bound = 1.13 * Gamma(static_cast<size_t>(x.cols()) + 1) * size + 8 * kUnit * std::abs(exact);
      ASSERT_NEAR(out(r, o), exact, bound)
          << r << ", " << o << " of " << x.rows() << " x " << x.cols() << " x " << w.rows();
    }
  }
}

TEST(MatMul, EveryShapeIsWithinTheBoundOfItsSum) {
  ThreadPool pool(1);
  for (const size_t inputs : {0, 1, 2, 7, 64, 127, 128, 129, 300}) {
    for (const size_t outputs : {0, 1, 3, 15, 16, 17, 31, 33, 47, 48, 64, 65, 100, 130}) {
      for (const size_t rows : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 17, 33}) {
        const Problem p(rows, inputs, outputs);
        ForEachTarget([&] { ExpectProduct(p, true, Activation::kNone, p.Product(pool)); });
      }
    }
  }
}

TEST(MatMul, LargeShapesAndActivations) {
  ThreadPool pool(2);
  for (const Activation activation : {Activation::kNone, Activation::kRelu, Activation::kSilu, Activation::kGelu}) {
    for (const size_t rows : {1, 37, 150}) {
      const Problem p(rows, 1024, 130);
      ForEachTarget([&] { ExpectProduct(p, true, activation, p.Product(pool, activation)); });
    }
  }
}

TEST(MatMul, WithoutBias) {
  ThreadPool pool(1);
  const Problem p(5, 40, 50);
  ForEachTarget([&] {
    Guarded y(5, 50);
    MatMul(p.x.read(), p.packed, nullptr, Activation::kNone, y.view(), pool);
    ExpectProduct(p, false, Activation::kNone, y);
  });
}

TEST(MatMul, NaiveIsTheSameEquation) {
  for (const Activation activation : {Activation::kNone, Activation::kRelu, Activation::kSilu}) {
    const Problem p(5, 40, 50);
    Guarded y(5, 50);
    MatMulNaive(p.x.read(), p.packed, p.bias.read().data(), activation, y.view());
    ExpectProduct(p, true, activation, y);
  }
}

// Chains of additions are short: over many outputs the error is well below that of one sum from first to last.
TEST(MatMul, IsMoreExactThanOneLongSum) {
  ThreadPool pool(1);
  const Problem p(20, 1024, 100);
  Guarded naive(20, 100);
  MatMulNaive(p.x.read(), p.packed, p.bias.read().data(), Activation::kNone, naive.view());
  const Eigen::MatrixXd exact = (p.x.read().cast<double>() * p.w.read().cast<double>().transpose()).rowwise() +
                                p.bias.read().row(0).cast<double>();
  const double naive_error = (naive.read().cast<double>() - exact).norm();
  ForEachTarget([&] {
    Guarded y = p.Product(pool);
    EXPECT_LT((y.read().cast<double>() - exact).norm(), 0.7 * naive_error);
  });
}

TEST(MatMul, RowsDoNotDependOnTheirBatch) {
  ThreadPool pool(1);
  for (const size_t outputs : {33, 64, 130}) {
    const Problem p(29, 300, outputs);
    ForEachTarget([&] {
      const Guarded whole = p.Product(pool, Activation::kSilu);
      for (Eigen::Index count = 1; count <= 14; ++count) {
        Guarded y(29, outputs);
        for (Eigen::Index r = 0; r < 29; r += count) {
          const Eigen::Index n = std::min<Eigen::Index>(count, 29 - r);
          MatMul(ReadRows(p.x, r, n), p.packed, p.bias.read().data(), Activation::kSilu, WriteRows(y, r, n), pool);
        }
        EXPECT_TRUE(SameBits(whole.read(), y.read())) << count << " at a time";
      }
    });
  }
}

TEST(MatMul, SomeOutputsAreThoseOfAll) {
  ThreadPool one(1), two(2);
  const Problem p(5, 150, 2100);
  ForEachTarget([&] {
    const Guarded all = p.Product(one);
    for (const auto& [first, count] : {std::pair<size_t, size_t>{0, 1024}, {1024, 1024}, {2048, 52}, {16, 7}}) {
      Guarded some(5, count);
      MatMulOutputs(p.x.read(), p.packed, first, p.bias.read().data(), some.view(), two);
      EXPECT_TRUE(some.Intact());
      EXPECT_TRUE(SameBits(some.read(), ReadColumns(all, first, count).read()));
    }
  });
}

TEST(MatMul, DoesNotDependOnThreads) {
  ThreadPool one(1), two(2), three(3);
  // All large enough to be split; the last two by rows.
  const size_t shapes[][3] = {{40, 512, 130}, {1, 1024, 1024}, {3, 1200, 500}, {2400, 64, 16}, {1026, 100, 21}};
  for (const auto& [rows, inputs, outputs] : shapes) {
    const Problem p(rows, inputs, outputs);
    ForEachTarget([&] {
      const Guarded y = p.Product(one, Activation::kSilu);
      EXPECT_TRUE(SameBits(y.read(), p.Product(two, Activation::kSilu).read()));
      EXPECT_TRUE(SameBits(y.read(), p.Product(three, Activation::kSilu).read()));
    });
  }
}

TEST(MatMul, NaNAndInfinityStayInTheirRow) {
  ThreadPool pool(1);
  const Problem clean(9, 50, 40);
  Problem dirty(9, 50, 40);
  dirty.x.view()(4, 20) = std::numeric_limits<float>::quiet_NaN();
  dirty.x.view()(6, 49) = std::numeric_limits<float>::infinity();
  for (const Activation activation : {Activation::kNone, Activation::kRelu, Activation::kSilu}) {
    ForEachTarget([&] {
      const Guarded a = clean.Product(pool, activation), b = dirty.Product(pool, activation);
      for (Eigen::Index r = 0; r < 9; ++r) {
        if (r == 4) {
          EXPECT_TRUE(b.read().row(r).array().isNaN().all());
        } else if (r != 6) {
          EXPECT_TRUE(SameBits(ReadRows(a, r, 1), ReadRows(b, r, 1))) << r;
        }
      }
    });
  }
}

TEST(Packed, RowsComeBackAndPadIsZero) {
  const Guarded w = RandomMatrix(37, 5, 4);
  const PackedMatrix packed = Pack(w.read());
  EXPECT_EQ(packed.panels(), 3u);
  float row[5];
  for (size_t o = 0; o < 37; ++o) {
    packed.GetRow(o, row);
    for (Eigen::Index i = 0; i < 5; ++i) EXPECT_EQ(row[i], w.read()(static_cast<Eigen::Index>(o), i));
  }
  for (size_t i = 0; i < 5; ++i) {
    for (size_t o = 37 % kPanel; o < kPanel; ++o) EXPECT_EQ(packed.Panel(2)[i * kPanel + o], 0);
  }
}

TEST(Activation, MatchesDoubleAndKeepsNaN) {
  Guarded x = RandomMatrix(3, 37, 5, 20);
  const float special[] = {0.0f, -0.0f, 90, -90, 200, -200, 1e38f, -1e38f, 1e-30f, -1e-30f};
  for (size_t i = 0; i < std::size(special); ++i) x.data()[i + 5] = special[i];
  x.data()[40] = std::numeric_limits<float>::quiet_NaN();
  for (const Activation activation : {Activation::kNone, Activation::kRelu, Activation::kSilu}) {
    const auto check = [&](Guarded& y) {
      for (Eigen::Index i = 0; i < y.read().size(); ++i) {
        if (i == 40) {
          EXPECT_TRUE(std::isnan(y.data()[i]));
          continue;
        }
        // Below the smallest normal number results may be flushed to zero. exp(x) has the error that rounding x causes.
        const double exact = ActivateDouble(activation, x.data()[i]);
        const double units = 8 + std::abs(static_cast<double>(x.data()[i]));
        EXPECT_NEAR(y.data()[i], exact, units * kUnit * std::abs(exact) + 1e-36) << x.data()[i];
      }
    };
    ForEachTarget([&] {
      Guarded y = x;
      Activate(activation, y.view());
      EXPECT_TRUE(y.Intact());
      check(y);
    });
    Guarded y = x;
    ActivateNaive(activation, y.view());
    check(y);
  }
}

}  // namespace
}  // namespace qkv
