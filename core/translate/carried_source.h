// A source as a model is to read it. What cannot be translated is not shown to the model, or shown as a stand-in: a
// word or a number that models copy. core/translate/spelling.h puts it back.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/carried.h"
#include "core/text/changes.h"
#include "core/translate/model.h"

namespace qkv {

// What the caller says of a part of a text, [begin, end) in bytes: what stands there in the translation.
struct GivenPart {
  size_t begin = 0, end = 0;
  std::string text;
};

// A part of the source that is carried through.
struct CarriedPart {
  size_t begin = 0, end = 0;  // in the source
  CarriedKind kind = CarriedKind::kName;
  bool easy = false;          // the model reads it as it is, as long as it copies it
  std::string text = {};      // what stands for it in the translation
  std::string stand_in = {};  // what the model reads; empty: nothing, its place is found by attention
  bool as_is = false;         // the stand-in is the source's own text
};

class CarriedSource {
 public:
  // `given`: in order, no two overlapping. `copy` false: the model reads the text as it is. `model` must outlive it.
  CarriedSource(const TranslationModel& model, std::string text, bool copy, const std::vector<GivenPart>& given = {});

  const std::string& text() const { return text_; }
  // What the model reads; the spans are those of text().
  const Tokens& tokens() const { return tokens_; }
  // Without what stands at its ends. The ones at places that the model has no positions for are left out.
  const std::vector<CarriedPart>& parts() const { return parts_; }
  // Stand before and after every translation: white space, marks of a list, emoji, repeated punctuation.
  const std::string& before() const { return before_; }
  const std::string& after() const { return after_; }
  // A full stop that the text lacks was put in for the model, and is to be taken from the translation's end.
  bool stops() const { return stops_; }
  // Whether nothing but punctuation follows a part.
  bool IsLast(const CarriedPart& part) const;
  bool capitals() const { return capitals_; }  // the translation is to be in capitals
  bool copy() const { return copy_; }
  // Of text() that the model reads, stand-ins and all.
  size_t bytes() const { return end_ - begin_; }

  // Reads it in another way, for a translation that lost what it should have carried; false where there is none.
  bool ReadOtherwise();
  // A translation of it that a person wrote, in the same reading, with spans of `target`.
  Tokens ReadTarget(const std::string& target) const;

 private:
  void FindParts(const std::vector<GivenPart>& given);
  void FindForm();
  void FindBrackets();
  void FindLetters();
  void ChooseStandIns();
  void Read();
  bool CarryUnknown();
  void Carry(size_t begin, size_t end);
  std::string UsualForm(std::string_view text) const;

  const TranslationModel* model_;
  std::string text_, before_, after_;
  bool copy_, capitals_ = false, stops_ = false;
  size_t language_ = 0;         // bytes of a token of the target language, and of the space after it
  size_t begin_ = 0, end_ = 0;  // of what is translated
  size_t reading_ = 0;
  std::vector<CarriedPart> parts_;
  Tokens tokens_;
};

// Where `part` stands in a text by itself: not inside a word or a longer number. npos: nowhere.
size_t FindAlone(std::string_view text, std::string_view part, size_t from = 0);

}  // namespace qkv
