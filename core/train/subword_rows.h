// A vocabulary folder for training, as `qkv vocab` writes it: source.spm, target.spm if it differs, and vocab.json. A
// model folder has the same files.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/sentencepiece.h"
#include "core/train/text_rows.h"

namespace qkv {

// How strongly the pieces of training are drawn at random, by side; 0 cuts as in translation.
struct SubwordOptions {
  float source = 0;  // SentencePiece::Sample's strength: of unigram models 0.1 to 0.5, of BPE models 0.1
  float target = 0;
};

class SubwordRows : public TextRows {
 public:
  // The contents of the files; target_spm may be empty. vocab.json must have "</s>", "<unk>" and "<pad>", whose row is
  // the last one of the embedding as a rule. Errors: kInvalidFile, kUnsupported, kInvalidArgument.
  static Result<std::unique_ptr<SubwordRows>> Parse(std::string_view vocabulary, std::string_view source_spm,
                                                    std::string_view target_spm, SubwordOptions options);

  void Append(std::string_view text, Side side, Random* random, std::vector<int32_t>* rows) const override;
  int32_t start() const override { return start_; }
  int32_t end() const override { return end_; }
  // Rows of the embedding: up to the last one that vocab.json names.
  size_t size() const { return size_; }

 private:
  struct OneSide {
    SentencePiece pieces;
    std::vector<int32_t> rows;  // by piece
  };
  static Result<OneSide> ParseSide(std::string_view spm, const char* file, const PieceRows& rows);
  SubwordRows(OneSide source, std::optional<OneSide> target, SubwordOptions options);
  const OneSide& Of(Side side) const { return side == Side::kTarget && target_ ? *target_ : source_; }

  OneSide source_;
  std::optional<OneSide> target_;
  SubwordOptions options_;
  int32_t start_ = 0, end_ = 0;
  size_t size_ = 0;
};

}  // namespace qkv
