// Continues a text, one piece a step; and the replay that shows the attention of the model.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/attention/interventions.h"
#include "core/attention/trace.h"
#include "core/base/job.h"
#include "core/decode/prompt_lookup.h"
#include "core/encode/predictions.h"
#include "core/generate/generator_model.h"

namespace qkv {

struct GenerateOptions {
  SamplingOptions sampling = {};
  size_t max_length = 64;               // the most pieces to write, within the positions that the prompt leaves
  std::vector<std::string> stops = {};  // the text ends before the first of these strings
  size_t alternatives = 0;              // keep this many of the likeliest pieces at each step
  // Draft pieces from repetitions in the text and compute a draft in one pass: faster, and the same text to the bit.
  // Without effect where `changes` are given.
  bool prompt_lookup = true;
  std::shared_ptr<const PassChanges> changes = nullptr;  // in the forward
  size_t sentence = 0;                                   // the number of the text in the changes
};

struct WrittenPiece {
  int32_t id;
  float log_prob;                   // natural logarithm, by the model's own distribution, before sampling changes it
  std::vector<Guess> alternatives;  // of that distribution
};

struct DraftCounts {
  size_t drafted = 0, accepted = 0;  // pieces
};

class GenerateJob : public Job {
 public:
  // not yet; at the maximum length; at the end piece; at a stop string
  enum class End { kNone, kLength, kPiece, kStop };

  // `model` must outlive the job. If the model has a position for each piece of the prompt, the prompt is kept whole,
  // and writing ends at the last position. Otherwise the beginning of the prompt is left out, so that `max_length`
  // pieces can follow, but at most half of the positions. An empty prompt begins with the model's start piece.
  GenerateJob(const GeneratorModel& model, std::string_view prompt, GenerateOptions options);

  // The text that is written so far, without an incomplete character at its end.
  const std::string& text() const { return text_; }
  std::span<const WrittenPiece> pieces() const { return {written_.data(), shown_}; }
  DraftCounts drafts() const { return drafts_; }
  End end() const { return end_; }
  bool truncated() const { return truncated_; }

 private:
  bool Advance(Context& plain) override;
  bool Compute(Context& plain);
  std::span<const int32_t> Unread() const;
  bool ReservePass(Context& ctx, size_t known);
  void Keep(MatrixView rows);
  void Accept(Context& ctx, size_t known);
  WrittenPiece Choose(MatrixView logits, std::span<const int32_t> history);
  void Show();
  void Spell();

  const GeneratorModel& model_;
  GenerateOptions options_;
  Sampler sampler_;
  PromptLookup lookup_;
  Gpt2State state_;
  std::vector<int32_t> ids_;  // the prompt's pieces, then the written ones
  size_t prompt_ = 0;         // the prompt's pieces
  std::string prompt_text_;   // what the prompt decodes to
  std::vector<float> x_;      // the rows of a pass between two layers, [rows, d_model]
  size_t layer_ = 0;
  std::vector<WrittenPiece> written_;
  size_t shown_ = 0;        // of the written pieces: a pass writes several, a step shows one
  std::vector<float> own_;  // the logits of a piece, before sampling changes them
  DraftCounts drafts_;
  std::string text_;
  End end_ = End::kNone;
  bool truncated_ = false;
};

// Keeps every attention weight of one pass over a text. Row t of the attention belongs to the step that has read piece
// t and writes piece t + 1.
class GenerationTraceJob : public Job {
 public:
  // `changes`: in the forward, or null; the text is sentence 0.
  GenerationTraceJob(const GeneratorModel& model, std::string_view text, size_t alternatives,
                     std::shared_ptr<const PassChanges> changes = nullptr);

  const Encoding& encoding() const { return encoding_; }
  // For each piece but the first, given the pieces before it.
  const std::vector<float>& log_probs() const { return log_probs_; }
  // The likeliest pieces after each piece: [pieces, alternatives].
  const std::vector<Guess>& alternatives() const { return alternatives_; }
  AttentionMap& attention() { return attention_; }

 private:
  bool Advance(Context& ctx) override;

  const GeneratorModel& model_;
  size_t count_;
  std::shared_ptr<const PassChanges> changes_;
  Encoding encoding_;
  Gpt2State state_;
  AttentionTrace trace_;
  Matrix x_;
  size_t layer_ = 0;
  std::vector<float> log_probs_;
  std::vector<Guess> alternatives_;
  AttentionMap attention_;
};

}  // namespace qkv
