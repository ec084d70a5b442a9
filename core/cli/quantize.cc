// qkv quantize: a model folder in, the same model in int8 out.
#include <filesystem>

#include "core/cli/command.h"
#include "core/io/files.h"
#include "core/io/safetensors_writer.h"
#include "core/load/folder.h"

namespace qkv::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string in, out;
};

constexpr const char* kWeights = "model.safetensors";

// Everything beside the weights, as it is.
void CopyOthers(const fs::path& in, const fs::path& out) {
  for (const fs::directory_entry& entry : fs::directory_iterator(in)) {
    if (!entry.is_regular_file() || entry.path().filename() == kWeights) continue;
    fs::copy_file(entry.path(), out / entry.path().filename(), fs::copy_options::overwrite_existing);
  }
}

// Decoders in GPT-2's layout store their matrices transposed, which int8 with a scale for each output is not made for.
WeightSlots SlotsOrFail(AnyModel& model, const std::string& folder) {
  if (auto* translation = std::get_if<std::unique_ptr<TranslationModel>>(&model)) return (*translation)->Slots();
  if (auto* encoder = std::get_if<std::unique_ptr<EncoderModel>>(&model)) return (*encoder)->Slots();
  Fail(folder + ": decoders in GPT-2's layout keep floats in their files; --int8 rounds them as they are read");
}

void WriteWeights(const WeightSlots& slots, const fs::path& file) {
  const Result<void> written =
      WriteWholeFile(file.string(), [&](const ByteSink& out) { WriteSafetensors(slots, FloatsAs::kInt8, out); });
  if (!written) Fail(written.error().ToString());
}

void Quantize(const Options& options) {
  const fs::path in = options.in, out = options.out;
  Result<LoadedFolder> loaded = LoadAnyFolder(options.in);
  if (!loaded) Fail(loaded.error().ToString());
  const WeightSlots slots = SlotsOrFail(loaded->model, options.in);
  try {
    fs::create_directories(out);
    if (fs::equivalent(in, out)) Fail(options.out + ": the int8 model needs a folder of its own");
    CopyOthers(in, out);
    WriteWeights(slots, out / kWeights);
    std::printf("%s: %.1f MB, %s: %.1f MB\n", (in / kWeights).c_str(),
                static_cast<double>(fs::file_size(in / kWeights)) / 1e6, (out / kWeights).c_str(),
                static_cast<double>(fs::file_size(out / kWeights)) / 1e6);
  } catch (const fs::filesystem_error& error) {
    Fail(error.what());
  }
}

}  // namespace

void AddQuantize(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("quantize", "Write a model folder again with weights of int8");
  command->add_option("in", options->in, "the model folder")->required()->check(CLI::ExistingDirectory);
  command->add_option("out", options->out, "the folder to write; files that it has are replaced")->required();
  command->callback([options] { Quantize(*options); });
}

}  // namespace qkv::cli
