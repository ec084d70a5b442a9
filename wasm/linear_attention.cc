// Bindings: linear attention with its state (core/attention/linear.h). The state is {data: Float64Array, shape}.
#include <emscripten/bind.h>

#include "core/attention/linear.h"
#include "wasm/choices.h"
#include "wasm/memory.h"

namespace qkv::wasm {
namespace {

Result<val> TryLinear(const val& request) {
  QKV_CHECK(CheckMemory(static_cast<uint64_t>(Number(request, "bytes")), kGiveLess, "query"));
  Choices choices;
  const AttentionInputs in = ReadInputs(request, choices);
  const bool causal = Flag(request, "causal");
  LinearState state;
  if (const val given = Field(request, "state"); IsGiven(given)) {
    state = emscripten::convertJSArrayToNumberVector<double>(Field(given, "data"));
  }
  QKV_CHECK(CheckLinear(in, causal, state));
  const uint64_t output_size = uint64_t{in.query.heads} * in.query.rows * in.value.dim;
  QKV_CHECK(
      CheckMemory(2 * output_size * sizeof(float) + 2 * LinearStateSize(in) * sizeof(double), kGiveLess, "query"));
  std::vector<float> output(static_cast<size_t>(output_size));
  AttendLinear(in, causal, state, Dense(output.data(), in.query.heads, in.query.rows, in.value.dim));
  val result = val::object();
  Set(result, "output", TensorValue(output, {in.query.heads, in.query.rows, in.value.dim}));
  Set(result, "state", TensorValue(state, {in.key.heads, in.key.dim, in.value.dim + 1}));
  return result;
}

val LinearRequest(const val& request) { return ResultValue(TryLinear(request)); }

}  // namespace

EMSCRIPTEN_BINDINGS(qkv_linear_attention) { emscripten::function("attendLinear", &LinearRequest); }

}  // namespace qkv::wasm
