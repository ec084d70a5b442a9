// Bindings: the attention family without a model. Tensors are {data, shape: [heads, rows, dim]}. The caller chooses
// whether vectors are rows or columns.
#include <emscripten/bind.h>

#include "core/attention/around_gap.h"
#include "core/attention/memory.h"
#include "core/layers/attention_layer.h"
#include "wasm/choices.h"
#include "wasm/memory.h"
#include "wasm/record.h"

namespace qkv::wasm {
namespace {

val ParameterValue(const ParameterSpec& spec) {
  const std::string_view shape[] = {kParameterSizeNames[static_cast<int>(spec.rows)],
                                    kParameterSizeNames[static_cast<int>(spec.columns)]};
  val value = val::object();
  SetText(value, "name", spec.name);
  Set(value, "shape", Strings(shape));
  Set(value, "optional", val(spec.optional));
  return value;
}

val ScoreList() {
  val list = val::array();
  for (const Score* score : Scores()) {
    val parameters = val::array(), value = val::object();
    for (const ParameterSpec& spec : score->parameters) Push(parameters, ParameterValue(spec));
    SetText(value, "name", score->name);
    SetText(value, "equation", score->equation);
    SetText(value, "source", score->source);
    Set(value, "sameDims", val(score->same_dims));
    Set(value, "parameters", parameters);
    Push(list, value);
  }
  return list;
}

val SelectionNames() { return Strings(kSelectionNames); }
val WindowNames() { return Strings(kWindowNames); }

// Attention: queries [heads, queries, dim], or with `spread` one head for each query.

val OutputValue(const val& request, Tensor output, const ConstHeads& query, size_t dim) {
  const bool columns = Flag(request, "columns");
  if (Flag(request, "spread")) return TensorValue(output.data, {output.data.size()});
  if (!Flag(request, "concatenate")) return MatrixValue(std::move(output), columns);
  output.heads = 1;
  output.rows = query.rows;
  output.dim = query.heads * dim;
  if (columns) output = Transposed(output);
  return TensorValue(output.data, {output.rows, output.dim});
}

Result<val> TryAttend(const val& request) {
  const bool columns = Flag(request, "columns"), spread = Flag(request, "spread");
  // The request: sizes first, then the choices and the tensors.
  QKV_CHECK(CheckMemory(static_cast<uint64_t>(Number(request, "bytes")), kGiveLess, "query"));
  Choices choices;
  QKV_CHECK(ReadChoices(request, choices));
  const AttentionInputs in = ReadInputs(request, choices);
  QKV_CHECK(CheckAttention(choices.attention, in));

  const uint64_t rows = uint64_t{in.query.heads} * in.query.rows, keys = in.key.rows;
  // With columns there are two copies of the output while it is transposed.
  const uint64_t bytes = AttendMemory(choices.attention, in);
  const uint64_t output_bytes = (columns ? 2 : 1) * rows * in.value.dim * sizeof(float);
  QKV_CHECK(CheckMemory(bytes + output_bytes + RecordBytes(request, rows, keys), kRecordLess, "record"));
  // The call. Its scratch memory is freed before the results are converted.
  Tensor output = {std::vector<float>(in.value.data != nullptr ? in.query.heads * in.query.rows * in.value.dim : 0),
                   in.query.heads, in.query.rows, in.value.dim};
  Recorded recorded;
  {
    CallArena arena(bytes);
    Context ctx = arena.context();
    const auto layout = Flag(request, "concatenate") ? SideBySide<float> : Dense<float>;
    AttendAroundGap(ctx, choices.attention, in, layout(output.data.data(), output.heads, output.rows, output.dim),
                    MakeRecord(request, static_cast<size_t>(rows), in.key.rows, recorded));
  }
  // The results. Queries that are heads become the rows of one head.
  val result = val::object();
  if (in.value.data != nullptr) {
    Set(result, "output", OutputValue(request, std::move(output), in.query, in.value.dim));
  }
  GiveRecord(request, recorded, spread ? 1 : in.query.heads, spread ? in.query.heads : in.query.rows, in.key.rows,
             result);
  return result;
}

val AttendRequest(const val& request) { return ResultValue(TryAttend(request)); }

// Multi-head attention, with weights.

Linear ReadLinear(const val& request, const char* name) {
  Linear linear;
  if (IsGiven(Field(Field(request, "weights"), name)))
    linear.weight = Pack(ReadTensor(Field(Field(request, "weights"), name)).matrix());
  if (IsGiven(Field(Field(request, "biases"), name))) {
    const Tensor bias = ReadTensor(Field(Field(request, "biases"), name));
    linear.bias = Eigen::Map<const Vector>(bias.data.data(), static_cast<Eigen::Index>(bias.data.size()));
  }
  return linear;
}

AttentionMemory ReadMemory(const val& memory) {
  if (!IsGiven(memory)) return {};
  Tensor keys = ReadTensor(Field(memory, "keys")), values = ReadTensor(Field(memory, "values"));
  return {std::move(keys.data), std::move(values.data), keys.rows};
}

val MemoryValue(const AttentionMemory& memory) {
  const size_t rows = std::max<size_t>(memory.rows, 1);
  val value = val::object();
  Set(value, "keys", TensorValue(memory.keys, {memory.rows, memory.keys.size() / rows}));
  Set(value, "values", TensorValue(memory.values, {memory.rows, memory.values.size() / rows}));
  return value;
}

Result<val> TryMultiHead(const val& request) {
  const bool columns = Flag(request, "columns"), remember = Flag(request, "remember");
  QKV_CHECK(CheckMemory(static_cast<uint64_t>(Number(request, "bytes")), kGiveLess, "query"));
  Choices choices;
  QKV_CHECK(ReadChoices(request, choices));
  const auto read = [&](const char* name, const Tensor* otherwise) {
    if (!IsGiven(Field(request, name))) return otherwise;
    choices.Store(Field(request, name), columns);
    return static_cast<const Tensor*>(&choices.tensors.back());
  };
  // Inputs: a missing key is the query, a missing value is the key.
  const Tensor* query = read("query", nullptr);
  const Tensor* key = read("key", query);
  const Tensor* value = read("value", key);
  // The layer and its memory.
  AttentionLayer layer;
  layer.query = ReadLinear(request, "query");
  layer.key = ReadLinear(request, "key");
  layer.value = ReadLinear(request, "value");
  layer.output = ReadLinear(request, "output");
  layer.heads = static_cast<size_t>(Number(request, "heads"));
  layer.key_heads = static_cast<size_t>(Number(request, "keyHeads"));
  layer.attention = choices.attention;
  AttentionMemory given = ReadMemory(Field(request, "memory")), *memory = remember ? &given : nullptr;
  const ConstMatrixView q = query->matrix(), k = key->matrix(), v = value->matrix();
  QKV_CHECK(CheckAttentionLayer(layer, q, k, v, memory));

  // The memory of the call is requested before it begins.
  const uint64_t rows = uint64_t{layer.heads} * query->rows, keys = uint64_t{key->rows} + given.rows;
  const uint64_t bytes = ForwardMemoryNeed(layer, q, k, v, memory);
  QKV_CHECK(CheckMemory(2 * bytes + RecordBytes(request, rows, keys), kRecordLess, "record"));
  CallArena arena(bytes);
  Context ctx = arena.context();
  Recorded recorded;
  const MatrixView y = Forward(ctx, layer, q, k, v, memory,
                               MakeRecord(request, static_cast<size_t>(rows), static_cast<size_t>(keys), recorded));
  val result = val::object();
  Tensor output = {{y.data(), y.data() + y.size()}, 1, query->rows, static_cast<size_t>(y.cols())};
  if (columns) output = Transposed(output);
  Set(result, "output", TensorValue(output.data, {output.rows, output.dim}));
  GiveRecord(request, recorded, layer.heads, query->rows, static_cast<size_t>(keys), result);
  if (remember) Set(result, "memory", MemoryValue(given));
  return result;
}

val MultiHeadRequest(const val& request) { return ResultValue(TryMultiHead(request)); }

}  // namespace

EMSCRIPTEN_BINDINGS(qkv_attention) {
  using emscripten::function;
  function("scoreList", &ScoreList);
  function("selectionNames", &SelectionNames);
  function("windowNames", &WindowNames);
  function("attend", &AttendRequest);
  function("multiHead", &MultiHeadRequest);
}

}  // namespace qkv::wasm
