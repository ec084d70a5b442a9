// vocab.json: it maps SentencePiece's pieces to the embedding's rows.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/text/sentencepiece.h"

namespace qkv {

class PieceRows {
 public:
  PieceRows() = default;
  // `json` maps piece -> row; rows are in [0, size). Every row has at most one piece; "</s>" must be row `end`. `file`
  // is the file's name, for errors.
  static Result<PieceRows> Parse(std::string_view json, size_t size, int32_t end, const char* file = "vocab.json");

  // Row i is piece i of `pieces`, as in Marian. If `size` is one more, the last row is "<pad>".
  static PieceRows Of(const SentencePiece& pieces, size_t size);

  // The piece of a row, with U+2581 for a space ("▁the"); empty if no piece has the row.
  std::string_view Text(int32_t row) const;

  // The row of "<unk>".
  int32_t unknown() const { return unknown_; }

  // piece id of `pieces` -> row; pieces that are not in vocab.json get the row of the unknown piece.
  std::vector<int32_t> RowsOf(const SentencePiece& pieces) const;
  // row -> piece id of `pieces`, or -1.
  std::vector<int32_t> PiecesOf(const SentencePiece& pieces) const;

 private:
  struct Entry {
    uint32_t begin = 0, length = 0;  // in text_; the JSON is smaller than 4 GiB
  };
  void Set(size_t row, std::string_view piece) {
    entries_[row] = {static_cast<uint32_t>(text_.size()), static_cast<uint32_t>(piece.size())};
    text_ += piece;
  }
  // The id in `pieces` of a row's piece, or -1.
  int32_t IdIn(const SentencePiece& pieces, size_t row) const;

  std::string text_;
  std::vector<Entry> entries_;  // by row
  int32_t unknown_ = 0;
};

}  // namespace qkv
