// Bindings of the program for models that people bring: folders of every kind that the core supports, recurrent models
// included.
#include <emscripten/bind.h>

#include "core/load/any_model.h"
#include "wasm/loading.h"
#include "wasm/models.h"

namespace qkv::wasm {
namespace {

struct Loaded {
  AnyModel model;
  LoadedSize size;
};

Handles<Loaded>& Models() {
  static Handles<Loaded> models;
  return models;
}

template <class Model>
const Model* Get(const AnyModel& any) {
  const auto* const model = std::get_if<std::unique_ptr<Model>>(&any);
  return model == nullptr ? nullptr : model->get();
}

// The model of a handle, if it has this kind.
template <class Model>
const Model* At(int handle) {
  const Loaded* const loaded = Models().Get(handle);
  return loaded == nullptr ? nullptr : Get<Model>(loaded->model);
}

constexpr const char* kKinds[] = {"translation", "encoder", "generator"};

// The names of the files that a folder with this config.json may have besides its weights.
val FolderFiles(const std::string& config) {
  const Result<ModelKind> kind = KindOf(config);
  if (!kind) return ErrorValue(kind.error());
  val names = val::array();
  for (const std::string& name : SmallFileNames(kind.value())) Push(names, val(name));
  return names;
}

val Shards(const std::string& index) {
  const Result<std::vector<std::string>> names = ShardNames(index);
  if (!names) return ErrorValue(names.error());
  val list = val::array();
  for (const std::string& name : names.value()) Push(list, val(name));
  return list;
}

// {files: [[name, text or bytes], ...], weights: [[name, size], ...], numbers}
val FolderLoaderCreate(const val& request) {
  if (const Result<void> fits = CheckFiles({Field(request, "files")}); !fits) {
    return ErrorValue(fits.error());
  }
  SmallFiles files;
  for (const val& file : emscripten::vecFromJSArray<val>(Field(request, "files"))) {
    files.emplace_back(file[0].as<std::string>(), file[1].as<std::string>());
  }
  std::vector<WeightFile> weights;
  for (const val& file : emscripten::vecFromJSArray<val>(Field(request, "weights"))) {
    weights.push_back({file[0].as<std::string>(), static_cast<uint64_t>(file[1].as<double>())});
  }
  if (weights.empty()) return NoSuch("file of weights");
  const std::string numbers = Text(request, "numbers");
  const ArriveAs arrive = numbers == "int8"    ? ArriveAs::kInt8
                          : numbers == "float" ? ArriveAs::kStored
                                               : ArriveAs::kAuto;
  return AddLoader(AnyLoader::Create(files, std::move(weights), MemoryForWeights(), arrive));
}

int Keep(AnyLoader& loader) {
  const LoadedSize size = loader.size();
  return Models().Add(std::make_unique<Loaded>(Loaded{loader.Finish(), size}));
}

void AddNumbers(val& info, std::initializer_list<std::pair<const char*, size_t>> numbers) {
  for (const auto& [name, value] : numbers) Set(info, name, val(static_cast<double>(value)));
}

void AddEncoderInfo(val& info, const EncoderModel& model) {
  const EncoderConfig& config = model.config();
  constexpr const char* kHeads[] = {"none", "masked", "sequence", "tokens", "answer"};
  AddNumbers(info, {{"dModel", config.d_model},
                    {"layers", config.layers},
                    {"heads", config.heads},
                    {"vocabularySize", config.vocabulary},
                    {"maxLength", config.longest()}});
  SetText(info, "head", kHeads[static_cast<size_t>(config.head)]);
  val labels = val::array();
  for (const std::string& label : config.labels) Push(labels, val(label));
  Set(info, "labels", labels);
  SetText(info, "mask", model.PieceText(model.mask()));
}

void AddGeneratorInfo(val& info, const GeneratorModel& model) {
  const Gpt2Config& config = model.config();
  AddNumbers(info, {{"dModel", config.d_model},
                    {"layers", config.layers},
                    {"heads", config.heads},
                    {"vocabularySize", config.vocabulary},
                    {"maxLength", config.positions}});
}

val InfoOf(const AnyModel& any, const LoadedSize& size) {
  val info = val::object();
  SetText(info, "kind", kKinds[any.index()]);
  AddNumbers(info, {{"parameters", size.parameters}, {"bytes", static_cast<size_t>(size.bytes)}});
  if (const auto* model = Get<TranslationModel>(any)) AddTranslationInfo(info, *model);
  if (const auto* model = Get<EncoderModel>(any)) AddEncoderInfo(info, *model);
  if (const auto* model = Get<GeneratorModel>(any)) AddGeneratorInfo(info, *model);
  return info;
}

val ModelInfo(int handle) {
  const Loaded* const loaded = Models().Get(handle);
  return loaded == nullptr ? NoSuch("model") : InfoOf(loaded->model, loaded->size);
}

// The facts that are known before the weights are loaded.
val LoaderInfo(int handle) {
  const Loading<AnyLoader>* const loading = Loaders<AnyLoader>().Get(handle);
  return loading == nullptr ? NoSuch("loader") : InfoOf(loading->loader->model(), loading->loader->expected());
}

}  // namespace

const TranslationModel* ModelAt(int handle) { return At<TranslationModel>(handle); }
const EncoderModel* EncoderAt(int handle) { return At<EncoderModel>(handle); }
const GeneratorModel* GeneratorAt(int handle) { return At<GeneratorModel>(handle); }

EMSCRIPTEN_BINDINGS(qkv_any_models) {
  using emscripten::function;
  function("folderFiles", &FolderFiles);
  function("shardNames", &Shards);
  function("folderLoaderCreate", &FolderLoaderCreate);
  BindLoader<AnyLoader>();
  function("loaderFinish", +[](int handle) { return LoaderFinish<AnyLoader>(handle, &Keep); });
  function("loaderInfo", &LoaderInfo);
  function("modelInfo", &ModelInfo);
  function("modelFree", +[](int handle) { Models().Free(handle); });
}

}  // namespace qkv::wasm
