#include "core/translate/model.h"

#include <algorithm>
#include <cassert>

#include "core/base/budget.h"

namespace qkv {
namespace {

// The number of Marian's candidates is a multiple of this, which its kernels need.
constexpr size_t kMarianMultiple = 8;

// The rows of vocab.json. Without it, row i is piece i of source.spm, and the row behind them is <pad>: that is the
// order that vocab.json usually has where one vocabulary serves both sides.
Result<PieceRows> ReadRows(const ModelFiles& files, const SentencePiece& source, const SequenceConfig& config) {
  if (!files.vocabulary.empty()) return PieceRows::Parse(files.vocabulary, config.source_vocabulary, config.end);
  const bool one = files.target_spm.empty() && files.target_vocabulary.empty();
  const auto pad = static_cast<size_t>(config.pad);
  if (one && source.size() == pad && pad + 1 == config.source_vocabulary && source.Id("</s>") == config.end) {
    return PieceRows::Of(source, config.source_vocabulary);
  }
  return Error{ErrorCode::kMissingFile,
               "it may be left out only if the model's rows are the pieces of source.spm, in this order, and <pad>",
               "vocab.json"};
}

}  // namespace

TranslationModel::TranslationModel(std::unique_ptr<SequenceModel> sequence_model, GenerationConfig generation,
                                   PieceRows names, std::unique_ptr<PieceRows> target_names, SentencePiece source,
                                   std::optional<SentencePiece> target_side, std::optional<Shortlist> shortlist)
    : model_(std::move(sequence_model)),
      generation_(std::move(generation)),
      names_(std::move(names)),
      target_names_(std::move(target_names)),
      source_(std::move(source)),
      target_(std::move(target_side)),
      shortlist_(std::move(shortlist)),
      source_rows_(names_.RowsOf(source_)),
      target_rows_(Names(Side::kTarget).RowsOf(target())),
      target_pieces_(Names(Side::kTarget).PiecesOf(target())) {
  if (!shortlist_) PutTablesInPanels();
  // Stand-ins for carried texts are names and numbers such as these. A model that does not know them carries nothing.
  const std::vector<int32_t> ids = Encode("Tom, Anna 345.", Side::kSource).ids;
  can_carry_ = std::find(ids.begin(), ids.end(), Unknown(Side::kSource)) == ids.end();
}

// With a shortlist a product needs only some rows of a table, so the table is stored in rows. Without one it needs all
// rows, and is faster if the table is stored in panels. Call this before the tables have numbers.
void TranslationModel::PutTablesInPanels() {
  const WeightSlots slots = model_->Slots();
  for (const WeightSlot& slot : slots.slots) {
    if (slot.start == Start::kEmbedding) *std::get<Weight*>(slot.to) = Weight(Int8Layout::kPanels);
  }
}

// A text may begin with a target language, as in ">>fra<<". That is one piece, which SentencePiece would cut.
size_t TranslationModel::LanguageToken(std::string_view text, Tokens& tokens) const {
  const size_t end = text.starts_with(">>") ? text.find("<<") : std::string_view::npos;
  if (end == std::string_view::npos) return 0;
  const std::string_view token = text.substr(0, end + 2);
  for (size_t row = 0; row < config().source_vocabulary; ++row) {
    if (names_.Text(static_cast<int32_t>(row)) != token) continue;
    tokens.ids.push_back(static_cast<int32_t>(row));
    tokens.begin.push_back(0);
    tokens.end.push_back(token.size());
    return token.size();
  }
  return 0;
}

Tokens TranslationModel::Encode(std::string_view text, Side side) const {
  // The pieces of the side, with their rows in the model's table and their spans in the text.
  const SentencePiece& pieces = side == Side::kSource ? source_ : target();
  const std::vector<int32_t>& rows = side == Side::kSource ? source_rows_ : target_rows_;
  Tokens tokens;
  const size_t first = side == Side::kSource ? LanguageToken(text, tokens) : 0;
  const size_t most = config().max_positions - 1 - tokens.ids.size();  // </s> takes the last position
  for (const Piece& piece : pieces.Encode(text.substr(first), most, &tokens.truncated)) {
    tokens.ids.push_back(rows[static_cast<size_t>(piece.id)]);
    tokens.begin.push_back(first + piece.begin);
    tokens.end.push_back(first + piece.end);
  }
  // </s> has an empty span at the end of what was read.
  const size_t stop = tokens.truncated && !tokens.end.empty() ? tokens.end.back() : text.size();
  tokens.ids.push_back(config().end);
  tokens.begin.push_back(stop);
  tokens.end.push_back(stop);
  return tokens;
}

std::vector<int32_t> TranslationModel::Prefix(std::string_view text) const {
  std::vector<int32_t> ids = Encode(text, Side::kTarget).ids;
  ids.pop_back();
  return ids;
}

std::vector<int32_t> TranslationModel::Candidates(const Tokens& source, std::span<const int32_t> prefix) const {
  if (!shortlist_) return {};
  // Always allowed: the prefix and </s>. If both sides share a table, also the pieces of the source, because names are
  // copied.
  std::vector<int32_t> always(prefix.begin(), prefix.end());
  const bool apart = target_names_ || (as_marian_ && target_);
  for (const int32_t id : source.ids) {
    if (apart && id != config().end) continue;
    if (id == config().end || target_pieces_[static_cast<size_t>(id)] >= 0) always.push_back(id);
  }
  return shortlist_->Pieces(source.ids, always, as_marian_ ? kMarianMultiple : 1);
}

std::string TranslationModel::Decode(std::span<const int32_t> ids, Tokens* spans) const {
  // Rows become pieces. </s> and rows without a piece have no text.
  std::vector<int32_t> pieces;
  for (const int32_t id : ids) {
    const int32_t piece = target_pieces_[static_cast<size_t>(id)];
    if (piece >= 0 && id != config().end) pieces.push_back(piece);
  }
  std::vector<Piece> parts;
  std::string text = target().Decode(pieces, spans != nullptr ? &parts : nullptr);
  if (spans == nullptr) return text;
  // Each id has the span of its piece, which is empty for ids without text.
  *spans = {};
  size_t next = 0, at = 0;
  for (const int32_t id : ids) {
    const bool silent = target_pieces_[static_cast<size_t>(id)] < 0 || id == config().end;
    const size_t begin = silent ? at : parts[next].begin;
    at = silent ? at : parts[next++].end;
    spans->ids.push_back(id);
    spans->begin.push_back(begin);
    spans->end.push_back(at);
  }
  return text;
}

Result<void> TranslationModel::CheckPieces() const {
  // Hardly any piece of another model is in the vocabulary.
  const auto known = [&](const std::vector<int32_t>& piece_rows, Side side) {
    return std::any_of(piece_rows.begin(), piece_rows.end(),
                       [&](int32_t row) { return row != Names(side).unknown() && row != config().end; });
  };
  const char* strange = !known(source_rows_, Side::kSource)   ? "source.spm"
                        : !known(target_rows_, Side::kTarget) ? "target.spm"
                                                              : nullptr;
  if (strange == nullptr) return {};
  return Error{ErrorCode::kInvalidFile, "its vocabulary has none of its pieces: they belong to different models",
               strange};
}

Result<std::unique_ptr<TranslationModel>> TranslationModel::Create(const ModelFiles& files, MakeModel make) {
  QKV_TRY(std::unique_ptr<SequenceModel> sequence_model, make(files.config));
  const SequenceConfig& config = sequence_model->config();
  QKV_TRY(GenerationConfig generation, ParseGenerationConfig(files.generation_config, config));
  // The vocabularies: one for both sides, or one for each.
  QKV_TRY(SentencePiece source, SentencePiece::Parse(files.source_spm, "source.spm"));
  QKV_TRY(PieceRows names, ReadRows(files, source, config));
  std::unique_ptr<PieceRows> target_names;
  if (files.target_vocabulary.empty() && config.vocabulary != config.source_vocabulary) {
    return Error{ErrorCode::kMissingFile, "each side has a vocabulary of its own", "target_vocab.json"};
  }
  if (!files.target_vocabulary.empty()) {
    QKV_TRY(PieceRows parsed,
            PieceRows::Parse(files.target_vocabulary, config.vocabulary, config.end, "target_vocab.json"));
    target_names = std::make_unique<PieceRows>(std::move(parsed));
  }
  // The target's SentencePiece model and the shortlist.
  std::optional<SentencePiece> target;
  if (!files.target_spm.empty()) {
    QKV_TRY(target, SentencePiece::Parse(files.target_spm, "target.spm"));
  }
  std::optional<Shortlist> shortlist;
  if (!files.shortlist.empty()) {
    QKV_TRY(shortlist, Shortlist::Parse(files.shortlist, config.source_vocabulary, config.vocabulary));
  }
  std::unique_ptr<TranslationModel> model(
      new TranslationModel(std::move(sequence_model), std::move(generation), std::move(names), std::move(target_names),
                           std::move(source), std::move(target), std::move(shortlist)));
  QKV_CHECK(model->CheckPieces());
  return model;
}

Result<std::unique_ptr<TranslationModel>> TranslationModel::CreateUntrained(const ModelFiles& files) {
  QKV_TRY(std::unique_ptr<TranslationModel> model, Create(files));
  // Weights are floats and are allocated together, so their memory is checked first.
  WeightSlots slots = model->Slots();
  size_t parameters = 0;
  for (const WeightSlot& slot : slots.slots) parameters += slot.outputs * slot.inputs;
  const uint64_t bytes = uint64_t{parameters} * sizeof(float);
  QKV_CHECK(CheckMemory(bytes, "make the model smaller", "weights"));
  ReserveFloats(slots);
  model->SetSize(parameters, bytes);
  return model;
}

Result<std::unique_ptr<ModelLoader>> ModelLoader::Create(const ModelFiles& files, uint64_t weights_size,
                                                         uint64_t memory, MakeModel make) {
  std::unique_ptr<ModelLoader> loader(new ModelLoader);
  QKV_TRY(loader->model_, TranslationModel::Create(files, make));
  loader->weights_ = std::make_unique<SafetensorsReader>(loader->model_->Slots(), weights_size, memory);
  return loader;
}

std::unique_ptr<TranslationModel> ModelLoader::Finish() {
  assert(Next().length == 0);
  model_->SetSize(weights_->parameters(), weights_->bytes());
  return std::move(model_);
}

}  // namespace qkv
