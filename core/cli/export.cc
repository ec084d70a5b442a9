// qkv export: writes a model folder in the format of another program.
#include <algorithm>
#include <filesystem>

#include "core/cli/calibration_texts.h"
#include "core/cli/command.h"
#include "core/io/files.h"
#include "core/io/folder_lock.h"
#include "core/io/marian_writer.h"
#include "core/io/safetensors_writer.h"
#include "core/models/transformer.h"
#include "core/train/calibrate.h"
#include "core/translate/marian_folder.h"

namespace qkv::cli {
namespace {

namespace fs = std::filesystem;

constexpr size_t kLargestVocabulary = size_t{64} << 20;

struct ExportFlags {
  std::string in, out, texts, pair = "xxyy";
  bool marian = false, hugging_face = false;
};

// The folder's model, which must be a Transformer in MarianMT's layout.
std::unique_ptr<TranslationModel> TransformerOrFail(const std::string& folder) {
  if (IsMarianFolder(folder)) Fail(folder + ": it is a folder of Marian's own files already");
  const std::string config = OrFail(ReadWholeFile(folder + "/config.json", kLargestConfig));
  if (OrFail(IsRecurrent(config))) Fail(folder + ": only this engine runs recurrent models");
  return LoadOrFail(folder, /*shortlist=*/false);
}

const TransformerConfig& ConfigOf(const TranslationModel& model) {
  return static_cast<const Transformer&>(model.model()).config();
}

// ---- Marian ----

// An unused piece, as a field of SentencePiece's file. Such fields may be appended to a file.
std::string UnusedPiece(size_t number) {
  const std::string text = "<unused-" + std::to_string(number) + ">";
  constexpr char kPieces = 0x0a, kText = 0x0a, kScore = 0x15, kType = 0x18, kUnused = 5;
  std::string piece = {kText, static_cast<char>(text.size())};
  piece += text + kScore + std::string(sizeof(float), '\0') + kType + kUnused;
  return std::string{kPieces, static_cast<char>(piece.size())} + piece;
}

struct Vocabulary {
  std::string spm;  // padded with unused pieces
  size_t pieces = 0;
};

// The vocabulary of one side. Its ids must be the model's rows.
Vocabulary VocabularyOrFail(const TranslationModel& model, const std::string& path, Side side) {
  Vocabulary vocabulary{OrFail(ReadWholeFile(path, kLargestVocabulary))};
  const auto* const bytes = reinterpret_cast<const uint8_t*>(vocabulary.spm.data());
  const SentencePiece pieces = OrFail(SentencePiece::Parse({bytes, vocabulary.spm.size()}, path));
  vocabulary.pieces = pieces.size();
  const SequenceConfig& config = model.config();
  const size_t rows = side == Side::kSource ? config.source_vocabulary : config.vocabulary;
  bool same = pieces.size() <= rows && pieces.Id("</s>") == config.end;
  for (size_t i = 0; same && i < pieces.size(); ++i) {
    const auto id = static_cast<int32_t>(i);
    same = id != config.start && model.PieceText(id, side) == pieces.Text(id);
  }
  if (!same) Fail(path + ": vocab.json numbers its pieces otherwise, and Marian has no such file beside it");
  for (size_t i = pieces.size(); i < MarianRows(pieces.size()); ++i) vocabulary.spm += UnusedPiece(i);
  return vocabulary;
}

void ExportMarian(const ExportFlags& options) {
  const fs::path in = options.in, out = options.out;
  const std::unique_ptr<TranslationModel> model = TransformerOrFail(options.in);
  const bool int8 = !options.texts.empty();
  CheckOrFail(CheckForMarian(ConfigOf(*model), int8));
  const bool two = fs::exists(in / "target.spm");
  if (two && ConfigOf(*model).shared_embeddings) {
    Fail(options.in + ": Marian needs one vocabulary if tables are shared, but this folder has target.spm too");
  }
  const Vocabulary source = VocabularyOrFail(*model, (in / "source.spm").string(), Side::kSource);
  const Vocabulary target = two ? VocabularyOrFail(*model, (in / "target.spm").string(), Side::kTarget) : source;
  std::map<const float*, float> largest;
  if (int8) {
    ThreadPool pool(1);
    largest = OrFail(LargestInputs(*model, TextsOrFail(options.texts), pool));
  }
  // The small files are written first: a folder without weights is not mistaken for a model.
  const FolderLock lock = OrFail(FolderLock::Take(options.out));
  const auto path = [&](const char* begin, const char* end) { return (out / (begin + options.pair + end)).string(); };
  CheckOrFail(WriteWholeFile(path(two ? "srcvocab." : "vocab.", ".spm"), source.spm));
  if (two) CheckOrFail(WriteWholeFile(path("trgvocab.", ".spm"), target.spm));
  const fs::path shortlist = in / "shortlist.bin";
  if (fs::exists(shortlist)) CheckOrFail(CopyWholeFile(shortlist.string(), path("lex.50.50.", ".s2t.bin")));
  const std::string weights = path("model.", int8 ? ".intgemm.alphas.bin" : ".bin");
  const MarianTarget sizes = {source.pieces, target.pieces, int8 ? &largest : nullptr};
  CheckOrFail(WriteWholeFile(
      weights, [&](const ByteSink& sink) { WriteMarian(model->Slots(), ConfigOf(*model), sizes, sink); }));
  std::printf("%s: %.1f MB\n", weights.c_str(), static_cast<double>(fs::file_size(weights)) / 1e6);
}

// ---- Hugging Face ----

void ExportHuggingFace(const ExportFlags& options) {
  const fs::path in = options.in, out = options.out;
  const std::unique_ptr<TranslationModel> model = TransformerOrFail(options.in);
  const TransformerConfig& config = ConfigOf(*model);
  if (config.past != Past::kSelfAttention || config.frequencies != Frequencies::kPaper || !config.scaled_attention) {
    Fail(options.in + ": Hugging Face's MarianMT supports only scaled self-attention and the paper's positions");
  }
  const FolderLock lock = OrFail(FolderLock::Take(options.out));
  for (const char* const name : {"config.json", "generation_config.json", "tokenizer_config.json", "vocab.json",
                                 "source.spm", "target.spm", "target_vocab.json"}) {
    // Hugging Face's tokenizer reads a file for each side.
    const char* const from = std::string_view(name) == "target.spm" && !fs::exists(in / name) ? "source.spm" : name;
    if (fs::exists(in / from)) CheckOrFail(CopyWholeFile((in / from).string(), (out / name).string()));
  }
  const std::string weights = (out / "model.safetensors").string();
  CheckOrFail(
      WriteWholeFile(weights, [&](const ByteSink& sink) { WriteSafetensors(model->Slots(), FloatsAs::kF32, sink); }));
  std::printf("%s: %.1f MB\n", weights.c_str(), static_cast<double>(fs::file_size(weights)) / 1e6);
}

}  // namespace

void AddExport(CLI::App& app) {
  auto options = std::make_shared<ExportFlags>();
  CLI::App* command = app.add_subcommand("export", "Write a model folder in the files of Marian or Hugging Face");
  CLI::Option* marian = command->add_flag("--marian", options->marian, "for Marian, bergamot and Firefox");
  command->add_flag("--hf", options->hugging_face, "for MarianMT of Hugging Face Transformers, in float32")
      ->excludes(marian);
  command->add_option("--int8", options->texts, "in int8 (intgemm8), by the activations of these texts, a line each")
      ->check(CLI::ExistingFile)
      ->needs(marian);
  command->add_option("--pair", options->pair, "the two languages, as in the files' names: enfr")
      ->check(NotEmpty())
      ->capture_default_str()
      ->needs(marian);
  command->add_option("in", options->in, "the model folder")->required()->check(CLI::ExistingDirectory);
  command->add_option("out", options->out, "the folder to write; files that it has are replaced")
      ->required()
      ->check(NotEmpty());
  command->callback([options] {
    if (!options->marian && !options->hugging_face) Fail("export: --marian or --hf is missing", kUsage);
    options->marian ? ExportMarian(*options) : ExportHuggingFace(*options);
  });
}

}  // namespace qkv::cli
