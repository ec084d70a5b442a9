#include "core/attention/attention.h"

#include <cmath>
#include <string>

#include "core/attention/entmax.h"

namespace qkv {
namespace {

Error Invalid(std::string message, std::string where) {
  return {ErrorCode::kInvalidArgument, std::move(message), std::move(where)};
}

}  // namespace

Result<void> CheckAttention(const Attention& attention, const AttentionInputs& in) {
  // Shapes.
  const ConstHeads &query = in.query, &key = in.key, &value = in.value;
  if (query.heads == 0 || query.dim == 0) return Invalid("queries need at least one head and one column", "query");
  if (key.heads == 0 || key.dim == 0) return Invalid("keys need at least one head and one column", "key");
  if (query.heads % key.heads != 0) {
    return Invalid("the number of key heads must divide the number of query heads, but " + std::to_string(key.heads) +
                       " does not divide " + std::to_string(query.heads),
                   "key");
  }
  if (value.data != nullptr && (value.heads != key.heads || value.rows != key.rows || value.dim == 0)) {
    return Invalid("each key needs one value: " + std::to_string(key.heads) + " heads of " + std::to_string(key.rows) +
                       " rows, but got " + std::to_string(value.heads) + " heads of " + std::to_string(value.rows),
                   "value");
  }
  // The selection.
  if (attention.selection.kind == SelectionKind::kMaxPool && value.data == nullptr) {
    return Invalid("max pooling needs values", "value");
  }
  if (!(attention.selection.temperature >= kLeastTemperature) || !std::isfinite(attention.selection.temperature)) {
    return Invalid("the temperature must be 1e-30 or more; its limit at 0 is the selection argmax", "temperature");
  }
  if (attention.selection.kind == SelectionKind::kEntmax &&
      !(attention.selection.alpha >= 1 && attention.selection.alpha <= kLargestAlpha)) {
    return Invalid("alpha must be from 1, which is the softmax, to 3; 2 is sparsemax", "alpha");
  }
  // The score and its parameters; the window.
  QKV_CHECK(CheckScore(*attention.score, attention.parameters, query.heads, query.dim, key.dim, key.rows));
  if (const Parameter* of_values = FindParameter(attention.parameters, "A_v");
      of_values != nullptr && value.data != nullptr && of_values->value.dim != value.dim) {
    return Invalid("A_v needs as many columns as values: " + std::to_string(value.dim), "A_v");
  }
  return CheckWindow(attention.window, query.heads, query.rows, query.dim);
}

}  // namespace qkv
