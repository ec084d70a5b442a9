#include "core/translate/marian_loader.h"

#include "core/base/budget.h"
#include "core/io/marian_model.h"
#include "core/io/marian_options.h"
#include "core/models/transformer.h"

namespace qkv {
namespace {

// Checks that a vocabulary has the size of the model's table, which has `rows` rows in the file.
Result<void> CheckSize(const SentencePiece& pieces, size_t rows, const std::string& name) {
  if (pieces.size() == rows) return {};
  return Error{ErrorCode::kInvalidFile,
               "it has " + std::to_string(pieces.size()) + " pieces, and the model has rows for " +
                   std::to_string(rows) + ": they are of different models, or the sides are swapped",
               name};
}

}  // namespace

MarianLoader::MarianLoader(std::string name, uint64_t size, uint64_t memory)
    : name_(std::move(name)), memory_(memory), directory_(std::make_unique<MarianDirectory>(name_, size)) {
  generation_.per_source = 2;  // greedy and short, as bergamot decodes
}

Result<std::unique_ptr<ModelLoader>> MarianLoader::Create(MarianFiles files, std::string name, uint64_t size,
                                                          uint64_t memory) {
  std::unique_ptr<MarianLoader> loader(new MarianLoader(std::move(name), size, memory));
  QKV_CHECK(loader->Start(std::move(files)));
  return std::unique_ptr<ModelLoader>(std::move(loader));
}

Result<void> MarianLoader::Start(MarianFiles files) {
  source_name_ = files.source_vocabulary.name;
  target_name_ = files.target_vocabulary.name;
  shortlist_name_ = std::move(files.shortlist_name);
  QKV_TRY(source_, SentencePiece::Parse(files.source_vocabulary.bytes, source_name_));
  if (!files.target_vocabulary.bytes.empty()) {
    QKV_TRY(target_, SentencePiece::Parse(files.target_vocabulary.bytes, target_name_));
  }
  shortlist_ = std::move(files.shortlist);
  return {};
}

// The directory first, then weights and options in the order in which they lie in the file.
ByteRange MarianLoader::Next() const {
  if (directory_ != nullptr) return directory_->Next();
  const ByteRange range = weights_->Next();
  return options_.length != 0 && (range.length == 0 || options_.offset < range.offset) ? options_ : range;
}

Result<void> MarianLoader::Feed(std::span<const uint8_t> bytes) {
  if (directory_ != nullptr) {
    QKV_CHECK(directory_->Feed(bytes));
    return directory_->Next().length != 0 ? Result<void>() : MakeModel();
  }
  // Bytes of the weights, or of the options, which must be complete.
  const ByteRange range = Next();
  if (options_.length == 0 || range.offset != options_.offset) {
    QKV_CHECK(weights_->Feed(bytes));
  } else if (bytes.size() != range.length) {
    return Error{ErrorCode::kInvalidFile, "the file is cut short in special:model.yml: fetch it again", name_};
  } else {
    QKV_CHECK(ReadOptions({reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
  }
  if (Next().length == 0) transformer_->TakePositions();
  return {};
}

// Makes the model from the header and the small files, and the slots of its weights.
Result<void> MarianLoader::MakeModel() {
  // The range of the options, such as the number of heads.
  options_ = directory_->options();
  if (options_.length == 0) {
    return Error{ErrorCode::kInvalidFile, "it has no special:model.yml, which says how the model computes", name_};
  }
  // The shapes follow from the tensors. The vocabularies must fit them.
  QKV_TRY(TransformerConfig config, ReadMarianShape(directory_->entries(), name_));
  QKV_TRY(PieceRows names, ReadRows(config));
  std::optional<Shortlist> shortlist;
  if (!shortlist_.empty()) {
    QKV_TRY(shortlist, Shortlist::Parse(shortlist_, config.source_vocabulary, config.vocabulary, shortlist_name_));
  }
  // The target's pieces, where each side has a table of its own.
  generation_.max_length = config.max_positions;
  generation_.banned.push_back(config.pad);
  std::unique_ptr<PieceRows> target_names;
  if (!config.shared_embeddings) {
    target_names = std::make_unique<PieceRows>(PieceRows::Of(target_ ? *target_ : *source_, config.vocabulary));
  }
  // The model without weights, and the loader that fills it.
  QKV_CHECK(config.CheckPositions());
  auto transformer = std::make_unique<Transformer>(config);
  transformer_ = transformer.get();
  model_.reset(new TranslationModel(std::move(transformer), std::move(generation_), std::move(names),
                                    std::move(target_names), std::move(*source_), std::move(target_),
                                    std::move(shortlist)));
  model_->as_marian_ = true;
  QKV_CHECK(model_->CheckPieces());
  shortlist_ = {};
  WeightSlots slots = MarianSlots(model_->Slots(), directory_->entries(), config);
  QKV_TRY(weights_, WeightLoader::Create(std::move(slots), name_, std::move(directory_), memory_));
  return {};
}

Result<PieceRows> MarianLoader::ReadRows(TransformerConfig& config) {
  const SentencePiece& target = target_ ? *target_ : *source_;
  QKV_CHECK(CheckSize(*source_, config.source_vocabulary - (config.shared_embeddings ? 1 : 0), source_name_));
  QKV_CHECK(CheckSize(target, config.vocabulary - 1, target_ ? target_name_ : source_name_));
  config.end = target.Id("</s>");
  if (config.end < 0 || source_->Id("</s>") != config.end) {
    return Error{ErrorCode::kInvalidFile, "it has no \"</s>\", or another than the other side", source_name_};
  }
  generation_.banned = {target.unknown_id()};
  return PieceRows::Of(*source_, config.source_vocabulary);
}

Result<void> MarianLoader::ReadOptions(std::string_view text) {
  options_ = {};
  QKV_TRY(const MarianOptions options, MarianOptions::Parse(text, name_ + ", special:model.yml"));
  QKV_TRY(const MarianChoices choices, ReadMarianOptions(options, transformer_->config()));
  transformer_->SetHeads(choices.heads, choices.activation, choices.residual);
  model_->generation_.alignment_heads = {{choices.alignment_layer, 0}};
  return {};
}

}  // namespace qkv
