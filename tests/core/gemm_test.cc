#include "core/kernels/gemm.h"

#include <bit>

#include "core/kernels/gemm_bf16.h"
#include "tests/core/kernel_testing.h"

namespace qkv {
namespace {

Matrix Random2d(size_t rows, size_t cols, uint64_t seed) { return RandomMatrix(rows, cols, seed).read(); }

Eigen::MatrixXd Double(const Matrix& x) { return x.cast<double>(); }

// |y - exact| <= gamma_(k + 1) (|a| |b| + |y|)
void ExpectProduct(const Matrix& a, const Matrix& b, const Matrix& before, const Matrix& y) {
  const Eigen::MatrixXd exact = Double(a) * Double(b) + Double(before);
  const Eigen::MatrixXd size = Double(a).cwiseAbs() * Double(b).cwiseAbs() + Double(before).cwiseAbs();
  for (Eigen::Index i = 0; i < y.rows(); ++i) {
    for (Eigen::Index j = 0; j < y.cols(); ++j) {
      ASSERT_NEAR(y(i, j), exact(i, j), Gamma(static_cast<size_t>(a.cols()) + 1) * size(i, j) + 1e-30)
          << i << ", " << j << " of " << y.rows() << " x " << y.cols() << " over " << a.cols();
    }
  }
}

Factor Lie(const Matrix& x, bool transposed, Matrix& storage) {
  storage = transposed ? Matrix(x.transpose()) : x;
  return {storage.data(), static_cast<size_t>(storage.cols()), transposed};
}

constexpr size_t kSizes[][3] = {{1, 1, 1},     {3, 5, 0},      {7, 16, 33},    {64, 17, 129},   {13, 40, 400},
                                {130, 150, 5}, {33, 300, 800}, {129, 9, 1000}, {40, 600, 1100}, {5, 1100, 40}};

// Every transposition of both factors, added or written, on one thread and on three. `seen`: a factor as the product
// reads it.
template <class Seen>
void ExpectProducts(Precision precision, const Seen& seen) {
  Arena arena;
  ThreadPool one(1), three(3);
  for (const auto& [m, n, k] : kSizes) {
    const Matrix a = Random2d(m, k, 1), b = Random2d(k, n, 2), start = Random2d(m, n, 3);
    for (const int kind : {0, 1, 2, 3, 4, 5, 6, 7}) {
      const bool add = (kind & 4) != 0;
      Matrix of_a, of_b, y = start, again = start;
      const Factor fa = Lie(a, (kind & 1) != 0, of_a), fb = Lie(b, (kind & 2) != 0, of_b);
      Gemm(m, n, k, fa, fb, {y.data(), n, add}, arena, one, precision);
      ExpectProduct(seen(a), seen(b), add ? start : Matrix(Matrix::Zero(start.rows(), start.cols())), y);
      Gemm(m, n, k, fa, fb, {again.data(), n, add}, arena, three, precision);
      EXPECT_EQ(y, again);
    }
  }
}

TEST(Gemm, EveryTranspositionAddsOrWritesOnAnyNumberOfThreads) {
  ExpectProducts(Precision::kFloat, [](const Matrix& x) { return x; });
}

// The nearest bfloat16, ties to even: a float without its 16 lowest bits.
float Bf16(float x) {
  const auto bits = std::bit_cast<uint32_t>(x);
  return std::bit_cast<float>((bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000);
}
Matrix Rounded(const Matrix& x) { return x.unaryExpr(&Bf16); }

TEST(Gemm, RoundsOperandsToBf16AndSumsFloats) {
  if (!HasBf16()) GTEST_SKIP() << "this processor has no AMX";
  ExpectProducts(Precision::kBf16, Rounded);
}

TEST(Gemm, ReadsPackedWeightsAsBf16) {
  if (!HasBf16()) GTEST_SKIP() << "this processor has no AMX";
  Arena arena;
  ThreadPool pool(2);
  for (const auto& [rows, inputs, outputs] : kSizes) {
    const Matrix g = Random2d(rows, outputs, 1), x = Random2d(rows, inputs, 2), w = Random2d(outputs, inputs, 3);
    const Matrix bias = Random2d(1, outputs, 4);
    const PackedMatrix packed = Pack(View(w));
    Matrix forward(rows, outputs), back(rows, inputs);
    const MatrixView y{forward.data(), forward.rows(), forward.cols()};
    MatMulBf16(View(x), packed, nullptr, y, arena, pool);
    ExpectProduct(Rounded(x), Rounded(w.transpose()), Matrix::Zero(forward.rows(), forward.cols()), forward);
    MatMulBf16(View(x), packed, bias.data(), y, arena, pool);
    ExpectProduct(Rounded(x), Rounded(w.transpose()), bias.replicate(forward.rows(), 1), forward);
    GemmPacked(rows, {g.data(), outputs}, packed, {back.data(), inputs}, arena, pool, Precision::kBf16);
    ExpectProduct(Rounded(g), Rounded(w), Matrix::Zero(back.rows(), back.cols()), back);
    PackedMatrix gradient(outputs, inputs);
    std::fill_n(gradient.data(), gradient.size(), 0.0f);
    AddWeightGradient(rows, outputs, inputs, g.data(), x.data(), gradient.data(), arena, pool, Precision::kBf16);
    Matrix of_w(outputs, inputs);
    for (size_t o = 0; o < outputs; ++o) gradient.GetRow(o, of_w.data() + o * inputs);
    ExpectProduct(Rounded(g.transpose()), Rounded(x), Matrix::Zero(of_w.rows(), of_w.cols()), of_w);
  }
}

TEST(Gemm, MultipliesByAPackedWeightAsItLies) {
  Arena arena;
  ThreadPool pool(2);
  for (const auto& [rows, inputs, outputs] : kSizes) {
    const Matrix a = Random2d(rows, outputs, 1), w = Random2d(outputs, inputs, 2);
    const PackedMatrix packed = Pack(View(w));
    Matrix y(rows, inputs);
    GemmPacked(rows, {a.data(), outputs}, packed, {y.data(), inputs}, arena, pool);
    ExpectProduct(a, w, Matrix::Zero(y.rows(), y.cols()), y);
  }
}

TEST(Gemm, AWeightsGradientLiesAsTheWeight) {
  Arena arena;
  ThreadPool pool(2);
  for (const auto& [rows, inputs, outputs] : kSizes) {
    const Matrix a = Random2d(rows, outputs, 1), x = Random2d(rows, inputs, 2);
    const Matrix start = Random2d(outputs, inputs, 3);
    PackedMatrix gradient = Pack(View(start));
    AddWeightGradient(rows, outputs, inputs, a.data(), x.data(), gradient.data(), arena, pool);
    Matrix y(outputs, inputs);
    for (size_t o = 0; o < outputs; ++o) gradient.GetRow(o, y.data() + o * inputs);
    ExpectProduct(a.transpose(), x, start, y);
  }
}

}  // namespace
}  // namespace qkv
