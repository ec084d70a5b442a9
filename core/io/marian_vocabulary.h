// A vocabulary as OPUS-MT publishes it with a model of Marian's: YAML, one line for each piece with its row in the
// model's table:
//   </s>: 0
//   "\"": 7
//   ▁the: 8
#pragma once

#include <string>
#include <string_view>

#include "core/base/error.h"

namespace qkv {

// Converts it to the layout of vocab.json (core/translate/piece_rows.h), with "<pad>" after the last row, where
// Marian's reader has the start piece. Plain keys and keys in single or double quotes are read. Errors: kInvalidFile
// names the line.
Result<std::string> VocabularyFromYaml(std::string_view yaml, const std::string& file);

}  // namespace qkv
