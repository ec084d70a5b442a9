// A text in, its continuation out, a piece a step; and the replay that shows what the model looked at.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/attention/trace.h"
#include "core/base/job.h"
#include "core/encode/readings.h"
#include "core/generate/generator_model.h"

namespace qkv {

struct GenerateOptions {
  SamplingOptions sampling = {};
  size_t most = 64;                     // pieces written, or what the prompt leaves of the model's positions
  std::vector<std::string> stops = {};  // the text ends before the first of these
  size_t alternatives = 0;              // keep so many of the likeliest pieces at each step
};

struct WrittenPiece {
  int32_t id;
  float log_prob;                   // natural, by the model's own distribution, before it was bent and cut
  std::vector<Guess> alternatives;  // of that distribution
};

class GenerateJob : public Job {
 public:
  enum class End { kNone, kLength, kPiece, kStop };  // none yet; as long as it may be; the end piece; a stop string

  // `model` must outlive the job. A prompt that has a position for each of its pieces is kept whole, and the pieces
  // written end where positions do. Of a longer one the beginning is left out, so that `most` pieces can follow, or as
  // many as half of the positions. An empty prompt begins with the model's start piece.
  GenerateJob(const GeneratorModel& model, std::string_view prompt, GenerateOptions options);

  // What is written so far; a character whose last bytes are still to come is not in it.
  const std::string& text() const { return text_; }
  const std::vector<WrittenPiece>& pieces() const { return written_; }
  End end() const { return end_; }
  bool truncated() const { return truncated_; }

 private:
  bool Advance(Context& ctx) override;
  void Take(Context& ctx, ConstMatrixView last);
  void Spell();

  const GeneratorModel& model_;
  GenerateOptions options_;
  Sampler sampler_;
  Gpt2State state_;
  std::vector<int32_t> ids_;  // the prompt's, then those written
  std::string said_;          // what the prompt decodes to
  Matrix x_;                  // the prompt's rows, on their way through the layers
  size_t layer_ = 0;
  std::vector<WrittenPiece> written_;
  std::string text_;
  End end_ = End::kNone;
  bool truncated_ = false;
};

// Every weight of one pass over a text. Row t of the attention is what the model looked at when it had read piece t; it
// then writes piece t + 1.
class GenerationTraceJob : public Job {
 public:
  GenerationTraceJob(const GeneratorModel& model, std::string_view text, size_t alternatives);

  const Encoding& encoding() const { return encoding_; }
  // Of each piece but the first, given those before it.
  const std::vector<float>& log_probs() const { return log_probs_; }
  // The likeliest pieces after each piece: [pieces, alternatives].
  const std::vector<Guess>& alternatives() const { return alternatives_; }
  AttentionMap& attention() { return attention_; }

 private:
  bool Advance(Context& ctx) override;

  const GeneratorModel& model_;
  size_t count_;
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
