#include "core/text/spm_file.h"

#include <cmath>

#include "core/base/budget.h"
#include "core/text/protobuf.h"

namespace qkv {
namespace {

using Wire = ProtobufReader::Wire;
using Bytes = std::span<const uint8_t>;

constexpr size_t kMaxPiece = 1024;

class Parser {
 public:
  explicit Parser(std::string_view file_name) : file_name_(file_name) {}

  Result<SpmFile> Parse(Bytes file);

 private:
  Result<void> ParsePiece(Bytes message);
  Result<void> ParseTrainer(Bytes message);
  Result<void> ParseNormalizer(Bytes message);
  Result<void> ParseDenormalizer(Bytes message);
  Result<void> SetAlgorithm(uint64_t algorithm);

  // "source.spm, pieces[17]"
  Error Fail(std::string_view message, std::string_view field, ErrorCode code = ErrorCode::kInvalidFile) const {
    return {code, std::string(message), std::string(file_name_) + ", " + std::string(field)};
  }
  Error FailPiece(std::string_view message, ErrorCode code = ErrorCode::kInvalidFile) const {
    return Fail(message, "pieces[" + std::to_string(spm_.types.size()) + "]", code);
  }

  std::string_view file_name_;
  SpmFile spm_;
  bool has_normalizer_ = false;
};

constexpr std::string_view kMalformed = "the message is malformed or cut off: fetch the file again";

Result<SpmFile> Parser::Parse(Bytes file) {
  if (file.size() > kLargestSpm) return Fail("the file is over 32 MiB", "size", ErrorCode::kLimitExceeded);
  // A piece takes at least five bytes in the file, and twelve here besides its text. The lists grow to twice their
  // size.
  QKV_CHECK(CheckMemory(uint64_t{10} * file.size(), kTooLarge, file_name_));
  ProtobufReader model(file);
  while (model.Next()) {
    if (model.Is(1, Wire::kBytes)) QKV_CHECK(ParsePiece(model.Bytes()));
    if (model.Is(2, Wire::kBytes)) QKV_CHECK(ParseTrainer(model.Bytes()));
    if (model.Is(3, Wire::kBytes)) QKV_CHECK(ParseNormalizer(model.Bytes()));
    if (model.Is(5, Wire::kBytes)) QKV_CHECK(ParseDenormalizer(model.Bytes()));
  }
  if (!model.ok()) return Error{ErrorCode::kInvalidFile, std::string(kMalformed), std::string(file_name_)};
  if (spm_.types.empty()) return Fail("the vocabulary is empty", "pieces");
  // If a file was cut between two fields, each field that remains is well formed. The missing normaliser is the only
  // sign of the cut: writers always put it last.
  if (!has_normalizer_) return Fail("it is missing, so the file is cut off: fetch it again", "normalizer_spec");
  return std::move(spm_);
}

Result<void> Parser::ParsePiece(Bytes message) {
  std::string_view text;
  float score = 0;
  auto type = PieceType::kNormal;
  ProtobufReader piece(message);
  while (piece.Next()) {
    if (piece.Is(1, Wire::kBytes)) text = piece.String();
    if (piece.Is(2, Wire::kFixed32)) score = piece.Float();
    if (piece.Is(3, Wire::kVarint) && piece.Varint() >= 1 && piece.Varint() <= 6) {
      type = static_cast<PieceType>(piece.Varint());
    }
  }
  if (!piece.ok()) return FailPiece(kMalformed);
  if (text.empty()) return FailPiece("the piece is empty");
  if (text.size() > kMaxPiece) return FailPiece("the piece is over 1,024 bytes", ErrorCode::kLimitExceeded);
  if (!std::isfinite(score)) return FailPiece("the score is not a finite number");
  spm_.piece_text += text;
  spm_.piece_ends.push_back(static_cast<uint32_t>(spm_.piece_text.size()));
  spm_.scores.push_back(score);
  spm_.types.push_back(type);
  return {};
}

Result<void> Parser::ParseTrainer(Bytes message) {
  ProtobufReader trainer(message);
  while (trainer.Next()) {
    if (trainer.Is(3, Wire::kVarint)) QKV_CHECK(SetAlgorithm(trainer.Varint()));
    if (trainer.Is(24, Wire::kVarint)) spm_.normalizer.whitespace_as_suffix = trainer.Bool();
    if (trainer.Is(35, Wire::kVarint)) spm_.byte_fallback = trainer.Bool();
    if (trainer.Is(44, Wire::kBytes)) spm_.unknown_surface = trainer.String();
  }
  if (!trainer.ok()) return Fail(kMalformed, "trainer_spec");
  if (spm_.unknown_surface.size() > kMaxPiece) {
    return Fail("the surface is over 1,024 bytes", "trainer_spec.unk_surface", ErrorCode::kLimitExceeded);
  }
  return {};
}

Result<void> Parser::SetAlgorithm(uint64_t algorithm) {
  if (algorithm < 1 || algorithm > 4) return {};  // as in the reference, where an unknown value counts as absent
  spm_.algorithm = static_cast<SpmFile::Algorithm>(algorithm);
  if (spm_.algorithm == SpmFile::Algorithm::kUnigram || spm_.algorithm == SpmFile::Algorithm::kBpe) return {};
  return Fail("word and character models are not supported, only unigram and BPE", "trainer_spec.model_type",
              ErrorCode::kUnsupported);
}

Result<void> Parser::ParseNormalizer(Bytes message) {
  has_normalizer_ = true;
  ProtobufReader normalizer(message);
  while (normalizer.Next()) {
    if (normalizer.Is(2, Wire::kBytes)) spm_.charsmap = normalizer.Bytes();
    if (normalizer.Is(3, Wire::kVarint)) spm_.normalizer.add_dummy_prefix = normalizer.Bool();
    if (normalizer.Is(4, Wire::kVarint)) spm_.normalizer.remove_extra_whitespaces = normalizer.Bool();
    if (normalizer.Is(5, Wire::kVarint)) spm_.normalizer.escape_whitespaces = normalizer.Bool();
  }
  if (!normalizer.ok()) return Fail(kMalformed, "normalizer_spec");
  return {};
}

Result<void> Parser::ParseDenormalizer(Bytes message) {
  ProtobufReader denormalizer(message);
  while (denormalizer.Next()) {
    if (!denormalizer.Is(2, Wire::kBytes) || denormalizer.Bytes().empty()) continue;
    return Fail("a denormaliser is not supported", "denormalizer_spec", ErrorCode::kUnsupported);
  }
  if (!denormalizer.ok()) return Fail(kMalformed, "denormalizer_spec");
  return {};
}

}  // namespace

Result<SpmFile> ParseSpm(std::span<const uint8_t> file, std::string_view file_name) {
  return Parser(file_name).Parse(file);
}

}  // namespace qkv
