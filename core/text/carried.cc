#include "core/text/carried.h"

#include <algorithm>

#include "core/text/pattern.h"
#include "core/text/unicode.h"

namespace qkv {
namespace {

// A condition on a match in addition to its pattern.
enum class Also : uint8_t {
  kNothing,
  kNoWordAfter,  // no letter or digit follows
  kSevenDigits,  // seven digits, as in a telephone number, and no letter after them
  kFileName,     // a dot between two characters and two lower-case letters
  kIdentifier,   // letters and digits, a lower-case letter before a capital, a _, two dots
};

struct Rule {
  CarriedKind kind;
  bool easy;
  bool trims;  // punctuation at its end is not part of the match
  Also also;
  const char* pattern;
};

#define QKV_CURRENCY "(\\u?\\u?\\$|€|£|¥|₹)"
#define QKV_NUMBER "\\d+(([.,:/'T-]|–|\u00A0|\u202F)?\\d+)*"

constexpr CarriedKind kNumber = CarriedKind::kNumber, kName = CarriedKind::kName, kMark = CarriedKind::kMark;

// The first rule that matches is taken.
constexpr Rule kRules[] = {
    {kName, false, false, Also::kNothing, "`+[^`\n]+`+"},
    {kName, false, false, Also::kNothing, "{{[^{}]+}}|[$%#]?{[^{}\\s]*}"},
    {kName, false, false, Also::kNoWordAfter, "%(\\(\\w+\\)|\\d+\\$)?[\\d.+#-]*l*[sdiufxXcgeo@]"},
    {kName, false, false, Also::kNothing, "\\$[\\a_]\\w*"},
    {kName, false, false, Also::kNothing, "&(#x?\\x+|\\a\\w*);"},
    {kMark, false, false, Also::kNothing, "</?\\l[^<>\n]*>"},
    {kName, false, true, Also::kNothing, "(\\a[\\w+.-]*://|www\\.|mailto:|magnet:|tel:)[^\\s<>\"]+"},
    {kName, false, false, Also::kNothing, "[\\w.+-]+@\\w[\\w-]*(\\.\\w[\\w-]*)+"},
    {kName, false, true, Also::kNothing, "@\\w[\\w.-]*|#\\w[\\w-]*"},
    {kName, false, true, Also::kNothing, "\\a:\\\\[^\\s<>\"]+|\\\\\\\\\\w[^\\s<>\"]+|(~|..?)?/\\w[^\\s<>\"]*"},
    {kName, false, true, Also::kFileName, "\\w[\\w-]*(/[\\w.-]+)+/?|[\\w-]+(\\.[\\w-]+)+(/[^\\s<>\"]*)?"},
    {kName, false, true, Also::kNothing, "--\\a[\\w-]*(=[^\\s]+)?|\\a\\w*(::\\w+)+(\\(\\))?|\\a\\w*\\(\\)"},
    // Ordinals and decades are words of a language. This rule takes them, so that no later rule does.
    {kNumber, true, false, Also::kNoWordAfter, "\\d+(st|nd|rd|th|s|er|re|e|ème|º|ª)"},
    {kNumber, true, true, Also::kSevenDigits, "(\\+|\\()\\d[\\d ().-]+|\\d+[ .-]\\d+([ .-]\\d+)+"},
    {kNumber, true, false, Also::kNoWordAfter,
     "[+-]?(" QKV_CURRENCY " ?)?" QKV_NUMBER "( ?(°[CF]?|%|" QKV_CURRENCY
     "|km/h|kg|mg|km|cm|mm|ml|kB|[MGT]B|[kMG]?Hz|kWh?|[glm]|USD|EUR|GBP|CHF)|[\\u\\l][\\u\\l]?[\\u\\l]?)?"},
    {kNumber, true, false, Also::kNoWordAfter, "[+-]?" QKV_CURRENCY "?" QKV_NUMBER},
    {kName, true, true, Also::kIdentifier, "v?\\d+\\.\\d+\\.\\d+[\\w.-]*|[\\w-]+"},
};
constexpr const Rule* kOrdinal = kRules + 12;

#undef QKV_CURRENCY
#undef QKV_NUMBER

// How many bytes a rule reads: kUsual, which bounds its time; kLongest, if a match ends within kEnd bytes of kUsual.
constexpr size_t kUsual = 256, kEnd = 8, kLongest = 4096;

// The length of a match without the punctuation at its end, which belongs to the sentence.
size_t Trimmed(std::string_view match) {
  const auto count = [&](char c) { return std::count(match.begin(), match.end(), c); };
  while (match.size() > 1 && !EndsWithWord(match) && match.back() != '/') {
    if (match.back() == ')' && count('(') >= count(')')) break;
    match.remove_suffix(LastCharacter(match).length);
  }
  return match.size();
}

size_t Count(std::string_view text, const char* pattern) {
  size_t count = 0;
  for (size_t i = 0; i < text.size(); ++i) count += MatchPattern(pattern, text.substr(i)) != 0;
  return count;
}

bool Holds(Also also, std::string_view match, std::string_view rest) {
  switch (also) {
    case Also::kNothing:
      return true;
    case Also::kNoWordAfter:
      return !BeginsWithWord(rest);
    case Also::kSevenDigits:
      return Count(match, "\\d") >= 7 && !BeginsWithWord(rest);
    case Also::kFileName:
      return Count(match, "\\w\\w\\.\\l\\l|/\\w[\\w-]*\\.\\l") != 0;
    case Also::kIdentifier:
      if (Count(match, "\\l\\u|\\w_\\w|\\.") != 0) return true;
      return Count(match, "\\d") != 0 && Count(match, "\\a") != 0 &&
             (Count(match, "-") == 0 || Count(match, "\\u") != 0);
  }
  return false;
}

// The carried part at the beginning of `rest`; empty if no rule matches. Sets `skip` to the number of bytes that no
// rule needs to read again.
CarriedSpan MatchAt(std::string_view rest, bool numbers_only, size_t& skip) {
  for (const Rule& rule : kRules) {
    if (numbers_only && rule.kind != kNumber) continue;
    size_t length = MatchPattern(rule.pattern, rest.substr(0, kUsual));
    if (length + kEnd >= kUsual) length = MatchPattern(rule.pattern, rest.substr(0, kLongest));
    if (length != 0 && rule.trims) length = Trimmed(rest.substr(0, length));
    const std::string_view match = rest.substr(0, length);
    if (length == 0 || !Holds(rule.also, match, rest.substr(length))) continue;
    skip = length;
    if (&rule == kOrdinal) return {};
    constexpr size_t kEasyName = 12;  // models fail at longer ones
    return {0, length, rule.kind, rule.easy && (rule.kind == kNumber || length <= kEasyName)};
  }
  return {};
}

// Adds a span, or extends the last one where only white space is between them.
void Add(std::string_view text, CarriedSpan span, std::vector<CarriedSpan>& spans) {
  if (!spans.empty() && spans.back().kind == span.kind) {
    CarriedSpan& last = spans.back();
    const std::string_view between = text.substr(last.end, span.begin - last.end);
    if (MatchPattern("\\s*", between) == between.size()) {
      last.end = span.end;
      last.easy = last.easy && span.easy;
      return;
    }
  }
  spans.push_back(span);
}

bool IsEmoji(uint32_t c) {
  return (c >= 0x1F000 && c <= 0x1FAFF) || (c >= 0x2600 && c <= 0x27BF) || (c >= 0x2B05 && c <= 0x2B55) ||
         c == 0x231A || c == 0x231B || (c >= 0x23E9 && c <= 0x23F3);
}

// Control characters, joiners, variation selectors and tags: characters without a glyph.
bool IsUnseen(uint32_t c) {
  return (c < 0x20 && (c < '\t' || c > '\r')) || c == '\t' || (c >= 0x7F && c <= 0x9F) ||
         (c >= 0x200B && c <= 0x200F) || (c >= 0x202A && c <= 0x202E) || (c >= 0x2060 && c <= 0x2069) ||
         (c >= 0xFE00 && c <= 0xFE0F) || c == 0x20E3 || c == 0xFEFF || (c >= 0xE0000 && c <= 0xE007F);
}

}  // namespace

bool IsWordCharacter(uint32_t c) {
  if (c < 0xC0) return c == 0xAA || c == 0xB5 || c == 0xBA;
  return c != 0xD7 && c != 0xF7 && !(c >= 0x2000 && c <= 0x2BFF) && !(c >= 0x3000 && c <= 0x3004) &&
         !(c >= 0x3008 && c <= 0x3020) && !(c >= 0xFE00 && c <= 0xFE6F) && !(c >= 0xFF00 && c <= 0xFF0F) &&
         c != 0xFFFD && !IsEmoji(c) && !IsUnseen(c);
}

Decoded LastCharacter(std::string_view text) {
  size_t begin = text.size() - 1;
  while (begin > 0 && text.size() - begin < 4 && (text[begin] & 0xC0) == 0x80) --begin;
  const Decoded last = DecodeOne(text.substr(begin));
  return begin + last.length == text.size() ? last : DecodeOne(text.substr(text.size() - 1));
}

bool BeginsWithWord(std::string_view text) {
  return !text.empty() &&
         (text[0] & 0x80 ? IsWordCharacter(DecodeOne(text).code_point) : MatchPattern("\\w", text) != 0);
}

bool EndsWithWord(std::string_view text) {
  return !text.empty() && BeginsWithWord(text.substr(text.size() - LastCharacter(text).length));
}

size_t MarkLength(std::string_view text) {
  size_t length = MatchPattern("[\\d#*]\uFE0F?\u20E3", text);  // a keycap
  while (length < text.size()) {
    const Decoded one = DecodeOne(text.substr(length));
    const bool joins = one.code_point == 0x200C || one.code_point == 0x200D;  // in words too
    if (!IsEmoji(one.code_point) && (!IsUnseen(one.code_point) || (joins && length == 0))) break;
    length += one.length;
  }
  return length;
}

std::vector<CarriedSpan> FindCarried(std::string_view text) {
  std::vector<CarriedSpan> spans;
  for (size_t at = 0; at < text.size();) {
    const std::string_view before = text.substr(0, at), rest = text.substr(at);
    size_t skip = 0;
    CarriedSpan span;
    if (const size_t word = MatchPattern("[\\u\\l]\\l*", rest);
        word != 0 && (word == rest.size() || rest[word] == ' ')) {
      skip = word;  // most words are plain, and no rule matches them
    } else if (const size_t length = MarkLength(rest); length != 0) {
      span = {0, length, kMark, false};
      skip = length;
    } else if (MatchPattern("[<&{]", rest) != 0 || !EndsWithWord(before)) {
      const bool symbol = (rest[0] & 0x80) && !BeginsWithWord(rest);  // perhaps a currency symbol
      const bool joined = symbol || (at > 0 && MatchPattern("[.+@/\\\\#&~%_-]", before.substr(at - 1)) != 0);
      span = MatchAt(rest, joined, skip);
    }
    if (span.end != 0) Add(text, {at, at + span.end, span.kind, span.easy}, spans);
    at += skip != 0 ? skip : DecodeOne(rest).length;
  }
  return spans;
}

}  // namespace qkv
