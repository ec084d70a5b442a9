#include "core/attention/linear.h"

#include <algorithm>
#include <string>

#include "core/attention/feature_map.h"

namespace qkv {
namespace {

// The sums of one head: [key dim, value dim + 1], z in the last column.
class Sums {
 public:
  Sums(double* data, size_t keys, size_t values) : data_(data), keys_(keys), values_(values) {}

  // S += a b', z += a last.
  void Add(const double* a, const double* b, double last) {
    for (size_t r = 0; r < keys_; ++r) {
      double* row = data_ + r * (values_ + 1);
      for (size_t c = 0; c < values_; ++c) row[c] += a[r] * b[c];
      row[values_] += a[r] * last;
    }
  }
  // y = [S z]'a, [value dim + 1]
  void Down(const double* a, double* y) const {
    std::fill_n(y, values_ + 1, 0.0);
    for (size_t r = 0; r < keys_; ++r) {
      const double* row = data_ + r * (values_ + 1);
      for (size_t c = 0; c <= values_; ++c) y[c] += a[r] * row[c];
    }
  }
  // y = S b + z last, [key dim]
  void Across(const double* b, double last, double* y) const {
    for (size_t r = 0; r < keys_; ++r) {
      const double* row = data_ + r * (values_ + 1);
      y[r] = row[values_] * last;
      for (size_t c = 0; c < values_; ++c) y[r] += row[c] * b[c];
    }
  }

 private:
  double* data_;
  size_t keys_, values_;
};

void Features(const float* x, size_t size, double* to) {
  for (size_t c = 0; c < size; ++c) to[c] = static_cast<double>(Feature(x[c]));
}

// The backward of one head. dN and dD are the gradients of the numerator S'phi(q) and the denominator z'phi(q).
class HeadBackward {
 public:
  HeadBackward(ConstRows q, ConstRows k, ConstRows v, ConstRows dy, bool causal)
      : q_(q),
        k_(k),
        v_(v),
        dy_(dy),
        causal_(causal),
        width_(v.dim + 1),
        feature_(k.dim),
        of_feature_(k.dim),
        row_(width_),
        of_sums_(q.rows * width_) {}

  void Run(Rows to_q, Rows to_k, Rows to_v) {
    Queries(to_q);
    Keys(to_k, to_v);
  }

 private:
  // The gradient of phi(q) is S dN + z dD, with the sums S and z that the query saw.
  void Queries(Rows to) {
    std::vector<double> data(k_.dim * width_);
    Sums sums(data.data(), k_.dim, v_.dim);
    for (size_t j = 0; j < k_.rows && !causal_; ++j) Read(sums, j);
    for (size_t i = 0; i < q_.rows; ++i) {
      if (causal_) Read(sums, i);
      double* d = of_sums_.data() + i * width_;
      Features(q_.Row(i), q_.dim, feature_.data());
      sums.Down(feature_.data(), row_.data());
      const double total = row_[v_.dim];
      if (total == 0) continue;  // it has seen nothing
      double product = 0;
      for (size_t c = 0; c < v_.dim; ++c) {
        d[c] = static_cast<double>(dy_.Row(i)[c]) / total;
        product += d[c] * row_[c];
      }
      d[v_.dim] = -product / total;
      sums.Across(d, d[v_.dim], of_feature_.data());
      Pass(q_.Row(i), i, to);
    }
  }

  // Over the queries that see a key, let G = sum phi(q) dN' and h = sum phi(q) dD. The gradient of phi(k) is G v + h,
  // and that of v is G'phi(k).
  void Keys(Rows to_k, Rows to_v) {
    std::vector<double> data(k_.dim * width_), value(width_);
    Sums query_sums(data.data(), k_.dim, v_.dim);
    const auto ask = [&](size_t i) {
      const double* d = of_sums_.data() + i * width_;
      Features(q_.Row(i), q_.dim, feature_.data());
      query_sums.Add(feature_.data(), d, d[v_.dim]);
    };
    for (size_t i = 0; i < q_.rows && !causal_; ++i) ask(i);
    for (size_t j = k_.rows; j-- > 0;) {
      if (causal_) ask(j);
      std::copy_n(v_.Row(j), v_.dim, row_.data());
      query_sums.Across(row_.data(), 1, of_feature_.data());
      Pass(k_.Row(j), j, to_k);
      Features(k_.Row(j), k_.dim, feature_.data());
      query_sums.Down(feature_.data(), value.data());
      for (size_t c = 0; c < v_.dim && to_v.data != nullptr; ++c) to_v.Row(j)[c] += static_cast<float>(value[c]);
    }
  }

  void Read(Sums& sums, size_t j) {
    Features(k_.Row(j), k_.dim, feature_.data());
    std::copy_n(v_.Row(j), v_.dim, row_.data());
    sums.Add(feature_.data(), row_.data(), 1);
  }

  // From the gradient of features to that of row r, which is x.
  void Pass(const float* x, size_t r, Rows to) const {
    for (size_t c = 0; c < of_feature_.size() && to.data != nullptr; ++c) {
      to.Row(r)[c] += static_cast<float>(of_feature_[c] * static_cast<double>(FeatureSlope(x[c])));
    }
  }

  ConstRows q_, k_, v_, dy_;
  bool causal_;
  size_t width_;
  std::vector<double> feature_, of_feature_, row_;
  std::vector<double> of_sums_;  // dN and dD of each query
};

}  // namespace

Result<void> CheckLinear(const AttentionInputs& in, bool causal, const LinearState& state) {
  Attention plain;
  QKV_CHECK(CheckAttention(plain, in));
  const auto invalid = [](std::string message, const char* where) {
    return Error{ErrorCode::kInvalidArgument, std::move(message), where};
  };
  if (in.value.data == nullptr)
    return invalid("linear attention computes no weights, only an output: give values", "value");
  if (causal && in.query.rows != in.key.rows) {
    return invalid("causal linear attention needs a key for each query: " + std::to_string(in.query.rows) +
                       " queries and " + std::to_string(in.key.rows) + " keys were given",
                   "key");
  }
  if (!state.empty() && state.size() != LinearStateSize(in)) {
    return invalid("the state is of " + std::to_string(state.size()) + " numbers, and these shapes have " +
                       std::to_string(LinearStateSize(in)),
                   "state");
  }
  return {};
}

void AttendLinear(const AttentionInputs& in, bool causal, LinearState& state, Heads output) {
  const size_t keys = in.key.dim, values = in.value.dim, group = in.query.heads / in.key.heads;
  state.resize(LinearStateSize(in));
  std::vector<double> feature(keys), row(values + 1);
  for (size_t head = 0; head < in.key.heads; ++head) {
    // The sums over keys that the state holds, shared by the group's query heads.
    Sums sums(state.data() + head * keys * (values + 1), keys, values);
    const ConstRows k = in.key.Head(head), v = in.value.Head(head);
    // Adds phi(k_j) [v_j, 1].
    const auto read = [&](size_t j) {
      Features(k.Row(j), keys, feature.data());
      std::copy_n(v.Row(j), values, row.data());
      sums.Add(feature.data(), row.data(), 1);
    };
    // phi(q_i) times the sums: the last column is the sum of weights, which divides the others.
    const auto ask = [&](size_t query_head, size_t i) {
      Features(in.query.Head(query_head).Row(i), keys, feature.data());
      sums.Down(feature.data(), row.data());
      float* y = output.Head(query_head).Row(i);
      for (size_t c = 0; c < values; ++c) y[c] = row[values] == 0 ? 0 : static_cast<float>(row[c] / row[values]);
    };
    // All keys first, or each just before its query.
    for (size_t j = 0; j < k.rows && !causal; ++j) read(j);
    for (size_t i = 0; i < in.query.rows; ++i) {
      if (causal) read(i);
      for (size_t h = head * group; h < (head + 1) * group; ++h) ask(h, i);
    }
  }
}

void AttendLinearBackward(const AttentionInputs& in, bool causal, ConstHeads output_gradient,
                          const LinearGradients& to) {
  for (size_t h = 0; h < in.query.heads; ++h) {
    const size_t key_head = in.KeyHead(h);
    HeadBackward(in.query.Head(h), in.key.Head(key_head), in.value.Head(key_head), output_gradient.Head(h), causal)
        .Run(to.query.Head(h), to.key.Head(key_head), to.value.Head(key_head));
  }
}

}  // namespace qkv
