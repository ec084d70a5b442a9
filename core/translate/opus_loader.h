// Loads a model of OPUS-MT as it was first published: weights as Marian writes them (core/translate/marian_loader.h),
// source.spm and target.spm, *vocab.yml with the row of each piece of both sides, and perhaps decoder.yml.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/translate/marian_loader.h"

namespace qkv {

// The content of decoder.yml: the files of a model and the options of decoding. Options that it does not have keep
// Marian's defaults.
struct OpusDecoder {
  std::string weights, vocabulary;  // names of files in the folder; empty: not said
  size_t beam = 6, per_source = 3;
  float length_penalty = 0;

  // `text` may be empty. Errors: kInvalidFile; kUnsupported for several models, for a vocabulary of each side, and for
  // a penalty of words. They name the key.
  static Result<OpusDecoder> Parse(std::string_view text);
};

class OpusLoader : public MarianLoader {
 public:
  // `files` without a shortlist; `vocabulary` is the content of *vocab.yml. Errors: those of MarianLoader and of
  // VocabularyFromYaml (core/io/marian_vocabulary.h).
  static Result<std::unique_ptr<ModelLoader>> Create(MarianFiles files, const MarianFiles::File& vocabulary,
                                                     const OpusDecoder& decoder, std::string name, uint64_t size = 0,
                                                     uint64_t memory = PTRDIFF_MAX);

 protected:
  Result<PieceRows> ReadRows(TransformerConfig& config) override;

 private:
  using MarianLoader::MarianLoader;
  std::string rows_, rows_name_;  // as vocab.json has them
};

}  // namespace qkv
