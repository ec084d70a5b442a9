// Loaders by handle. JavaScript fills the range of bytes that a loader wants next, then commits it.
#pragma once

#include <emscripten/bind.h>

#include <memory>

#include "core/base/budget.h"
#include "core/io/tensor_directory.h"
#include "wasm/engine.h"
#include "wasm/values.h"

namespace qkv::wasm {

template <class Loader>
struct Loading {
  std::unique_ptr<Loader> loader;
  // The bytes that the loader wants next. The memory is not initialised and is used again: all bytes are written before
  // they are read.
  std::unique_ptr<uint8_t[]> stage = {};
  size_t capacity = 0;
};

template <class Loader>
Handles<Loading<Loader>>& Loaders() {
  static Handles<Loading<Loader>> loaders;
  return loaders;
}

template <class Loader>
val AddLoader(Result<std::unique_ptr<Loader>> loader) {
  if (!loader) return ErrorValue(loader.error());
  return val(Loaders<Loader>().Add(std::make_unique<Loading<Loader>>(Loading<Loader>{std::move(*loader)})));
}

template <class Loader>
val LoaderNext(int handle) {
  const Loading<Loader>* loading = Loaders<Loader>().Get(handle);
  if (loading == nullptr) return NoSuch("loader");
  const ByteRange range = loading->loader->Next();
  val result = val::object();
  Set(result, "offset", val(static_cast<double>(range.offset)));
  Set(result, "length", val(static_cast<double>(range.length)));
  Set(result, "file", val(static_cast<double>(range.file)));
  return result;
}

template <class Loader>
val LoaderStage(int handle) {
  Loading<Loader>* loading = Loaders<Loader>().Get(handle);
  if (loading == nullptr) return NoSuch("loader");
  const auto length = static_cast<size_t>(loading->loader->Next().length);
  if (length > loading->capacity) {
    if (const Result<void> fits = CheckMemory(length, kTooLarge, "weights"); !fits) return ErrorValue(fits.error());
    loading->stage.reset();
    loading->stage.reset(new uint8_t[length]);
    loading->capacity = length;
  }
  return val(emscripten::typed_memory_view(length, loading->stage.get()));
}

template <class Loader>
val LoaderCommit(int handle) {
  Loading<Loader>* loading = Loaders<Loader>().Get(handle);
  if (loading == nullptr) return NoSuch("loader");
  const auto length = static_cast<size_t>(loading->loader->Next().length);
  if (length > loading->capacity) return NoSuch("stage");
  const Result<void> fed = loading->loader->Feed({loading->stage.get(), length});
  return fed ? val::undefined() : ErrorValue(fed.error());
}

// `store` stores the loaded model and returns its handle.
template <class Loader>
val LoaderFinish(int handle, int (*store)(Loader&)) {
  Loading<Loader>* loading = Loaders<Loader>().Get(handle);
  if (loading == nullptr) return NoSuch("loader");
  if (loading->loader->Next().length != 0) {
    return ErrorValue({ErrorCode::kInvalidArgument, "the loader still wants bytes", "loader"});
  }
  const int model = store(*loading->loader);
  Loaders<Loader>().Free(handle);
  return val(model);
}

template <class Loader>
void BindLoader() {
  using emscripten::function;
  function("loaderNext", &LoaderNext<Loader>);
  function("loaderStage", &LoaderStage<Loader>);
  function("loaderCommit", &LoaderCommit<Loader>);
  function("loaderFree", +[](int handle) { Loaders<Loader>().Free(handle); });
}

// The most bytes that a model's weights may take: the memory that the instance can still get, minus what its jobs may
// need.
uint64_t MemoryForWeights();

}  // namespace qkv::wasm
