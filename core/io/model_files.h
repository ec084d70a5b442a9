// The small files of a model folder by name, and which of them a model of each kind has.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/text/tokenizer.h"

namespace qkv {

// Content by name. An empty content means that the file is absent.
using SmallFiles = std::vector<std::pair<std::string, std::string>>;

inline std::string_view ContentOf(const SmallFiles& files, std::string_view name) {
  for (const auto& [known, content] : files) {
    if (known == name) return content;
  }
  return {};
}

// Reads tokenizer.json, or else vocab.txt, or vocab.json and merges.txt. Errors: kMissingFile, and those of the
// tokenizers.
Result<Tokenizer> ReadTokenizer(const SmallFiles& files, bool roberta);

}  // namespace qkv
