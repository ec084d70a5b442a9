#include "core/train/calibrate.h"

#include "core/base/tape.h"
#include "core/translate/translation.h"

namespace qkv {
namespace {

// The translation of a text, </s> included.
Result<std::vector<int32_t>> Translated(const TranslationModel& model, const std::string& text, Context& ctx) {
  TranslationJob job(model, {text}, {.copy = false});
  while (!job.Step(ctx)) continue;
  QKV_CHECK(job.outcome());
  return job.results().front().ids;
}

}  // namespace

Result<std::vector<CalibrationText>> TranslateForCalibration(TranslationModel& model,
                                                             const std::vector<std::string>& texts, ThreadPool& pool) {
  for (const WeightSlot& slot : model.Slots().slots) {
    Weight* const* const matrix = std::get_if<Weight*>(&slot.to);
    if (matrix == nullptr || !(*matrix)->quantized()) continue;
    return Error{ErrorCode::kUnsupported, "its weights are int8: calibration needs the float weights",
                 slot.names.front()};
  }
  std::vector<CalibrationText> translated;
  Arena arena;
  for (const std::string& text : texts) {
    const ArenaScope scope(arena);
    Context ctx{arena, pool};
    QKV_TRY(std::vector<int32_t> target, Translated(model, text, ctx));
    target.insert(target.begin(), model.config().start);
    target.pop_back();
    translated.push_back({model.Encode(text, Side::kSource).ids, std::move(target)});
  }
  return translated;
}

void ForEachProduct(const TranslationModel& model, std::span<const CalibrationText> texts, ThreadPool& pool,
                    const std::function<void(const float* weights, ConstMatrixView x)>& see) {
  Arena arena;
  for (const CalibrationText& text : texts) {
    const ArenaScope scope(arena);
    // A forward with teacher forcing runs the same products; its recording is not used.
    Tape tape;
    tape.on_product = see;
    Context ctx{.arena = arena, .pool = pool, .tape = &tape};
    const MatrixView rows = model.model().ForwardForTraining(ctx, text.source, Segments::One(text.source.size()),
                                                             text.target, Segments::One(text.target.size()));
    model.model().Logits(ctx, View(rows));
  }
}

Result<std::map<const float*, float>> LargestInputs(TranslationModel& model, const std::vector<std::string>& texts,
                                                    ThreadPool& pool) {
  QKV_TRY(const std::vector<CalibrationText> translated, TranslateForCalibration(model, texts, pool));
  std::map<const float*, float> largest;
  ForEachProduct(model, translated, pool, [&](const float* weights, ConstMatrixView x) {
    float& most = largest[weights];
    most = std::max(most, x.cwiseAbs().maxCoeff());
  });
  return largest;
}

}  // namespace qkv
