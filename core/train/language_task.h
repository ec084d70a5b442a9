// The task to say which language a text is in.
#pragma once

#include "core/train/training_task.h"

namespace qkv {

// `vocabulary`: the folder with ngrams.txt. Errors: those of the file and of the config.
Result<std::unique_ptr<TrainingTask>> MakeLanguageTask(const RunConfig& run, const std::string& vocabulary);

}  // namespace qkv
