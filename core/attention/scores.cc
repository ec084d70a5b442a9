// The list of scores, and what all of them share.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>

#include "core/attention/score.h"
#include "core/attention/selection.h"
#include "core/kernels/matmul.h"

namespace qkv {

// One line a score.
#define QKV_SCORES(SCORE) \
  SCORE(kAdditive)        \
  SCORE(kDot)             \
  SCORE(kScaledDot)       \
  SCORE(kGeneral)         \
  SCORE(kLowRank)         \
  SCORE(kConcat)          \
  SCORE(kLocation)        \
  SCORE(kGaussian)        \
  SCORE(kCosine)          \
  SCORE(kAlibi)           \
  SCORE(kT5)              \
  SCORE(kShaw)            \
  SCORE(kLinear)

#define QKV_DECLARE(score) extern const Score score;
QKV_SCORES(QKV_DECLARE)
#define QKV_LIST(score) &score,

std::span<const Score* const> Scores() {
  static constexpr std::array kScores = {QKV_SCORES(QKV_LIST)};
  return kScores;
}

const Score* FindScore(std::string_view name) {
  for (const Score* score : Scores()) {
    if (score->name == name) return score;
  }
  return nullptr;
}

ConstRows ScoreInputs::operator[](std::string_view name) const {
  for (const Parameter& parameter : parameters) {
    if (parameter.name == name) return parameter.value.Head(parameter.value.heads == 1 ? 0 : head);
  }
  return {};
}

namespace {

std::string Shape(size_t rows, size_t columns) {
  return "[" + std::to_string(rows) + ", " + std::to_string(columns) + "]";
}

std::string ScoresForTwoSizes() {
  std::string names;
  for (const Score* score : Scores()) {
    if (!score->same_dims) names += (names.empty() ? "" : ", ") + std::string(score->name);
  }
  return names;
}

}  // namespace

const Parameter* FindParameter(std::span<const Parameter> parameters, std::string_view name) {
  const auto found =
      std::find_if(parameters.begin(), parameters.end(), [&](const Parameter& p) { return p.name == name; });
  return found == parameters.end() ? nullptr : &*found;
}

Result<void> CheckScore(const Score& score, std::span<const Parameter> parameters, size_t heads, size_t query_dim,
                        size_t key_dim, size_t keys) {
  // The sizes of queries and keys.
  const std::string name(score.name);
  if (score.same_dims && query_dim != key_dim) {
    return Error{ErrorCode::kInvalidArgument,
                 name + " needs queries and keys of one size, not " + std::to_string(query_dim) + " and " +
                     std::to_string(key_dim) + ": make them equal, or take one of " + ScoresForTwoSizes(),
                 "score"};
  }
  // Parameters that the score does not have.
  for (const Parameter& parameter : parameters) {
    const auto known = [&](const ParameterSpec& spec) { return spec.name == parameter.name; };
    if (std::none_of(score.parameters.begin(), score.parameters.end(), known)) {
      return Error{ErrorCode::kInvalidArgument, name + " has no parameter " + std::string(parameter.name),
                   std::string(parameter.name)};
    }
  }
  // Parameters that it has, and their shapes. The first one with a dimension `hidden` says how large that is.
  std::optional<size_t> hidden;
  for (const ParameterSpec& spec : score.parameters) {
    const Parameter* parameter = FindParameter(parameters, spec.name);
    if (parameter == nullptr) {
      if (spec.optional) continue;
      return Error{
          ErrorCode::kInvalidArgument,
          name + " needs the parameter " + std::string(spec.name) + ": it computes " + std::string(score.equation),
          std::string(spec.name)};
    }
    const ConstHeads& value = parameter->value;
    // The size that a dimension must have. Where the caller may choose, it is the given one if that is allowed.
    const auto wanted = [&](ParameterSize size, size_t given) -> size_t {
      if (size == ParameterSize::kQueryDim) return query_dim;
      if (size == ParameterSize::kKeyDim) return key_dim;
      if (size == ParameterSize::kBothDims) return query_dim + key_dim;
      if (size == ParameterSize::kKeysAtLeast) return std::max(given, keys);
      if (size == ParameterSize::kValueDim) return given;  // CheckAttention knows values
      if (size == ParameterSize::kOdd) return given | 1;
      if (size == ParameterSize::kOneOrTwo) return given == 2 ? 2 : 1;
      if (size == ParameterSize::kHidden) return hidden.value_or(std::max<size_t>(given, 1));
      return 1;
    };
    const size_t rows = wanted(spec.rows, value.rows);
    if (spec.rows == ParameterSize::kHidden) hidden = rows;
    const size_t columns = wanted(spec.columns, value.dim);
    if (spec.columns == ParameterSize::kHidden) hidden = columns;
    if (value.rows != rows || value.dim != columns || (value.heads != 1 && value.heads != heads)) {
      return Error{ErrorCode::kInvalidArgument,
                   name + " needs " + std::string(spec.name) + " of shape " + Shape(rows, columns) +
                       ", for all heads or for each of " + std::to_string(heads) + ", and not " +
                       std::to_string(value.heads) + " of " + Shape(value.rows, value.dim),
                   std::string(spec.name)};
    }
    for (size_t head = 0; spec.name == "temperature" && head < value.heads; ++head) {
      if (std::fabs(*value.Head(head).Row(0)) >= kLeastTemperature) continue;
      return Error{ErrorCode::kInvalidArgument, "the temperature of " + name + " must be 1e-30 or more", "temperature"};
    }
  }
  return {};
}

PackedMatrix PackRows(ConstRows weight, bool transposed) {
  if (!transposed) {
    PackedMatrix packed(weight.rows, weight.dim);
    for (size_t r = 0; r < weight.rows; ++r) packed.SetRow(r, weight.Row(r));
    return packed;
  }
  // W's columns become the packed rows.
  Vector column(static_cast<Eigen::Index>(weight.rows));
  PackedMatrix packed(weight.dim, weight.rows);
  for (size_t c = 0; c < weight.dim; ++c) {
    for (size_t r = 0; r < weight.rows; ++r) column[static_cast<Eigen::Index>(r)] = weight.Row(r)[c];
    packed.SetRow(c, column.data());
  }
  return packed;
}

ConstRows MapRows(ConstRows x, ConstRows weight, Arena& arena) {
  const PackedMatrix packed = PackRows(weight);
  float* y = arena.Floats(x.rows * weight.rows);
  Product product = Whole(packed);
  product.x = x.data;
  product.x_stride = x.stride;
  product.y = y;
  product.y_stride = weight.rows;
  Multiply(product, x.rows);
  return {y, x.rows, weight.rows, weight.rows};
}

void DivideByLength(Rows rows) {
  for (size_t r = 0; r < rows.rows; ++r) {
    float* row = rows.Row(r);
    double square = 0;  // a float's square may overflow
    for (size_t c = 0; c < rows.dim; ++c) square += static_cast<double>(row[c]) * row[c];
    const double length = square == 0 ? 1 : std::sqrt(square);
    for (size_t c = 0; c < rows.dim; ++c) row[c] = static_cast<float>(row[c] / length);
  }
}

}  // namespace qkv
