// Functions that the bindings of the two trainers share. S is Session or PointerSession.
#pragma once

#include <emscripten/val.h>

#include <memory>
#include <string_view>
#include <utility>

#include "wasm/engine.h"
#include "wasm/values.h"

namespace qkv::wasm {

template <class S>
Handles<S>& Sessions() {
  static Handles<S> sessions;
  return sessions;
}

// The handle of a new session, or its error.
template <class S>
val AddSession(Result<std::unique_ptr<S>> session) {
  return session ? val(Sessions<S>().Add(std::move(*session))) : ErrorValue(session.error());
}

// call(session), or an error for an unknown handle.
template <class S, class Call>
val WithSession(int handle, const Call& call) {
  S* const session = Sessions<S>().Get(handle);
  return session == nullptr ? NoSuch("trainer") : call(*session);
}

// Makes one update. Returns {gradient, finite} and the fields that add(session, report, value) adds.
template <class S, class Add>
val StepSession(int handle, const Add& add) {
  return WithSession<S>(handle, [&](S& session) {
    const auto report = session.Step();
    if (!report) return ErrorValue(report.error());
    val value = val::object();
    Set(value, "gradient", val(report.value().gradient));
    Set(value, "finite", val(report.value().finite));
    add(session, report.value(), value);
    return value;
  });
}

template <class S>
val MeasureSession(int handle) {
  return WithSession<S>(handle, [](S& session) {
    const Result<double> loss = session.Measure();
    return loss ? val(loss.value()) : ErrorValue(loss.error());
  });
}

template <class S>
val SetSessionRate(int handle, double rate) {
  return WithSession<S>(handle, [&](S& session) {
    session.set_rate(rate);
    return val::undefined();
  });
}

// undefined, or the error.
inline val Outcome(const Result<void>& result) { return result ? val::undefined() : ErrorValue(result.error()); }

// A copy of `bytes` as a Uint8Array.
inline val BytesValue(std::string_view bytes) {
  return val(emscripten::typed_memory_view(bytes.size(), reinterpret_cast<const uint8_t*>(bytes.data())))
      .call<val>("slice");
}

}  // namespace qkv::wasm
