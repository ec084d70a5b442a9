// What jobs of translation share: how they decode, and how they begin.
#pragma once

#include <memory>
#include <vector>

#include "core/base/job.h"
#include "core/decode/beam.h"
#include "core/translate/carried_source.h"
#include "core/translate/model.h"

namespace qkv {

struct DecodeOptions {
  size_t beam = 0;        // 0: what the model's generation config asks; at most kLargestBeam
  size_t max_length = 0;  // pieces written, </s> included; 0: min(the config's, 3 * source + 50 + prefix)
  size_t n_best = 1;      // hypotheses returned, at most the beam's
  bool tree = false;      // return the search's record
  // Choose among the likely pieces alone, where the model has a shortlist. Log-probabilities are then of a choice among
  // these, and so a little higher than those of the whole vocabulary.
  bool shortlist = true;
  // What every translation begins with, as rows of the embedding: TranslationModel::Prefix makes one. A prefix that
  // ends with </s> is the whole translation.
  std::vector<int32_t> prefix = {};
  // What cannot be translated is carried through: core/translate/carried_source.h. Without it the model reads the text
  // as it is, and writes " \u2047 " for what its vocabulary lacks.
  bool copy = true;
  // For each text the parts that the caller knows the translation of; empty: none of any.
  std::vector<std::vector<GivenPart>> given = {};
};

// The encoder over these sentences, packed.
std::unique_ptr<EncoderPass> Encode(const SequenceModel& model, const std::vector<const Tokens*>& sentences);

}  // namespace qkv
