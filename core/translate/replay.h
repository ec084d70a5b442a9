// The trace is a replay: one forced pass over a source and a target, with every attention weight kept on demand. So the
// search stays fast, and any pair of sentences can be traced or scored, also one that a person wrote.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/attention/trace.h"
#include "core/translate/alignment.h"
#include "core/translate/translation.h"

namespace qkv {

struct ReplaySide {
  std::string text;
  Tokens tokens;
};

// A piece that the model could write at one place.
struct Alternative {
  int32_t id;
  float log_prob;  // natural
};

// Row t of the decoder's maps is the step that produces target piece t. Its column j in decoder self-attention is the
// j-th piece that the decoder read: the start piece, then the target's.
struct Replay {
  ReplaySide source, target;
  std::vector<float> log_probs;  // of each target piece, natural
  float log_prob = 0;            // their sum
  Cut cut = Cut::kNone;          // as in ScoredText, if the target is the model's own translation
  // The likeliest pieces at each place of the target, best first: [target, kAlternatives]; empty for kScore.
  std::vector<Alternative> alternatives;
  AttentionMap gates;  // of a decoder that reads its past by a recurrence; its columns are units. Else empty
  AttentionMap encoder_self, decoder_self, cross;  // empty for kScore, and if the model has no such attention
  std::vector<float> centres;  // of the window of each row of `cross`, in source pieces; empty without a window
  AttentionMap alignment;      // [1, 1, target, source]: mean of the alignment heads
  std::vector<std::pair<size_t, size_t>> alignment_heads;
  std::vector<CopiedSpan> copied;  // of the model's own translation
  float confidence = 1;            // as in ScoredText, for any target
  bool foreign = false;            // the source does not look like the source's language
  // What was changed in the forward, for the text as sentence first_sentence of its options; null: nothing.
  std::shared_ptr<const PassChanges> changes;
};

inline constexpr size_t kAlternatives = 5;  // or the vocabulary's size if that is less

// kVectors: a trace with the queries, keys and values of its weights, if the model has them.
enum class ReplayKind { kScore, kTrace, kVectors };

class ReplayJob : public Job {
 public:
  // If there is no target, or if the source has several readings, the source is translated first with `options`; a
  // given target is read in the reading of that translation. `model` must outlive the job. A trace that does not fit
  // into memory is refused before it is computed (outcome()). The changes of the options hold for both.
  ReplayJob(const TranslationModel& model, std::string source, std::optional<std::string> target, ReplayKind kind,
            const DecodeOptions& options);

  // Complete when Step has returned true and outcome() has no error.
  const Replay& result() const { return result_; }

 private:
  bool Advance(Context& ctx) override;
  void TakeTranslation();
  bool ReserveTrace();
  bool ReserveStep(Context& ctx);
  void StartDecoder(Context& ctx);
  void Score(Context& ctx);
  void AddAlternatives(ConstMatrixView log_probs, Eigen::Index row);
  void Align();

  const TranslationModel& model_;
  ReplayKind kind_;
  std::optional<Interventions> interventions_;
  CarriedSource source_;
  bool is_own_;  // the target is the model's own translation
  Replay result_;
  std::unique_ptr<TranslationJob> translation_;
  std::unique_ptr<EncoderPass> encoder_;
  std::unique_ptr<ForcedPass> decoder_;
  AttentionTrace trace_;
  bool read_ = false;  // whether the decoder has read the target
  size_t scored_ = 0;  // target pieces scored so far
};

}  // namespace qkv
