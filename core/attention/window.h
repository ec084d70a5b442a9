// Local attention (Luong et al. 2015, section 3.2): a query sees the keys within D of a place p in the source.
#pragma once

#include <string_view>

#include "core/attention/heads.h"
#include "core/attention/mask.h"
#include "core/base/error.h"

namespace qkv {

enum class WindowKind {
  kGlobal,
  kLocalM,  // monotonic: p_t = min(t, S - 1)
  kLocalP,  // predictive: p_t = S sigmoid(v_p' tanh(W_p q_t)); weights times exp(-(s - p_t)^2 / (2 (D / 2)^2))
};

// Their names in lists, in the order of WindowKind.
inline constexpr std::string_view kWindowNames[] = {"global", "local-m", "local-p"};

struct Window {
  WindowKind kind = WindowKind::kGlobal;
  double half_width = 0;  // D, in positions; above 0 for local-p
  // For local-m: the first keys, which a query sees however far away its window is: attention sinks (Xiao et al. 2023).
  size_t sinks = 0;
  // For local-p: W_p [1 or heads, n, query dim] and v_p [1 or heads, 1, n]; or instead of both the centres p
  // themselves, [1 or heads, queries, 1].
  ConstHeads W_p, v_p, centres;
};

// The place p = S sigmoid(logit) among S = `keys` keys, and its slope dp / dlogit = p (1 - p / S).
double PlaceOf(double logit, double keys);
double PlaceSlope(double place, double keys);

// PlaceOf(v' tanh(W q), keys), W [n, query dim], v [n]: the predicted place. tanh(W q) is written to
// `hidden` [n], if not null.
double PredictPlace(ConstRows W, const float* v, const float* q, double keys, double* hidden = nullptr);

// This head's matrix of a parameter that all heads may share.
template <class T>
RowsOf<T> OfHead(const HeadsOf<T>& heads, size_t head) {
  return heads.Head(heads.heads == 1 ? 0 : head);
}

// p of a query with place t, among `keys` keys. `q` is its row.
double Centre(const Window& window, size_t head, size_t query, size_t t, const float* q, size_t keys);

// The keys within D of `centre`; all keys where the window is global. With a NaN centre, all: the row is NaN anyway.
KeyRange WindowRange(const Window& window, double centre, size_t keys);

// The factor of local-p's Gaussian for one key, above 0 and at most 1; 1 for other windows.
float Gaussian(const Window& window, double centre, size_t key);

// Multiplies weights by the Gaussian of local-p; row[j] is key j's. Nothing is normalised again, as in the paper: a row
// need not sum to 1.
void ApplyGaussian(const Window& window, double centre, KeyRange range, float* row);

// Checks the shapes.
Result<void> CheckWindow(const Window& window, size_t heads, size_t queries, size_t query_dim);

}  // namespace qkv
