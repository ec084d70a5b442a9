// Writes a Transformer in Marian's binary format (core/io/marian_file.h), in float32 or in int8 (intgemm8).
#pragma once

#include <map>
#include <string>

#include "core/base/error.h"
#include "core/io/byte_sink.h"
#include "core/layers/weight_slots.h"
#include "core/models/transformer_config.h"

namespace qkv {

struct MarianTarget {
  // The sizes of the two vocabularies, whose ids are rows of the tables. Marian's int8 products need a multiple of
  // kMarianPieces outputs, so tables get padding rows of zeros. Their bias is so low that the model never writes them.
  size_t source_pieces = 0, target_pieces = 0;
  // For int8: the largest input of each matrix's products, by the address of its floats (core/train/calibrate.h).
  const std::map<const float*, float>* largest = nullptr;  // null: float32
};

inline constexpr size_t kMarianPieces = 8;
inline size_t MarianRows(size_t pieces) { return (pieces + kMarianPieces - 1) / kMarianPieces * kMarianPieces; }

// Checks that Marian computes such a model as this engine does. Errors: kUnsupported names the field of config.json.
Result<void> CheckForMarian(const TransformerConfig& config, bool int8);

// `slots` are the filled slots of a Transformer with a config that CheckForMarian accepts. An int8 matrix gets one
// multiplier, 127 / max |w|, and its inputs get one, 127 / their largest value.
void WriteMarian(const WeightSlots& slots, const TransformerConfig& config, const MarianTarget& target,
                 const ByteSink& out);

}  // namespace qkv
