#include "core/attention/window.h"

#include <cmath>

#include "core/base/exponential.h"

namespace qkv {

double PlaceOf(double logit, double keys) { return keys / (1 + Exponential(-logit)); }
double PlaceSlope(double place, double keys) { return place * (1 - place / keys); }

double PredictPlace(ConstRows W, const float* v, const float* q, double keys, double* hidden) {
  double sum = 0;
  for (size_t r = 0; r < W.rows; ++r) {
    double product = 0;
    for (size_t c = 0; c < W.dim; ++c) product += static_cast<double>(W.Row(r)[c]) * q[c];
    const double tanh = 1 - 2 / (Exponential(2 * product) + 1);
    if (hidden != nullptr) hidden[r] = tanh;
    sum += v[r] * tanh;
  }
  return PlaceOf(sum, keys);
}

double Centre(const Window& window, size_t head, size_t query, size_t t, const float* q, size_t keys) {
  if (window.kind == WindowKind::kLocalP) {
    if (window.centres.data != nullptr) return *OfHead(window.centres, head).Row(query);
    return PredictPlace(OfHead(window.W_p, head), OfHead(window.v_p, head).data, q, static_cast<double>(keys));
  }
  return static_cast<double>(std::min(t, keys - 1));
}

KeyRange WindowRange(const Window& window, double centre, size_t keys) {
  if (window.kind == WindowKind::kGlobal || std::isnan(centre)) return {0, keys};
  const double last = static_cast<double>(keys);
  const double begin = std::clamp(std::ceil(centre - window.half_width), 0.0, last);
  const double end = std::clamp(std::floor(centre + window.half_width) + 1, begin, last);
  return {static_cast<size_t>(begin), static_cast<size_t>(end)};
}

float Gaussian(const Window& window, double centre, size_t key) {
  if (window.kind != WindowKind::kLocalP) return 1;
  const double sigma = window.half_width / 2, distance = (static_cast<double>(key) - centre) / sigma;
  return static_cast<float>(Exponential(-distance * distance / 2));
}

void ApplyGaussian(const Window& window, double centre, KeyRange range, float* row) {
  if (window.kind != WindowKind::kLocalP) return;
  for (size_t j = range.begin; j < range.end; ++j) row[j] *= Gaussian(window, centre, j);
}

Result<void> CheckWindow(const Window& window, size_t heads, size_t queries, size_t query_dim) {
  const auto error = [](const char* message, const char* where) {
    return Error{ErrorCode::kInvalidArgument, message, where};
  };
  // The numbers: sinks and the half-width.
  if (window.sinks != 0 && window.kind != WindowKind::kLocalM) {
    return error("sinks are the first keys beside the window local-m: take that window", "sinks");
  }
  if (window.kind == WindowKind::kGlobal) return {};
  if (!(window.half_width >= 0)) return error("the window's half-width must be 0 or more", "halfWidth");
  if (window.kind == WindowKind::kLocalM) return {};
  if (window.half_width == 0)
    return error("the half-width of local-p must be above 0: it is twice the Gaussian's sigma", "halfWidth");
  // Where the centres of local-p come from: given, or predicted by W_p and v_p.
  const auto fits = [&](const ConstHeads& p, size_t rows, size_t dim) {
    return p.data != nullptr && p.rows == rows && p.dim == dim && (p.heads == 1 || p.heads == heads);
  };
  if (window.centres.data != nullptr) {
    if (fits(window.centres, queries, 1)) return {};
    return error("centres must hold one number for each query, for all heads or for each head", "centres");
  }
  if (window.W_p.data == nullptr) return error("local-p needs W_p and v_p, or centres", "W_p");
  if (!fits(window.W_p, window.W_p.rows, query_dim))
    return error("W_p must be [n, query dim], for all heads or for each head", "W_p");
  if (!fits(window.v_p, 1, window.W_p.rows)) return error("v_p must have one number for each row of W_p", "v_p");
  return {};
}

}  // namespace qkv
