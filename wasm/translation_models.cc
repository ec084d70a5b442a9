// Bindings of the programs that translate: they read Transformers in MarianMT's layout (config.json, SentencePiece,
// model.safetensors) and Marian's own files. Recurrent models run in the program of qkv/models, because their code
// would add an eighth to this program.
#include <emscripten/bind.h>

#include "core/models/transformer.h"
#include "core/translate/marian_loader.h"
#include "core/translate/warm_up.h"
#include "wasm/loading.h"
#include "wasm/marian.h"
#include "wasm/models.h"

namespace qkv::wasm {
namespace {

Handles<TranslationModel>& Models() {
  static Handles<TranslationModel> models;
  return models;
}

Result<std::unique_ptr<ModelLoader>> CreateMarian(const val& files) {
  const GivenMarian given(files);
  return MarianLoader::Create(given.Files(files), Text(given.names, "weights"), WeightsSize(files), MemoryForWeights());
}

val LoaderCreate(const val& files) {
  const Result<void> fits = CheckFiles({Field(files, "config"), Field(files, "generationConfig"), Field(files, "vocab"),
                                        Field(files, "targetVocab"), Field(files, "sourceSpm"),
                                        Field(files, "targetSpm"), Field(files, "shortlist")});
  if (!fits) return ErrorValue(fits.error());
  if (!Field(files, "names").isUndefined()) return AddLoader(CreateMarian(files));
  const std::string config = Text(files, "config"), generation = Text(files, "generationConfig"),
                    vocabulary = Text(files, "vocab"), target_vocabulary = Text(files, "targetVocab");
  const std::vector<uint8_t> source = Bytes(Field(files, "sourceSpm")), target = Bytes(Field(files, "targetSpm")),
                             shortlist = Bytes(Field(files, "shortlist"));
  return AddLoader(ModelLoader::Create({config, generation, vocabulary, source, target, shortlist, target_vocabulary},
                                       WeightsSize(files), MemoryForWeights(), &MakeTransformer));
}

// What prepares the engine's code for translations. It is done once, because all models share the code.
struct {
  std::unique_ptr<WarmUp> work;
  bool done = false;
} warm_up;

// Does a step of it. Returns whether there is more to do; undefined as long as the model is not known.
val LoaderWarmUp(int handle) {
  const Loading<ModelLoader>* loading = Loaders<ModelLoader>().Get(handle);
  if (loading == nullptr) return NoSuch("loader");
  const TranslationModel* const model = loading->loader->model();
  if (warm_up.done) return val(false);
  if (model == nullptr) return val::undefined();
  // Where memory is scarce, it is for the model.
  if (!CheckMemory(WarmUp::kMemory, kTooLarge, "weights")) return val(false);
  if (warm_up.work == nullptr) {
    // A program with this binding has no other models than Transformers.
    const auto& transformer = static_cast<const Transformer&>(model->model());
    warm_up.work = std::make_unique<WarmUp>(transformer.config(), *loading->loader->numbers());
  }
  warm_up.done = warm_up.work->Step(SharedContext());
  if (warm_up.done) warm_up.work.reset();
  return val(!warm_up.done);
}

// Stores the loaded model, and returns its handle.
int StoreModel(ModelLoader& loader) {
  warm_up.work.reset();
  return Models().Add(loader.Finish());
}

val ModelInfo(int handle) {
  const TranslationModel* model = ModelAt(handle);
  return model != nullptr ? TranslatorInfo(*model) : NoSuch("model");
}

}  // namespace

const TranslationModel* ModelAt(int handle) { return Models().Get(handle); }

EMSCRIPTEN_BINDINGS(qkv_translation_models) {
  using emscripten::function;
  function("loaderCreate", &LoaderCreate);
  BindLoader<ModelLoader>();
  function("loaderFinish", +[](int handle) { return LoaderFinish<ModelLoader>(handle, &StoreModel); });
  function("loaderWarmUp", &LoaderWarmUp);
  function("modelInfo", &ModelInfo);
  function("modelFree", +[](int handle) { Models().Free(handle); });
}

}  // namespace qkv::wasm
