#include "wasm/choices.h"

namespace qkv::wasm {
namespace {

Result<size_t> IndexOf(std::span<const std::string_view> names, const std::string& name, const char* what) {
  std::string all;
  for (size_t i = 0; i < names.size(); ++i) {
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
  QKV_TRY(const size_t score, IndexOf(names, Text(request, "score"), "score"));
  choices.attention.score = Scores()[score];
  for (const val& parameter : emscripten::vecFromJSArray<val>(Field(request, "parameters"))) {
    const std::string& name = choices.names.emplace_back(Text(parameter, "name"));
    choices.parameters.push_back({name, choices.Store(parameter)});
  }
  choices.attention.parameters = choices.parameters;
  return {};
}

Result<void> ReadSelection(const val& request, Selection& selection) {
  QKV_TRY(const size_t kind, IndexOf(kSelectionNames, Text(request, "selection"), "selection"));
  selection.kind = static_cast<SelectionKind>(kind);
  selection.temperature = static_cast<float>(Number(request, "temperature"));
  selection.alpha = static_cast<float>(Number(request, "alpha"));
  selection.seed = static_cast<uint64_t>(Number(request, "seedHigh")) << 32;
  selection.seed |= static_cast<uint64_t>(Number(request, "seedLow"));
  return {};
}

Result<void> ReadWindow(const val& request, Choices& choices) {
  Window& window = choices.attention.window;
  QKV_TRY(const size_t kind, IndexOf(kWindowNames, Text(request, "kind"), "window"));
  window.kind = static_cast<WindowKind>(kind);
  window.half_width = Number(request, "halfWidth");
  window.sinks = static_cast<size_t>(Number(request, "sinks"));
  const auto read = [&](const char* name) {
    const val tensor = Field(request, name);
    return IsGiven(tensor) ? choices.Store(tensor) : ConstHeads{};
  };
  window.W_p = read("W_p");
  window.v_p = read("v_p");
  window.centres = read("centres");
  return {};
}

// The stride of heads in [1 or heads, queries, keys]. With `spread` each row is a head.
size_t MaskStride(size_t heads, size_t queries, size_t keys, bool spread) {
  if (spread) return keys;
  return heads > 1 ? queries * keys : 0;
}

// Reads the mask as bytes, and transposes it if the caller writes columns.
void ReadAllowed(const val& tensor, bool columns, bool spread, Choices& choices) {
  std::vector<uint8_t> bytes = emscripten::convertJSArrayToNumberVector<uint8_t>(Field(tensor, "data"));
  const auto [heads, rows, dim] = ReadShape(tensor);
  const size_t queries = columns ? dim : rows, keys = columns ? rows : dim;
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
  mask.causal = Flag(request, "causal");
  mask.first_query = static_cast<size_t>(Number(request, "firstQuery"));
  if (IsGiven(Field(request, "paddingFrom"))) mask.padding_from = static_cast<size_t>(Number(request, "paddingFrom"));
  if (IsGiven(Field(request, "allowed"))) ReadAllowed(Field(request, "allowed"), columns, spread, choices);
  if (!IsGiven(Field(request, "bias"))) return;
  const ConstHeads bias = choices.Store(Field(request, "bias"), columns);
  mask.bias = bias.data;
  mask.bias_head_stride = MaskStride(bias.heads, bias.rows, bias.dim, spread);
}

}  // namespace

Result<void> ReadChoices(const val& request, Choices& choices) {
  QKV_CHECK(ReadScore(request, choices));
  QKV_CHECK(ReadSelection(request, choices.attention.selection));
  QKV_CHECK(ReadWindow(Field(request, "window"), choices));
  ReadMask(Field(request, "mask"), Flag(request, "columns"), Flag(request, "spread"), choices);
  choices.attention.mask_used = Flag(request, "maskUsed");
  return {};
}

AttentionInputs ReadInputs(const val& request, Choices& choices) {
  const bool columns = Flag(request, "columns");
  AttentionInputs in;
  in.query = choices.Store(Field(request, "query"), columns);
  if (Flag(request, "spread")) in.query = Dense(in.query.data, in.query.rows, 1, in.query.dim);
  in.key = choices.Store(Field(request, "key"), columns);
  if (Flag(request, "valueIsKey")) in.value = in.key;
  if (IsGiven(Field(request, "value"))) in.value = choices.Store(Field(request, "value"), columns);
  return in;
}

}  // namespace qkv::wasm
