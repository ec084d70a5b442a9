// The source as the model reads it. A part that cannot be translated is left out, or the model reads a stand-in: a word
// or a number that models copy. core/translate/spelling.h puts the part into the translation.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/carried.h"
#include "core/text/changes.h"
#include "core/translate/model.h"

namespace qkv {

// How a model carries. "attention": a part that the translation lost goes where the attention says. "stand-ins": the
// model has no attention, and such a part goes to the end. "none": its vocabulary cannot spell stand-ins, and it reads
// texts as they are.
const char* Carrying(const TranslationModel& model);

// A part of a text, [begin, end) in bytes, and the text that the caller wants for it in the translation.
struct GivenPart {
  size_t begin = 0, end = 0;
  std::string text;
};

// A part of the source that is carried through.
struct CarriedPart {
  size_t begin = 0, end = 0;  // in the source
  CarriedKind kind = CarriedKind::kName;
  bool easy = false;          // in the first reading the model reads it as it is
  std::string text = {};      // what the translation has for it
  std::string stand_in = {};  // what the model reads; empty: nothing, and the attention gives its place
  bool as_is = false;         // the stand-in is the source's own text
};

class CarriedSource {
 public:
  // `given`: in order, no two overlapping. `copy` false: the model reads the text as it is. `model` must outlive it.
  CarriedSource(const TranslationModel& model, std::string text, bool copy, const std::vector<GivenPart>& given = {});

  const std::string& text() const { return text_; }
  // What the model reads; the spans are those of text().
  const Tokens& tokens() const { return tokens_; }
  // Those of before() and after() are not among them, nor those behind the model's last position.
  const std::vector<CarriedPart>& parts() const { return parts_; }
  // Every translation begins and ends with these: white space, marks of a list, emoji, repeated punctuation.
  const std::string& before() const { return before_; }
  const std::string& after() const { return after_; }
  // Whether the model reads a full stop that the text does not have. The translation loses it again.
  bool stops() const { return stops_; }
  // Whether nothing but punctuation follows a part.
  bool IsLast(const CarriedPart& part) const;
  bool capitals() const { return capitals_; }  // the text, and so the translation, is in capitals
  bool copy() const { return copy_; }
  // Whether there are several readings. The translation decides which one counts.
  bool is_read_otherwise() const { return !parts_.empty() || capitals_; }
  // Bytes of text() without before() and after().
  size_t bytes() const { return end_ - begin_; }

  // Takes the next reading, after a translation that lost a part; false where there is no other.
  bool ReadOtherwise();
  // The pieces of a translation that a person wrote, in the same reading, with spans in `target`.
  Tokens ReadTarget(const std::string& target) const;

 private:
  void FindParts(const std::vector<GivenPart>& given);
  void FindForm();
  void FindBrackets();
  bool IsBreak(const CarriedPart& part) const;
  void FindLetters();
  void ChooseStandIns();
  void Read();
  bool CarryUnknown();
  void Carry(size_t begin, size_t end);
  std::string UsualForm(std::string_view text) const;

  const TranslationModel* model_;
  std::string text_, before_, after_;
  bool copy_, capitals_ = false, stops_ = false;
  bool breaks_ = false;         // the text has no comma, which may then stand for a control character
  size_t language_ = 0;         // bytes of a token of the target language with the space after it
  size_t begin_ = 0, end_ = 0;  // of what is translated
  size_t reading_ = 0;
  std::vector<CarriedPart> parts_;
  Tokens tokens_;
};

// The first place from `from` on where `part` stands alone, not inside a word or a longer number. npos: none.
size_t FindAlone(std::string_view text, std::string_view part, size_t from = 0);

}  // namespace qkv
