// A folder with Marian's own files, as Firefox's translation models are published: model.*.bin; vocab.*.spm, or
// srcvocab.*.spm and trgvocab.*.spm; optionally lex.*.bin. Each may be compressed by gzip, as *.gz. Instead of
// model.*.bin there may be one *.npz, as Marian writes models while it trains. Native.
#pragma once

#include <memory>
#include <string>

#include "core/translate/model.h"

namespace qkv {

// Whether there is a model.*.bin or a *.npz.
bool IsMarianFolder(const std::string& folder);

// Errors: kMissingFile; kInvalidArgument where several files are of one kind; those of core/translate/marian_loader.h.
Result<std::unique_ptr<TranslationModel>> LoadMarianFolder(const std::string& folder, bool shortlist = true);

}  // namespace qkv
