// Learns a SentencePiece model with SentencePiece's own trainer.
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
  double coverage = 0.99999;     // share of the texts' characters that get their own piece
  uint64_t pairs = 2000000;      // the most pairs, or texts, to read, drawn uniformly from an epoch
  uint64_t seed = 1;             // of the draw
};

// The content of a .spm file for both sides of the pairs together: </s> is piece 0 and <unk> piece 1, as in MarianMT.
// Failures end the process, also if the command was built without the trainer.
std::string LearnVocabularyOrFail(Mixture& data, const LearnVocabularyOptions& options);

}  // namespace qkv::cli
