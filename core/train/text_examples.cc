#include "core/train/text_examples.h"

#include <algorithm>

#include "core/train/mixture.h"

namespace qkv {
namespace {

// Devlin et al. 2019, section 3.1: 15 % of the pieces get a label; of these 80 % are masked, 10 % replaced, 10 %
// stay.
constexpr float kLabelled = 0.15f, kMasked = 0.8f, kReplaced = 0.9f;

// The words of a text, half-open bytes, and where each begins.
std::vector<std::string_view> Words(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\r\n";
  std::vector<std::string_view> words;
  for (size_t at = text.find_first_not_of(kSpaces); at != std::string_view::npos;) {
    const size_t end = std::min(text.find_first_of(kSpaces, at), text.size());
    words.push_back(text.substr(at, end - at));
    at = text.find_first_not_of(kSpaces, end);
  }
  return words;
}

uint64_t HashOf(std::string_view text) {
  uint64_t hash = kHashBasis;
  for (const char c : text) hash = HashOn(hash, static_cast<unsigned char>(c));
  return hash;
}

}  // namespace

Result<bool> LanguageModelExamples::Make(std::string_view source, std::string_view, Random*, size_t longest,
                                         TooLong too_long, Example* example) const {
  // All pieces of the text, then the end; the model continues each from those before it.
  const std::vector<Piece> pieces = tokenizer_.Pieces(source);
  if (pieces.empty() || (too_long == TooLong::kLeaveOut && pieces.size() >= longest)) return false;
  example->source.clear();
  example->target.clear();
  for (const Piece& piece : pieces) example->target.push_back(piece.id);
  example->target.resize(std::min(pieces.size(), longest - 1));
  example->target.push_back(end_);
  return true;
}

bool TokenLabelExamples::Read(std::string_view text, size_t longest, TooLong too_long, Encoding* read,
                              Example* example) const {
  *read = tokenizer_.Encode(text, std::nullopt, longest);
  if (read->truncated && too_long == TooLong::kLeaveOut) return false;
  example->source = read->ids;
  example->target.assign(read->size(), Batch::kNoLabel);
  return std::find(read->text.begin(), read->text.end(), 0) != read->text.end();
}

int32_t MaskedExamples::Hidden(int32_t id, Random& random) const {
  const float kind = random.Uniform();
  if (kind >= kReplaced) return id;
  if (kind < kMasked) return mask_;
  const auto any = static_cast<int32_t>(random.Uniform() * static_cast<float>(tokenizer_.size()));
  return tokenizer_.IsSpecial(any) ? mask_ : any;
}

Result<bool> MaskedExamples::Make(std::string_view source, std::string_view, Random* random, size_t longest,
                                  TooLong too_long, Example* example) const {
  Encoding read;
  if (!Read(source, longest, too_long, &read, example)) return false;
  // For measuring there is no generator: the text itself decides, so that each measurement masks the same pieces.
  Random always(HashOf(source));
  if (random == nullptr) random = &always;
  const auto choose = [&](size_t row) {
    example->target[row] = read.ids[row];
    example->source[row] = Hidden(read.ids[row], *random);
  };
  std::vector<size_t> own;  // rows of the text's pieces
  for (size_t row = 0; row < read.size(); ++row) {
    if (read.text[row] == 0) own.push_back(row);
  }
  // Pieces are chosen at random, at least one.
  bool any = false;
  for (const size_t row : own) {
    if (random->Uniform() >= kLabelled) continue;
    choose(row);
    any = true;
  }
  if (!any) choose(own[static_cast<size_t>(random->Uniform() * static_cast<float>(own.size()))]);
  return true;
}

Result<int32_t> ClassificationExamples::LabelOf(std::string_view name) const {
  const auto found = std::find(labels_.begin(), labels_.end(), name);
  if (found != labels_.end()) return static_cast<int32_t>(found - labels_.begin());
  return Error{ErrorCode::kInvalidArgument, "is a label in the corpus but not in the config's list", std::string(name)};
}

Result<bool> ClassificationExamples::Make(std::string_view source, std::string_view target, Random*, size_t longest,
                                          TooLong too_long, Example* example) const {
  QKV_TRY(const int32_t label, LabelOf(target));
  Encoding read;
  if (!Read(source, longest, too_long, &read, example)) return false;
  example->target.front() = label;
  return true;
}

Result<bool> TaggingExamples::Make(std::string_view source, std::string_view target, Random*, size_t longest,
                                   TooLong too_long, Example* example) const {
  // A label for each word.
  const std::vector<std::string_view> words = Words(source), labels = Words(target);
  if (words.size() != labels.size()) {
    return Error{ErrorCode::kInvalidArgument,
                 "has " + std::to_string(words.size()) + " words and " + std::to_string(labels.size()) + " labels",
                 std::string(source)};
  }
  Encoding read;
  if (!Read(source, longest, too_long, &read, example)) return false;
  // The first piece of a word has its label, the others have none (Devlin et al. 2019, section 5.3).
  size_t piece = 0;
  for (size_t word = 0; word < words.size(); ++word) {
    QKV_TRY(const int32_t label, LabelOf(labels[word]));
    const auto begin = static_cast<size_t>(words[word].data() - source.data());
    while (piece < read.size() && (read.text[piece] != 0 || read.end[piece] <= begin)) ++piece;
    // The normaliser may remove characters, and with them a whole word.
    if (piece < read.size() && read.begin[piece] < begin + words[word].size()) example->target[piece] = label;
  }
  return true;
}

}  // namespace qkv
