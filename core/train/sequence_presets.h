// Presets of sequence-to-sequence models for training.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/models/sequence_config.h"
#include "core/train/run_config.h"

namespace qkv {

// tiny, small, base, and the recurrent ones: rnn-plain, rnn-bahdanau, rnn-textbook, rnn-luong.
std::vector<std::string_view> SequencePresets();

// The config.json of the model that a run trains, and its generation_config.json, for a vocabulary of this size.
// Errors: kInvalidFile for an unknown field of run.model.
Result<std::string> ModelConfigOf(const RunConfig& run, const SubwordRows& rows);
std::string GenerationConfigOf(const SequenceConfig& model);

}  // namespace qkv
