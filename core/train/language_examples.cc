#include "core/train/language_examples.h"

#include <algorithm>
#include <cmath>

#include "core/text/unicode.h"

namespace qkv {
namespace {

constexpr float kShortest = 5, kLongest = 100;  // characters of a part
constexpr float kFromStart = 0.3f,
                kFromWord = 0.8f;  // of all parts: those from the text's start, and those from a word's
constexpr float kWithoutMarks = 0.04f;

size_t Below(Random& random, size_t count) {
  return std::min(static_cast<size_t>(random.Uniform() * static_cast<float>(count)), count - 1);
}

// The byte that each character begins at, and the end.
std::vector<size_t> Characters(std::string_view text) {
  std::vector<size_t> begins = {0};
  while (begins.back() < text.size()) {
    begins.push_back(begins.back() + DecodeOne(text.substr(begins.back())).length);
  }
  return begins;
}

std::string_view DrawPart(std::string_view text, Random& random) {
  const std::vector<size_t> begins = Characters(text);
  const size_t count = begins.size() - 1;
  const auto length = static_cast<size_t>(kShortest * std::pow(kLongest / kShortest, random.Uniform()));
  if (count <= length) return text;
  const float where = random.Uniform();
  size_t first = where < kFromStart ? 0 : Below(random, count - length + 1);
  if (where >= kFromStart && where < kFromWord) {
    const auto inside = [&](size_t i) { return i > 0 && text[begins[i] - 1] != ' '; };
    while (inside(first)) --first;
  }
  return text.substr(begins[first], begins[first + length] - begins[first]);
}

// Latin letters without their diacritics; other letters have meanings of their own.
std::string WithoutMarks(std::string_view text) {
  std::string plain;
  for (size_t at = 0; at < text.size();) {
    const Decoded decoded = DecodeOne(text.substr(at));
    at += decoded.length;
    const uint32_t c = decoded.code_point;
    const bool latin = c < 0x250 || (c >= 0x1E00 && c < 0x1F00);
    AppendUtf8(latin ? FactsOf(c).base[0] : c, plain);
  }
  return plain;
}

}  // namespace

Result<bool> LanguageExamples::Make(std::string_view source, std::string_view target, Random* random, size_t longest,
                                    TooLong, Example* example) const {
  const auto found = std::find(languages_.begin(), languages_.end(), target);
  if (found == languages_.end()) {
    return Error{ErrorCode::kInvalidArgument, "is a language in the corpus, and not in the config's labels",
                 std::string(target)};
  }
  std::string plain;
  if (random != nullptr) {
    source = DrawPart(source, *random);
    if (random->Uniform() < kWithoutMarks) source = plain = WithoutMarks(source);
  }
  const std::vector<GramRow> rows = GramRowsOf(grams_, ReadLetters(source));
  if (rows.size() == 1) return false;
  example->source.clear();
  for (const GramRow& each : rows) example->source.push_back(each.row);
  example->source.resize(std::min(rows.size(), longest));
  example->target = {static_cast<int32_t>(found - languages_.begin())};
  return true;
}

}  // namespace qkv
