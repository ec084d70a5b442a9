// qkv quantize: writes a model folder in int8 or int4.
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <vector>

#include "core/cli/command.h"
#include "core/io/files.h"
#include "core/io/folder_lock.h"
#include "core/io/safetensors_writer.h"
#include "core/load/folder.h"
#ifndef __EMSCRIPTEN__
#include "core/cli/calibration_texts.h"
#include "core/train/gptq.h"
#endif

namespace qkv::cli {
namespace {

namespace fs = std::filesystem;

struct QuantizeFlags {
  std::string in, out, texts;
  std::vector<std::string> keep_int8;
  int bits = 8;
  Common common;
};

constexpr const char* kWeights = "model.safetensors";

// Whether a name is a file of weights or an index of them, in any layout.
bool HasWeights(const std::string& name) {
  constexpr std::string_view kEndings[] = {".safetensors", ".safetensors.index.json", ".h5", ".msgpack", ".ot",
                                           ".onnx"};
  return name.starts_with("pytorch_model") || std::any_of(std::begin(kEndings), std::end(kEndings),
                                                          [&](std::string_view end) { return name.ends_with(end); });
}

// Copies all files except the weights.
void CopyOthersOrFail(const fs::path& in, const fs::path& out) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(in, error)) {
    const std::string name = entry.path().filename().string();
    if (!entry.is_regular_file(error) || HasWeights(name) || name.ends_with(".part")) continue;
    CheckOrFail(CopyWholeFile(entry.path().string(), (out / name).string()));
  }
  if (error) Fail(in.string() + ": " + error.message());
}

// GPT-2's layout stores matrices transposed, for which the format of int8 with a scale for each output is not defined.
WeightSlots SlotsOrFail(AnyModel& model, const std::string& folder) {
  if (auto* translation = std::get_if<std::unique_ptr<TranslationModel>>(&model)) return (*translation)->Slots();
  if (auto* encoder = std::get_if<std::unique_ptr<EncoderModel>>(&model)) return (*encoder)->Slots();
  Fail(folder + ": models in GPT-2's layout are stored as floats; --int8 rounds them while they are read");
}

// Marks the matrices whose names contain one of these texts.
void KeepInt8OrFail(WeightSlots& slots, const QuantizeFlags& options) {
  if (options.bits != 4 && !options.keep_int8.empty())
    Fail("--keep-int8 is for --bits 4; all is in 8 bits without", kUsage);
  for (const std::string& text : options.keep_int8) {
    bool found = false;
    for (WeightSlot& slot : slots.slots) {
      if (!MayBeIntegers(slot) || slot.names.front().find(text) == std::string::npos) continue;
      found = slot.int8 = true;
    }
    if (!found) Fail("--keep-int8 " + text + ": no matrix has such a name; `qkv inspect --tensors` lists them", kUsage);
  }
}

// Rounds by what the model's matrices multiply when it translates the texts.
void CalibrateOrFail(AnyModel& model, const WeightSlots& slots, const QuantizeFlags& options) {
  if (options.bits != 4) Fail("--calibrate is for --bits 4; 8 bits are rounded to the nearest", kUsage);
  auto* const translation = std::get_if<std::unique_ptr<TranslationModel>>(&model);
  if (translation == nullptr) Fail(options.in + ": --calibrate is for models that translate");
#ifdef __EMSCRIPTEN__  // the command in Node has no forward that shows its products
  (void)slots;
  Fail("--calibrate needs the native command, which the repository builds", kUsage);
#else
  ThreadPool pool(options.common.threads);
  CheckOrFail(QuantizeByGptq(**translation, slots, TextsOrFail(options.texts), pool));
#endif
}

double Megabytes(size_t bytes) { return static_cast<double>(bytes) / 1e6; }

// "model.safetensors: 14.7 MB", or "model-00001-of-00002.safetensors and 1 more: 14.7 MB".
std::string Described(const fs::path& folder, const std::vector<WeightFile>& files) {
  size_t bytes = 0;
  for (const WeightFile& file : files) bytes += file.size;
  const std::string more = files.size() > 1 ? " and " + std::to_string(files.size() - 1) + " more" : "";
  char size[32];
  std::snprintf(size, sizeof size, ": %.1f MB", Megabytes(bytes));
  return (folder / files.front().name).string() + more + size;
}

void Quantize(const QuantizeFlags& options) {
  const fs::path in = options.in, out = options.out;
  LoadedFolder loaded = OrFail(LoadAnyFolder(options.in));
  WeightSlots slots = SlotsOrFail(loaded.model, options.in);
  KeepInt8OrFail(slots, options);
  const FolderLock lock = OrFail(FolderLock::Take(options.out));
  std::error_code error;
  if (fs::equivalent(in, out, error)) Fail(options.out + ": the quantized model needs a folder of its own");
  if (!options.texts.empty()) CalibrateOrFail(loaded.model, slots, options);
  CopyOthersOrFail(in, out);
  const FloatsAs floats = options.bits == 4 ? FloatsAs::kInt4 : FloatsAs::kInt8;
  // The weights are written last: a folder without weights is not mistaken for a model.
  CheckOrFail(
      WriteWholeFile((out / kWeights).string(), [&](const ByteSink& sink) { WriteSafetensors(slots, floats, sink); }));
  std::printf("%s, %s: %.1f MB\n", Described(in, loaded.files).c_str(), (out / kWeights).c_str(),
              Megabytes(fs::file_size(out / kWeights, error)));
}

}  // namespace

void AddQuantize(CLI::App& app) {
  auto options = std::make_shared<QuantizeFlags>();
  CLI::App* command = app.add_subcommand("quantize", "Write a model folder again with weights of 8 or 4 bits");
  command->add_option("in", options->in, "the model folder")->required()->check(CLI::ExistingDirectory);
  command->add_option("out", options->out, "the folder to write; files that it has are replaced")
      ->required()
      ->check(NotEmpty());
  command
      ->add_option("--bits", options->bits, "of a weight: in 4 they are half the file, and are computed with as int8")
      ->check(CLI::IsMember({4, 8}))
      ->capture_default_str();
  command
      ->add_option("--keep-int8", options->keep_int8, "for --bits 4: matrices with this in their names stay in 8 bits")
      ->type_name("NAME");
  command
      ->add_option("--calibrate", options->texts,
                   "for --bits 4: round by GPTQ, with the activations of these texts, a line each")
      ->type_name("FILE")
      ->check(CLI::ExistingFile);
  AddThreads(*command, options->common);
  command->callback([options] { Quantize(*options); });
}

}  // namespace qkv::cli
