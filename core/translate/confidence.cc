#include "core/translate/confidence.h"

#include <algorithm>
#include <cmath>

namespace qkv {
namespace {

// The longest phrase, in pieces, whose repetitions are found.
constexpr size_t kLongestPhrase = 16;

struct Repetition {
  size_t times = 1, period = 0;
};

// The phrase whose repetitions cover the most pieces at the end.
Repetition RepetitionAtEnd(const std::vector<int32_t>& pieces, size_t size) {
  Repetition found;
  for (size_t period = 1; period <= std::min(kLongestPhrase, size / 2); ++period) {
    size_t same = 0;
    while (same + period < size && pieces[size - 1 - same] == pieces[size - 1 - same - period]) ++same;
    const size_t times = same / period + 1;
    if (times > 1 && times * period > found.times * found.period) found = {times, period};
  }
  return found;
}

}  // namespace

const char* NameOf(Cut cut) { return cut == Cut::kNone ? nullptr : cut == Cut::kLength ? "length" : "repetition"; }

std::vector<const char*> Warnings(const std::vector<CopiedSpan>& copied, bool truncated, Cut cut, bool foreign) {
  std::vector<const char*> names;
  const auto is_copied = [](const CopiedSpan& span) { return !span.by_model; };
  if (std::any_of(copied.begin(), copied.end(), is_copied)) names.push_back("copied");
  if (truncated) names.push_back("truncated");
  if (cut == Cut::kRepetition) names.push_back(NameOf(cut));
  if (foreign) names.push_back("source-language");
  return names;
}

float Confidence(float log_prob, size_t pieces) {
  return pieces == 0 ? 1.0f : std::exp(log_prob / static_cast<float>(pieces));
}

bool LooksForeign(const Tokens& source, size_t bytes, const std::vector<int32_t>& target, float confidence) {
  // Measured on the package's models: English has 3.4 bytes a piece, and 1 % of sentences have less than 2.1; other
  // languages have 2.0.
  constexpr size_t kFewest = 8;
  constexpr float kBytesPerPiece = 2.1f, kDoubt = 0.6f, kSame = 0.7f;
  const size_t pieces = source.ids.size() - 1;
  if (pieces < kFewest) return false;
  size_t same = 0;
  for (const int32_t id : target) same += std::count(source.ids.begin(), source.ids.end() - 1, id) != 0;
  return (static_cast<float>(bytes) < kBytesPerPiece * static_cast<float>(pieces) && confidence < kDoubt) ||
         static_cast<float>(same) >= kSame * static_cast<float>(std::max(pieces, target.size()));
}

size_t WithoutRepetition(const std::vector<int32_t>& source, const std::vector<int32_t>& target) {
  // A loop is a phrase that occurs four times and covers twelve pieces. If the source is short, a loop is a translation
  // that is one phrase twice.
  constexpr size_t kTimes = 4, kPieces = 12, kShort = 6;
  const size_t size = target.size() - 1;
  const Repetition written = RepetitionAtEnd(target, size);
  const bool is_doubled = written.period * 2 == size && source.size() <= kShort;
  const bool is_loop = written.times >= kTimes && written.times * written.period >= kPieces;
  if (!is_doubled && !is_loop) return size;
  const Repetition read = RepetitionAtEnd(source, source.size() - 1);
  if (read.times > 1 && (is_doubled || read.times > 2)) return size;
  return size - (written.times - 1) * written.period;
}

}  // namespace qkv
