// A model folder on disk, for the native command and native programs.
#pragma once

#include <memory>
#include <string>

#include "core/translate/model.h"

namespace qkv {

// A folder with a model.*.bin is Marian's and is read by core/translate/marian_folder.h. Of any other folder it reads
// config.json, vocab.json, source.spm, model.safetensors and, if they exist, generation_config.json, target_vocab.json,
// target.spm and, unless `shortlist` is false, shortlist.bin. Weights are mapped, not read: each tensor's pages are
// read once, when it is packed. Errors: kMissingFile, kInvalidFile, kUnsupported, kLimitExceeded.
Result<std::unique_ptr<TranslationModel>> LoadFolder(const std::string& folder, bool shortlist = true);

}  // namespace qkv
