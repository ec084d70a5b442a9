#include "core/translate/spelling.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/text/letter_case.h"

namespace qkv {
namespace {

// Replaces [begin, end) of the text of the pieces by `text`.
struct Edit {
  size_t begin, end;
  std::string text;
  const CarriedPart* part;  // null: an unknown piece, a surplus stand-in or a full stop
  size_t source_begin, source_end;
};

class Speller {
 public:
  Speller(const TranslationModel& model, const CarriedSource& source, const std::vector<int32_t>& ids,
          const AttentionMap* alignment)
      : model_(model), source_(source), alignment_(alignment), text_(model.Decode(ids, &pieces_)) {}

  Spelling Spell(Tokens* tokens) {
    for (size_t t = 0; source_.copy() && t < pieces_.ids.size(); ++t) {
      if (pieces_.ids[t] == model_.Unknown(Side::kTarget) && pieces_.begin[t] != pieces_.end[t]) CopyUnknown(t);
    }
    for (const CarriedPart& part : source_.parts()) {
      if (!Find(part)) missing_.push_back(&part);
    }
    DropStop();
    if (alignment_ != nullptr) {
      for (const CarriedPart* part : missing_) Place(*part);
      missing_.clear();
    }
    return Write(tokens);
  }

 private:
  // Adds an edit unless it overlaps another.
  bool Add(Edit edit) {
    // An insertion comes before a replacement at the same place.
    const auto at = std::upper_bound(edits_.begin(), edits_.end(), edit, [](const Edit& a, const Edit& b) {
      return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
    });
    if (at != edits_.end() && at->begin < edit.end) return false;
    if (at != edits_.begin() && std::prev(at)->end > edit.begin) return false;
    edits_.insert(at, std::move(edit));
    return true;
  }

  bool Replace(const CarriedPart& part, size_t begin, size_t end) {
    return Add({begin, end, part.text, &part, part.begin, part.end});
  }

  // Replaces a stand-in by its part, or finds the part where the model copied it.
  bool Find(const CarriedPart& part) {
    if (part.kind == CarriedKind::kMark && source_.IsLast(part)) {
      Insert(part, Closing());
      return true;
    }
    return (!part.as_is && FindWord(part, part.stand_in, true)) || FindWord(part, part.text, false);
  }

  bool FindWord(const CarriedPart& part, const std::string& word, bool is_stand_in) {
    size_t at = FindAlone(text_, word);
    while (at != std::string_view::npos && IsTaken(at)) at = FindAlone(text_, word, at + word.size());
    if (at == std::string_view::npos) return false;
    const bool is_more = Found(word) > Wanted(word);
    if (is_more && alignment_ == nullptr) return false;
    if (!Replace(part, at, at + word.size())) return false;
    while (is_more && is_stand_in && (at = FindAlone(text_, word, at + word.size())) != std::string_view::npos) {
      const size_t space = at > 0 && text_[at - 1] == ' ' ? 1 : 0;
      Add({at - space, at + word.size(), {}, nullptr, 0, 0});
    }
    return true;
  }

  bool IsTaken(size_t at) const {
    return std::any_of(edits_.begin(), edits_.end(), [&](const Edit& edit) { return edit.begin == at; });
  }

  // The offset where the punctuation at the end begins.
  size_t Closing() const {
    size_t end = text_.size();
    while (end > 0 && std::string_view(" .!?;:").find(text_[end - 1]) != std::string_view::npos) --end;
    return end;
  }

  // Removes the full stop that the source did not have.
  void DropStop() {
    for (const std::string_view stop : {std::string_view("."), std::string_view("。")}) {
      if (source_.stops() && text_.ends_with(stop)) Add({text_.size() - stop.size(), text_.size(), {}, nullptr, 0, 0});
    }
  }

  // How often a word should occur in the translation, and below how often it does.
  size_t Wanted(const std::string& word) const {
    const auto& parts = source_.parts();
    return static_cast<size_t>(std::count_if(parts.begin(), parts.end(), [&](const CarriedPart& part) {
      return (!part.as_is && part.stand_in == word) || part.text == word;
    }));
  }
  size_t Found(const std::string& word) const {
    size_t count = 0;
    for (size_t at = 0; (at = FindAlone(text_, word, at)) != std::string_view::npos; at += word.size()) ++count;
    return count;
  }

  // The sum of the weights that target piece t gives to source pieces [first, last).
  float Weight(size_t t, size_t first, size_t last) const {
    const float* row = alignment_->Row(0, 0, t);
    float sum = 0;
    for (size_t s = first; s < last; ++s) sum += row[s];
    return sum;
  }

  // The target piece with the most weight on source pieces [first, last); none if all weights are 0.
  std::optional<size_t> MostAttending(size_t first, size_t last) const {
    std::optional<size_t> best;
    float most = 0;
    for (size_t t = 0; t < pieces_.ids.size(); ++t) {
      if (pieces_.begin[t] == pieces_.end[t]) continue;
      const float weight = Weight(t, first, last);
      if (weight > most) {
        most = weight;
        best = t;
      }
    }
    return best;
  }

  // The word of target piece t, without punctuation.
  std::pair<size_t, size_t> WordOf(size_t t) const {
    const std::string_view text = text_;
    size_t begin = pieces_.begin[t], end = pieces_.end[t];
    while (begin < end && text[begin] == ' ') ++begin;
    const size_t inside = begin;
    const bool is_word = BeginsWithWord(text.substr(begin));
    while (is_word && EndsWithWord(text.substr(0, begin))) begin -= LastCharacter(text.substr(0, begin)).length;
    end = inside;
    while (BeginsWithWord(text.substr(end))) end += DecodeOne(text.substr(end)).length;
    return {begin, std::max(end, pieces_.end[t])};
  }

  // Replaces an unknown piece by the source text that it attends to most (Luong et al. 2015b).
  void CopyUnknown(size_t t) {
    is_whole_ = alignment_ != nullptr;
    if (alignment_ == nullptr) return;
    const Tokens& read = source_.tokens();
    const float* row = alignment_->Row(0, 0, t);
    const float* most = std::max_element(row, row + alignment_->sources - 1);
    const auto s = static_cast<size_t>(most - row);
    if (alignment_->sources < 2 || *most <= 0) return;  // without attention the unknown piece stays
    std::string text = source_.text().substr(read.begin[s], read.end[s] - read.begin[s]);
    Add({pieces_.begin[t], pieces_.end[t], std::move(text), nullptr, read.begin[s], read.end[s]});
  }

  // Places a part that the translation lost: instead of the word that attends to its stand-in, or else after the word
  // that attends to the text before it.
  void Place(const CarriedPart& part) {
    const Tokens& read = source_.tokens();
    const size_t pieces = read.ids.size() - 1;
    size_t first = 0, last;
    while (first < pieces && read.end[first] <= part.begin) ++first;
    for (last = first; last < pieces && read.begin[last] < part.end;) ++last;
    const std::optional<size_t> attending = MostAttending(first, last);
    if (attending && !part.stand_in.empty()) {
      const auto [begin, end] = WordOf(*attending);
      const float* row = alignment_->Row(0, 0, *attending);
      const auto at = static_cast<size_t>(std::max_element(row, row + pieces) - row);
      if (at >= first && at < last && BeginsWithWord(std::string_view(text_).substr(begin)) &&
          Replace(part, begin, end))
        return;
    }
    const std::optional<size_t> before = first == 0 ? std::nullopt : MostAttending(first - 1, first);
    const size_t place = before ? WordOf(*before).second : first == 0 ? 0 : text_.size();
    Insert(part, place);
  }

  void Insert(const CarriedPart& part, size_t place) {
    for (const Edit& edit : edits_) {
      if (edit.begin < place && place < edit.end) place = edit.end;
    }
    const std::string_view source = source_.text();
    const bool spaced = (part.begin == 0 || source[part.begin - 1] == ' ' || !part.stand_in.empty()) &&
                        (place == 0 || text_[place - 1] != ' ');
    std::string text = place == 0 ? part.text + (spaced ? " " : "") : (spaced ? " " : "") + part.text;
    Add({place, place, std::move(text), &part, part.begin, part.end});
  }

  Spelling Write(Tokens* tokens) {
    const std::string body = source_.capitals() ? InCase(text_, &ToUpper) : text_;
    Changes changes(body);
    if (!source_.before().empty()) changes.Replace(0, 0, source_.before());
    for (const Edit& edit : edits_) changes.Replace(edit.begin, edit.end, edit.text);
    if (!source_.after().empty()) changes.Replace(body.size(), body.size(), source_.after());
    Spelling spelling;
    spelling.text = changes.Finish();
    spelling.is_whole = is_whole_ && missing_.empty();
    AddCopied(spelling);
    if (tokens != nullptr) {
      *tokens = pieces_;
      for (size_t i = 0; i < tokens->begin.size(); ++i) {
        // A piece without text, such as </s>, comes after the text that is inserted at its place.
        tokens->begin[i] = changes.Forward(tokens->begin[i], false);
        tokens->end[i] = std::max(tokens->begin[i], changes.Forward(tokens->end[i], true));
      }
    }
    return spelling;
  }

  void AddCopied(Spelling& spelling) const {
    size_t shift = source_.before().size();
    for (const Edit& edit : edits_) {
      // A space that was inserted with a part does not belong to the part.
      const size_t space = edit.begin == edit.end && edit.text.starts_with(' ') ? 1 : 0;
      const size_t length = edit.part != nullptr ? edit.part->text.size() : edit.text.size();
      const size_t begin = edit.begin + shift + space;
      shift += edit.text.size() - (edit.end - edit.begin);
      if (length == 0) continue;
      size_t place = spelling.copied.size();  // in the source's order
      while (place > 0 && spelling.copied[place - 1].source_begin > edit.source_begin) --place;
      spelling.copied.insert(
          spelling.copied.begin() + static_cast<std::ptrdiff_t>(place),
          {edit.source_begin, edit.source_end, begin, begin + length, edit.part != nullptr && edit.part->as_is});
    }
  }

  const TranslationModel& model_;
  const CarriedSource& source_;
  const AttentionMap* alignment_;
  Tokens pieces_;
  std::string text_;
  std::vector<Edit> edits_;  // ascending by place, no two overlap
  std::vector<const CarriedPart*> missing_;
  bool is_whole_ = true;
};

}  // namespace

Spelling Spell(const TranslationModel& model, const CarriedSource& source, const std::vector<int32_t>& ids,
               const AttentionMap* alignment, Tokens* tokens) {
  return Speller(model, source, ids, alignment).Spell(tokens);
}

}  // namespace qkv
