// A whole model folder is loaded and used: texts are translated, scored and traced, encoded and read, continued. Each
// gives an error or a result that satisfies its promises, never a crash, and no memory beyond what its files ask for
// within their limits. An input is a folder in one file: for each file "NAME SIZE\n" and its bytes.
// tests/fuzz/mutate.mjs makes such folders from good ones: well formed, with other content.
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/encode/encode_job.h"
#include "core/encode/predictions.h"
#include "core/generate/generate_job.h"
#include "core/load/any_model.h"
#include "core/text/utf.h"
#include "core/translate/replay.h"
#include "core/translate/translation.h"

namespace qkv {
namespace {

constexpr uint64_t kMemory = uint64_t{64} << 20;  // of the weights
constexpr size_t kMostUntrained = 200000;  // the number of weights for a model whose file does not fit its config
constexpr std::string_view kTexts[] = {
    "", "Where is the kitchen?", ">>fra<< The cat [MASK] on the <mask>.",
    "Caf\xC3\xA9  \xEF\xBC\xA1 don't 12\t\xE6\xBC\xA2\xF0\x9F\x98\x80\xFF!\xE2\x96\x81<|endoftext|>"};

void Require(bool holds) {
  if (!holds) __builtin_trap();
}

SmallFiles Unpack(std::string_view bytes) {
  SmallFiles files;
  while (!bytes.empty()) {
    const size_t line = std::min(bytes.find('\n'), bytes.size()), space = bytes.substr(0, line).find(' ');
    if (space == std::string_view::npos) break;
    size_t size = 0;
    std::from_chars(bytes.data() + space + 1, bytes.data() + line, size);
    const std::string_view name = bytes.substr(0, space);
    bytes.remove_prefix(std::min(line + 1, bytes.size()));
    files.emplace_back(name, bytes.substr(0, size));
    bytes.remove_prefix(std::min(size, bytes.size()));
  }
  return files;
}

// Fills the weights from their files.
bool Feed(AnyLoader& loader, const SmallFiles& files, const std::vector<WeightFile>& weights) {
  for (ByteRange range = loader.Next(); range.length != 0; range = loader.Next()) {
    const std::string_view file = ContentOf(files, weights[range.file].name);
    const size_t begin = std::min<uint64_t>(range.offset, file.size());
    const size_t length = std::min<uint64_t>(range.length, file.size() - begin);
    if (!loader.Feed({reinterpret_cast<const uint8_t*>(file.data()) + begin, length})) return false;
  }
  return true;
}

// Random weights for a config that the folder's weights do not fit, so that the config is used too.
template <class Model>
bool FillUntrained(Model& model) {
  WeightSlots slots = model.Slots();
  size_t numbers = 0;
  for (const WeightSlot& slot : slots.slots) numbers += slot.outputs * slot.inputs;
  if (numbers > kMostUntrained) return false;
  ReserveFloats(slots);
  uint32_t state = 1;
  std::vector<float> row;
  for (WeightSlot& slot : slots.slots) {
    Weight* const* const matrix = std::get_if<Weight*>(&slot.to);
    for (size_t o = 0; matrix != nullptr && o < slot.outputs; ++o) {
      row.resize(slot.inputs);
      for (float& number : row) number = static_cast<float>(static_cast<int32_t>(state = state * 1664525 + 1)) * 1e-10f;
      (*matrix)->floats().SetRow(o, row.data());
    }
  }
  return true;
}

// No step takes more of the arena than it asked for: the arena stays one block that gives all its memory in one piece.
void Run(Job& job) {
  Arena arena;
  ThreadPool pool(1);
  Context ctx{arena, pool};
  for (bool done = false; !done;) {
    done = job.Step(ctx);
    const size_t capacity = arena.capacity();
    arena.Floats(capacity / sizeof(float));
    arena.Rewind({});
    Require(arena.capacity() == capacity || capacity == 0);
  }
}

void CheckTokens(const ReplaySide& side, size_t positions) {
  Require(!side.tokens.ids.empty() && side.tokens.ids.size() <= positions);
  for (size_t i = 0; i < side.tokens.ids.size(); ++i) {
    Require(side.tokens.begin[i] <= side.tokens.end[i] && side.tokens.end[i] <= side.text.size());
  }
}

void Use(const TranslationModel& model) {
  const size_t positions = model.config().max_positions;
  for (const std::string_view text : kTexts) {
    TranslationJob translation(model, {std::string(text), "a b c"}, {.beam = 3, .max_length = 6, .n_best = 2});
    Run(translation);
    for (const Translation& each : translation.results()) Require(ToValidUtf8(each.text) == each.text);
    ReplayJob trace(model, std::string(text), std::nullopt, ReplayKind::kVectors, {.beam = 1, .max_length = 4});
    Run(trace);
    if (!trace.outcome()) continue;
    CheckTokens(trace.result().source, positions);
    CheckTokens(trace.result().target, positions);
    const size_t rows = trace.result().target.tokens.ids.size();
    Require(trace.result().log_probs.size() == rows && trace.result().alternatives.size() % rows == 0);
  }
}

void CheckEncoding(const Encoding& encoding, std::string_view first, std::string_view second, size_t longest) {
  Require(encoding.size() <= longest);
  for (size_t i = 0; i < encoding.size(); ++i) {
    Require(encoding.begin[i] <= encoding.end[i]);
    Require(encoding.end[i] <= (encoding.text[i] == 1 ? second : first).size());
  }
}

void Use(const EncoderModel& model) {
  constexpr std::string_view kSecond = "It is there.";
  for (const std::string_view text : kTexts) {
    EncodeJob encode(model, {{std::string(text)}, {std::string(text), std::string(kSecond)}},
                     {.hidden = true, .head = true});
    Run(encode);
    for (const Encoded& result : encode.results()) {
      CheckEncoding(result.encoding, text, kSecond, model.config().longest());
      if (!encode.outcome() || result.logits.rows() == 0) continue;
      const auto columns = static_cast<size_t>(result.logits.cols());
      if (model.config().head == EncoderConfig::Head::kAnswer) {
        FindAnswers(result, 3, 30);
      } else {
        Guesses(result.logits.data(), columns, 5);
        LabelScores(result.logits.data(), columns, model.config().choice);
      }
    }
    EncodeJob trace(model, {{std::string(text)}}, {.trace = true});
    Run(trace);
  }
}

void Use(const GeneratorModel& model) {
  for (const std::string_view text : kTexts) {
    GenerateJob generate(model, text,
                         {.sampling = model.sampling(), .max_length = 5, .stops = {"."}, .alternatives = 3});
    Run(generate);
    Require(generate.pieces().size() <= 5 && ToValidUtf8(generate.text()) == generate.text());
    GenerationTraceJob trace(model, text, 3);
    Run(trace);
    if (trace.outcome()) CheckEncoding(trace.encoding(), text, "", model.config().positions);
  }
}

void LoadAndUse(const SmallFiles& files) {
  std::vector<WeightFile> weights;
  for (const auto& [name, content] : files) {
    if (name == "model.safetensors" || name == "pytorch_model.bin") weights.push_back({name, content.size()});
  }
  if (weights.empty()) weights.push_back({"model.safetensors", 0});
  Result<std::unique_ptr<AnyLoader>> loader = AnyLoader::Create(files, weights, kMemory, ArriveAs::kStored);
  if (!loader) return Require(!loader.error().message.empty());
  const bool fed = Feed(**loader, files, weights);
  const AnyModel model = (*loader)->Finish();
  std::visit([&](const auto& each) { (fed || FillUntrained(*each)) ? Use(*each) : void(); }, model);
}

}  // namespace
}  // namespace qkv

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  qkv::LoadAndUse(qkv::Unpack({reinterpret_cast<const char*>(data), size}));
  return 0;
}
