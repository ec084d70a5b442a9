// Bindings of the program of qkv/models: folders of every kind that the core supports, including recurrent models, and
// Marian's own files, which Firefox's and OPUS-MT's models have.
#include <emscripten/bind.h>

#include "core/load/any_model.h"
#include "core/translate/opus_loader.h"
#include "wasm/loading.h"
#include "wasm/marian.h"
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

// Loads a folder with config.json, or Marian's own files. Exactly one of the two loaders exists.
struct Loader {
  std::unique_ptr<AnyLoader> folder;
  std::unique_ptr<ModelLoader> marian;

  ByteRange Next() const { return folder ? folder->Next() : marian->Next(); }
  Result<void> Feed(std::span<const uint8_t> bytes) { return folder ? folder->Feed(bytes) : marian->Feed(bytes); }
};

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
  // The content of the small files, and the names and sizes of the weights. JavaScript feeds the weights later.
  SmallFiles files;
  for (const val& file : emscripten::vecFromJSArray<val>(Field(request, "files"))) {
    files.emplace_back(file[0].as<std::string>(), file[1].as<std::string>());
  }
  std::vector<WeightFile> weights;
  for (const val& file : emscripten::vecFromJSArray<val>(Field(request, "weights"))) {
    weights.push_back({file[0].as<std::string>(), static_cast<uint64_t>(file[1].as<double>())});
  }
  if (weights.empty()) return NoSuch("file of weights");
  // The number format of the weights in memory.
  const std::string numbers = Text(request, "numbers");
  const ArriveAs arrive = numbers == "int8"    ? ArriveAs::kInt8
                          : numbers == "float" ? ArriveAs::kStored
                                               : ArriveAs::kAuto;
  auto loader = std::make_unique<Loader>();
  Result<std::unique_ptr<AnyLoader>> created = AnyLoader::Create(files, std::move(weights), MemoryForWeights(), arrive);
  if (!created) return ErrorValue(created.error());
  loader->folder = std::move(*created);
  return AddLoader<Loader>(std::move(loader));
}

// The names of OPUS-MT's files in decoder.yml: {weights, vocabulary}; '' for a file that it does not name.
val OpusFiles(const std::string& decoder) {
  Result<OpusDecoder> parsed = OpusDecoder::Parse(decoder);
  if (!parsed) return ErrorValue(parsed.error());
  val names = val::object();
  SetText(names, "weights", parsed->weights);
  SetText(names, "vocabulary", parsed->vocabulary);
  return names;
}

// OPUS-MT's models have two more fields: {rows: {name, bytes}, decoder}.
Result<std::unique_ptr<ModelLoader>> CreateMarian(const val& files) {
  const GivenMarian given(files);
  const std::string name = Text(given.names, "weights");
  const uint64_t size = WeightsSize(files), memory = MemoryForWeights();
  const val rows = Field(files, "rows");
  if (!IsGiven(rows)) return MarianLoader::Create(given.Files(files), name, size, memory);
  QKV_CHECK(CheckFiles({Field(rows, "bytes"), Field(files, "decoder")}));
  QKV_TRY(const OpusDecoder decoder, OpusDecoder::Parse(Text(files, "decoder")));
  const std::vector<uint8_t> vocabulary = Bytes(Field(rows, "bytes"));
  return OpusLoader::Create(given.Files(files), {vocabulary, Text(rows, "name")}, decoder, name, size, memory);
}

val MarianLoaderCreate(const val& files) {
  const Result<void> fits =
      CheckFiles({Field(files, "sourceSpm"), Field(files, "targetSpm"), Field(files, "shortlist")});
  if (!fits) return ErrorValue(fits.error());
  Result<std::unique_ptr<ModelLoader>> created = CreateMarian(files);
  if (!created) return ErrorValue(created.error());
  auto loader = std::make_unique<Loader>();
  loader->marian = std::move(*created);
  return AddLoader<Loader>(std::move(loader));
}

// Stores the loaded model, and returns its handle.
int StoreModel(Loader& loader) {
  if (loader.folder) {
    const LoadedSize size = loader.folder->size();
    return Models().Add(std::make_unique<Loaded>(Loaded{loader.folder->Finish(), size}));
  }
  std::unique_ptr<TranslationModel> model = loader.marian->Finish();
  const LoadedSize size = {model->parameters(), model->bytes()};
  return Models().Add(std::make_unique<Loaded>(Loaded{std::move(model), size}));
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
  const Loading<Loader>* const loading = Loaders<Loader>().Get(handle);
  if (loading == nullptr || !loading->loader->folder) return NoSuch("loader");
  return InfoOf(loading->loader->folder->model(), loading->loader->folder->expected());
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
  function("opusFiles", &OpusFiles);
  function("marianLoaderCreate", &MarianLoaderCreate);
  BindLoader<Loader>();
  function("loaderFinish", +[](int handle) { return LoaderFinish<Loader>(handle, &StoreModel); });
  function("loaderInfo", &LoaderInfo);
  function("modelInfo", &ModelInfo);
  function("modelFree", +[](int handle) { Models().Free(handle); });
}

}  // namespace qkv::wasm
