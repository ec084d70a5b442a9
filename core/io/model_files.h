// A model folder's small files, by name, and which of them a model of each kind has.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/text/tokenizer.h"

namespace qkv {

// Content by name; what is not there, or empty, is absent.
using SmallFiles = std::map<std::string, std::string, std::less<>>;

inline std::string_view ContentOf(const SmallFiles& files, std::string_view name) {
  const auto found = files.find(name);
  return found == files.end() ? std::string_view() : std::string_view(found->second);
}

// From tokenizer.json, or else from vocab.txt, or from vocab.json and merges.txt. Errors: kMissingFile, and those of
// the tokenizers.
Result<Tokenizer> ReadTokenizer(const SmallFiles& files, bool roberta);

}  // namespace qkv
