#include "core/train/subword_rows.h"

#include <algorithm>
#include <utility>

#include "core/base/json.h"

namespace qkv {
namespace {

constexpr const char* kVocabulary = "vocab.json";
constexpr uint32_t kMostRows = 1 << 20;

std::span<const uint8_t> Bytes(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

}  // namespace

SubwordRows::SubwordRows(OneSide source, std::optional<OneSide> target, SubwordOptions options)
    : source_(std::move(source)), target_(std::move(target)), options_(options) {}

Result<SubwordRows::OneSide> SubwordRows::ParseSide(std::string_view spm, const char* file, const PieceRows& rows) {
  QKV_TRY(SentencePiece pieces, SentencePiece::Parse(Bytes(spm), file));
  std::vector<int32_t> rows_of = rows.RowsOf(pieces);
  if (std::all_of(rows_of.begin(), rows_of.end(), [&](int32_t row) { return row == rows.unknown(); })) {
    return Error{ErrorCode::kInvalidFile, "vocab.json has none of its pieces: they belong to different models", file};
  }
  return OneSide{std::move(pieces), std::move(rows_of)};
}

Result<std::unique_ptr<SubwordRows>> SubwordRows::Parse(std::string_view vocabulary, std::string_view source_spm,
                                                        std::string_view target_spm, SubwordOptions options) {
  // The options of the caller.
  for (const float strength : {options.source, options.target}) {
    if (!(strength >= 0 && strength <= 1)) {
      return Error{ErrorCode::kInvalidArgument, "the strength of subword sampling must be in [0, 1]", ""};
    }
  }
  // vocab.json has a row for each piece; the table has as many rows as the greatest needs.
  QKV_TRY(const JsonObject json, JsonObject::Parse(vocabulary, kVocabulary));
  size_t size = 0;
  for (const auto& member : json.root().GetObject()) {
    if (!member.value.IsUint() || member.value.GetUint() >= kMostRows) {
      return Error{ErrorCode::kInvalidFile, "the row of a piece must be a number below " + std::to_string(kMostRows),
                   std::string(kVocabulary) + ", " + member.name.GetString()};
    }
    size = std::max<size_t>(size, member.value.GetUint() + 1);
  }
  // The rows of </s> and of <pad>, which is also the decoder's first piece.
  const int64_t last = static_cast<int64_t>(size) - 1;
  QKV_TRY(const int64_t end, json.Integer("</s>", 0, last));
  QKV_TRY(const int64_t start, json.Integer("<pad>", 0, last));
  // Each side's pieces and their rows. Without a SentencePiece model of its own the target uses the source's.
  QKV_TRY(const PieceRows rows, PieceRows::Parse(vocabulary, size, static_cast<int32_t>(end)));
  QKV_TRY(OneSide source, ParseSide(source_spm, "source.spm", rows));
  std::optional<OneSide> target;
  if (!target_spm.empty() && target_spm != source_spm) {
    QKV_TRY(target, ParseSide(target_spm, "target.spm", rows));
  }
  std::unique_ptr<SubwordRows> result(new SubwordRows(std::move(source), std::move(target), options));
  result->start_ = static_cast<int32_t>(start);
  result->end_ = static_cast<int32_t>(end);
  result->size_ = size;
  return result;
}

void SubwordRows::Append(std::string_view text, Side side, Random* random, std::vector<int32_t>* rows) const {
  // Subword regularisation (Kudo 2018): while training, a text is cut in another way each time.
  const OneSide& of = Of(side);
  const float strength = side == Side::kSource ? options_.source : options_.target;
  const std::vector<Piece> pieces =
      random != nullptr && strength > 0 ? of.pieces.Sample(text, strength, *random) : of.pieces.Encode(text);
  for (const Piece& piece : pieces) rows->push_back(of.rows[static_cast<size_t>(piece.id)]);
}

}  // namespace qkv
