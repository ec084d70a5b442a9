#include "core/layers/attention_layer.h"

#include <algorithm>
#include <string>

#include "core/attention/memory.h"
#include "core/base/tape.h"

namespace qkv {
namespace {

size_t Outputs(const Linear& linear, size_t inputs) {
  return linear.weight.outputs() != 0 ? linear.weight.outputs() : inputs;
}

ConstMatrixView Project(Context& ctx, const Linear& linear, ConstMatrixView x) {
  return linear.weight.outputs() != 0 ? View(Forward(ctx, linear, x)) : x;
}

Result<void> CheckLinear(const Linear& linear, size_t inputs, const char* where) {
  if (linear.weight.outputs() == 0 || linear.weight.inputs() == inputs) return {};
  return Error{ErrorCode::kInvalidArgument,
               "its weight has " + std::to_string(linear.weight.inputs()) + " columns, and what it projects has " +
                   std::to_string(inputs),
               where};
}

Result<size_t> HeadSize(size_t columns, size_t heads, const char* where) {
  if (heads != 0 && columns % heads == 0 && columns != 0) return columns / heads;
  return Error{ErrorCode::kInvalidArgument,
               std::to_string(columns) + " columns do not divide into " + std::to_string(heads) + " heads", where};
}

ConstHeads Split(ConstMatrixView x, size_t heads) {
  return SideBySide(x.data(), heads, static_cast<size_t>(x.rows()), static_cast<size_t>(x.cols()) / heads);
}

void Append(std::vector<float>& rows, ConstMatrixView more) {
  rows.insert(rows.end(), more.data(), more.data() + more.size());
}

// All rows of a memory that ends in `last`. A later call may move the memory, so a tape reads a copy. The copy's last
// rows pass their gradient to `last`; earlier rows are constants, as in Transformer-XL (Dai et al. 2019).
ConstMatrixView Remembered(Context& ctx, const std::vector<float>& rows, ConstMatrixView last) {
  const ConstMatrixView all = {rows.data(), static_cast<Eigen::Index>(rows.size()) / last.cols(), last.cols()};
  Tape* tape = ctx.Recording();
  if (tape == nullptr) return all;
  MatrixView copy = ctx.New(all.rows(), all.cols());
  std::copy_n(all.data(), all.size(), copy.data());
  tape->Record(View(copy), [tape, copy, last] {
    const float* from = tape->Gradient(copy.data()) + copy.size() - last.size();
    float* to = tape->Gradient(last.data());
    for (Eigen::Index i = 0; i < last.size() && to != nullptr; ++i) to[i] += from[i];
  });
  return View(copy);
}

}  // namespace

Result<void> CheckAttentionLayer(const AttentionLayer& layer, ConstMatrixView query, ConstMatrixView key,
                                 ConstMatrixView value, const AttentionMemory* memory) {
  const auto columns = [](ConstMatrixView x) { return static_cast<size_t>(x.cols()); };
  QKV_CHECK(CheckLinear(layer.query, columns(query), "query"));
  QKV_CHECK(CheckLinear(layer.key, columns(key), "key"));
  QKV_CHECK(CheckLinear(layer.value, columns(value), "value"));
  if (key.rows() != value.rows()) return Error{ErrorCode::kInvalidArgument, "there is one value for each key", "value"};
  const size_t key_columns = Outputs(layer.key, columns(key)), value_columns = Outputs(layer.value, columns(value));
  QKV_TRY(const size_t query_dim, HeadSize(Outputs(layer.query, columns(query)), layer.heads, "heads"));
  QKV_TRY(const size_t key_dim, HeadSize(key_columns, layer.key_heads, "keyHeads"));
  QKV_TRY(const size_t value_dim, HeadSize(value_columns, layer.key_heads, "keyHeads"));
  QKV_CHECK(CheckLinear(layer.output, layer.heads * value_dim, "output"));
  auto rows = static_cast<size_t>(key.rows());
  if (memory != nullptr) {
    if (memory->keys.size() != memory->rows * key_columns || memory->values.size() != memory->rows * value_columns) {
      return Error{ErrorCode::kInvalidArgument, "the memory belongs to a layer of other sizes", "memory"};
    }
    rows += memory->rows;
  }
  // A pointer that is not null; only shapes are read.
  constexpr float kAny = 0;
  return CheckAttention(layer.attention,
                        {Dense(&kAny, layer.heads, static_cast<size_t>(query.rows()), query_dim),
                         Dense(&kAny, layer.key_heads, rows, key_dim), Dense(&kAny, layer.key_heads, rows, value_dim)});
}

uint64_t ForwardMemoryNeed(const AttentionLayer& layer, ConstMatrixView query, ConstMatrixView key,
                           ConstMatrixView value, const AttentionMemory* memory) {
  const auto rows = static_cast<uint64_t>(query.rows()), more = static_cast<uint64_t>(key.rows());
  const uint64_t keys = more + (memory != nullptr ? memory->rows : 0);
  const size_t query_columns = Outputs(layer.query, static_cast<size_t>(query.cols()));
  const size_t key_columns = Outputs(layer.key, static_cast<size_t>(key.cols()));
  const size_t value_columns = Outputs(layer.value, static_cast<size_t>(value.cols()));
  const uint64_t context = uint64_t{value_columns / layer.key_heads} * layer.heads;
  constexpr uint64_t kLines = 5 * 16;  // each of five arrays begins at a cache line
  uint64_t floats = rows * (query_columns + 2 * std::max<uint64_t>(context, layer.output.weight.outputs()));
  floats += more * (key_columns + value_columns) + kLines;
  // a growing vector exists twice for a moment
  if (memory != nullptr) floats += 3 * keys * (key_columns + value_columns);
  constexpr float kAny = 0;
  const AttentionInputs in = {Dense(&kAny, layer.heads, rows, query_columns / layer.heads),
                              Dense(&kAny, layer.key_heads, keys, key_columns / layer.key_heads),
                              Dense(&kAny, layer.key_heads, keys, value_columns / layer.key_heads)};
  return floats * sizeof(float) + AttendMemory(layer.attention, in);
}

MatrixView Forward(Context& ctx, const AttentionLayer& layer, ConstMatrixView query, ConstMatrixView key,
                   ConstMatrixView value, AttentionMemory* memory, const AttentionRecord& record) {
  const ConstMatrixView q = Project(ctx, layer.query, query), k = Project(ctx, layer.key, key),
                        v = Project(ctx, layer.value, value);
  AttentionInputs in = {Split(q, layer.heads), Split(k, layer.key_heads), Split(v, layer.key_heads)};
  Attention attention = layer.attention;
  if (memory != nullptr) {
    attention.mask.first_query = memory->rows;
    Append(memory->keys, k);
    Append(memory->values, v);
    memory->rows += static_cast<size_t>(k.rows());
    in.key = Split(Remembered(ctx, memory->keys, k), layer.key_heads);
    in.value = Split(Remembered(ctx, memory->values, v), layer.key_heads);
  }
  MatrixView context = ctx.New(q.rows(), static_cast<Eigen::Index>(layer.heads * in.value.dim));
  Attend(ctx, attention, in, SideBySide(context.data(), layer.heads, in.query.rows, in.value.dim), record);
  return layer.output.weight.outputs() != 0 ? Forward(ctx, layer.output, View(context)) : context;
}

}  // namespace qkv
