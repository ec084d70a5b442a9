// Local attention (Luong et al. 2015, section 3.2): a query looks at keys within D of a place p in the source.
#pragma once

#include <string_view>

#include "core/attention/heads.h"
#include "core/attention/mask.h"
#include "core/base/error.h"

namespace qkv {

enum class WindowKind {
  kGlobal,
  kLocalM,  // monotonic: p_t = min(t, S - 1)
  kLocalP,  // predictive: p_t = S sigmoid(v_p' tanh(W_p q_t)), and weights times exp(-(s - p_t)^2 / (2 (D / 2)^2))
};

// In the order of WindowKind: their names in every list.
inline constexpr std::string_view kWindowNames[] = {"global", "local-m", "local-p"};

struct Window {
  WindowKind kind = WindowKind::kGlobal;
  double half_width = 0;  // D, in positions; above 0 for local-p
  // Of local-p: [1 or heads, n, query dim] and [1 or heads, 1, n]; or instead of them the places themselves,
  // [1 or heads, queries, 1].
  ConstHeads W_p, v_p, centres;
};

// p of a query whose place is t, among `keys` keys. `q` is its row.
double Centre(const Window& window, size_t head, size_t query, size_t t, const float* q, size_t keys);

// The keys within D of `centre`; all of them where the window is global. NaN sees all: its row is NaN anyway.
KeyRange Range(const Window& window, double centre, size_t keys);

// The Gaussian of local-p, on weights; row[j] is key j's. They are not normalised again: a row need not sum to 1.
void Weigh(const Window& window, double centre, KeyRange range, float* row);

// Shapes fit.
Result<void> CheckWindow(const Window& window, size_t heads, size_t queries, size_t query_dim);

}  // namespace qkv
