// Reads the fields that several models' config.json have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/base/json.h"
#include "core/kernels/activation.h"
#include "core/models/sequence_config.h"

namespace qkv {

// The largest values allowed. They are larger than those of any published model that fits into memory, and so small
// that no product of two overflows.
inline constexpr int64_t kLargestWidth = 1 << 15;
inline constexpr int64_t kMostLayers = 256;
inline constexpr int64_t kLargestVocabulary = 1 << 22;
inline constexpr int64_t kMostPositions = 1 << 14;
inline constexpr int64_t kFewestPositions = 2;  // of models that read </s> after a text: one piece and </s>

// Parses the name of an activation function.
inline Result<Activation> ParseActivation(const JsonObject& json, const char* field, std::string_view fallback) {
  QKV_TRY(const std::string_view name, json.String(field, fallback));
  if (name == "relu") return Activation::kRelu;
  if (name == "swish" || name == "silu") return Activation::kSilu;
  if (name == "gelu") return Activation::kGelu;
  if (name == "gelu_new" || name == "gelu_pytorch_tanh") return Activation::kGeluTanh;
  if (name == "quick_gelu") return Activation::kGeluSigmoid;
  return json.Unsupported(
      field,
      "\"" + std::string(name) + "\" is not one of relu, swish, silu, gelu, gelu_new, gelu_pytorch_tanh, quick_gelu");
}

// Reads a whole number in [least, most] into `to`.
inline Result<void> ReadSize(const JsonObject& json, const char* field, int64_t most, size_t& to, int64_t least = 1) {
  QKV_TRY(const int64_t value, json.Integer(field, least, most));
  to = static_cast<size_t>(value);
  return {};
}

// Reads a dropout rate; 0 if the field is absent.
inline Result<float> ReadRate(const JsonObject& json, const char* field) {
  QKV_TRY(const double rate, json.Number(field, 0));
  if (!(rate >= 0 && rate < 1)) return json.Invalid(field, "must be at least 0 and below 1");
  return static_cast<float>(rate);
}

// Reads the rows of special pieces. The vocabulary's size has been read before.
inline Result<void> ReadTokens(const JsonObject& json, SequenceConfig& config) {
  const int64_t last = static_cast<int64_t>(config.vocabulary) - 1;
  QKV_TRY(const int64_t end, json.Integer("eos_token_id", 0, last));
  QKV_TRY(const int64_t pad, json.Integer("pad_token_id", 0, last));
  QKV_TRY(const int64_t start, json.Integer("decoder_start_token_id", 0, last, pad));
  config.end = static_cast<int32_t>(end);
  config.pad = static_cast<int32_t>(pad);
  config.start = static_cast<int32_t>(start);
  return {};
}

// A switch that must have a fixed value.
struct Switch {
  const char* field;
  bool supported;
  const char* meaning;
};
inline Result<void> CheckSwitches(const JsonObject& json, std::initializer_list<Switch> switches) {
  for (const Switch& s : switches) {
    QKV_TRY(const bool value, json.Bool(s.field, s.supported));
    if (value != s.supported) return json.Unsupported(s.field, std::string("this engine does not run ") + s.meaning);
  }
  return {};
}

}  // namespace qkv
