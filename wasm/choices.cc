#include "wasm/choices.h"

namespace qkv::wasm {
namespace {

double Number(const val& value) { return value.as<double>(); }

template <class Names>
Result<size_t> IndexOf(const Names& names, const val& value, const char* what) {
  const auto name = value.as<std::string>();
  std::string all;
  for (size_t i = 0; i < std::size(names); ++i) {
    if (names[i] == name) return i;
    all += (i == 0 ? "" : ", ") + std::string(names[i]);
  }
  return Error{ErrorCode::kInvalidArgument,
               "there is no " + std::string(what) + " \"" + name + "\": take one of " + all, what};
}

std::vector<std::string_view> ScoreNames() {
  std::vector<std::string_view> names;
  for (const Score* score : Scores()) names.push_back(score->name);
  return names;
}

Result<void> ReadScore(const val& request, Choices& choices) {
  const std::vector<std::string_view> names = ScoreNames();
  QKV_TRY(const size_t score, IndexOf(names, request["score"], "score"));
  choices.attention.score = Scores()[score];
  for (const val& parameter : emscripten::vecFromJSArray<val>(request["parameters"])) {
    const std::string& name = choices.names.emplace_back(parameter["name"].as<std::string>());
    choices.parameters.push_back({name, choices.Keep(parameter)});
  }
  choices.attention.parameters = choices.parameters;
  return {};
}

Result<void> ReadSelection(const val& request, Selection& selection) {
  QKV_TRY(const size_t kind, IndexOf(kSelectionNames, request["selection"], "selection"));
  selection.kind = static_cast<SelectionKind>(kind);
  selection.temperature = static_cast<float>(Number(request["temperature"]));
  selection.seed = static_cast<uint64_t>(Number(request["seedHigh"])) << 32;
  selection.seed |= static_cast<uint64_t>(Number(request["seedLow"]));
  return {};
}

Result<void> ReadWindow(const val& request, Choices& choices) {
  Window& window = choices.attention.window;
  QKV_TRY(const size_t kind, IndexOf(kWindowNames, request["kind"], "window"));
  window.kind = static_cast<WindowKind>(kind);
  window.half_width = Number(request["halfWidth"]);
  if (IsGiven(request["W_p"])) window.W_p = choices.Keep(request["W_p"]);
  if (IsGiven(request["v_p"])) window.v_p = choices.Keep(request["v_p"]);
  if (IsGiven(request["centres"])) window.centres = choices.Keep(request["centres"]);
  return {};
}

// [1 or heads, queries, keys]. Where each query is a head of its own, a row is a head's.
size_t MaskStride(size_t heads, size_t queries, size_t keys, bool spread) {
  if (spread) return keys;
  return heads > 1 ? queries * keys : 0;
}

// Bytes, by columns if the caller writes so.
void ReadAllowed(const val& tensor, bool columns, bool spread, Choices& choices) {
  std::vector<uint8_t> bytes = emscripten::convertJSArrayToNumberVector<uint8_t>(tensor["data"]);
  const val shape = tensor["shape"];
  const auto size = [&](int axis) { return static_cast<size_t>(Number(shape[axis])); };
  const size_t heads = size(0), queries = size(columns ? 2 : 1), keys = size(columns ? 1 : 2);
  if (columns) {
    choices.allowed.resize(bytes.size());
    Transpose(Dense<const uint8_t>(bytes.data(), heads, keys, queries),
              Dense(choices.allowed.data(), heads, queries, keys));
  } else {
    choices.allowed = std::move(bytes);
  }
  choices.attention.mask.allowed = choices.allowed.data();
  choices.attention.mask.allowed_head_stride = MaskStride(heads, queries, keys, spread);
}

void ReadMask(const val& request, bool columns, bool spread, Choices& choices) {
  Mask& mask = choices.attention.mask;
  mask.causal = request["causal"].isTrue();
  mask.first_query = static_cast<size_t>(Number(request["firstQuery"]));
  if (IsGiven(request["paddingFrom"])) mask.padding_from = static_cast<size_t>(Number(request["paddingFrom"]));
  if (IsGiven(request["allowed"])) ReadAllowed(request["allowed"], columns, spread, choices);
  if (!IsGiven(request["bias"])) return;
  const ConstHeads bias = choices.Keep(request["bias"], columns);
  mask.bias = bias.data;
  mask.bias_head_stride = MaskStride(bias.heads, bias.rows, bias.dim, spread);
}

}  // namespace

Result<void> ReadChoices(const val& request, Choices& choices) {
  QKV_CHECK(ReadScore(request, choices));
  QKV_CHECK(ReadSelection(request, choices.attention.selection));
  QKV_CHECK(ReadWindow(request["window"], choices));
  ReadMask(request["mask"], request["columns"].isTrue(), request["spread"].isTrue(), choices);
  choices.attention.mask_used = request["maskUsed"].isTrue();
  return {};
}

}  // namespace qkv::wasm
