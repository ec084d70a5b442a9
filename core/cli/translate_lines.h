// The work of qkv translate on lines: translates their texts, and writes them in the format of their records.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/context.h"
#include "core/cli/command.h"
#include "core/cli/intervene.h"
#include "core/cli/records.h"
#include "core/cli/terms.h"
#include "core/translate/translation.h"

namespace qkv::cli {

struct TranslateOptions {
  Common common;
  DecodeOptions decode;
  std::string trace, then;
  std::string input, output;
  RecordFormat format;
  bool vectors = false, confidence = false, scores = false, resume = false, progress = false, split = false;
  size_t sort_buffer = 0;  // lines that are sorted by length at a time; 0: those that are available
  Terms given;
  InterventionsFile interventions;
  std::vector<std::pair<std::string, std::string>> terms;  // terms with a given translation
};

// The options of decoding for these lines, with the terms that occur in them. `first`: the number of the first line,
// from 0.
DecodeOptions DecodeOf(const TranslateOptions& options, std::span<const std::string> lines, size_t first);

// The models, and what a translation needs besides them.
struct Translators {
  const TranslationModel& model;
  const TranslationModel* then;  // translates the translations of the first model, or null
  const TranslateOptions& options;
  Context& ctx;
};

// The output for some lines, without line ends; and the messages for standard error, with line ends.
struct DoneLines {
  std::vector<std::string> lines;
  std::string warnings;
};

// Translates some lines of the input; `done` lines came before them. Calls `shown` with the number of finished lines.
// Fails at a line that is no record of the format.
DoneLines TranslateLines(const Translators& by, const std::vector<std::string>& lines, size_t done,
                         const std::function<void(size_t)>& shown);

// The warning about a translation that was cut, with its end of line; empty if it was not.
std::string WarningOfEnd(size_t line, Cut cut);

}  // namespace qkv::cli
