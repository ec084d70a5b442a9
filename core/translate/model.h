// A translation model as a folder holds it: the neural model, the SentencePiece models of both sides, the vocabulary
// that numbers their pieces, and the options of decoding.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/safetensors.h"
#include "core/models/any_sequence_model.h"
#include "core/text/sentencepiece.h"
#include "core/translate/generation_config.h"
#include "core/translate/piece_rows.h"
#include "core/translate/shortlist.h"

namespace qkv {

// A text as rows of the embedding, </s> included, and the part of the text that each row stands for.
struct Tokens {
  std::vector<int32_t> ids;
  std::vector<size_t> begin, end;  // half-open byte ranges; </s> has an empty one at the end
  bool truncated = false;          // the text had more pieces than the model has positions
};

enum class Side { kSource, kTarget };

struct ModelFiles;

class TranslationModel {
 public:
  // `files` are the small files. The caller fills the weights into Slots(). Errors: kInvalidFile, kUnsupported,
  // kLimitExceeded.
  static Result<std::unique_ptr<TranslationModel>> Create(const ModelFiles& files, MakeModel make = &MakeSequenceModel);
  // The same with memory for float weights, which the caller fills before the model is used; no loader is needed.
  // Errors: kLimitExceeded for the weights too.
  static Result<std::unique_ptr<TranslationModel>> CreateUntrained(const ModelFiles& files);

  const SequenceModel& model() const { return *model_; }
  const SequenceConfig& config() const { return model_->config(); }
  const GenerationConfig& generation() const { return generation_; }
  std::string_view PieceText(int32_t id, Side side = Side::kTarget) const { return Names(side).Text(id); }
  // The row of the unknown piece.
  int32_t Unknown(Side side) const { return Names(side).unknown(); }
  // Whether a word, at the beginning or after a space, is one piece of the source's vocabulary.
  bool Knows(std::string_view word) const { return source_.Id("\u2581" + std::string(word)) >= 0; }
  // Whether the source's vocabulary can spell the stand-ins of carried parts (carried_source.h).
  bool can_carry() const { return can_carry_; }
  // The slots of the weights, which point into the model.
  WeightSlots Slots() { return model_->Slots(); }
  // The number of weights, and their bytes in memory.
  size_t parameters() const { return parameters_; }
  size_t bytes() const { return bytes_; }
  // To be called by a loader when it is done.
  void SetSize(size_t parameters, uint64_t bytes) {
    parameters_ = parameters;
    bytes_ = static_cast<size_t>(bytes);
  }

  // Never fails. A text longer than max_positions is cut, and `truncated` says so. If a source begins with a target
  // language token that vocab.json has, such as ">>fra<<", the token is one piece, as in MarianMT's tokenizer for
  // multilingual models.
  Tokens Encode(std::string_view text, Side side) const;
  // The target pieces of a text that a translation shall begin with, without </s>.
  std::vector<int32_t> Prefix(std::string_view text) const;
  bool has_shortlist() const { return shortlist_.has_value(); }
  // The pieces that a translation of `source` may use, ascending, if the folder has a shortlist. Empty without one,
  // which means all pieces. They include </s>, the pieces of `prefix`, and the source's own pieces that the target has,
  // so that a name can be copied; but not the source's pieces for a Marian model with a vocabulary file for each side,
  // as in Marian.
  std::vector<int32_t> Candidates(const Tokens& source, std::span<const int32_t> prefix) const;
  // Turns ids into text; `spans`, if not null, gets the part of the text that each stands for. Ids must be below the
  // vocabulary's size.
  std::string Decode(std::span<const int32_t> ids, Tokens* spans = nullptr) const;

 private:
  friend class MarianLoader;
  TranslationModel(std::unique_ptr<SequenceModel> model, GenerationConfig generation, PieceRows names,
                   std::unique_ptr<PieceRows> target_names, SentencePiece source, std::optional<SentencePiece> target,
                   std::optional<Shortlist> shortlist);
  void PutTablesInPanels();
  // Adds the target language token that a text begins with. Returns its length in bytes, or 0 if there is none.
  size_t LanguageToken(std::string_view text, Tokens& tokens) const;
  const PieceRows& Names(Side side) const { return target_names_ && side == Side::kTarget ? *target_names_ : names_; }
  // Checks that vocab.json and the .spm files have the same pieces.
  Result<void> CheckPieces() const;
  const SentencePiece& target() const { return target_ ? *target_ : source_; }

  std::unique_ptr<SequenceModel> model_;
  GenerationConfig generation_;
  PieceRows names_;
  std::unique_ptr<PieceRows> target_names_;  // null if the sides share a vocabulary
  SentencePiece source_;
  std::optional<SentencePiece> target_;  // empty if it is the source's
  std::optional<Shortlist> shortlist_;
  std::vector<int32_t> source_rows_, target_rows_;  // piece -> row
  std::vector<int32_t> target_pieces_;              // row -> piece, or -1
  bool as_marian_ = false;                          // shortlists follow Marian's rule
  size_t parameters_ = 0, bytes_ = 0;
  bool can_carry_ = false;
};

// The small files of a model folder.
struct ModelFiles {
  // generation_config may be empty; vocabulary too, if row i is piece i of source_spm and <pad> is the last row.
  std::string_view config, generation_config, vocabulary;
  std::span<const uint8_t> source_spm, target_spm;  // target_spm empty: the same as the source's
  std::span<const uint8_t> shortlist = {};          // may be empty
  std::string_view target_vocabulary = {};          // empty: one vocabulary for both sides
};

// Loads in two phases: the small files first, then the file of weights range by range.
class ModelLoader {
 public:
  // `weights_size`: bytes of model.safetensors, 0 if unknown. `memory`: the most bytes that the weights may take.
  // Errors: kInvalidFile, kUnsupported, kLimitExceeded.
  static Result<std::unique_ptr<ModelLoader>> Create(const ModelFiles& files, uint64_t weights_size = 0,
                                                     uint64_t memory = PTRDIFF_MAX,
                                                     MakeModel make = &MakeSequenceModel);
  virtual ~ModelLoader() = default;

  // The bytes of the weights wanted next; length 0: none.
  virtual ByteRange Next() const { return weights_->Next(); }
  virtual Result<void> Feed(std::span<const uint8_t> bytes) { return weights_->Feed(bytes); }
  // The model whose weights are loading, and the number format of its matrices. Null and empty until the directory of
  // the weights has been read.
  const TranslationModel* model() const { return numbers() ? model_.get() : nullptr; }
  std::optional<Numbers> numbers() const { return weights_ ? weights_->numbers() : std::nullopt; }
  // To be called when Next() wants nothing more. The loader is empty afterwards.
  std::unique_ptr<TranslationModel> Finish();

 protected:
  ModelLoader() = default;
  std::unique_ptr<TranslationModel> model_;
  std::unique_ptr<WeightLoader> weights_;
};

}  // namespace qkv
