// Loading in two phases, from JavaScript: a loader by handle, and the buffer for the range that is being filled.
#pragma once

#include <emscripten/bind.h>

#include <memory>
#include <vector>

#include "core/base/budget.h"
#include "core/io/tensor_directory.h"
#include "wasm/engine.h"
#include "wasm/values.h"

namespace qkv::wasm {

template <class Loader>
struct Loading {
  std::unique_ptr<Loader> loader;
  std::vector<uint8_t> stage;
};

template <class Loader>
Handles<Loading<Loader>>& Loaders() {
  static Handles<Loading<Loader>> loaders;
  return loaders;
}

template <class Loader>
val AddLoader(Result<std::unique_ptr<Loader>> loader) {
  if (!loader) return ErrorValue(loader.error());
  return val(Loaders<Loader>().Add(std::make_unique<Loading<Loader>>(Loading<Loader>{std::move(*loader), {}})));
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
  const uint64_t length = loading->loader->Next().length;
  if (const Result<void> fits = CheckMemory(length, kTooLarge, "weights"); !fits) return ErrorValue(fits.error());
  loading->stage.resize(static_cast<size_t>(length));
  return val(emscripten::typed_memory_view(loading->stage.size(), loading->stage.data()));
}

template <class Loader>
val LoaderCommit(int handle) {
  Loading<Loader>* loading = Loaders<Loader>().Get(handle);
  if (loading == nullptr) return NoSuch("loader");
  const Result<void> fed = loading->loader->Feed(loading->stage);
  loading->stage = {};
  return fed ? val::undefined() : ErrorValue(fed.error());
}

// `keep` stores the loaded model and returns its handle.
template <class Loader>
val LoaderFinish(int handle, int (*keep)(Loader&)) {
  Loading<Loader>* loading = Loaders<Loader>().Get(handle);
  if (loading == nullptr) return NoSuch("loader");
  if (loading->loader->Next().length != 0) {
    return ErrorValue({ErrorCode::kInvalidArgument, "the loader still wants bytes", "loader"});
  }
  const int model = keep(*loading->loader);
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
