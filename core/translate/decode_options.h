// The options of decoding, and the steps that translation jobs share.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/attention/interventions.h"
#include "core/base/job.h"
#include "core/decode/beam.h"
#include "core/translate/carried_source.h"
#include "core/translate/model.h"

namespace qkv {

struct DecodeOptions {
  size_t beam = 0;        // 0: the beam of the model's generation config; at most kLargestBeam
  size_t max_length = 0;  // most pieces written, </s> included; 0: min(the config's, 3 * source + 50 + prefix)
  size_t n_best = 1;      // hypotheses returned, at most the beam
  bool tree = false;      // return the search's record
  // Write only the likely pieces, if the model has a shortlist. Log-probabilities are then normalised over these
  // pieces, and so a little higher than those over the whole vocabulary.
  bool shortlist = true;
  // The pieces that every translation begins with, as rows of the embedding: TranslationModel::Prefix makes them. A
  // prefix that ends with </s> is the whole translation.
  std::vector<int32_t> prefix = {};
  // Carry through the parts that cannot be translated (core/translate/carried_source.h). Without it the model reads the
  // text unchanged, and " \u2047 " stands for characters that are not in the vocabulary.
  bool copy = true;
  // Return for each translation which source pieces its pieces attend to. That costs a further pass over both.
  bool align = false;
  // For each text the parts whose translation the caller gives. Empty: there are none.
  std::vector<std::vector<GivenPart>> given = {};
  // What is changed in the model's forward; null: nothing. Text i of a call is sentence first_sentence + i.
  std::shared_ptr<const PassChanges> changes = nullptr;
  size_t first_sentence = 0;
};

inline constexpr size_t kOneText[] = {0};

// The changes of these options in a pass over the texts first + texts[i] of a call; nothing without changes. The
// options and `texts` outlive the result.
inline std::optional<Interventions> InterventionsOf(const DecodeOptions& options,
                                                    std::span<const size_t> texts = kOneText, size_t first = 0) {
  if (options.changes == nullptr) return std::nullopt;
  return Interventions(*options.changes, texts, options.first_sentence + first);
}

// log p of every piece, natural, for rows [rows, d] of a decoder: without the pieces that the search never writes.
MatrixView LogProbabilities(Context& ctx, const TranslationModel& model, ConstMatrixView rows);

// Starts the encoder over these sentences, packed.
std::unique_ptr<EncoderPass> Encode(const SequenceModel& model, const std::vector<const Tokens*>& sentences);

}  // namespace qkv
