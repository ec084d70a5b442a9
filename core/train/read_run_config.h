// Reads the config file of a run of training.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/train/config_fields.h"
#include "core/train/run_config.h"

namespace qkv {

// Where the data of a run is. With data in memory a config has no paths and nothing that only a run on files uses:
// precision, reports and checkpoints.
enum class DataIn { kFiles, kMemory };

// All fields of a run's config with their ranges and with the values that hold without them: the list that `qkv
// options` prints.
std::vector<ConfigField> RunConfigFields(DataIn data);

// `text` is the file's content. An unknown field is an error, because a misspelt one would have no effect.
Result<RunConfig> ParseRunConfig(std::string_view text, const std::string& file, DataIn data = DataIn::kFiles);

}  // namespace qkv
