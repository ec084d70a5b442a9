#include "core/translate/piece_rows.h"

#include <algorithm>

#include "core/base/budget.h"
#include "core/base/json.h"

namespace qkv {
Result<PieceRows> PieceRows::Parse(std::string_view text, size_t size, int32_t end, const char* file) {
  QKV_TRY(const JsonObject json, JsonObject::Parse(text, file));
  // Memory for the rows, here and as pieces of both sides, and for the text, which grows to twice its size.
  QKV_CHECK(CheckMemory(size * (sizeof(Entry) + 2 * sizeof(int32_t)) + uint64_t{3} * text.size(), kTooLarge, file));
  PieceRows rows;
  rows.entries_.resize(size);
  rows.unknown_ = -1;
  // Every piece has a row of its own; rows without a piece stay empty.
  for (const auto& member : json.root().GetObject()) {
    const std::string_view piece(member.name.GetString(), member.name.GetStringLength());
    const auto where = [&] { return std::string(file) + ", " + std::string(piece); };
    if (piece.empty()) return Error{ErrorCode::kInvalidFile, "a piece must not be empty", file};
    if (!member.value.IsUint() || member.value.GetUint() >= size) {
      return Error{ErrorCode::kInvalidFile,
                   "its id must be an integer below the number of rows, " + std::to_string(size), where()};
    }
    const uint32_t row = member.value.GetUint();
    if (rows.entries_[row].length != 0) {
      return Error{ErrorCode::kInvalidFile, "id " + std::to_string(row) + " already belongs to another piece", where()};
    }
    rows.Set(row, piece);
    if (piece == "<unk>") rows.unknown_ = static_cast<int32_t>(row);
  }
  // Two pieces must be there: what unknown words become, and the end.
  if (rows.unknown_ < 0) return Error{ErrorCode::kInvalidFile, "it has no piece \"<unk>\"", file};
  if (rows.Text(end) != "</s>") {
    return Error{ErrorCode::kInvalidFile,
                 "eos_token_id " + std::to_string(end) + " of config.json must be the id of \"</s>\"", file};
  }
  return rows;
}

// Marian's vocabularies are SentencePiece's, with <pad> behind them.
PieceRows PieceRows::Of(const SentencePiece& pieces, size_t size) {
  PieceRows rows;
  rows.entries_.resize(size);
  rows.unknown_ = pieces.unknown_id();
  for (size_t row = 0; row < std::min(size, pieces.size()); ++row)
    rows.Set(row, pieces.Text(static_cast<int32_t>(row)));
  if (size > pieces.size() && pieces.Id("<pad>") < 0) rows.Set(pieces.size(), "<pad>");
  return rows;
}

std::string_view PieceRows::Text(int32_t row) const {
  const Entry& entry = entries_[static_cast<size_t>(row)];
  return std::string_view(text_).substr(entry.begin, entry.length);
}

int32_t PieceRows::IdIn(const SentencePiece& pieces, size_t row) const {
  if (entries_[row].length == 0) return -1;
  const std::string_view text = Text(static_cast<int32_t>(row));
  // In Marian's models a row has the id of its piece.
  const auto same = static_cast<int32_t>(row);
  return row < pieces.size() && pieces.Text(same) == text ? same : pieces.Id(text);
}

std::vector<int32_t> PieceRows::RowsOf(const SentencePiece& pieces) const {
  std::vector<int32_t> rows(pieces.size(), unknown_);
  for (size_t row = 0; row < entries_.size(); ++row) {
    const int32_t id = IdIn(pieces, row);
    if (id >= 0) rows[static_cast<size_t>(id)] = static_cast<int32_t>(row);
  }
  return rows;
}

std::vector<int32_t> PieceRows::PiecesOf(const SentencePiece& pieces) const {
  std::vector<int32_t> ids(entries_.size());
  for (size_t row = 0; row < entries_.size(); ++row) ids[row] = IdIn(pieces, row);
  return ids;
}

}  // namespace qkv
