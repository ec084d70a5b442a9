// Bindings: questions about a translation, which changes to the model answer (core/explain/explain_job.h).
#include "core/explain/explain_job.h"

#include <emscripten/bind.h>

#include "wasm/engine.h"
#include "wasm/jobs.h"
#include "wasm/models.h"
#include "wasm/values.h"

namespace qkv::wasm {
namespace {

struct Running {
  const TranslationModel* model;
  std::unique_ptr<ExplainJob> job;
};

Handles<Running>& Jobs() {
  static Handles<Running> jobs;
  return jobs;
}

constexpr const char* kQuestions[] = {"heads", "words", "rollout", "flow"};

// target: null for the model's own translation.
val ExplainStart(int handle, const std::string& question, const val& source, const val& target, const val& options) {
  const TranslationModel* model = ModelAt(handle);
  if (model == nullptr) return NoSuch("model");
  Result<PairRequest> pair = ReadPair(*model, source, target, options);
  if (!pair) return ErrorValue(pair.error());
  size_t which = 0;
  while (which + 1 < std::size(kQuestions) && question != kQuestions[which]) ++which;
  auto job = std::make_unique<ExplainJob>(*model, static_cast<Question>(which), std::move(pair->source),
                                          std::move(pair->target), pair->decode);
  return val(Jobs().Add(std::make_unique<Running>(Running{model, std::move(job)})));
}

val ExplainStep(int handle) {
  Running* const running = Jobs().Get(handle);
  return running == nullptr ? NoSuch("job") : Stepped(*running->job);
}

// {source, target, score, heads: {encoder, decoder, cross}, matrix}: `heads` or `matrix` is empty, depending on the
// question.
val ExplainResult(int handle) {
  const Running* const running = Jobs().Get(handle);
  if (running == nullptr) return NoSuch("job");
  const Explanation& result = running->job->result();
  val value = PairValue(*running->model, running->job->replay()), heads = val::object();
  constexpr const char* kKinds[] = {"encoder", "decoder", "cross"};
  for (size_t k = 0; k < std::size(kKinds); ++k) {
    const Explanation::Heads& of = result.heads[k];
    Set(heads, kKinds[k], TensorValue(of.falls, {of.layers, of.heads}));
  }
  Set(value, "heads", heads);
  Set(value, "matrix", TensorValue(result.matrix.weights, {result.matrix.targets, result.matrix.sources}));
  return value;
}

}  // namespace

EMSCRIPTEN_BINDINGS(qkv_explain) {
  using emscripten::function;
  function("explainStart", &ExplainStart);
  function("explainStep", &ExplainStep);
  function("explainResult", &ExplainResult);
  function("explainFree", +[](int handle) { Jobs().Free(handle); });
}

}  // namespace qkv::wasm
