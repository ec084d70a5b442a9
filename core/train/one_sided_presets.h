// Presets of encoders in BERT's layout and of decoders in GPT-2's layout.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/text/tokenizer.h"
#include "core/train/run_config.h"

namespace qkv {

// tiny, mini, small, medium, base: the shapes of Turc et al. 2019, "Well-read students learn better", table 1.
std::span<const std::string_view> OneSidedPresets();

// The config.json of the model that a run trains for a task other than translation, and, if it continues texts, its
// generation_config.json. Errors: kInvalidFile for an unknown field of run.model, kInvalidArgument for a tokenizer
// without the pieces that the task needs.
Result<std::string> OneSidedConfigOf(const RunConfig& run, const Tokenizer& tokenizer);
std::string SamplingConfigOf(int32_t end);

// GPT-2's piece for the beginning and the end of a text, or -1.
int32_t EndOfText(const Tokenizer& tokenizer);

}  // namespace qkv
