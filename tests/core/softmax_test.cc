#include "core/kernels/softmax.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "tests/core/kernel_testing.h"

namespace qkv {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

struct Exact {
  std::vector<double> softmax, log_softmax;
  double max;
};

Exact SoftmaxDouble(const float* row, size_t size) {
  Exact e;
  e.max = *std::max_element(row, row + size);
  double sum = 0;
  for (size_t i = 0; i < size; ++i) sum += std::exp(row[i] - e.max);
  for (size_t i = 0; i < size; ++i) {
    e.softmax.push_back(std::exp(row[i] - e.max) / sum);
    e.log_softmax.push_back(row[i] - e.max - std::log(sum));
  }
  return e;
}

// x - max is rounded once, which exp turns into a relative error of |x - max| units. exp itself is exact to 2 units of
// the last place (4 here), and the reduction of its argument adds |x - max| / 8. Then come a sum in lanes and blocks,
// whose terms share one sign, and one division.
double Bound(double x, double max, size_t size) {
  return kUnit * (2 * (max - x) + 4 + 4 + 1) + Gamma(std::min<size_t>(size, 64 + size / 256 + 16));
}

void ExpectSoftmax(const Guarded& input, Guarded& softmax, Guarded& log_softmax) {
  EXPECT_TRUE(softmax.Intact() && log_softmax.Intact());
  const size_t rows = static_cast<size_t>(input.read().rows()), size = static_cast<size_t>(input.read().cols());
  for (size_t r = 0; r < rows; ++r) {
    const float* x = input.read().data() + r * size;
    const Exact exact = SoftmaxDouble(x, size);
    double sum = 0;
    for (size_t i = 0; i < size; ++i) {
      const double p = softmax.data()[r * size + i], log_p = log_softmax.data()[r * size + i];
      sum += p;
      if (x[i] == -kInfinity) {
        EXPECT_EQ(p, 0);
        EXPECT_EQ(log_p, -kInfinity);
        continue;
      }
      // Below exp's smallest normal result numbers may be flushed to zero.
      ASSERT_NEAR(p, exact.softmax[i], exact.softmax[i] * Bound(x[i], exact.max, size) + 1.2e-38) << x[i];
      const double log_size = std::log(static_cast<double>(size));
      const double bound = Bound(exact.max, exact.max, size) + kUnit * (2 * (exact.max - x[i]) + 3 * log_size);
      ASSERT_NEAR(log_p, exact.log_softmax[i], bound) << x[i];
    }
    EXPECT_NEAR(sum, 1, 1e-5);
  }
}

void CheckAll(const Guarded& input) {
  ForEachTarget([&] {
    Guarded a = input, b = input;
    Softmax(a.view());
    LogSoftmax(b.view());
    ExpectSoftmax(input, a, b);
  });
}

TEST(Softmax, EverySizeIsWithinItsBound) {
  for (const size_t size : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 63, 100, 257, 1000, 1025, 9001, 32000}) {
    for (const float scale : {0.01f, 1.0f, 30.0f}) CheckAll(RandomMatrix(3, size, size, scale));
  }
  Guarded none(3, 0), no_rows(0, 3);
  Softmax(none.view());
  LogSoftmax(no_rows.view());
}

TEST(Softmax, NaiveIsTheSameEquation) {
  const Guarded input = RandomMatrix(4, 50, 1, 5);
  Guarded a = input, b = input;
  SoftmaxNaive(a.view());
  LogSoftmaxNaive(b.view());
  ExpectSoftmax(input, a, b);
}

TEST(Softmax, HugeScores) {
  Guarded input = RandomMatrix(4, 37, 2, 1e4f);
  input.view().row(1).setConstant(1e4f);
  input.view().row(2).setConstant(-1e4f);
  input.view()(3, 36) = 3e38f;
  CheckAll(input);
}

TEST(Softmax, MaskedEntriesAreZero) {
  for (const size_t size : {1, 5, 16, 40}) {
    Guarded input = RandomMatrix(5, size, 3, 3);
    const auto last = static_cast<Eigen::Index>(size) - 1;
    for (Eigen::Index r = 0; r < 5; ++r) {
      for (Eigen::Index i = 0; i < last; ++i) {
        if ((r + i) % 3 == 0) input.view()(r, i) = -kInfinity;
      }
    }
    CheckAll(input);
  }
}

TEST(Softmax, RowsWithoutAnythingAndNaNStayAlone) {
  for (const size_t size : {1, 7, 16, 50}) {
    Guarded input = RandomMatrix(5, size, 4, 3);
    const auto last = static_cast<Eigen::Index>(size) - 1;
    input.view().row(1).setConstant(-kInfinity);
    input.view()(2, last) = kNaN;
    input.view()(3, 0) = kInfinity;
    const auto check = [&](auto softmax, auto log_softmax) {
      Guarded a = input, b = input, alone = RandomMatrix(5, size, 4, 3), log_alone = alone;
      softmax(a.view());
      log_softmax(b.view());
      EXPECT_TRUE(a.read().row(1).isZero(0));
      EXPECT_TRUE((b.read().row(1).array() == -kInfinity).all());
      for (const Eigen::Index r : {2, 3}) {
        EXPECT_TRUE(a.read().row(r).array().isNaN().all());
        EXPECT_TRUE(b.read().row(r).array().isNaN().all());
      }
      softmax(alone.view());
      log_softmax(log_alone.view());
      for (const Eigen::Index r : {0, 4}) {
        EXPECT_TRUE(SameBits(ReadRows(a, r, 1), ReadRows(alone, r, 1)));
        EXPECT_TRUE(SameBits(ReadRows(b, r, 1), ReadRows(log_alone, r, 1)));
      }
    };
    ForEachTarget([&] { check(Softmax, LogSoftmax); });
    check(SoftmaxNaive, LogSoftmaxNaive);
  }
}

// Parts of a row give the same bits as the whole row. The result is compared with the sum in double.
TEST(RunningNormaliser, PartsOfARowGiveTheBitsOfTheWhole) {
  for (const size_t size : {1, 1024, 1025, 5000, 32000}) {
    // The numbers of row 0 become larger towards the end, those of row 1 smaller. The first half of row 2 is -infinity.
    // A long row 3 has a NaN.
    Guarded input = RandomMatrix(4, size, size, 8);
    for (size_t i = 0; i < size; ++i) input.data()[i] += 20.0f * static_cast<float>(i) / static_cast<float>(size);
    for (size_t i = 0; i < size; ++i)
      input.data()[size + i] -= 20.0f * static_cast<float>(i) / static_cast<float>(size);
    for (size_t i = 0; i < size / 2; ++i) input.data()[2 * size + i] = -kInfinity;
    if (size > 2048) input.data()[3 * size + 2000] = kNaN;
    ForEachTarget([&] {
      for (size_t r = 0; r < 4; ++r) {
        const float* const row = input.data() + r * size;
        const Normaliser whole = FindNormaliser(row, size);
        for (const size_t part : {kNormaliserPart, 3 * kNormaliserPart}) {
          RunningNormaliser n;
          for (size_t i = 0; i < size; i += part) n.Add(row + i, std::min(part, size - i));
          EXPECT_EQ(std::bit_cast<uint32_t>(n.Get().max), std::bit_cast<uint32_t>(whole.max));
          EXPECT_EQ(std::bit_cast<uint32_t>(n.Get().log_sum), std::bit_cast<uint32_t>(whole.log_sum));
        }
        if (r == 3 && size > 2048) {
          EXPECT_TRUE(std::isnan(whole.max) && std::isnan(whole.log_sum));
          continue;
        }
        double sum = 0;
        for (size_t i = 0; i < size; ++i) sum += std::exp(static_cast<double>(row[i]) - whole.max);
        EXPECT_NEAR(whole.log_sum, std::log(sum), 2e-6) << size << ", row " << r;
      }
    });
  }
}

}  // namespace
}  // namespace qkv
