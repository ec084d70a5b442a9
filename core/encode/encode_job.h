// Runs an encoder over texts. Results are each piece's vector, the head's logits, and on demand every attention weight.
#pragma once

#include <string>
#include <vector>

#include "core/attention/interventions.h"
#include "core/attention/trace.h"
#include "core/base/job.h"
#include "core/encode/encoder_model.h"

namespace qkv {

struct EncodeInput {
  std::string text;
  std::optional<std::string> second = {};  // the second text of a pair; for answers the text to search
};

struct EncodeOptions {
  bool hidden = false;  // keep each piece's vector
  bool head = false;    // run the head if the model has one
  bool trace = false;   // keep every attention weight; for one text only
  // In the forward; input i is sentence first_sentence + i.
  std::shared_ptr<const PassChanges> changes = nullptr;
  size_t first_sentence = 0;
};

struct Encoded {
  Encoding encoding;
  Matrix hidden;  // [pieces, d], or empty
  Matrix logits;  // of the head, or empty. kMasked: [masks, vocabulary], kSequence [1, labels], else [pieces, ...]
  std::vector<size_t> rows;  // the piece of each row of the logits
  AttentionMap attention;    // [layers, heads, pieces, pieces], or empty
};

class EncodeJob : public Job {
 public:
  // `model` must outlive the job. With `trace` there is one input.
  EncodeJob(const EncoderModel& model, const std::vector<EncodeInput>& inputs, EncodeOptions options);

  // In the order of the inputs; complete when Step has returned true and outcome() has no error.
  const std::vector<Encoded>& results() const { return results_; }

 private:
  bool Advance(Context& ctx) override;
  void NextBatch();
  void TakeResults(Context& ctx);
  void ReserveTrace();
  bool ReserveStep(Context& ctx);
  void RunHead(Context& ctx, ConstMatrixView x, Encoded& result);

  const EncoderModel& model_;
  EncodeOptions options_;
  std::vector<Encoded> results_;
  size_t first_ = 0, end_ = 0;  // of the batch
  std::vector<int32_t> ids_, types_;
  Segments segments_;
  Matrix x_;
  size_t layer_ = 0, longest_ = 0;  // longest_: the longest text of the batch
  std::vector<size_t> texts_;       // of the batch
  AttentionTrace trace_;
};

}  // namespace qkv
