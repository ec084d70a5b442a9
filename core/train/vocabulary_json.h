// vocab.json in the layout of MarianMT: which row of the embedding each piece has.
#pragma once

#include <string>

#include "core/base/error.h"
#include "core/text/sentencepiece.h"

namespace qkv {

// The pieces of `source` in order, then those of `target` (null: the same model) that `source` does not have. <pad> is
// the last row, and the number of rows is a multiple of `multiple`; rows between have no piece. Errors: kUnsupported
// where a model has no </s>, or has a <pad> of its own.
Result<std::string> VocabularyJson(const SentencePiece& source, const SentencePiece* target, size_t multiple = 8);

}  // namespace qkv
