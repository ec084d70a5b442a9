#include "core/kernels/norm.h"

#include <limits>

#include "tests/core/kernel_testing.h"

namespace qkv {
namespace {

constexpr float kEpsilon = 1e-5f;

// x is the exact value that is normalised (the float sum where there is a residual). After its correction the mean is
// off by some units of max |x - mean|. The mean's own size matters only in the first subtraction, which is exact to one
// unit of |x - mean|. The variance is a sum of n terms of one sign.
void ExpectNorm(const Matrix& x, const Guarded& gain, const Guarded& bias, Guarded& y) {
  EXPECT_TRUE(y.Intact());
  const Eigen::Index size = x.cols();
  for (Eigen::Index r = 0; r < x.rows(); ++r) {
    const Eigen::ArrayXd row = x.row(r).cast<double>().array();
    const double mean = row.mean();
    const Eigen::ArrayXd centred = row - mean;
    const double deviation = std::sqrt(centred.square().mean() + kEpsilon);
    const double largest = centred.abs().maxCoeff();
    for (Eigen::Index i = 0; i < size; ++i) {
      const double normal = centred[i] / deviation;
      const double exact = normal * gain.read()(0, i) + bias.read()(0, i);
      const double relative = Gamma(static_cast<size_t>(size) / 2 + 8);
      const double bound = std::abs(gain.read()(0, i)) * relative * (std::abs(normal) + largest / deviation) +
                           2 * kUnit * std::abs(exact);
      ASSERT_NEAR(y.read()(r, i), exact, bound) << r << ", " << i << " of " << size;
    }
  }
}

TEST(LayerNorm, EverySizeIsWithinItsBound) {
  for (const size_t size : {1, 2, 3, 7, 8, 15, 16, 17, 33, 64, 100, 256, 511, 1024}) {
    for (const float offset : {0.0f, 100.0f}) {
      Guarded x = RandomMatrix(4, size, size, 2);
      x.view().array() += offset;
      const Guarded gain = RandomMatrix(1, size, 1), bias = RandomMatrix(1, size, 2);
      const Guarded residual = RandomMatrix(4, size, 3);
      const Matrix sum = x.read() + residual.read();
      ForEachTarget([&] {
        Guarded y(4, size), z(4, size);
        LayerNorm(x.read(), gain.read().data(), bias.read().data(), kEpsilon, y.view());
        ExpectNorm(x.read(), gain, bias, y);
        AddLayerNorm(x.read(), residual.read(), gain.read().data(), bias.read().data(), kEpsilon, z.view());
        ExpectNorm(sum, gain, bias, z);
      });
    }
  }
}

TEST(LayerNorm, NaiveIsTheSameEquation) {
  const Guarded x = RandomMatrix(4, 50, 1), residual = RandomMatrix(4, 50, 2);
  const Guarded gain = RandomMatrix(1, 50, 3), bias = RandomMatrix(1, 50, 4);
  Guarded y(4, 50);
  LayerNormNaive(x.read(), gain.read().data(), bias.read().data(), kEpsilon, y.view());
  ExpectNorm(x.read(), gain, bias, y);
  AddLayerNormNaive(x.read(), residual.read(), gain.read().data(), bias.read().data(), kEpsilon, y.view());
  ExpectNorm(x.read() + residual.read(), gain, bias, y);
}

TEST(LayerNorm, ConstantRowsBecomeTheBias) {
  Guarded x(2, 24), gain = RandomMatrix(1, 24, 1), bias = RandomMatrix(1, 24, 2);
  x.view().row(0).setConstant(3);
  x.view().row(1).setZero();
  ForEachTarget([&] {
    Guarded y(2, 24);
    LayerNorm(x.read(), gain.data(), bias.data(), kEpsilon, y.view());
    for (Eigen::Index r = 0; r < 2; ++r) {
      EXPECT_TRUE(SameBits(ReadRows(y, r, 1), bias.read()));
    }
  });
}

TEST(LayerNorm, RowsDoNotDependOnOthers) {
  Guarded x = RandomMatrix(3, 37, 1);
  const Guarded gain = RandomMatrix(1, 37, 2), bias = RandomMatrix(1, 37, 3);
  x.view()(1, 5) = std::numeric_limits<float>::quiet_NaN();
  ForEachTarget([&] {
    Guarded together(3, 37), alone(3, 37);
    LayerNorm(x.read(), gain.read().data(), bias.read().data(), kEpsilon, together.view());
    for (const Eigen::Index r : {0, 2}) {
      LayerNorm(ReadRows(x, r, 1), gain.read().data(), bias.read().data(), kEpsilon, WriteRows(alone, r, 1));
      EXPECT_TRUE(SameBits(ReadRows(together, r, 1), ReadRows(alone, r, 1)));
      EXPECT_FALSE(together.read().row(r).array().isNaN().any());
    }
    EXPECT_TRUE(together.read().row(1).array().isNaN().all());
  });
}

}  // namespace
}  // namespace qkv
