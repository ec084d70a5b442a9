// The format of the lines of a corpus: the text itself, a column of a TSV file, or a field of a JSON object.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace qkv::cli {

struct RecordFormat {
  size_t column = 0;             // of TSV, from 1; 0: the line is no TSV
  std::string field;             // of JSON; empty: the line is no JSON
  const char* figure = nullptr;  // the number that is written with each translation: "confidence" or "score"
};

// The text to translate of line `number`, from 1. A line break in it becomes a space. Fails with the line's number if
// the column or the field is missing, or if the line is no JSON object.
std::string TextOf(const RecordFormat& format, const std::string& line, size_t number);

// The line with its translation: the line byte for byte, and the translation as a further column or as the field
// "translation". Without a format, the translation alone. If the format has a figure, the number comes before the
// translation, or is the field with the name of the figure.
std::string WithTranslation(const RecordFormat& format, const std::string& line, std::string_view translation,
                            float number = 0);

// A translation with its score: the natural logarithm of its probability, divided by a power of its length.
struct ScoredLine {
  std::string text;
  float score = 0;
};
// The output for several translations of line `number`: a line NUMBER<TAB>SCORE<TAB>TRANSLATION for each, or the JSON
// object with the field "translations", a list of {"text", "score"}. The last line has no line end.
std::string WithTranslations(const RecordFormat& format, const std::string& line, size_t number,
                             std::span<const ScoredLine> translations);

}  // namespace qkv::cli
