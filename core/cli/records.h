// What a line of a corpus holds: the text itself, a column of a TSV file, or a field of a JSON object.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace qkv::cli {

struct RecordFormat {
  size_t column = 0;  // of TSV, from 1; 0: the line is no TSV
  std::string field;  // of JSON; empty: the line is no JSON
};

// The text to translate of line `number`, from 1. A line break in it becomes a space. Fails with the line's number if
// the column or the field is missing, or if the line is no JSON object.
std::string TextOf(const RecordFormat& format, const std::string& line, size_t number);

// The line with its translation: everything that it had, byte for byte, and the translation as a further column or as
// the field "translation". Without a format the translation alone. The confidence, if there is one, comes first, or is
// the field "confidence".
std::string WithTranslation(const RecordFormat& format, const std::string& line, std::string_view translation,
                            std::optional<float> confidence);

// A translation with its score: the natural logarithm of its probability, divided by a power of its length.
struct ScoredLine {
  std::string text;
  float score = 0;
};
// What is printed for several translations of line `number`: NUMBER<TAB>SCORE<TAB>TRANSLATION, a line each, or the JSON
// object with the field "translations", a list of {"text", "score"}. Without the last line's end.
std::string WithTranslations(const RecordFormat& format, const std::string& line, size_t number,
                             std::span<const ScoredLine> translations);

}  // namespace qkv::cli
