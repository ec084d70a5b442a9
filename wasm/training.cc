// Bindings of the program that trains. Its only models are those of its trainers. It reads no model folders, so the
// download contains no loaders.
#include <emscripten/bind.h>

#include <utility>

#include "core/train/session.h"
#include "wasm/models.h"
#include "wasm/sessions.h"

namespace qkv::wasm {
namespace {

std::string BytesAsText(const val& array) {
  const std::vector<uint8_t> bytes = Bytes(array);
  return {bytes.begin(), bytes.end()};
}

val TrainerCreate(const std::string& config, const val& data) {
  const auto text = [&](const char* name) {
    return IsGiven(data[name]) ? data[name].as<std::string>() : std::string();
  };
  SessionData session_data = {.vocabulary = text("vocab"),
                              .source_spm = BytesAsText(data["sourceSpm"]),
                              .target_spm = BytesAsText(data["targetSpm"]),
                              .pairs = text("pairs"),
                              .dev = text("dev")};
  return AddSession(Session::Create(config, std::move(session_data), ThreadCount()));
}

// {step, loss, nll, pieces, tokens, rate, gradient, finite}: `loss` and `nll` are sums over `pieces`.
val TrainerStep(int handle) {
  return StepSession<Session>(handle, [](const Session& session, const Trainer::Report& report, val& value) {
    Set(value, "step", val(static_cast<double>(report.step)));
    Set(value, "loss", val(report.loss.smoothed));
    Set(value, "nll", val(report.loss.negative));
    Set(value, "pieces", val(static_cast<double>(report.loss.pieces)));
    Set(value, "tokens", val(static_cast<double>(session.place().tokens)));
    Set(value, "rate", val(report.rate));
  });
}

val TrainerSave(int handle) {
  return WithSession<Session>(handle, [](Session& session) {
    const Session::Saved saved = session.Save();
    val value = val::object();
    SetText(value, "place", saved.place);
    Set(value, "tensors", BytesValue(saved.tensors));
    return value;
  });
}

val TrainerLoad(int handle, const std::string& place, const val& tensors) {
  return WithSession<Session>(handle, [&](Session& session) { return Outcome(session.Load(place, Bytes(tensors))); });
}

val GradientMap(const AttentionMap& map) {
  return TensorValue(map.weights, {map.layers, map.heads, map.targets, map.sources});
}

// {loss, encoderSelf, decoderSelf, cross}
val TrainerGradient(int handle, const std::string& source, const std::string& target) {
  return WithSession<Session>(handle, [&](Session& session) {
    const Result<Session::AttentionGradient> gradient = session.GradientOf(source, target);
    if (!gradient) return ErrorValue(gradient.error());
    val value = val::object();
    Set(value, "loss", val(gradient.value().loss));
    Set(value, "encoderSelf", GradientMap(gradient.value().encoder));
    Set(value, "decoderSelf", GradientMap(gradient.value().decoder));
    Set(value, "cross", GradientMap(gradient.value().cross));
    return value;
  });
}

// The model's folder: {name: Uint8Array}.
val TrainerFiles(int handle) {
  return WithSession<Session>(handle, [](Session& session) {
    const SessionFiles& small = session.files();
    val files = val::object();
    Set(files, "config.json", BytesValue(small.config));
    Set(files, "generation_config.json", BytesValue(small.generation_config));
    Set(files, "vocab.json", BytesValue(small.vocabulary));
    Set(files, "source.spm", BytesValue(small.source_spm));
    if (!small.target_spm.empty()) Set(files, "target.spm", BytesValue(small.target_spm));
    Set(files, "model.safetensors", BytesValue(session.Weights()));
    return files;
  });
}

}  // namespace

// A trainer's handle is also the handle of its model.
const TranslationModel* ModelAt(int handle) {
  const Session* session = Sessions<Session>().Get(handle);
  return session != nullptr ? &session->model() : nullptr;
}

EMSCRIPTEN_BINDINGS(qkv_training) {
  using emscripten::function;
  function("trainerCreate", &TrainerCreate);
  function("trainerStep", &TrainerStep);
  function("trainerMeasure", &MeasureSession<Session>);
  function("trainerRate", &SetSessionRate<Session>);
  function("trainerGradient", &TrainerGradient);
  function("trainerSave", &TrainerSave);
  function("trainerLoad", &TrainerLoad);
  function("trainerFiles", &TrainerFiles);
  function(
      "modelInfo", +[](int handle) {
        const TranslationModel* model = ModelAt(handle);
        return model != nullptr ? TranslatorInfo(*model) : NoSuch("trainer");
      });
  // The caller has freed the jobs that run on its model.
  function("trainerFree", +[](int handle) { Sessions<Session>().Free(handle); });
}

}  // namespace qkv::wasm
