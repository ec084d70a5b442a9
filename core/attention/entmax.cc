#include "core/attention/entmax.h"

#include <algorithm>
#include <cmath>

#include "core/base/exponential.h"

namespace qkv {
namespace {

// x^e of x > 0.
double Power(double x, double e) {
  if (e == 1) return x;
  return e == 2 ? x * x : Exponential(e * Logarithm(x));
}

// One row: x_j = (alpha - 1) (z_j - max z), so that tau is in [-1, 0].
struct SparseRow {
  double alpha, power, max;
  KeyRange range;
  const float* row;

  double Weight(size_t j, double tau) const {
    const double x = (alpha - 1) * (row[j] - max) - tau;
    return x > 0 ? Power(x, power) : 0;
  }
  double Sum(double tau) const {
    double sum = 0;
    for (size_t j = range.begin; j < range.end; ++j) sum += Weight(j, tau);
    return sum;
  }
  // -d Sum / d tau, for the powers 1 and 2.
  double Slope(double tau) const {
    double sum = 0;
    for (size_t j = range.begin; j < range.end; ++j) {
      const double x = (alpha - 1) * (row[j] - max) - tau;
      if (x > 0) sum += power == 1 ? 1 : 2 * x;
    }
    return sum;
  }
};

// The sum is convex in tau where the power is 1 or more. From the left, Newton's steps do not pass the root.
double TauByNewton(const SparseRow& row) {
  double tau = -1;
  for (;;) {
    const double next = tau + (row.Sum(tau) - 1) / row.Slope(tau);
    if (!(next > tau)) return tau;
    tau = next;
  }
}

double TauByBisection(const SparseRow& row) {
  double low = -1, high = 0;
  for (;;) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) return low;
    (row.Sum(middle) >= 1 ? low : high) = middle;
  }
}

}  // namespace

void Entmax(double alpha, KeyRange range, float* row) {
  const float max = *std::max_element(row + range.begin, row + range.end);
  if (!std::isfinite(max)) {  // nothing that may be seen, or an infinite logit, of which the softmax is NaN too
    for (size_t j = range.begin; j < range.end; ++j) row[j] = row[j] == kMasked ? 0 : NAN;
    return;
  }
  const SparseRow sparse = {alpha, 1 / (alpha - 1), max, range, row};
  const bool exact = sparse.power == 1 || sparse.power == 2;
  const double tau = exact ? TauByNewton(sparse) : TauByBisection(sparse);
  for (size_t j = range.begin; j < range.end; ++j) row[j] = static_cast<float>(sparse.Weight(j, tau));
}

void EntmaxBackward(double alpha, const float* p, float* gradient, size_t count) {
  const auto share = [&](size_t j) { return alpha == 2 ? 1 : Power(p[j], 2 - alpha); };
  double sum = 0, product = 0;
  for (size_t j = 0; j < count; ++j) {
    if (p[j] == 0) continue;
    sum += share(j);
    product += share(j) * gradient[j];
  }
  for (size_t j = 0; j < count; ++j) {
    gradient[j] = p[j] == 0 ? 0 : static_cast<float>(share(j) * (gradient[j] - product / sum));
  }
}

}  // namespace qkv
