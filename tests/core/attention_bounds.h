// How far from the exact result float32 may be, for each score. With unit u = 2^-24 and Gamma(n) = n u / (1 - n u), a
// sum of n products in any order is off by at most Gamma(n) sum |x_c y_c| (Higham 2002, section 3.1), and bounds of
// parts add:
//
//   dot                       Gamma(d) |q|'|k|
//   scaled-dot                Gamma(d + 3) |q|'|k| / sqrt(d)             the scale has two roundings, its product one
//   alibi                     scaled-dot's, and 16 u slope |t - j| + u |score|: 2^x of a rounded x <= 8, two products
//   t5                        dot's, and u |score| of adding the number of the distance
//   shaw                      Gamma(d + 5) (|q|'|k| + |q|'|a|) / sqrt(d), |a| the largest of its column
//   linear                    Gamma(d + 5) + u |score|: features and products are above 0, each with a relative error
//   general                   Gamma(dq + dk) |q|'|W||k|
//   low-rank                  Gamma(dq + dk + r) (|U||k|)'(|V||q|)
//   location                  Gamma(dq) |W||q|
//   additive, concat          sum_c |w_c| (e_c + 8 u) + Gamma(n + 1) sum_c |w_c|,
//                             e = Gamma(dq + dk + 1) (|W_q||q| + |W_k||k|); tanh is 1-Lipschitz, and computed to 8 u
//   gaussian                  differences x_c of roundings w q_c and w k_c (none if w is 1): with
//                             e_c = u (|w q_c| + |w k_c| + |x_c|), sum_c (|x_c| e_c + e_c^2 / 2) + Gamma(d + 2) |score|
//   cosine                    Gamma(d + 5) |q|'|k| / (|q||k| temperature)  lengths are in double, their quotients round
//
// |x| is by element. `Size` is the same bound's measure of the score itself: |score| <= Size.
#pragma once

#include <cmath>
#include <string_view>
#include <vector>

#include "tests/core/attention_goldens.h"

namespace qkv {

// |W| |x|
inline std::vector<double> AbsoluteProduct(ConstRows w, const float* x) {
  std::vector<double> y(w.rows, 0.0);
  for (size_t r = 0; r < w.rows; ++r) {
    for (size_t c = 0; c < w.dim; ++c) y[r] += std::abs(static_cast<double>(w.Row(r)[c]) * x[c]);
  }
  return y;
}

class ScoreBounds {
 public:
  ScoreBounds(const AttentionProblem& problem, size_t head) : p_(problem), head_(head) {
    const std::string_view name = p_.score->name;
    const size_t dq = p_.query_dim, dk = p_.key_dim;
    if (name == "additive" || name == "concat") {
      const bool joined = name == "concat";
      const ConstRows w = p_.parameters.Of("W", head), v = p_.parameters.Of(joined ? "v" : "w_v", head);
      const ConstRows w_q = joined ? ConstRows{w.data, w.rows, dq, w.stride} : p_.parameters.Of("W_q", head);
      const ConstRows w_k = joined ? ConstRows{w.data + dq, w.rows, dk, w.stride} : p_.parameters.Of("W_k", head);
      for (size_t c = 0; c < v.dim; ++c) weights_.push_back(std::abs(static_cast<double>(v.data[c])));
      Map(w_q, w_k);
    } else if (name == "low-rank") {
      Map(p_.parameters.Of("V", head), p_.parameters.Of("U", head));
    } else if (name == "location") {
      for (size_t i = 0; i < p_.queries; ++i) {
        queries_.push_back(AbsoluteProduct(p_.parameters.Of("W", head), p_.Query(head, i)));
      }
    } else if (name == "general") {
      const ConstRows w = p_.parameters.Of("W", head);
      for (size_t i = 0; i < p_.queries; ++i) {
        queries_.emplace_back(dk, 0.0);
        for (size_t r = 0; r < dq; ++r) {
          for (size_t c = 0; c < dk; ++c) {
            queries_[i][c] += std::abs(static_cast<double>(p_.Query(head, i)[r]) * w.Row(r)[c]);
          }
        }
      }
    }
  }

  double Size(size_t i, size_t j) const {
    const std::string_view name = p_.score->name;
    const float *q = p_.Query(head_, i), *k = p_.Key(head_, j);
    double size = 0;
    if (!weights_.empty()) {
      for (const double w : weights_) size += w;
    } else if (name == "low-rank") {
      for (size_t r = 0; r < queries_[i].size(); ++r) size += queries_[i][r] * keys_[j][r];
    } else if (name == "location") {
      size = queries_[i][j];
    } else if (name == "general") {
      for (size_t c = 0; c < p_.key_dim; ++c) size += queries_[i][c] * std::abs(k[c]);
    } else if (name == "gaussian") {
      for (size_t c = 0; c < p_.key_dim; ++c) size += Squared(Scalar("w", 1) * (static_cast<double>(q[c]) - k[c])) / 2;
    } else if (name == "linear") {
      double product = 0;
      for (size_t c = 0; c < p_.key_dim; ++c) product += Feature(q[c]) * Feature(k[c]);
      size = std::abs(std::log(product));
    } else {
      for (size_t c = 0; c < p_.key_dim; ++c) size += std::abs(static_cast<double>(q[c]) * k[c]);
      if (name == "t5") size += Largest("b");
      for (size_t c = 0; c < p_.key_dim && name == "shaw"; ++c) {
        size += std::abs(static_cast<double>(q[c])) * Largest("A_k", c);
      }
      if (name == "cosine") size /= Length(q) * Length(k) * Scalar("temperature", 1);
      if (name == "scaled-dot" || name == "alibi" || name == "shaw") size /= std::sqrt(static_cast<double>(p_.key_dim));
      if (name == "alibi") size += Distance(i, j);
    }
    return size;
  }

  double Error(size_t i, size_t j) const {
    const std::string_view name = p_.score->name;
    const size_t dq = p_.query_dim, dk = p_.key_dim;
    const double size = Size(i, j), tiny = 1e-37;
    if (!weights_.empty()) {
      double error = Gamma(weights_.size() + 1) * size;
      for (size_t c = 0; c < weights_.size(); ++c) {
        error += weights_[c] * (Gamma(dq + dk + 1) * (queries_[i][c] + keys_[j][c]) + 8 * kUnit);
      }
      return error + tiny;
    }
    if (name == "gaussian") return GaussianError(i, j) + Gamma(dk + 2) * size + tiny;
    if (name == "alibi") return Gamma(dk + 3) * size + kUnit * (16 * Distance(i, j) + size) + tiny;
    if (name == "low-rank") return Gamma(dq + dk + queries_[i].size()) * size + tiny;
    if (name == "general") return Gamma(dq + dk) * size + tiny;
    if (name == "location") return Gamma(dq) * size + tiny;
    if (name == "scaled-dot") return Gamma(dk + 3) * size + tiny;
    if (name == "t5") return Gamma(dk) * size + 2 * kUnit * size + tiny;
    if (name == "shaw") return Gamma(dk + 5) * size + tiny;
    if (name == "linear") return Gamma(dk + 5) + kUnit * size + tiny;
    if (name == "cosine") return Gamma(dk + 5) * size + tiny;
    EXPECT_EQ(name, "dot");
    return Gamma(dk) * size + tiny;
  }

 private:
  static double Squared(double x) { return x * x; }
  static double Feature(double x) { return x > 0 ? x + 1 : std::exp(x); }

  // The largest number of a parameter, or of one of its columns.
  double Largest(std::string_view name) const {
    double largest = 0;
    for (size_t c = 0; c < p_.parameters.Of(name, head_).dim; ++c) largest = std::max(largest, Largest(name, c));
    return largest;
  }
  double Largest(std::string_view name, size_t column) const {
    const ConstRows rows = p_.parameters.Of(name, head_);
    double largest = 0;
    for (size_t r = 0; r < rows.rows; ++r) largest = std::max<double>(largest, std::abs(rows.Row(r)[column]));
    return largest;
  }

  void Map(ConstRows w_q, ConstRows w_k) {
    for (size_t i = 0; i < p_.queries; ++i) queries_.push_back(AbsoluteProduct(w_q, p_.Query(head_, i)));
    for (size_t j = 0; j < p_.keys; ++j) keys_.push_back(AbsoluteProduct(w_k, p_.Key(head_, j)));
  }

  double Scalar(std::string_view name, double fallback) const {
    const ConstRows parameter = p_.parameters.Of(name, head_);
    return parameter.data != nullptr ? *parameter.data : fallback;
  }

  double Length(const float* x) const {
    double square = 0;
    for (size_t c = 0; c < p_.key_dim; ++c) square += Squared(x[c]);
    return std::sqrt(square);
  }

  double Distance(size_t i, size_t j) const {
    const double fallback = std::exp2(-8 * static_cast<double>(head_ + 1) / static_cast<double>(p_.heads));
    const double t = static_cast<double>(p_.first_query + i);
    return Scalar("slope", fallback) * std::abs(t - static_cast<double>(j));
  }

  double GaussianError(size_t i, size_t j) const {
    const double w = Scalar("w", 1);
    double error = 0;
    for (size_t c = 0; c < p_.key_dim; ++c) {
      const double q = w * p_.Query(head_, i)[c], k = w * p_.Key(head_, j)[c], x = std::abs(q - k);
      const double e = kUnit * (x + (w == 1 ? 0 : std::abs(q) + std::abs(k)));
      error += x * e + e * e / 2;
    }
    return error;
  }

  const AttentionProblem& p_;
  size_t head_;
  std::vector<std::vector<double>> queries_, keys_;  // sums of absolute terms, by query and by key
  std::vector<double> weights_;                      // |w_v| or |v|
};

}  // namespace qkv
