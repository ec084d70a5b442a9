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

// How a model carries. "attention": a part that the translation lost is placed by the attention. "stand-ins": the model
// has no attention, and a lost part is put at the end. "none": the vocabulary cannot spell stand-ins, so the model
// reads texts unchanged.
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
  bool easy = false;          // in the first reading the model reads it unchanged
  std::string text = {};      // the text that the translation gets
  std::string stand_in = {};  // the text that the model reads; empty: nothing, and the attention gives the place
  bool as_is = false;         // the stand-in is the source text itself
};

class CarriedSource {
 public:
  // `given` is in order and does not overlap. Without `copy` the model reads the text unchanged. `model` must outlive
  // this.
  CarriedSource(const TranslationModel& model, std::string text, bool copy, const std::vector<GivenPart>& given = {});

  const std::string& text() const { return text_; }
  // The pieces that the model reads; their spans are in text().
  const Tokens& tokens() const { return tokens_; }
  // The carried parts, without those in before() and after() and those behind the model's last position.
  const std::vector<CarriedPart>& parts() const { return parts_; }
  // The text that every translation begins and ends with: white space, list marks, emoji, repeated punctuation.
  const std::string& before() const { return before_; }
  const std::string& after() const { return after_; }
  // Whether the model reads a full stop that the text does not have. It is removed from the translation.
  bool stops() const { return stops_; }
  // Whether only punctuation follows a part.
  bool IsLast(const CarriedPart& part) const;
  bool capitals() const { return capitals_; }  // the text is in capitals, so the translation will be too
  bool copy() const { return copy_; }
  // Whether there are several readings. The translation decides which one counts.
  bool is_read_otherwise() const { return !parts_.empty() || capitals_; }
  // Bytes of text() without before() and after().
  size_t bytes() const { return end_ - begin_; }

  // Takes the next reading, after a translation that lost a part. Returns false if there is no other.
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
  size_t language_ = 0;         // bytes of a target language token and the space after it
  size_t begin_ = 0, end_ = 0;  // the range that is translated
  size_t reading_ = 0;
  std::vector<CarriedPart> parts_;
  Tokens tokens_;
};

// The first offset from `from` on where `part` occurs, but not inside a word or a longer number; npos if there is none.
size_t FindAlone(std::string_view text, std::string_view part, size_t from = 0);

}  // namespace qkv
