// Bindings: the gradients of one call of attention. Only the build with training has them.
#include <emscripten/bind.h>

#include "core/attention/attend_backward.h"
#include "core/attention/memory.h"
#include "wasm/choices.h"
#include "wasm/memory.h"

namespace qkv::wasm {
namespace {

// Zeros in the shape of an argument, to which its gradient is added. A missing argument has none.
struct Gradient {
  Tensor tensor;
  Heads to;

  explicit Gradient(const ConstHeads& of) {
    if (of.data == nullptr) return;
    tensor = {std::vector<float>(of.heads * of.rows * of.dim), of.heads, of.rows, of.dim};
    to = Dense(tensor.data.data(), of.heads, of.rows, of.dim);
  }
  void Give(val& result, const char* name, bool columns = false) const {
    if (tensor.data.empty()) return;
    const Tensor given = columns ? Transposed(tensor) : tensor;
    Set(result, name, TensorValue(given.data, {given.heads, given.rows, given.dim}));
  }
};

// The bias of the mask in its given shape, [1 or heads, queries, keys].
ConstHeads BiasOf(const val& request, const Mask& mask) {
  if (mask.bias == nullptr) return {};
  const auto [heads, rows, dim] = ReadShape(Field(Field(request, "mask"), "bias"));
  return Flag(request, "columns") ? Dense(mask.bias, heads, dim, rows) : Dense(mask.bias, heads, rows, dim);
}

// The gradients that the backward pass starts from. JavaScript has checked their shapes.
AttentionLoss ReadLoss(const val& request, const AttentionInputs& in, Choices& choices) {
  const bool columns = Flag(request, "columns"), spread = Flag(request, "spread");
  AttentionLoss loss;
  if (const val given = Field(request, "outputGradient"); IsGiven(given)) {
    const float* data = choices.Store(given, columns && !spread).data;
    const auto layout = Flag(request, "concatenate") ? SideBySide<const float> : Dense<const float>;
    loss.output = layout(data, in.query.heads, in.query.rows, in.value.dim);
  }
  if (const val given = Field(request, "weightsGradient"); IsGiven(given)) {
    loss.weights = choices.Store(given, columns).data;
  }
  return loss;
}

Result<val> TryGradient(const val& request) {
  const bool columns = Flag(request, "columns"), spread = Flag(request, "spread");
  // The request, and the memory of the backward pass.
  QKV_CHECK(CheckMemory(static_cast<uint64_t>(Number(request, "bytes")), kGiveLess, "query"));
  Choices choices;
  QKV_CHECK(ReadChoices(request, choices));
  const AttentionInputs in = ReadInputs(request, choices);
  const Attention& attention = choices.attention;
  QKV_CHECK(CheckAttention(attention, in));
  const uint64_t bytes = AttendBackwardMemory(attention, in);
  QKV_CHECK(CheckMemory(bytes + static_cast<uint64_t>(Number(request, "bytes")), kGiveLess, "query"));

  // The gradients. Keys that are also the values share one.
  Gradient query(in.query), key(in.key), value(Flag(request, "valueIsKey") ? ConstHeads{} : in.value);
  Gradient W_p(attention.window.W_p), v_p(attention.window.v_p), centres(attention.window.centres),
      bias(BiasOf(request, attention.mask));
  std::deque<Gradient> parameters;
  std::vector<ParameterGradient> of_parameters;
  for (const Parameter& parameter : attention.parameters) {
    of_parameters.push_back({parameter.name, parameters.emplace_back(parameter.value).to});
  }
  AttentionGradients to = {query.to, key.to, Flag(request, "valueIsKey") ? key.to : value.to, of_parameters};
  to.W_p = W_p.to;
  to.v_p = v_p.to;
  to.centres = centres.to;
  to.bias = bias.to.data;
  // The forward and the backward pass. Their scratch memory is freed before the results are converted.
  {
    CallArena arena(bytes);
    Context ctx = arena.context();
    AttendBackward(ctx, attention, in, ReadLoss(request, in, choices), to);
  }

  val result = val::object(), list = val::object();
  // The results. Queries that are heads were given as the rows of one head.
  if (spread) std::swap(query.tensor.heads, query.tensor.rows);
  query.Give(result, "query", columns);
  key.Give(result, "key", columns);
  value.Give(result, "value", columns);
  for (size_t i = 0; i < parameters.size(); ++i) parameters[i].Give(list, choices.names[i].c_str());
  Set(result, "parameters", list);
  W_p.Give(result, "W_p");
  v_p.Give(result, "v_p");
  centres.Give(result, "centres");
  bias.Give(result, "bias", columns);
  return result;
}

val GradientRequest(const val& request) { return ResultValue(TryGradient(request)); }

}  // namespace

EMSCRIPTEN_BINDINGS(qkv_attention_gradient) { emscripten::function("attendGradient", &GradientRequest); }

}  // namespace qkv::wasm
