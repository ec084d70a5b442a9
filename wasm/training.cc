// Bindings of the program that trains. Its only models are its trainers': it reads no model folder, so neither the
// loaders nor their formats are in the download.
#include <emscripten/bind.h>

#include <utility>

#include "core/train/session.h"
#include "wasm/engine.h"
#include "wasm/models.h"
#include "wasm/values.h"

namespace qkv::wasm {
namespace {

Handles<Session>& Sessions() {
  static Handles<Session> sessions;
  return sessions;
}

std::string BytesAsText(const val& array) {
  const std::vector<uint8_t> bytes = Bytes(array);
  return {bytes.begin(), bytes.end()};
}

val AsBytes(const std::string& text) {
  return val(emscripten::typed_memory_view(text.size(), reinterpret_cast<const uint8_t*>(text.data())))
      .call<val>("slice");
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
  Result<std::unique_ptr<Session>> session = Session::Create(config, std::move(session_data), ThreadCount());
  return session ? val(Sessions().Add(std::move(*session))) : ErrorValue(session.error());
}

// {step, loss, nll, pieces, tokens, rate, gradient, finite}: `loss` and `nll` are sums over `pieces`.
val TrainerStep(int handle) {
  Session* session = Sessions().Get(handle);
  if (session == nullptr) return NoSuch("trainer");
  const Result<Trainer::Report> step = session->Step();
  if (!step) return ErrorValue(step.error());
  const Trainer::Report& report = step.value();
  val value = val::object();
  Set(value, "step", val(static_cast<double>(report.step)));
  Set(value, "loss", val(report.loss.smoothed));
  Set(value, "nll", val(report.loss.negative));
  Set(value, "pieces", val(static_cast<double>(report.loss.pieces)));
  Set(value, "tokens", val(static_cast<double>(session->place().tokens)));
  Set(value, "rate", val(report.rate));
  Set(value, "gradient", val(report.gradient));
  Set(value, "finite", val(report.finite));
  return value;
}

val TrainerMeasure(int handle) {
  Session* session = Sessions().Get(handle);
  if (session == nullptr) return NoSuch("trainer");
  const Result<double> loss = session->Measure();
  return loss ? val(loss.value()) : ErrorValue(loss.error());
}

val TrainerRate(int handle, double rate) {
  Session* session = Sessions().Get(handle);
  if (session == nullptr) return NoSuch("trainer");
  session->set_rate(rate);
  return val::undefined();
}

val TrainerSave(int handle) {
  Session* session = Sessions().Get(handle);
  if (session == nullptr) return NoSuch("trainer");
  const Session::Saved saved = session->Save();
  val value = val::object();
  SetText(value, "place", saved.place);
  Set(value, "tensors", AsBytes(saved.tensors));
  return value;
}

val TrainerLoad(int handle, const std::string& place, const val& tensors) {
  Session* session = Sessions().Get(handle);
  if (session == nullptr) return NoSuch("trainer");
  const Result<void> loaded = session->Load(place, Bytes(tensors));
  return loaded ? val::undefined() : ErrorValue(loaded.error());
}

// The model's folder: {name: Uint8Array}.
val TrainerFiles(int handle) {
  Session* session = Sessions().Get(handle);
  if (session == nullptr) return NoSuch("trainer");
  val files = val::object();
  Set(files, "config.json", AsBytes(session->files().config));
  Set(files, "generation_config.json", AsBytes(session->files().generation_config));
  Set(files, "vocab.json", AsBytes(session->files().vocabulary));
  Set(files, "source.spm", AsBytes(session->files().source_spm));
  if (!session->files().target_spm.empty()) Set(files, "target.spm", AsBytes(session->files().target_spm));
  Set(files, "model.safetensors", AsBytes(session->Weights()));
  return files;
}

}  // namespace

// A trainer's handle is also its model's.
const TranslationModel* ModelAt(int handle) {
  const Session* session = Sessions().Get(handle);
  return session != nullptr ? &session->model() : nullptr;
}

EMSCRIPTEN_BINDINGS(qkv_training) {
  using emscripten::function;
  function("trainerCreate", &TrainerCreate);
  function("trainerStep", &TrainerStep);
  function("trainerMeasure", &TrainerMeasure);
  function("trainerRate", &TrainerRate);
  function("trainerSave", &TrainerSave);
  function("trainerLoad", &TrainerLoad);
  function("trainerFiles", &TrainerFiles);
  function(
      "modelInfo", +[](int handle) {
        const TranslationModel* model = ModelAt(handle);
        return model != nullptr ? TranslatorInfo(*model) : NoSuch("trainer");
      });
  // The caller has freed the jobs that run on its model.
  function("trainerFree", +[](int handle) { Sessions().Free(handle); });
}

}  // namespace qkv::wasm
