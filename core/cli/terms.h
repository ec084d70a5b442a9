// Terms with a given translation: --keep and --glossary.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/translate/carried_source.h"

namespace qkv::cli {

struct Terms {
  std::vector<std::string> keep;
  std::string glossary;  // a file's name; empty: none

  // The terms, each with its translation. Fails if the glossary cannot be read, or if one of its lines has no tab.
  std::vector<std::pair<std::string, std::string>> Read() const;
};

// The places where the terms occur as words in a line. Of terms that overlap the first one counts, and of those that
// begin at the same place the longest.
std::vector<GivenPart> FindTerms(const std::string& line,
                                 const std::vector<std::pair<std::string, std::string>>& terms);

}  // namespace qkv::cli
