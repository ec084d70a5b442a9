// The models that training makes to turn one sequence into another.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/models/sequence_config.h"
#include "core/train/run_config.h"

namespace qkv {

// tiny, small, base, and the recurrent ones: rnn-plain, rnn-bahdanau, rnn-textbook, rnn-luong.
std::vector<std::string_view> SequencePresets();

// config.json of the model that a run trains, and its generation_config.json, for a vocabulary's rows. Errors:
// kInvalidFile for a field of run.model that it does not have.
Result<std::string> ModelConfigOf(const RunConfig& run, const SubwordRows& rows);
std::string GenerationConfigOf(const SequenceConfig& model);

}  // namespace qkv
