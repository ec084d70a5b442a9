// Bindings: pointer networks, only in the build that trains. They are trained and asked here; no other program has
// them.
#include <emscripten/bind.h>

#include <string>
#include <utility>
#include <vector>

#include "core/train/pointer_session.h"
#include "wasm/engine.h"
#include "wasm/values.h"

namespace qkv::wasm {
namespace {

Handles<PointerSession>& Sessions() {
  static Handles<PointerSession> sessions;
  return sessions;
}

Segments Lengths(const val& lengths) {
  Segments segments;
  for (const int32_t length : emscripten::convertJSArrayToNumberVector<int32_t>(lengths)) {
    segments.Add(static_cast<size_t>(length));
  }
  return segments;
}

// {points, sizes, places, lengths}: lists of numbers; of all sets the coordinates, the number of points, the orders,
// and the orders' lengths. The caller has checked that sizes and lengths are not negative.
PointerBatch Sets(const val& value) {
  PointerBatch sets;
  if (!IsGiven(value)) return sets;
  sets.points = emscripten::convertJSArrayToNumberVector<float>(value["points"]);
  sets.segments = Lengths(value["sizes"]);
  sets.choices = emscripten::convertJSArrayToNumberVector<int32_t>(value["places"]);
  sets.choice_segments = Lengths(value["lengths"]);
  if (sets.segments.rows() != 0) sets.inputs = sets.points.size() / sets.segments.rows();
  return sets;
}

val PointerCreate(const std::string& config, const val& sets, const val& dev) {
  Result<std::unique_ptr<PointerSession>> session =
      PointerSession::Create(config, Sets(sets), Sets(dev), ThreadCount());
  return session ? val(Sessions().Add(std::move(*session))) : ErrorValue(session.error());
}

// {step, loss, rate, gradient, finite}
val PointerStep(int handle) {
  PointerSession* session = Sessions().Get(handle);
  if (session == nullptr) return NoSuch("trainer");
  const Result<PointerTrainer::Report> step = session->Step();
  if (!step) return ErrorValue(step.error());
  val value = val::object();
  Set(value, "step", val(static_cast<double>(session->step())));
  Set(value, "loss", val(step.value().loss));
  Set(value, "rate", val(session->rate()));
  Set(value, "gradient", val(step.value().gradient));
  Set(value, "finite", val(step.value().finite));
  return value;
}

val PointerMeasure(int handle) {
  PointerSession* session = Sessions().Get(handle);
  if (session == nullptr) return NoSuch("trainer");
  const Result<double> loss = session->Measure();
  return loss ? val(loss.value()) : ErrorValue(loss.error());
}

val PointerRate(int handle, double rate) {
  PointerSession* session = Sessions().Get(handle);
  if (session == nullptr) return NoSuch("trainer");
  session->set_rate(rate);
  return val::undefined();
}

// {places, weights}
val PointerRun(int handle, const val& points, int most, int stop) {
  PointerSession* session = Sessions().Get(handle);
  if (session == nullptr) return NoSuch("trainer");
  const Result<PointerSession::Order> order =
      session->Point(emscripten::convertJSArrayToNumberVector<float>(points), static_cast<size_t>(most), stop);
  if (!order) return ErrorValue(order.error());
  val value = val::object();
  Set(value, "places", TypedArray(order.value().places));
  Set(value, "weights", TypedArray(order.value().weights));
  return value;
}

// {step, tensors}
val PointerSave(int handle, bool moments) {
  PointerSession* session = Sessions().Get(handle);
  if (session == nullptr) return NoSuch("trainer");
  const std::string tensors = session->Save(moments);
  val value = val::object();
  Set(value, "step", val(static_cast<double>(session->step())));
  Set(value, "tensors",
      val(emscripten::typed_memory_view(tensors.size(), reinterpret_cast<const uint8_t*>(tensors.data())))
          .call<val>("slice"));
  return value;
}

val PointerLoad(int handle, const val& tensors, double step, bool moments) {
  PointerSession* session = Sessions().Get(handle);
  if (session == nullptr) return NoSuch("trainer");
  const Result<void> loaded = session->Load(Bytes(tensors), static_cast<uint64_t>(step), moments);
  return loaded ? val::undefined() : ErrorValue(loaded.error());
}

val PointerSize(int handle) {
  PointerSession* session = Sessions().Get(handle);
  return session == nullptr ? NoSuch("trainer") : val(static_cast<double>(session->parameters()));
}

}  // namespace

EMSCRIPTEN_BINDINGS(qkv_pointer) {
  using emscripten::function;
  function("pointerCreate", &PointerCreate);
  function("pointerStep", &PointerStep);
  function("pointerMeasure", &PointerMeasure);
  function("pointerRate", &PointerRate);
  function("pointerRun", &PointerRun);
  function("pointerSave", &PointerSave);
  function("pointerLoad", &PointerLoad);
  function("pointerSize", &PointerSize);
}

}  // namespace qkv::wasm
