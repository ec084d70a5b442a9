// Bindings: training and running pointer networks. Only the build with training has them.
#include <emscripten/bind.h>

#include <string>
#include <utility>
#include <vector>

#include "core/train/pointer_session.h"
#include "wasm/sessions.h"

namespace qkv::wasm {
namespace {

Segments Lengths(const val& lengths) {
  Segments segments;
  for (const int32_t length : emscripten::convertJSArrayToNumberVector<int32_t>(lengths)) {
    segments.Add(static_cast<size_t>(length));
  }
  return segments;
}

// {points, sizes, places, lengths}: lists of numbers for all sets: the coordinates, the numbers of points, the orders,
// and the lengths of the orders. The caller has checked that sizes and lengths are not negative.
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
  return AddSession(PointerSession::Create(config, Sets(sets), Sets(dev), ThreadCount()));
}

// {step, loss, rate, gradient, finite}
val PointerStep(int handle) {
  return StepSession<PointerSession>(
      handle, [](const PointerSession& session, const PointerTrainer::Report& report, val& value) {
        Set(value, "step", val(static_cast<double>(session.step())));
        Set(value, "loss", val(report.loss));
        Set(value, "rate", val(session.rate()));
      });
}

// {places, weights}
val PointerRun(int handle, const val& points, int most, int stop) {
  return WithSession<PointerSession>(handle, [&](PointerSession& session) {
    const Result<PointerSession::Order> order =
        session.Point(emscripten::convertJSArrayToNumberVector<float>(points), static_cast<size_t>(most), stop);
    if (!order) return ErrorValue(order.error());
    val value = val::object();
    Set(value, "places", TypedArray(order.value().places));
    Set(value, "weights", TypedArray(order.value().weights));
    return value;
  });
}

// {step, tensors}
val PointerSave(int handle, bool moments) {
  return WithSession<PointerSession>(handle, [&](PointerSession& session) {
    val value = val::object();
    Set(value, "step", val(static_cast<double>(session.step())));
    Set(value, "tensors", BytesValue(session.Save(moments)));
    return value;
  });
}

val PointerLoad(int handle, const val& tensors, double step, bool moments) {
  return WithSession<PointerSession>(handle, [&](PointerSession& session) {
    return Outcome(session.Load(Bytes(tensors), static_cast<uint64_t>(step), moments));
  });
}

val PointerSize(int handle) {
  return WithSession<PointerSession>(
      handle, [](PointerSession& session) { return val(static_cast<double>(session.parameters())); });
}

}  // namespace

EMSCRIPTEN_BINDINGS(qkv_pointer) {
  using emscripten::function;
  function("pointerCreate", &PointerCreate);
  function("pointerStep", &PointerStep);
  function("pointerMeasure", &MeasureSession<PointerSession>);
  function("pointerRate", &SetSessionRate<PointerSession>);
  function("pointerRun", &PointerRun);
  function("pointerSave", &PointerSave);
  function("pointerLoad", &PointerLoad);
  function("pointerSize", &PointerSize);
}

}  // namespace qkv::wasm
