// Learning a SentencePiece model, by SentencePiece's own trainer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/train/mixture.h"

namespace qkv::cli {

struct LearnVocabularyOptions {
  size_t pieces = 7999;
  std::string type = "unigram";  // or "bpe"
  bool byte_fallback = false;    // unknown characters become bytes
  double coverage = 0.99999;     // share of the texts' characters that get a piece of their own
  uint64_t pairs = 2000000;      // or texts, read at most, drawn evenly from an epoch
  uint64_t seed = 1;             // of that
};

// The content of a .spm file, of pairs for both sides together: </s> is piece 0 and <unk> piece 1, as in MarianMT.
// Failures end the process, among them that this command was built without the trainer.
std::string LearnVocabularyOrFail(Mixture& data, const LearnVocabularyOptions& options);

}  // namespace qkv::cli
