#include "core/translate/carried_source.h"

#include <algorithm>
#include <utility>

#include "core/text/letter_case.h"
#include "core/text/pattern.h"
#include "core/text/unicode.h"
#include "core/text/utf.h"

namespace qkv {
namespace {

// Words that translation models copy in any language; chosen by trials on the package's models (web/docs/carried.md).
// The numbers include years and round numbers, which fit most contexts of a number.
constexpr const char* kNames[] = {"Tom", "Anna", "Boston", "Lisa", "Mary", "David", "Sami", "Maria", "XYZ", "Paul"};
constexpr const char* kNumbers[] = {"25",   "40", "345", "18",  "15", "50",  "100", "500", "12",
                                    "2013", "30", "17",  "346", "20", "347", "348", "349", "10"};
// The readings: the first leaves easy parts unchanged, the second has stand-ins for all parts, the third other
// stand-ins.
constexpr size_t kReadings = 3, kStep = 4;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Whether a number continues: there is a separator at one offset and a digit at the other.
bool GoesOn(std::string_view text, size_t separator, size_t digit) {
  return separator < text.size() && digit < text.size() && IsDigit(text[digit]) &&
         MatchPattern("[.,:]", text.substr(separator)) != 0;
}

size_t FindListMark(std::string_view text) {
  return MatchPattern("((>+|[*+-]|#+|•|·|–|—|\\d\\d?[.)]|\\[[ xX]?\\])\\s+)+", text);
}

bool EndsWithColon(std::string_view text) { return text.ends_with(':') || text.ends_with(": "); }

size_t WhiteLength(std::string_view text) {
  size_t length = 0;
  while (length < text.size()) {
    const Decoded one = DecodeOne(text.substr(length));
    if (!IsWhite(one.code_point)) break;
    length += one.length;
  }
  return length;
}

}  // namespace

size_t FindAlone(std::string_view text, std::string_view part, size_t from) {
  if (part.empty()) return std::string_view::npos;
  const bool begins = BeginsWithWord(part), ends = EndsWithWord(part);
  const bool first_digit = IsDigit(part.front()), last_digit = IsDigit(part.back());
  for (size_t at = text.find(part, from); at != std::string_view::npos; at = text.find(part, at + 1)) {
    const size_t end = at + part.size();
    const bool inside = (begins && EndsWithWord(text.substr(0, at))) || (ends && BeginsWithWord(text.substr(end))) ||
                        (first_digit && at > 1 && GoesOn(text, at - 1, at - 2)) ||
                        (last_digit && GoesOn(text, end, end + 1));
    if (!inside) return at;
  }
  return std::string_view::npos;
}

const char* Carrying(const TranslationModel& model) {
  if (!model.can_carry()) return "none";
  return model.config().cross.layers > 0 ? "attention" : "stand-ins";
}

CarriedSource::CarriedSource(const TranslationModel& model, std::string text, bool copy,
                             const std::vector<GivenPart>& given)
    : model_(&model), text_(std::move(text)), copy_(copy && model.can_carry()) {
  if (copy_) text_ = ToValidUtf8(text_);  // because parts of it become parts of the translation
  end_ = text_.size();
  if (copy_) {
    breaks_ = text_.find(',') == std::string::npos;
    FindParts(given);
    FindForm();
    FindBrackets();
    FindLetters();
    ChooseStandIns();
  }
  Read();
  if (copy_ && CarryUnknown()) {
    FindLetters();
    ChooseStandIns();
    Read();
  }
}

// Parts that the caller gives come first; the rules search only between them.
void CarriedSource::FindParts(const std::vector<GivenPart>& given) {
  size_t from = 0;
  const auto find_until = [&](size_t until) {
    const std::string_view between = std::string_view(text_).substr(from, until - from);
    for (const CarriedSpan& span : FindCarried(between)) {
      const std::string_view found = between.substr(span.begin, span.end - span.begin);
      parts_.push_back({from + span.begin, from + span.end, span.kind, span.easy, std::string(found)});
    }
  };
  for (const GivenPart& part : given) {
    if (part.begin < from || part.end <= part.begin || part.end > text_.size()) continue;
    find_until(part.begin);
    parts_.push_back({part.begin, part.end, CarriedKind::kName, true, part.text});
    from = part.end;
  }
  find_until(text_.size());
}

// Finds the text that is copied at both ends: white space, list marks, emoji, repeated punctuation.
void CarriedSource::FindForm() {
  const std::string_view all = text_;
  if (all.starts_with(">>")) language_ = MatchPattern(">>[^\\s<>]+<<\\s*", all);
  begin_ = language_;
  size_t first = 0, last = parts_.size();  // the parts between the ends
  while (first < last && parts_[first].begin < begin_) ++first;
  for (size_t length = 1; length != 0; begin_ += length) {
    length = WhiteLength(all.substr(begin_));
    if (length != 0) continue;
    length = FindListMark(all.substr(begin_));
    if (length == 0 && first < last && parts_[first].begin == begin_) {
      const CarriedPart& part = parts_[first];
      const size_t colon = MatchPattern("[:,]\\s+", all.substr(part.end));  // a label, as in "name: text"
      if (colon != 0 || part.kind == CarriedKind::kMark) length = part.end + colon - begin_;
    }
    while (first < last && parts_[first].begin < begin_ + length) ++first;
  }
  for (bool found = true; found && end_ > begin_;) {
    found = true;
    if (IsWhite(LastCharacter(all.substr(0, end_)).code_point)) {
      end_ -= LastCharacter(all.substr(0, end_)).length;
    } else if (first < last && parts_[last - 1].end == end_ &&
               (parts_[last - 1].kind == CarriedKind::kMark || EndsWithColon(all.substr(0, parts_[last - 1].begin)))) {
      end_ = parts_[--last].begin;
      while (EndsWithColon(all.substr(0, end_))) --end_;
    } else {
      found = false;
    }
  }
  size_t run = end_;
  while (run > begin_ && (all[run - 1] == '!' || all[run - 1] == '?')) --run;
  if (end_ - run > 1 && (first == last || parts_[last - 1].end <= run)) end_ = run + 1;
  before_ = all.substr(language_, begin_ - language_);
  after_ = all.substr(end_);
  parts_.erase(parts_.begin() + static_cast<std::ptrdiff_t>(last), parts_.end());
  parts_.erase(parts_.begin(), parts_.begin() + static_cast<std::ptrdiff_t>(first));
}

// Takes the brackets around a part into the part, and the space before a break.
void CarriedSource::FindBrackets() {
  for (CarriedPart& part : parts_) {
    if (part.begin <= begin_ || part.end >= end_) continue;
    if (text_[part.begin - 1] == '(' && text_[part.end] == ')') {
      part = {part.begin - 1, part.end + 1, CarriedKind::kMark, false, "(" + part.text + ")"};
    } else if (IsBreak(part) && text_[part.begin - 1] == ' ') {
      --part.begin;
      part.text.insert(0, " ");
    }
  }
}

// Whether a part is a tab or a control character between words. The model reads a comma instead: it may drop a word of
// "Hello world", but not of "Hello, world".
bool CarriedSource::IsBreak(const CarriedPart& part) const {
  const auto last = static_cast<unsigned char>(text_[part.end - 1]);
  return breaks_ && part.kind == CarriedKind::kMark && last < ' ' && !IsLast(part);
}

bool CarriedSource::IsLast(const CarriedPart& part) const {
  for (size_t at = part.end; at < end_; ++at) {
    if (MatchPattern("[.!?;:]", std::string_view(text_).substr(at)) == 0) return false;
  }
  return true;
}

// Finds out whether there is anything to translate, and whether all of it is in capitals.
void CarriedSource::FindLetters() {
  // Counts the letters outside carried parts.
  const std::string_view all = text_;
  size_t upper = 0, lower = 0, letters = 0, at = begin_;
  const auto count_until = [&](size_t until) {
    while (at < until) {
      const Decoded one = DecodeOne(all.substr(at));
      upper += ToLower(one.code_point) != one.code_point;
      lower += ToUpper(one.code_point) != one.code_point;
      letters += one.code_point < 0x80 ? MatchPattern("\\a", all.substr(at)) : IsWordCharacter(one.code_point);
      at += one.length;
    }
  };
  for (const CarriedPart& part : parts_) {
    count_until(part.begin);
    at = part.end;
  }
  count_until(end_);
  constexpr size_t kFewest = 4;  // fewer capitals may be an abbreviation
  capitals_ = upper >= kFewest && lower == 0;
  stops_ = letters != 0 && EndsWithWord(all.substr(0, end_));
  // Nothing to translate: the whole text is the result.
  if (letters != 0) return;
  for (at = begin_; const CarriedPart& part : parts_) {
    before_.append(all, at, part.begin - at).append(part.text);
    at = part.end;
  }
  before_.append(all, at, end_ - at);
  begin_ = end_;
  parts_.clear();
}

void CarriedSource::ChooseStandIns() {
  std::vector<const char*> names, numbers;  // the stand-ins that the text does not contain, the next one last
  const auto choose = [&](const auto& list, std::vector<const char*>& free) {
    for (size_t i = std::size(list); i-- > 0;) {
      const char* const word = list[(i + reading_ * kStep) % std::size(list)];
      if (FindAlone(text_, word) == std::string_view::npos) free.push_back(word);
    }
  };
  // In the first reading some parts stay unchanged; all others get a stand-in each.
  bool chosen = false;
  for (CarriedPart& part : parts_) {
    part.stand_in.clear();
    part.as_is = part.easy && reading_ == 0;
    if (part.as_is) part.stand_in = text_.substr(part.begin, part.end - part.begin);
    if (reading_ == 0 && IsBreak(part)) part.stand_in = text_[part.end] == ' ' ? "," : ", ";
    if (part.as_is || part.kind == CarriedKind::kMark) continue;
    if (!chosen) {
      choose(kNames, names);
      choose(kNumbers, numbers);
      chosen = true;
    }
    std::vector<const char*>& free = part.kind == CarriedKind::kNumber ? numbers : names;
    if (free.empty()) continue;
    part.stand_in = free.back();
    free.pop_back();
  }
}

// A text in capitals in its usual form: lower case, except for the first letter, "I", and words that the vocabulary has
// only with a capital.
std::string CarriedSource::UsualForm(std::string_view text) const {
  std::string usual = InCase(text, &ToLower);
  bool first = true;
  for (size_t at = 0; at < usual.size();) {
    size_t end = at;
    while (BeginsWithWord(std::string_view(usual).substr(end)))
      end += DecodeOne(std::string_view(usual).substr(end)).length;
    if (end == at) {
      at += DecodeOne(std::string_view(usual).substr(at)).length;
      continue;
    }
    const std::string_view word = std::string_view(usual).substr(at, end - at);
    const size_t initial = DecodeOne(word).length;
    const std::string capital = InCase(word.substr(0, initial), &ToUpper);
    const std::string with = capital + std::string(word.substr(initial));
    if (first || word == "i" || (!model_->Knows(word) && model_->Knows(with))) usual.replace(at, initial, capital);
    first = false;
    at = end;
  }
  return usual;
}

void CarriedSource::Read() {
  const std::string usual = capitals_ ? UsualForm(text_) : std::string();
  const std::string_view original = capitals_ ? usual : text_;
  Changes read(original);
  if (begin_ != language_) read.Replace(language_, begin_, "");
  for (const CarriedPart& part : parts_) {
    const bool parts_words = part.stand_in.empty() && EndsWithWord(original.substr(0, part.begin)) &&
                             BeginsWithWord(original.substr(part.end)) && original[part.begin] != '<';
    read.Replace(part.begin, part.end, parts_words ? " " : std::string_view(part.stand_in));
  }
  if (end_ != text_.size() || stops_) read.Replace(end_, text_.size(), stops_ ? "." : "");
  tokens_ = model_->Encode(read.Finish(), Side::kSource);
  for (size_t& begin : tokens_.begin) begin = read.Back(begin, false);
  for (size_t& end : tokens_.end) end = read.Back(end, true);
  if (!tokens_.truncated) return;
  after_.clear();
  std::erase_if(parts_, [&](const CarriedPart& part) { return part.begin >= tokens_.end.back(); });
}

// Carries the words with a character that is not in the vocabulary. Returns false if there are none.
bool CarriedSource::CarryUnknown() {
  const size_t before = parts_.size();
  for (size_t i = 0; i + 1 < tokens_.ids.size(); ++i) {
    if (tokens_.ids[i] == model_->Unknown(Side::kSource) && tokens_.begin[i] >= begin_)
      Carry(tokens_.begin[i], tokens_.end[i]);
  }
  return parts_.size() != before;
}

void CarriedSource::Carry(size_t begin, size_t end) {
  const std::string_view all = text_;
  while (begin < end && IsWhite(DecodeOne(all.substr(begin)).code_point)) begin += DecodeOne(all.substr(begin)).length;
  CarriedKind kind = CarriedKind::kMark;
  if (BeginsWithWord(all.substr(begin, end - begin)) || EndsWithWord(all.substr(begin, end - begin))) {
    kind = CarriedKind::kName;
    while (begin > begin_ && EndsWithWord(all.substr(0, begin)) && BeginsWithWord(all.substr(begin))) {
      begin -= LastCharacter(all.substr(0, begin)).length;
    }
    while (end < end_ && EndsWithWord(all.substr(0, end)) && BeginsWithWord(all.substr(end))) {
      end += DecodeOne(all.substr(end)).length;
    }
  }
  for (const CarriedPart& part : parts_) {
    if (begin < part.end && part.begin < end) return;
  }
  if (begin == end) return;
  size_t place = parts_.size();  // in order
  while (place > 0 && parts_[place - 1].begin > begin) --place;
  parts_.insert(parts_.begin() + static_cast<std::ptrdiff_t>(place),
                {begin, end, kind, false, std::string(all.substr(begin, end - begin))});
}

bool CarriedSource::ReadOtherwise() {
  const auto is_read = [](const CarriedPart& part) { return !part.stand_in.empty(); };
  if (reading_ + 1 >= kReadings || std::none_of(parts_.begin(), parts_.end(), is_read)) return false;
  ++reading_;
  ChooseStandIns();
  Read();
  return true;
}

Tokens CarriedSource::ReadTarget(const std::string& target) const {
  if (!copy_) return model_->Encode(target, Side::kTarget);
  const std::string usual = capitals_ ? UsualForm(target) : target;
  const std::string_view all = usual;
  const size_t begin = target.starts_with(before_) ? before_.size() : 0;
  const size_t end = target.size() - (std::string_view(target).substr(begin).ends_with(after_) ? after_.size() : 0);
  std::vector<std::pair<size_t, const CarriedPart*>> found;
  constexpr size_t kSearched = 1 << 14;  // bytes; longer than any text that a model reads
  for (const CarriedPart& part : parts_) {
    const size_t at = FindAlone(std::string_view(target).substr(0, std::min(end, begin + kSearched)), part.text, begin);
    if (at == std::string_view::npos || part.as_is) continue;
    size_t place = found.size();  // ascending by place
    while (place > 0 && found[place - 1].first > at) --place;
    found.insert(found.begin() + static_cast<std::ptrdiff_t>(place), {at, &part});
  }
  Changes read(all);
  if (begin != 0) read.Replace(0, begin, "");
  size_t done = begin;
  for (const auto& [at, part] : found) {
    if (at < done) continue;
    const bool spaced = part->stand_in.empty() && at > done && target[at - 1] == ' ';
    done = at + part->text.size();
    read.Replace(at - (spaced ? 1 : 0), done, part->stand_in);
  }
  const bool stops = stops_ && EndsWithWord(all.substr(0, end));
  if (end != target.size() || stops) read.Replace(end, target.size(), stops ? "." : "");
  Tokens tokens = model_->Encode(read.Finish(), Side::kTarget);
  for (size_t& offset : tokens.begin) offset = read.Back(offset, false);
  for (size_t& offset : tokens.end) offset = read.Back(offset, true);
  return tokens;
}

}  // namespace qkv
