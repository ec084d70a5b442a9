// Terms whose translation the caller gives: --keep and --glossary.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/translate/carried_source.h"

namespace qkv::cli {

struct Terms {
  std::vector<std::string> keep;
  std::string glossary;  // a file's name; empty: none

  // The terms, each with what stands for it. Fails where the glossary cannot be read, or a line of it has no tab.
  std::vector<std::pair<std::string, std::string>> Read() const;
};

// Where the terms stand in a line as words: of those that overlap the first, and of these the longest.
std::vector<GivenPart> FindTerms(const std::string& line,
                                 const std::vector<std::pair<std::string, std::string>>& terms);

}  // namespace qkv::cli
