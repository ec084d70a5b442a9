// qkv vocab: makes the vocabulary folder for training a model.
#include <filesystem>

#include "core/cli/command.h"
#include "core/cli/data.h"
#include "core/cli/learn_vocabulary.h"
#include "core/io/files.h"
#include "core/io/folder_lock.h"
#include "core/text/spm_file.h"
#include "core/train/learn_grams.h"
#include "core/train/tokenizer_writer.h"
#include "core/train/vocabulary_json.h"

namespace qkv::cli {
namespace {

struct VocabFlags {
  std::vector<std::string> data, measured;
  std::string output, spm, target_spm, model = "translation";
  size_t size = 8000;  // rows of the embedding
  int column = 0;
  LearnVocabularyOptions learn;

  bool one_sided() const { return model != "translation"; }
  ReadBy reader() const { return model == "encoder" ? ReadBy::kEncoder : ReadBy::kDecoder; }
};

SentencePiece ParseOrFail(const std::string& bytes, const std::string& name) {
  return OrFail(SentencePiece::Parse({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}, name));
}

std::string LearnOrFail(const VocabFlags& options) {
  if (options.data.empty()) Fail("there is nothing to learn from: give --data, or a .spm file with --spm", kUsage);
  if (options.size % 8 != 0) Fail("--size must be a multiple of 8", kUsage);
  Mixture data = OrFail(Mixture::Of(OpenDataOrFail(options.data, options.column)));
  LearnVocabularyOptions learn = options.learn;
  constexpr size_t kPad = 1;
  learn.pieces = options.size - (options.one_sided() ? PiecesAdded(options.reader()) : kPad);
  return LearnVocabularyOrFail(data, learn);
}

// Prints the mean number of pieces of a sentence, and how many are unknown or bytes.
void Measure(const std::string& spec, int column, const SentencePiece& source, const SentencePiece& target) {
  const std::vector<TextPair> pairs = ReadPairsOrFail(spec, column);
  size_t pieces[2] = {}, unknown = 0, longest = 0;
  for (const TextPair& pair : pairs) {
    for (const bool is_target : {false, true}) {
      const SentencePiece& model = is_target ? target : source;
      const std::vector<Piece> cut = model.Encode(is_target ? pair.target : pair.source);
      pieces[is_target ? 1 : 0] += cut.size();
      longest = std::max(longest, cut.size());
      for (const Piece& piece : cut) {
        unknown += piece.id == model.unknown_id() || model.Text(piece.id).starts_with("<0x") ? 1 : 0;
      }
    }
  }
  const double count = static_cast<double>(std::max<size_t>(pairs.size(), 1));
  std::printf("%s: %zu pairs, %.2f + %.2f pieces each, the longest side %zu; %.3f %% unknown or bytes\n", spec.c_str(),
              pairs.size(), static_cast<double>(pieces[0]) / count, static_cast<double>(pieces[1]) / count, longest,
              100 * static_cast<double>(unknown) / static_cast<double>(std::max<size_t>(pieces[0] + pieces[1], 1)));
}

// The content of a .spm file, of at most the size that its reader accepts.
std::string ReadSpmOrFail(const std::string& path) { return OrFail(ReadWholeFile(path, kLargestSpm)); }

// For a language detector.
void VocabOfLanguages(const VocabFlags& options) {
  if (!options.spm.empty() || !options.target_spm.empty() || options.column != 0 || !options.measured.empty()) {
    Fail("--for language goes with --data, --size and --output alone", kUsage);
  }
  if (options.data.empty()) Fail("there is nothing to learn from: give --data", kUsage);
  GramLearner learner;
  for (const std::string& spec : options.data) {
    for (const TextPair& pair : ReadPairsOrFail(spec)) learner.Add(pair.target, pair.source);
  }
  const std::string grams = learner.Choose(options.size);
  const FolderLock lock = OrFail(FolderLock::Take(options.output));
  CheckOrFail(WriteWholeFile(options.output + "/ngrams.txt", grams));
  std::printf("%s: %zu n-grams of %zu languages\n", options.output.c_str(),
              static_cast<size_t>(std::count(grams.begin(), grams.end(), '\n')), learner.languages());
}

// The vocabulary of a model that has only one side: an encoder or a generator.
void VocabOfTexts(VocabFlags options) {
  if (!options.target_spm.empty()) Fail("--target-spm goes with --for translation", kUsage);
  if (options.column == 0) options.column = 1;
  const std::string spm = options.spm.empty() ? LearnOrFail(options) : ReadSpmOrFail(options.spm);
  const std::string name = options.spm.empty() ? "source.spm" : options.spm;
  const std::string json =
      OrFail(TokenizerJson({reinterpret_cast<const uint8_t*>(spm.data()), spm.size()}, name, options.reader()));
  const SentencePiece pieces = ParseOrFail(spm, name);
  const FolderLock lock = OrFail(FolderLock::Take(options.output));
  CheckOrFail(WriteWholeFile(options.output + "/tokenizer.json", json));
  std::printf("%s: %zu pieces\n", options.output.c_str(), pieces.size() + PiecesAdded(options.reader()));
  for (const std::string& spec : options.measured) Measure(spec, options.column, pieces, pieces);
}

void VocabOfPairs(const VocabFlags& options) {
  if (options.column != 0) Fail("--column goes with --for encoder and --for decoder", kUsage);
  const std::string source_spm = options.spm.empty() ? LearnOrFail(options) : ReadSpmOrFail(options.spm);
  const std::string target_spm = options.target_spm.empty() ? source_spm : ReadSpmOrFail(options.target_spm);
  const SentencePiece source = ParseOrFail(source_spm, options.spm.empty() ? "source.spm" : options.spm);
  const SentencePiece target = ParseOrFail(target_spm, options.target_spm.empty() ? "source.spm" : options.target_spm);
  const bool joint = source_spm == target_spm;
  const std::string vocabulary = OrFail(VocabularyJson(source, joint ? nullptr : &target));

  const FolderLock lock = OrFail(FolderLock::Take(options.output));
  CheckOrFail(WriteWholeFile(options.output + "/source.spm", source_spm));
  if (!joint) {
    CheckOrFail(WriteWholeFile(options.output + "/target.spm", target_spm));
  } else {
    std::error_code error;
    std::filesystem::remove(options.output + "/target.spm", error);
  }
  CheckOrFail(WriteWholeFile(options.output + "/vocab.json", vocabulary));
  std::printf("%s: %zu pieces%s\n", options.output.c_str(), source.size(), joint ? " for both sides" : "");
  for (const std::string& spec : options.measured) Measure(spec, 0, source, target);
}

}  // namespace

void AddVocab(CLI::App& app) {
  auto options = std::make_shared<VocabFlags>();
  CLI::App* command = app.add_subcommand("vocab",
                                         "Learn a SentencePiece vocabulary, or take one: from parallel text a joint "
                                         "one (source.spm and vocab.json), or for "
                                         "an encoder or a decoder one of texts (tokenizer.json)");
  // The data, and the folder to write.
  command->add_option("--data", options->data, kDataHelp)->check(NotEmpty())->type_name("FILE...");
  command->add_option("-o,--output", options->output, "folder to write")
      ->required()
      ->check(NotEmpty())
      ->type_name("FOLDER");
  command
      ->add_option("--for", options->model,
                   "the kind of model: translation, encoder (BERT), decoder (GPT-2) or language (n-grams of a language "
                   "detector, from TEXT<TAB>LANGUAGE lines)")
      ->check(CLI::IsMember({"translation", "encoder", "decoder", "language"}))
      ->capture_default_str();
  command->add_option("--column", options->column, "of encoders and decoders: the column with the texts, 1 by default")
      ->check(CLI::Range(1, 2));
  // The options of learning.
  command->add_option("--size", options->size, "rows of the embedding, special pieces included: a multiple of 8")
      ->check(CLI::Range(size_t{64}, size_t{1} << 17))
      ->capture_default_str();
  command->add_option("--type", options->learn.type, "how pieces are found: unigram or bpe")
      ->check(CLI::IsMember({"unigram", "bpe"}))
      ->capture_default_str();
  command->add_flag("--byte-fallback", options->learn.byte_fallback, "spell unknown characters in bytes");
  command->add_option("--coverage", options->learn.coverage, "share of the characters with pieces of their own")
      ->check(CLI::Range(0.9, 1.0))
      ->capture_default_str();
  command->add_option("--pairs", options->learn.pairs, "pairs to learn from at most, drawn evenly")
      ->check(CLI::Range(uint64_t{1}, uint64_t{1} << 40))
      ->capture_default_str();
  command->add_option("--seed", options->learn.seed, "of drawing them")->capture_default_str();
  // A vocabulary that exists already, and texts for measuring.
  command->add_option("--spm", options->spm, "take this SentencePiece model instead of learning one")
      ->check(NotEmpty())
      ->type_name("FILE");
  command->add_option("--target-spm", options->target_spm, "and this one for the target's side")
      ->check(NotEmpty())
      ->type_name("FILE")
      ->needs("--spm");
  command->add_option("--measure", options->measured, "count the pieces of these pairs")
      ->check(NotEmpty())
      ->type_name("FILE...");
  command->callback([options] {
    if (options->model == "language") {
      VocabOfLanguages(*options);
    } else if (options->one_sided()) {
      VocabOfTexts(*options);
    } else {
      VocabOfPairs(*options);
    }
  });
}

}  // namespace qkv::cli
