// Records the tensors of a call, and converts them for JavaScript.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/attention/attend.h"
#include "wasm/tensor.h"

namespace qkv::wasm {

// The recorded tensors, [heads, queries, keys] and [heads, queries].

struct Recorded {
  std::vector<float> scores, logits, weights, centres;
  std::vector<uint8_t> empty;
  std::vector<int32_t> chosen;
};

inline bool Wants(const val& request, const char* name) { return Flag(Field(request, "record"), name); }

// The bytes include a copy of the largest tensor while it is converted.
inline uint64_t RecordBytes(const val& request, uint64_t rows, uint64_t keys) {
  uint64_t matrices = 0;
  for (const char* name : {"scores", "logits", "weights"}) matrices += Wants(request, name) ? 1 : 0;
  return (matrices > 0 ? matrices + 1 : 0) * rows * keys * sizeof(float) + 12 * rows;
}

inline AttentionRecord MakeRecord(const val& request, size_t rows, size_t keys, Recorded& recorded) {
  const auto make = [&](const char* name, auto& values, size_t size) {
    if (!Wants(request, name)) return decltype(values.data()){nullptr};
    values.resize(size);
    return values.data();
  };
  AttentionRecord record;
  record.scores = make("scores", recorded.scores, rows * keys);
  record.logits = make("logits", recorded.logits, rows * keys);
  record.weights = make("weights", recorded.weights, rows * keys);
  record.empty = make("empty", recorded.empty, rows);
  record.chosen = make("chosen", recorded.chosen, rows);
  record.centres = make("centres", recorded.centres, rows);
  return record;
}

inline val MatrixValue(Tensor rows, bool columns) {
  const Tensor tensor = columns ? Transposed(rows) : std::move(rows);
  return TensorValue(tensor.data, {tensor.heads, tensor.rows, tensor.dim});
}

inline void GiveRecord(const val& request, Recorded& recorded, size_t heads, size_t queries, size_t keys, val& result) {
  const auto matrix = [&](const char* name, std::vector<float>& values) {
    if (!Wants(request, name)) return;
    Set(result, name, MatrixValue({std::move(values), heads, queries, keys}, Flag(request, "columns")));
  };
  const auto list = [&](const char* name, const auto& values) {
    if (Wants(request, name)) Set(result, name, TensorValue(values, {heads, queries}));
  };
  matrix("scores", recorded.scores);
  matrix("logits", recorded.logits);
  matrix("weights", recorded.weights);
  list("empty", recorded.empty);
  list("chosen", recorded.chosen);
  list("centres", recorded.centres);
}

}  // namespace qkv::wasm
