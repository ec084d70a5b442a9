#include "core/kernels/gates.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/gates.cc"
#include "core/kernels/targets.h"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target:
#include "core/kernels/activation-inl.h"

HWY_BEFORE_NAMESPACE();
namespace qkv::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// 1 / (1 + e) with e = exp(-|x|), and e / (1 + e) below 0. This function and the next one are not inlined, because
// there would be eight copies.
template <class D, class V>
HWY_NOINLINE V Sigmoid(D d, V x) {
  const V one = hn::Set(d, 1.0f);
  const V e = ExpNegative(d, hn::Neg(hn::Abs(x)), [](V a, V b, V c) HWY_ATTR { return hn::Add(hn::Mul(a, b), c); });
  return hn::Div(hn::IfThenElse(hn::Lt(x, hn::Zero(d)), e, one), hn::Add(one, e));
}

template <class D, class V>
HWY_NOINLINE V TanhOnce(D d, V x) {
  return Tanh(d, x);
}

// One vector of units of one row, at gates + u, or the last few of them.
template <class D>
struct Units {
  using V = hn::Vec<D>;
  D d;
  size_t count;  // lanes in use

  V Load(const float* from) const { return count == hn::Lanes(d) ? hn::LoadU(d, from) : hn::LoadN(d, from, count); }
  void Store(V x, float* to) const {
    if (count == hn::Lanes(d)) {
      hn::StoreU(x, d, to);
    } else {
      hn::StoreN(x, d, to, count);
    }
  }
};

template <class U>
HWY_INLINE void Lstm(const U& units, size_t n, const float* a, const float* b, const float* cell, float* saved,
                     float* to_cell, float* to_hidden) {
  const auto sum = [&](size_t gate) HWY_ATTR { return hn::Add(units.Load(a + gate * n), units.Load(b + gate * n)); };
  const auto i = Sigmoid(units.d, sum(0)), f = Sigmoid(units.d, sum(1));
  const auto g = TanhOnce(units.d, sum(2)), o = Sigmoid(units.d, sum(3));
  const auto c = hn::Add(hn::Mul(f, units.Load(cell)), hn::Mul(i, g));
  const auto t = TanhOnce(units.d, c);
  units.Store(i, saved);
  units.Store(f, saved + n);
  units.Store(g, saved + 2 * n);
  units.Store(o, saved + 3 * n);
  units.Store(t, saved + 4 * n);
  units.Store(c, to_cell);
  units.Store(hn::Mul(o, t), to_hidden);
}

template <class U>
HWY_INLINE void Gru(const U& units, size_t n, const float* a, const float* b, const float* hidden, float* saved,
                    float* to_hidden) {
  const auto r = Sigmoid(units.d, hn::Add(units.Load(a), units.Load(b)));
  const auto z = Sigmoid(units.d, hn::Add(units.Load(a + n), units.Load(b + n)));
  const auto candidate = TanhOnce(units.d, hn::Add(units.Load(a + 2 * n), hn::Mul(r, units.Load(b + 2 * n))));
  units.Store(r, saved);
  units.Store(z, saved + n);
  units.Store(candidate, saved + 2 * n);
  const auto one = hn::Set(units.d, 1.0f);
  units.Store(hn::Add(hn::Mul(hn::Sub(one, z), candidate), hn::Mul(z, units.Load(hidden))), to_hidden);
}

void GatesRun(const Gates& gates, size_t begin, size_t end) {
  const hn::ScalableTag<float> d;
  const size_t n = gates.n, lanes = hn::Lanes(d), width = GatesOf(gates.kind) * n, saved = SavedOf(gates.kind) * n;
  for (size_t row = begin; row < end; ++row) {
    for (size_t u = 0; u < n; u += lanes) {
      const Units<decltype(d)> units = {d, HWY_MIN(lanes, n - u)};
      const float *a = gates.input + row * width + u, *b = gates.recurrent + row * width + u;
      const float* previous = gates.previous + row * n + u;
      float *keep = gates.saved + row * saved + u, *hidden = gates.hidden + row * n + u;
      if (gates.kind == CellKind::kLstm) {
        Lstm(units, n, a, b, previous, keep, gates.cell + row * n + u, hidden);
      } else {
        Gru(units, n, a, b, previous, keep, hidden);
      }
    }
  }
}

void SsruRun(const SsruRows& s) {
  const hn::ScalableTag<float> d;
  const size_t n = s.n, lanes = hn::Lanes(d);
  const auto one = hn::Set(d, 1.0f), zero = hn::Zero(d);
  for (size_t u = 0; u < n; u += lanes) {
    const Units<decltype(d)> units = {d, HWY_MIN(lanes, n - u)};
    // One vector of units through all rows: the cell stays in a register.
    auto cell = s.before != nullptr ? units.Load(s.before + u) : zero;
    for (size_t at = u; at < s.rows * n; at += n) {
      const auto f = Sigmoid(units.d, units.Load(s.gates + at));
      cell = hn::Add(hn::Mul(f, cell), hn::Mul(hn::Sub(one, f), units.Load(s.candidates + at)));
      units.Store(f, s.gates + at);
      units.Store(cell, s.cells + at);
      units.Store(Relu(units.d, cell), s.outputs + at);
    }
  }
}

}  // namespace qkv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qkv {

HWY_EXPORT(GatesRun);
HWY_EXPORT(SsruRun);

namespace {

constexpr size_t kUnitsPerThread = 1 << 12;

template <class Run>
void SplitRows(const Gates& gates, ThreadPool& pool, const Run& run) {
  const size_t grain = kUnitsPerThread / gates.n + 1;
  if (gates.rows <= grain) return run(size_t{0}, gates.rows);
  pool.For(gates.rows, grain, run);
}

float Sigmoid(float x) { return 1 / (1 + std::exp(-x)); }

void LstmBackward(const Gates& gates, const GateGradients& to, size_t row) {
  const size_t n = gates.n;
  const float *i = gates.saved + row * 5 * n, *f = i + n, *g = f + n, *o = g + n, *t = o + n;
  float *di = to.input + row * 4 * n, *df = di + n, *dg = df + n, *d_o = dg + n;
  for (size_t u = 0; u < n; ++u) {
    const float dh = to.hidden[row * n + u];
    // dc': the gradient from the next step, plus the one through h' = o tanh(c').
    const float dc = to.cell[row * n + u] + dh * o[u] * (1 - t[u] * t[u]);
    di[u] = dc * g[u] * i[u] * (1 - i[u]);
    df[u] = dc * gates.previous[row * n + u] * f[u] * (1 - f[u]);
    dg[u] = dc * i[u] * (1 - g[u] * g[u]);
    d_o[u] = dh * t[u] * o[u] * (1 - o[u]);
    if (to.previous != nullptr) to.previous[row * n + u] += dc * f[u];
  }
  for (size_t u = 0; u < 4 * n; ++u) to.recurrent[row * 4 * n + u] = di[u];
}

void GruBackward(const Gates& gates, const GateGradients& to, size_t row) {
  const size_t n = gates.n;
  const float *r = gates.saved + row * 3 * n, *z = r + n, *candidate = z + n;
  const float* b = gates.recurrent + row * 3 * n + 2 * n;
  float *da = to.input + row * 3 * n, *db = to.recurrent + row * 3 * n;
  for (size_t u = 0; u < n; ++u) {
    const float dh = to.hidden[row * n + u];
    // Through h' = (1 - z) n + z h, then through n = tanh(...).
    const float dn = dh * (1 - z[u]) * (1 - candidate[u] * candidate[u]);
    da[u] = db[u] = dn * b[u] * r[u] * (1 - r[u]);
    da[n + u] = db[n + u] = dh * (gates.previous[row * n + u] - candidate[u]) * z[u] * (1 - z[u]);
    da[2 * n + u] = dn;
    db[2 * n + u] = dn * r[u];
    if (to.previous != nullptr) to.previous[row * n + u] += dh * z[u];
  }
}

}  // namespace

void ComputeGates(const Gates& gates, ThreadPool& pool) {
  const auto run = HWY_DYNAMIC_POINTER(GatesRun);
  SplitRows(gates, pool, [&](size_t begin, size_t end) { run(gates, begin, end); });
}

void ComputeGatesNaive(const Gates& gates) {
  const size_t n = gates.n, width = GatesOf(gates.kind) * n, saved = SavedOf(gates.kind) * n;
  for (size_t row = 0; row < gates.rows; ++row) {
    for (size_t u = 0; u < n; ++u) {
      const float *a = gates.input + row * width + u, *b = gates.recurrent + row * width + u;
      const float previous = gates.previous[row * n + u];
      float *keep = gates.saved + row * saved + u, &hidden = gates.hidden[row * n + u];
      keep[0] = Sigmoid(a[0] + b[0]);
      keep[n] = Sigmoid(a[n] + b[n]);
      if (gates.kind == CellKind::kGru) {
        keep[2 * n] = std::tanh(a[2 * n] + keep[0] * b[2 * n]);
        hidden = (1 - keep[n]) * keep[2 * n] + keep[n] * previous;
        continue;
      }
      keep[2 * n] = std::tanh(a[2 * n] + b[2 * n]);
      keep[3 * n] = Sigmoid(a[3 * n] + b[3 * n]);
      gates.cell[row * n + u] = keep[n] * previous + keep[0] * keep[2 * n];
      keep[4 * n] = std::tanh(gates.cell[row * n + u]);
      hidden = keep[3 * n] * keep[4 * n];
    }
  }
}

void RunSsru(const SsruRows& rows) { HWY_DYNAMIC_DISPATCH(SsruRun)(rows); }

void RunSsruNaive(const SsruRows& s) {
  for (size_t i = 0; i < s.rows * s.n; ++i) {
    const float before = i >= s.n ? s.cells[i - s.n] : s.before != nullptr ? s.before[i] : 0;
    const float f = s.gates[i] = Sigmoid(s.gates[i]);
    s.cells[i] = f * before + (1 - f) * s.candidates[i];
    s.outputs[i] = std::max(s.cells[i], 0.0f);
  }
}

void SsruBackward(const SsruRows& s, const float* outputs, float* candidates, float* gates) {
  for (size_t u = 0; u < s.n; ++u) {
    float later = 0;  // the gradient of the cell by the row after
    for (size_t row = s.rows; row-- > 0;) {
      const size_t i = row * s.n + u;
      const float f = s.gates[i], before = row > 0 ? s.cells[i - s.n] : 0;
      const float cell = later + (s.cells[i] > 0 ? outputs[i] : 0);
      gates[i] += cell * (before - s.candidates[i]) * f * (1 - f);
      candidates[i] += cell * (1 - f);
      later = cell * f;
    }
  }
}

// Only products: the compiler vectorises this loop well enough.
void GatesBackward(const Gates& gates, const GateGradients& gradients, ThreadPool& pool) {
  SplitRows(gates, pool, [&](size_t begin, size_t end) {
    for (size_t row = begin; row < end; ++row) {
      if (gates.kind == CellKind::kLstm) {
        LstmBackward(gates, gradients, row);
      } else {
        GruBackward(gates, gradients, row);
      }
    }
  });
}

}  // namespace qkv
#endif  // HWY_ONCE
