// Questions about one translation that are answered by changes to the forward: which heads matter, and which source
// each target word needs. Also which pieces the rows of an encoder can come from, by its attention alone.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>

#include "core/explain/rollout.h"
#include "core/explain/variants_job.h"
#include "core/translate/replay.h"

namespace qkv {

// kHeads: each head off in turn (Michel et al. 2019; Voita et al. 2019). kWords: each source piece hidden from all
// cross attention in turn (leave-one-out). kRollout, kFlow: core/explain/rollout.h.
enum class Question { kHeads, kWords, kRollout, kFlow };

// The longest source of a flow, whose time grows with more than the square of the length.
inline constexpr size_t kLongestFlow = 128;

struct Explanation {
  // Of kHeads: for the encoder's self-attention, the decoder's, and cross attention, [layers, heads]: how much log
  // p(target | source), natural, falls without the head.
  struct Heads {
    size_t layers = 0, heads = 0;
    std::vector<float> falls;
  };
  std::array<Heads, 3> heads;
  // Of kWords, [1, 1, target, source]: how much the log-probability of a target piece falls without the source piece.
  // Of kRollout and kFlow, [1, 1, source, source].
  AttentionMap matrix;
};

class ExplainJob : public Job {
 public:
  // Without a target it is the model's own translation. `model` must outlive the job. outcome() is kUnsupported for a
  // model without the attention that is asked about, and kLimitExceeded for a flow over a source that is too long.
  ExplainJob(const TranslationModel& model, Question question, std::string source, std::optional<std::string> target,
             const DecodeOptions& options);

  // Complete when Step has returned true and outcome() has no error.
  const Explanation& result() const { return result_; }
  // The trace of the pair.
  const Replay& replay() const { return replay_.result(); }

 private:
  bool Advance(Context& ctx) override;
  bool Answer();
  void StartVariants();
  void TakeVariants();
  bool FlowRow();

  const TranslationModel& model_;
  Question question_;
  Explanation result_;
  ReplayJob replay_;
  bool replayed_ = false;
  std::unique_ptr<VariantsJob> variants_;
  std::optional<AttentionFlow> flow_;
  size_t row_ = 0;  // of the flow
};

}  // namespace qkv
