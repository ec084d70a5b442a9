// A call of attention whose numbers can be changed, and the check of a gradient by differences.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "tests/core/attention_gradients.h"
#include "tests/core/attention_random.h"

namespace qkv {

using Named = std::map<std::string, std::vector<float>>;

struct Choices {
  const Score* score = &kScaledDot;
  SelectionKind selection = SelectionKind::kSoft;
  WindowKind window = WindowKind::kGlobal;
  bool centres_given = false, bias = false, causal = false, mask_used = false, per_head = true;
  float temperature = 1.25f;
  ProblemSizes sizes = {
      .heads = 4, .key_heads = 2, .queries = 7, .keys = 11, .query_dim = 6, .key_dim = 6, .value_dim = 5};
};

// A call of attention. Each of its numbers can be changed.
class Changeable {
 public:
  explicit Changeable(const Choices& choices, uint32_t seed = 1) : c_(choices), seed_(seed * 100) {
    const ProblemSizes& s = c_.sizes;
    const size_t heads = c_.per_head ? s.heads : 1;
    Add("query", s.heads * s.queries * s.query_dim);
    Add("key", s.key_heads * s.keys * s.key_dim);
    Add("value", s.key_heads * s.keys * s.value_dim);
    for (const ParameterSpec& spec : c_.score->parameters) {
      const size_t rows = Number(spec.rows), columns = Number(spec.columns);
      const bool scalar = rows * columns == 1 && spec.optional;
      std::vector<float>& values = Add(std::string(spec.name), heads * rows * columns, scalar ? 0.25f : 1);
      for (float& value : values) value += scalar ? 0.75f : 0;
      parameters_.push_back({spec.name, Dense<const float>(values.data(), heads, rows, columns)});
    }
    call_.score = c_.score;
    call_.parameters = parameters_;
    call_.selection = {c_.selection, c_.temperature, 7};
    call_.mask.causal = c_.causal;
    call_.mask.first_query = 2;
    call_.mask_used = c_.mask_used;
    call_.window.kind = c_.window;
    call_.window.half_width = 3;
    if (c_.window == WindowKind::kLocalP && c_.centres_given) {
      std::vector<float>& centres = Add("centres", heads * s.queries, static_cast<float>(s.keys) / 2);
      for (float& centre : centres) centre += static_cast<float>(s.keys) / 2;
      call_.window.centres = Dense<const float>(centres.data(), heads, s.queries, 1);
    } else if (c_.window == WindowKind::kLocalP) {
      call_.window.W_p = Dense<const float>(Add("W_p", heads * 3 * s.query_dim).data(), heads, 3, s.query_dim);
      call_.window.v_p = Dense<const float>(Add("v_p", heads * 3).data(), heads, 1, 3);
    }
    if (c_.bias) {
      call_.mask.bias_head_stride = c_.per_head ? s.queries * s.keys : 0;
      call_.mask.bias = Add("bias", heads * s.queries * s.keys).data();
    }
    Add("output gradient", s.heads * s.queries * s.value_dim);
  }
  Changeable(const Changeable&) = delete;
  Changeable& operator=(const Changeable&) = delete;

  Attention& call() { return call_; }
  Named& x() { return x_; }
  AttentionInputs In() {
    const ProblemSizes& s = c_.sizes;
    return {Dense<const float>(x_["query"].data(), s.heads, s.queries, s.query_dim),
            Dense<const float>(x_["key"].data(), s.key_heads, s.keys, s.key_dim),
            Dense<const float>(x_["value"].data(), s.key_heads, s.keys, s.value_dim)};
  }
  AttentionLoss Loss() {
    AttentionLoss loss;
    loss.output = LikeOutput(In(), x_["output gradient"]);
    return loss;
  }
  double LossOfForward() {
    const AttentionOutcome out = Attended(call_, In(), /*keep=*/false);
    double loss = 0;
    for (size_t i = 0; i < x_["output gradient"].size(); ++i) {
      loss += static_cast<double>(out.output.read().data()[i]) * x_["output gradient"][i];
    }
    return loss;
  }
  // The loss jumps where a key crosses a window's edge, and where another value becomes the largest of a pooled column.
  // Returns whether every key and value is too far from such a place for one step to reach it.
  bool ClearOfEdges() {
    if (call_.window.kind != WindowKind::kLocalP) return true;
    if (call_.selection.kind == SelectionKind::kMaxPool && HasNearValues()) return false;
    const std::vector<float> centres = Attended(call_, In()).centres;
    return std::all_of(centres.begin(), centres.end(), [](float c) { return std::abs(c - std::round(c)) > 0.02f; });
  }
  Named Backward(size_t threads = 1) { return Gradients(call_, In(), Loss(), threads); }

 private:
  bool HasNearValues() {
    const AttentionInputs in = In();
    for (size_t head = 0; head < in.value.heads; ++head) {
      const ConstRows rows = in.value.Head(head);
      for (size_t c = 0; c < rows.dim; ++c) {
        for (size_t j = 0; j < rows.rows; ++j) {
          for (size_t i = 0; i < j; ++i) {
            if (std::abs(rows.Row(i)[c] - rows.Row(j)[c]) < 0.006f) return true;
          }
        }
      }
    }
    return false;
  }
  size_t Number(ParameterSize size) const {
    return size == ParameterSize::kKeysAtLeast ? c_.sizes.keys + 1 : NumberOf(size, c_.sizes);
  }
  std::vector<float>& Add(const std::string& name, size_t size, float factor = 1) {
    std::vector<float>& values = x_[name];
    values.resize(size);
    ++seed_;
    for (size_t i = 0; i < size; ++i) values[i] = factor * GeneratedValue(seed_, static_cast<uint32_t>(i));
    return values;
  }

  Choices c_;
  uint32_t seed_;
  Named x_;
  std::vector<Parameter> parameters_;
  Attention call_;
};

inline double Dot(const std::vector<float>& a, const std::vector<float>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// Expects the slope along g / |g| + r / |r|, with random r, to be within 1e-2 of `gradients`, by central differences.
inline void ExpectSlope(Named& x, const Named& gradients, const std::function<double()>& loss, double step = 2e-3) {
  Named random;
  double g_norm = 0, r_norm = 0;
  uint32_t seed = 5000;
  for (const auto& [name, g] : gradients) {
    std::vector<float>& r = random[name];
    for (size_t i = 0; i < g.size(); ++i) r.push_back(GeneratedValue(seed, static_cast<uint32_t>(i)));
    ++seed;
    g_norm += Dot(g, g);
    r_norm += Dot(r, r);
  }
  g_norm = std::sqrt(g_norm);
  r_norm = std::sqrt(r_norm);
  ASSERT_GT(g_norm, 0);
  const Named start = x;
  // The slope along the step after float32 has rounded it.
  double slope = 0, at[2] = {};
  for (const int side : {1, -1}) {
    for (const auto& [name, g] : gradients) {
      for (size_t i = 0; i < g.size(); ++i) {
        const float from = start.at(name)[i];
        x[name][i] = from + static_cast<float>(side * step * (g[i] / g_norm + random[name][i] / r_norm));
        slope += side * static_cast<double>(g[i]) * (static_cast<double>(x[name][i]) - from);
      }
    }
    at[side > 0 ? 0 : 1] = loss();
  }
  for (const auto& [name, values] : start) std::copy(values.begin(), values.end(), x[name].begin());
  EXPECT_NEAR(at[0] - at[1], slope, 1e-2 * std::abs(slope));
  EXPECT_GT(std::abs(slope), step * g_norm / 2);
}

}  // namespace qkv
