// How probable one target is under many changes, each by itself. Variants are hypotheses of one batch, and those that
// change nothing in the encoder share its output.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/base/job.h"
#include "core/explain/change_list.h"
#include "core/translate/model.h"

namespace qkv {

class VariantsJob : public Job {
 public:
  // Source and target end with </s>, and neither is empty. In variant i there is changes[i] alone, whose sentence is
  // ignored. `model` must outlive the job.
  VariantsJob(const TranslationModel& model, std::vector<int32_t> source, std::vector<int32_t> target,
              std::vector<Change> changes);

  // Complete when Step has returned true and outcome() has no error: the log-probability of each target piece, natural,
  // [variants, target].
  const std::vector<float>& log_probs() const { return log_probs_; }

 private:
  bool Advance(Context& ctx) override;
  void StartBatch();
  void StartDecoder(Context& ctx);
  bool Score(Context& ctx);
  size_t batch() const { return end_ - first_; }

  const TranslationModel& model_;
  std::vector<int32_t> source_, target_;
  std::vector<Change> changes_;
  std::vector<float> log_probs_;
  size_t first_ = 0, end_ = 0;  // variants of the batch
  bool shares_encoder_ = false;
  std::optional<ChangeList> list_;
  std::optional<Interventions> interventions_;
  std::unique_ptr<EncoderPass> encoder_;
  std::unique_ptr<ForcedPass> decoder_;
  bool read_ = false;
  Eigen::Index scored_ = 0;  // rows of the batch
};

}  // namespace qkv
