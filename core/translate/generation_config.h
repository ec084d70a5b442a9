// generation_config.json: a model's options of decoding. Options that this engine does not support are refused.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/models/sequence_config.h"

namespace qkv {

struct GenerationConfig {
  size_t beam = 1;
  size_t max_length = 512;  // pieces written, </s> included
  size_t per_source = 0;    // the limit for each piece of the source without </s>; 0: 3 for each piece and 50 more
  float length_penalty = 1;
  std::vector<int32_t> banned;  // bad_words_ids
  // (layer, head) of the cross-attention heads that align source and target; empty if the model names none.
  std::vector<std::pair<size_t, size_t>> alignment_heads;
};

inline constexpr size_t kLargestBeam = 64;

// `json` is the content of generation_config.json, or empty if the folder has none.
Result<GenerationConfig> ParseGenerationConfig(std::string_view json, const SequenceConfig& model);

}  // namespace qkv
