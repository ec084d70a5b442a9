// Each activation on every target and over the whole range of floats, against the C library in double precision.
#include "core/kernels/activation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "tests/core/kernel_testing.h"

namespace qkv {
namespace {

constexpr double kSteepness =
    2 * 0.7978845608028654;  // of GPT-2's approximation, whose exponent is 2 sqrt(2 / pi) (...)

double Exact(Activation activation, double x) {
  switch (activation) {
    case Activation::kRelu:
      return x < 0 ? 0 : x;
    case Activation::kSilu:
      return x / (1 + std::exp(-x));
    case Activation::kGeluSigmoid:
      return x / (1 + std::exp(-kGeluSteepness * x));
    case Activation::kGelu:
      return x / 2 * std::erfc(-x / std::numbers::sqrt2);
    case Activation::kGeluTanh:
      return x / (1 + std::exp(-kSteepness * (x + 0.044715 * x * x * x)));
    case Activation::kTanh:
      return std::tanh(x);
    default:
      return x;
  }
}

// The exponent of e. Rounding it costs some half units of each whole number in it, in the tail where the result is
// small.
double Power(Activation activation, double x) {
  if (x >= 0 || activation == Activation::kRelu || activation == Activation::kTanh) return 0;
  if (activation == Activation::kGelu) return x * x / 2;
  if (activation == Activation::kGeluSigmoid) return -kGeluSteepness * x;
  return activation == Activation::kGeluTanh ? kSteepness * std::abs(x + 0.044715 * x * x * x) : -x;
}

double Bound(Activation activation, double x, double exact) {
  const double least = std::numeric_limits<float>::min() * (1 + std::abs(x));  // Below this, floats are subnormal.
  if (activation == Activation::kTanh) return 4 * kUnit;
  return (8 + 4 * Power(activation, x)) * kUnit * std::abs(exact) + least;
}

constexpr Activation kAll[] = {Activation::kNone,     Activation::kRelu, Activation::kSilu,       Activation::kGelu,
                               Activation::kGeluTanh, Activation::kTanh, Activation::kGeluSigmoid};

std::vector<float> Places() {
  std::vector<float> x = {0.0f, -0.0f, 1e-38f, -1e-38f, 1e-20f, -1e-20f, 1e-4f, -1e-4f, 1e4f, -1e4f};
  for (float v = -13; v < 13; v += 0.00731f) x.push_back(v);
  return x;
}

TEST(Activation, IsTheEquationOnEveryTarget) {
  const std::vector<float> x = Places();
  for (const Activation activation : kAll) {
    ForEachTarget([&] {
      Guarded y(1, x.size());
      std::copy(x.begin(), x.end(), y.data());
      Activate(activation, y.view());
      EXPECT_TRUE(y.Intact());
      for (size_t i = 0; i < x.size(); ++i) {
        const double exact = Exact(activation, x[i]);
        ASSERT_NEAR(y.data()[i], exact, Bound(activation, x[i], exact)) << static_cast<int>(activation) << " " << x[i];
      }
    });
  }
}

TEST(Activation, NaiveIsTheSameEquation) {
  const std::vector<float> x = Places();
  for (const Activation activation : kAll) {
    Guarded y(1, x.size());
    std::copy(x.begin(), x.end(), y.data());
    ActivateNaive(activation, y.view());
    for (size_t i = 0; i < x.size(); ++i) {
      const double exact = Exact(activation, x[i]);
      // The C library's functions take arguments that were rounded, and 1 + tanh cancels in the tail.
      ASSERT_NEAR(y.data()[i], exact, Bound(activation, x[i], exact) + 2 * kUnit * std::abs(x[i])) << x[i];
    }
  }
}

TEST(Activation, NumbersThatAreNoneStayNone) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const Activation activation : kAll) {
    ForEachTarget([&] {
      Guarded y(1, 21);
      std::fill_n(y.data(), 21, nan);
      Activate(activation, y.view());
      for (size_t i = 0; i < 21; ++i) EXPECT_TRUE(std::isnan(y.data()[i])) << static_cast<int>(activation);
    });
  }
}

}  // namespace
}  // namespace qkv
