// Bindings: the functions of a translation model. They do not depend on the loader.
#include "wasm/models.h"

#include <emscripten/bind.h>
#include <emscripten/emmalloc.h>
#include <emscripten/heap.h>

#include "core/text/utf.h"
#include "core/translate/carried_source.h"
#include "wasm/engine.h"
#include "wasm/loading.h"
#include "wasm/values.h"

namespace qkv::wasm {
namespace {

val Tokenize(int handle, const std::string& text, const std::string& side) {
  const TranslationModel* model = ModelAt(handle);
  if (model == nullptr) return NoSuch("model");
  const Side which = side == "target" ? Side::kTarget : Side::kSource;
  return TokensValue(*model, text, model->Encode(text, which), which);
}

}  // namespace

uint64_t MemoryForWeights() {
  constexpr uint64_t kForJobs = uint64_t{128} << 20;
  const uint64_t free = uint64_t{emmalloc_free_dynamic_memory()} + emmalloc_unclaimed_heap_memory();
  return free > kForJobs ? free - kForJobs : 0;
}

void AddTranslationInfo(val& info, const TranslationModel& model) {
  const SequenceConfig& config = model.config();
  const auto number = [&](const char* name, size_t value) { Set(info, name, val(static_cast<double>(value))); };
  number("dModel", config.d_model);
  number("encoderLayers", config.encoder_layers);
  number("decoderLayers", config.decoder_layers);
  number("encoderHeads", config.encoder_self.heads);
  number("decoderHeads", config.cross.heads);
  number("vocabularySize", config.vocabulary);
  number("maxLength", model.generation().max_length);
  number("beam", model.generation().beam);
  Set(info, "shortlist", val(model.has_shortlist()));
  SetText(info, "copy", Carrying(model));
  Set(info, "alignmentHeads", HeadsValue(model.generation().alignment_heads));
}

val TranslatorInfo(const TranslationModel& model) {
  val info = val::object();
  Set(info, "parameters", val(static_cast<double>(model.parameters())));
  Set(info, "bytes", val(static_cast<double>(model.bytes())));
  AddTranslationInfo(info, model);
  return info;
}

val TokensValue(const TranslationModel& model, const std::string& text, const Tokens& tokens, Side which) {
  val side = val::object(), pieces = val::array();
  std::vector<int32_t> begin, end;
  Utf16Offsets begins(text), ends(text);
  for (size_t i = 0; i < tokens.ids.size(); ++i) {
    pieces.call<void>("push", std::string(model.PieceText(tokens.ids[i], which)));
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

val Stepped(Job& job) {
  const bool done = job.Step(SharedContext());
  return job.outcome() ? val(done) : ErrorValue(job.outcome().error());
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

EMSCRIPTEN_BINDINGS(qkv_models) { emscripten::function("tokenize", &Tokenize); }

}  // namespace qkv::wasm
