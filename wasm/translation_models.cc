// Bindings of the programs that translate: they read Transformers in MarianMT's layout (config.json, SentencePiece,
// model.safetensors) and Marian's own files. Recurrent models run in the program of qkv/models, because their code
// would add an eighth to this program.
#include <emscripten/bind.h>

#include "core/translate/marian_loader.h"
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

// Stores the loaded model, and returns its handle.
int StoreModel(ModelLoader& loader) { return Models().Add(loader.Finish()); }

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
  function("modelInfo", &ModelInfo);
  function("modelFree", +[](int handle) { Models().Free(handle); });
}

}  // namespace qkv::wasm
