// A model folder on disk, for the native command and native programs.
#pragma once

#include <memory>
#include <string>

#include "core/translate/model.h"

namespace qkv {

// A folder with a model.*.bin is Marian's: core/translate/marian_folder.h reads it. Of any other: reads config.json,
// vocab.json, source.spm, model.safetensors and, where they exist, generation_config.json, target_vocab.json,
// target.spm and, unless it is not wanted, shortlist.bin. The weights are mapped, not read: each tensor's pages are
// touched once, as it is packed. Errors: kMissingFile, kInvalidFile, kUnsupported, kLimitExceeded.
Result<std::unique_ptr<TranslationModel>> LoadFolder(const std::string& folder, bool shortlist = true);

}  // namespace qkv
