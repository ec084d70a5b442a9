// Reads the config file of a run of training.
#pragma once

#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/train/run_config.h"

namespace qkv {

// `text` is the file's content. An unknown field is an error, because a misspelt one would have no effect. If the data
// is in memory, a config names no files.
enum class DataIn { kFiles, kMemory };
Result<RunConfig> ParseRunConfig(std::string_view text, const std::string& file, DataIn data = DataIn::kFiles);

}  // namespace qkv
