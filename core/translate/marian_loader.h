// Loads a translation model from Marian's own files, as Firefox has them: model.*.bin (core/io/marian_file.h), one
// SentencePiece vocabulary or one for each side, and a shortlist, lex.*.bin.
#pragma once

#include <memory>
#include <string>

#include "core/io/marian_file.h"
#include "core/models/transformer.h"
#include "core/translate/model.h"

namespace qkv {

struct MarianFiles {
  // A file's content, and its name for errors.
  struct File {
    std::span<const uint8_t> bytes = {};
    std::string name = {};
  };
  File source_vocabulary, target_vocabulary;  // the second may be empty: then there is one vocabulary
  // Kept until the weights' header is read. Empty: no shortlist.
  std::vector<uint8_t> shortlist = {};
  std::string shortlist_name = {};
};

// The header lists the tensors, which give the model's config; each tensor is packed into its slot when it arrives. The
// options, usually the last tensor of the file, are checked when they arrive.
class MarianLoader : public ModelLoader {
 public:
  // `name` and `size` of the weights' file; 0 if unknown. Errors: kInvalidFile, kUnsupported, kLimitExceeded.
  static Result<std::unique_ptr<ModelLoader>> Create(MarianFiles files, std::string name, uint64_t size = 0,
                                                     uint64_t memory = PTRDIFF_MAX);

  ByteRange Next() const override;
  Result<void> Feed(std::span<const uint8_t> bytes) override;

 protected:
  MarianLoader(std::string name, uint64_t size, uint64_t memory);
  // Reads the small files. To be called once, before anything else.
  Result<void> Start(MarianFiles files);
  // Which row of the table each piece has: that of its id, after a check of the vocabularies' sizes. Sets the row of
  // </s> in `config`, and of <unk>, which is never written, in generation_.
  virtual Result<PieceRows> ReadRows(TransformerConfig& config);

  GenerationConfig generation_;
  std::optional<SentencePiece> source_, target_;

 private:
  Result<void> MakeModel();
  Result<void> ReadOptions(std::string_view text);

  std::string name_;
  uint64_t memory_;
  std::unique_ptr<MarianDirectory> directory_;  // null when it is complete
  Transformer* transformer_ = nullptr;          // of model_
  ByteRange options_;                           // length 0: already read
  std::string source_name_, target_name_, shortlist_name_;
  std::vector<uint8_t> shortlist_;
};

}  // namespace qkv
