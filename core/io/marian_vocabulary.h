// A vocabulary as OPUS-MT publishes it beside a model of Marian's: YAML, a line for each piece with the row of the
// model's table that it has:
//   </s>: 0
//   "\"": 7
//   ▁the: 8
#pragma once

#include <string>
#include <string_view>

#include "core/base/error.h"

namespace qkv {

// The same as vocab.json has it (core/translate/piece_rows.h), with "<pad>" behind the last row, where Marian's reader
// keeps the piece that decoding starts from. Plain keys and keys in single or double quotes are read. Errors:
// kInvalidFile names the line.
Result<std::string> VocabularyFromYaml(std::string_view yaml, const std::string& file);

}  // namespace qkv
