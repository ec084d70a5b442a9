// Bindings: loading a model in two phases, and asking about it.
#include "wasm/models.h"

#include <emscripten/bind.h>
#include <emscripten/emmalloc.h>
#include <emscripten/heap.h>

#include <optional>

#include "core/base/trainable.h"
#include "core/text/utf.h"
#include "wasm/engine.h"
#include "wasm/values.h"

namespace qkv::wasm {
namespace {

// A loader, and the room for the range that JavaScript is filling.
struct Loading {
  std::unique_ptr<ModelLoader> loader;
  std::vector<uint8_t> stage;
};

Handles<Loading>& Loaders() {
  static Handles<Loading> loaders;
  return loaders;
}

Handles<TranslationModel>& Models() {
  static Handles<TranslationModel> models;
  return models;
}

std::vector<uint8_t> Bytes(const val& array) {
  return array.isNull() || array.isUndefined() ? std::vector<uint8_t>{}
                                               : emscripten::convertJSArrayToNumberVector<uint8_t>(array);
}

// What a model's weights may take: all that the instance's memory can still grow to, less what its jobs may need.
uint64_t MemoryForWeights() {
  constexpr uint64_t kForJobs = uint64_t{128} << 20;
  const uint64_t free = uint64_t{emmalloc_free_dynamic_memory()} + emmalloc_unclaimed_heap_memory();
  return free > kForJobs ? free - kForJobs : 0;
}

val LoaderCreate(const val& files) {
  const auto text = [&](const char* name) { return files[name].as<std::string>(); };
  const std::string config = text("config"), generation = text("generationConfig"), vocabulary = text("vocab");
  const std::vector<uint8_t> source = Bytes(files["sourceSpm"]), target = Bytes(files["targetSpm"]),
                             shortlist = Bytes(files["shortlist"]);
  const val size = files["weightsSize"];
  auto loader = ModelLoader::Create({config, generation, vocabulary, source, target, shortlist},
                                    size.isNumber() ? static_cast<uint64_t>(size.as<double>()) : 0, MemoryForWeights());
  if (!loader) return ErrorValue(loader.error());
  return val(Loaders().Add(std::make_unique<Loading>(Loading{std::move(*loader), {}})));
}

val LoaderNext(int handle) {
  const Loading* loading = Loaders().Get(handle);
  if (loading == nullptr) return NoSuch("loader");
  const ByteRange range = loading->loader->Next();
  val result = val::object();
  result.set("offset", static_cast<double>(range.offset));
  result.set("length", static_cast<double>(range.length));
  return result;
}

val LoaderStage(int handle) {
  Loading* loading = Loaders().Get(handle);
  if (loading == nullptr) return NoSuch("loader");
  loading->stage.resize(static_cast<size_t>(loading->loader->Next().length));
  return val(emscripten::typed_memory_view(loading->stage.size(), loading->stage.data()));
}

val LoaderCommit(int handle) {
  Loading* loading = Loaders().Get(handle);
  if (loading == nullptr) return NoSuch("loader");
  const Result<void> fed = loading->loader->Feed(loading->stage);
  loading->stage = {};
  return fed ? val::undefined() : ErrorValue(fed.error());
}

val LoaderFinish(int handle) {
  Loading* loading = Loaders().Get(handle);
  if (loading == nullptr) return NoSuch("loader");
  if (loading->loader->Next().length != 0) {
    return ErrorValue({ErrorCode::kInvalidArgument, "the loader still wants bytes", "loader"});
  }
  const int model = Models().Add(loading->loader->Finish());
  Loaders().Free(handle);
  return val(model);
}

val ModelInfo(int handle) {
  const TranslationModel* model = ModelAt(handle);
  if (model == nullptr) return NoSuch("model");
  const SequenceConfig& config = model->config();
  val info = val::object();
  const auto number = [&](const char* name, size_t value) { info.set(name, static_cast<double>(value)); };
  number("parameters", model->parameters());
  number("bytes", model->bytes());
  number("dModel", config.d_model);
  number("encoderLayers", config.encoder_layers);
  number("decoderLayers", config.decoder_layers);
  number("encoderHeads", config.encoder_self.heads);
  number("decoderHeads", config.cross.heads);
  number("vocabularySize", config.vocabulary);
  number("maxLength", model->generation().max_length);
  number("beam", model->generation().beam);
  info.set("shortlist", model->has_shortlist());
  info.set("alignmentHeads", HeadsValue(model->generation().alignment_heads));
  return info;
}

val Tokenize(int handle, const std::string& text, const std::string& side) {
  const TranslationModel* model = ModelAt(handle);
  if (model == nullptr) return NoSuch("model");
  return TokensValue(*model, text, model->Encode(text, side == "target" ? Side::kTarget : Side::kSource));
}

double MemoryBytes() { return static_cast<double>(emscripten_get_heap_size()); }

}  // namespace

const TranslationModel* ModelAt(int handle) {
  if constexpr (kTrainable) {
    if (handle < 0) return TrainedModelAt(-handle);
  }
  return Models().Get(handle);
}

val TokensValue(const TranslationModel& model, const std::string& text, const Tokens& tokens) {
  val side = val::object(), pieces = val::array();
  std::vector<int32_t> begin, end;
  Utf16Offsets begins(text), ends(text);
  for (size_t i = 0; i < tokens.ids.size(); ++i) {
    pieces.call<void>("push", std::string(model.PieceText(tokens.ids[i])));
    begin.push_back(static_cast<int32_t>(begins.At(tokens.begin[i])));
    end.push_back(static_cast<int32_t>(ends.At(tokens.end[i])));
  }
  side.set("text", text);
  side.set("pieces", pieces);
  side.set("ids", TypedArray(tokens.ids));
  side.set("begin", TypedArray(begin));
  side.set("end", TypedArray(end));
  return side;
}

val HeadsValue(const std::vector<std::pair<size_t, size_t>>& heads) {
  val list = val::array();
  for (const auto& [layer, head] : heads) {
    val pair = val::array();
    pair.call<void>("push", static_cast<int>(layer), static_cast<int>(head));
    list.call<void>("push", pair);
  }
  return list;
}

EMSCRIPTEN_BINDINGS(qkv_models) {
  using emscripten::function;
  function("loaderCreate", &LoaderCreate);
  function("loaderNext", &LoaderNext);
  function("loaderStage", &LoaderStage);
  function("loaderCommit", &LoaderCommit);
  function("loaderFinish", &LoaderFinish);
  function("loaderFree", +[](int handle) { Loaders().Free(handle); });
  function("modelInfo", &ModelInfo);
  function("modelFree", +[](int handle) { Models().Free(handle); });
  function("tokenize", &Tokenize);
  function("memoryBytes", &MemoryBytes);
}

}  // namespace qkv::wasm
