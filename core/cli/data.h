// Training data as options name them: FILE or SOURCE,TARGET, either with :WEIGHT at its end.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/train/corpus.h"

namespace qkv::cli {

inline constexpr const char* kDataHelp =
    "SOURCE<TAB>TARGET lines, or two files with a comma between; gzip is fine; :WEIGHT says how often its pairs are "
    "seen, 1 by default";

// Opens the files that `specs` name, and prints on stderr what was left out. `column` is for texts without
// translations, as in CorpusOptions. Failures end the process.
std::vector<std::unique_ptr<Corpus>> OpenDataOrFail(const std::vector<std::string>& specs, int column = 0);

// All pairs, or texts, of one spec.
std::vector<TextPair> ReadPairsOrFail(const std::string& spec, int column = 0);

}  // namespace qkv::cli
