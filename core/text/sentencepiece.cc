#include "core/text/sentencepiece.h"

#include <utility>

#include "core/text/bpe.h"
#include "core/text/normalizer.h"
#include "core/text/spm_file.h"
#include "core/text/unigram.h"
#include "core/text/utf.h"
#include "core/text/vocabulary.h"

namespace qkv {

struct SentencePiece::Model {
  Vocabulary vocabulary;
  Normalizer normalizer;
  Unigram unigram;
  bool bpe;
  bool strips_first_space;     // decoding removes the dummy prefix
  bool strips_leading_spaces;  // and the spaces of further pieces until there is text
  std::string unknown_surface;
};

SentencePiece::SentencePiece(std::unique_ptr<Model> model) : model_(std::move(model)) {}
SentencePiece::~SentencePiece() = default;
SentencePiece::SentencePiece(SentencePiece&&) noexcept = default;
SentencePiece& SentencePiece::operator=(SentencePiece&&) noexcept = default;

Result<SentencePiece> SentencePiece::Parse(std::span<const uint8_t> model, std::string_view file_name) {
  QKV_TRY(SpmFile spm, ParseSpm(model, file_name));
  Charsmap charsmap;
  if (!spm.charsmap.empty()) {
    QKV_TRY(charsmap, Charsmap::Parse(spm.charsmap, std::string(file_name) + ", normalizer_spec.precompiled_charsmap"));
  }
  QKV_TRY(Vocabulary vocabulary, Vocabulary::Build(spm, file_name));
  const NormalizerOptions& options = spm.normalizer;
  const Unigram unigram(vocabulary);
  return SentencePiece(std::make_unique<Model>(Model{
      .vocabulary = std::move(vocabulary),
      .normalizer = Normalizer(options, std::move(charsmap)),
      .unigram = unigram,
      .bpe = spm.algorithm == SpmFile::Algorithm::kBpe,
      .strips_first_space = options.add_dummy_prefix || options.remove_extra_whitespaces,
      .strips_leading_spaces = options.remove_extra_whitespaces,
      .unknown_surface = std::move(spm.unknown_surface),
  }));
}

size_t SentencePiece::size() const { return model_->vocabulary.size(); }
std::string_view SentencePiece::Text(int32_t id) const { return model_->vocabulary.Text(id); }
int32_t SentencePiece::Id(std::string_view piece) const { return model_->vocabulary.Find(piece); }
int32_t SentencePiece::unknown_id() const { return model_->vocabulary.unknown_id(); }
bool SentencePiece::is_bpe() const { return model_->bpe; }
bool SentencePiece::IsControl(int32_t id) const { return model_->vocabulary.Type(id) == PieceType::kControl; }

std::vector<Piece> SentencePiece::Encode(std::string_view text, size_t most, bool* cut) const {
  const Vocabulary& vocabulary = model_->vocabulary;
  const Normalized normalized = model_->normalizer.Normalize(text, vocabulary.user_defined());
  const std::vector<Segment> segments =
      model_->bpe ? CutByPairs(normalized.text, vocabulary) : model_->unigram.Cut(normalized.text, vocabulary);
  std::vector<Piece> pieces = Number(normalized, segments);
  if (cut != nullptr) *cut = normalized.cut || pieces.size() > most;
  if (pieces.size() > most) pieces.resize(most);
  return pieces;
}

std::vector<Piece> SentencePiece::Sample(std::string_view text, float strength, Random& random) const {
  const Vocabulary& vocabulary = model_->vocabulary;
  const Normalized normalized = model_->normalizer.Normalize(text, vocabulary.user_defined());
  const std::vector<Segment> segments = model_->bpe
                                            ? CutByPairs(normalized.text, vocabulary, strength, random)
                                            : model_->unigram.Sample(normalized.text, vocabulary, strength, random);
  return Number(normalized, segments);
}

// Turns segments into pieces. Characters that are not in the vocabulary become bytes, or one unknown piece for each run
// of them.
std::vector<Piece> SentencePiece::Number(const Normalized& normalized, const std::vector<Segment>& segments) const {
  const Vocabulary& vocabulary = model_->vocabulary;
  std::vector<Piece> pieces;
  pieces.reserve(segments.size());
  size_t at = 0;
  bool after_unknown = false;
  for (const Segment& segment : segments) {
    const size_t begin = normalized.origin[at], end = normalized.origin[segment.end];
    const bool unknown = segment.id == vocabulary.unknown_id();
    if (unknown && vocabulary.byte_fallback()) {
      // The piece of the last byte has the span of the character. The pieces before it have an empty span at its
      // beginning.
      for (; at < segment.end; ++at) {
        const int32_t id = vocabulary.ByteId(static_cast<uint8_t>(normalized.text[at]));
        pieces.push_back({id, begin, at + 1 == segment.end ? end : begin});
      }
    } else if (unknown && after_unknown) {
      pieces.back().end = end;
    } else {
      pieces.push_back({segment.id, begin, end});
    }
    at = segment.end;
    after_unknown = unknown;
  }
  return pieces;
}

namespace {

// Builds the text of pieces one by one.
class Decoder {
 public:
  explicit Decoder(std::vector<Piece>* spans) : spans_(spans) {}

  const std::string& text() const { return text_; }
  std::string TakeText() { return std::move(text_); }

  void Add(int32_t id, std::string_view surface) {
    const size_t begin = text_.size();
    text_ += surface;
    if (spans_ != nullptr) spans_->push_back({id, begin, text_.size()});
  }

  // U+2581 becomes a space.
  void AddUnescaped(int32_t id, std::string_view piece) {
    const size_t begin = text_.size();
    while (!piece.empty()) {
      const size_t at = piece.find(kSpaceSymbol);
      text_ += piece.substr(0, at);
      if (at == std::string_view::npos) break;
      text_ += ' ';
      piece.remove_prefix(at + kSpaceSymbol.size());
    }
    if (spans_ != nullptr) spans_->push_back({id, begin, text_.size()});
  }

  // Adds a run of byte pieces. The last piece of a well-formed character has the character's span. An invalid byte
  // becomes U+FFFD.
  void AddBytes(std::span<const int32_t> ids, std::string_view bytes) {
    while (!bytes.empty()) {
      const size_t length = Utf8Length(bytes);
      for (size_t i = 0; i + 1 < length; ++i) Add(ids[i], "");
      const size_t taken = length == 0 ? 1 : length;
      Add(ids[taken - 1], length == 0 ? kReplacementCharacter : bytes.substr(0, length));
      ids = ids.subspan(taken);
      bytes.remove_prefix(taken);
    }
  }

 private:
  std::string text_;
  std::vector<Piece>* spans_;
};

}  // namespace

std::string SentencePiece::Decode(std::span<const int32_t> ids, std::vector<Piece>* spans) const {
  const Vocabulary& vocabulary = model_->vocabulary;
  if (spans != nullptr) {
    spans->clear();
    spans->reserve(ids.size());
  }
  Decoder decoder(spans);
  bool may_strip = model_->strips_first_space;
  bool stripped = false;
  for (size_t i = 0; i < ids.size();) {
    // A run of byte pieces is decoded as a whole, because several bytes make one character.
    if (vocabulary.Type(ids[i]) == PieceType::kByte) {
      const size_t begin = i;
      std::string bytes;
      for (; i < ids.size() && vocabulary.Type(ids[i]) == PieceType::kByte; ++i) {
        bytes += static_cast<char>(vocabulary.Byte(ids[i]));
      }
      decoder.AddBytes(ids.subspan(begin, i - begin), bytes);
      continue;
    }
    const int32_t id = ids[i++];
    // The space at the beginning is removed until there is text.
    if (stripped || !decoder.text().empty()) may_strip = false;
    stripped = false;
    if (vocabulary.Type(id) == PieceType::kControl) {
      decoder.Add(id, "");
    } else if (vocabulary.Type(id) == PieceType::kUnknown) {
      decoder.Add(id, model_->unknown_surface);
    } else {
      std::string_view piece = vocabulary.Text(id);
      if (may_strip && piece.starts_with(kSpaceSymbol)) {
        piece.remove_prefix(kSpaceSymbol.size());
        stripped = !model_->strips_leading_spaces;
      }
      decoder.AddUnescaped(id, piece);
    }
  }
  return decoder.TakeText();
}

}  // namespace qkv
