#include "core/train/session.h"

#include <algorithm>
#include <utility>

#include "core/base/budget.h"
#include "core/io/feed_all.h"
#include "core/io/safetensors_writer.h"
#include "core/models/any_sequence_model.h"
#include "core/train/character_vocabulary.h"
#include "core/train/initialise.h"
#include "core/train/read_run_config.h"
#include "core/train/sequence_presets.h"

namespace qkv {
namespace {

std::span<const uint8_t> Bytes(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

std::string Safetensors(const WeightSlots& slots, FloatsAs floats) {
  std::string out;
  WriteSafetensors(slots, floats, [&](std::string_view bytes) { out += bytes; });
  return out;
}

Result<std::unique_ptr<Corpus>> OpenText(std::string text, const char* name) {
  return Corpus::Open(TextInMemory(std::move(text), name), nullptr, {});
}

}  // namespace

Result<std::unique_ptr<Session>> Session::Create(std::string_view config, SessionData data, size_t threads) {
  std::unique_ptr<Session> session(new Session());
  QKV_TRY(session->config_, ParseRunConfig(config, "config", DataIn::kMemory));
  // Without a vocabulary each character of the pairs is a piece.
  if (data.vocabulary.empty()) {
    QKV_TRY(CharacterVocabulary characters, MakeCharacterVocabulary(data.pairs));
    data.vocabulary = std::move(characters.vocabulary);
    data.source_spm = std::move(characters.source_spm);
  }
  // Pieces, the model, the data, and what trains.
  QKV_TRY(session->rows_,
          SubwordRows::Parse(data.vocabulary, data.source_spm, data.target_spm, session->config_.subwords));
  session->examples_ = std::make_unique<PairExamples>(*session->rows_);
  session->files_.vocabulary = std::move(data.vocabulary);
  session->files_.source_spm = std::move(data.source_spm);
  session->files_.target_spm = std::move(data.target_spm);
  QKV_CHECK(session->MakeModel());
  QKV_CHECK(session->OpenData(std::move(data)));
  session->trainable_ = std::make_unique<TrainableSequenceModel>(session->model_->model());
  session->trainer_ = std::make_unique<Trainer>(*session->trainable_, session->model_->Slots(), session->rows_->start(),
                                                session->config_.trainer, threads);
  session->batches_.resize(session->config_.accumulate);
  return session;
}

Result<void> Session::MakeModel() {
  QKV_TRY(files_.config, ModelConfigOf(config_, *rows_));
  // A model of the same config has the shapes and the defaults of decoding.
  QKV_TRY(const std::unique_ptr<SequenceModel> model, MakeSequenceModel(files_.config));
  const SequenceConfig& shape = model->config();
  if (config_.batch.longest > shape.max_positions) {
    return Error{ErrorCode::kInvalidArgument,
                 "is more than the model's " + std::to_string(shape.max_positions) + " positions", "batch.longest"};
  }
  files_.generation_config = GenerationConfigOf(shape);
  // The model itself, made as from a folder, without weights.
  const ModelFiles files = {.config = files_.config,
                            .generation_config = files_.generation_config,
                            .vocabulary = files_.vocabulary,
                            .source_spm = Bytes(files_.source_spm),
                            .target_spm = Bytes(files_.target_spm)};
  QKV_TRY(model_, TranslationModel::CreateUntrained(files));
  // A gradient, two moments and an average of each weight follow.
  QKV_CHECK(CheckMemory(4 * uint64_t{model_->bytes()}, "make the model smaller", "weights"));
  // Its first weights.
  WeightSlots slots = model_->Slots();
  Parameters parameters(slots, /*gradients=*/false);
  Initialise(parameters, config_.seed);
  parameters.ClearStart(static_cast<size_t>(rows_->start()));
  return {};
}

Result<void> Session::OpenData(SessionData data) {
  // Pairs for measuring are optional.
  if (!data.dev.empty()) {
    QKV_TRY(const std::unique_ptr<Corpus> dev, OpenText(std::move(data.dev), "dev"));
    QKV_TRY(const std::vector<TextPair> pairs, dev->All(config_.measure_pairs));
    QKV_TRY(dev_, BatchesOf(pairs, *examples_, config_.batch.tokens, config_.batch.longest));
  }
  std::vector<std::unique_ptr<Corpus>> corpora;
  QKV_TRY(std::unique_ptr<Corpus> pairs, OpenText(std::move(data.pairs), "pairs"));
  corpora.push_back(std::move(pairs));
  QKV_TRY(BatchStream stream, BatchStream::Open(std::move(corpora), *examples_, config_.batch));
  stream_ = std::make_unique<BatchStream>(std::move(stream));
  return {};
}

Result<Trainer::Report> Session::Step() {
  for (Batch& batch : batches_) {
    QKV_CHECK(stream_->Next(&batch));
    place_.tokens += batch.tokens();
  }
  const Trainer::Report report = trainer_->Step(batches_);
  place_.step = trainer_->step();
  place_.averaged = trainer_->averaged();
  return report;
}

Result<double> Session::Measure() {
  if (dev_.empty()) return Error{ErrorCode::kInvalidArgument, "there are no pairs for measuring", "dev"};
  // The mean of the weights over the last steps is better than the last weights, if there is one.
  const bool swap = trainer_->has_average();
  if (swap) trainer_->SwapAverage();
  const Loss loss = trainer_->Measure(dev_);
  if (swap) trainer_->SwapAverage();
  return loss.negative / static_cast<double>(std::max<size_t>(loss.pieces, 1));
}

Result<Session::AttentionGradient> Session::GradientOf(std::string_view source, std::string_view target) {
  // The pair as one batch.
  Example example;
  QKV_CHECK(examples_->Make(source, target, nullptr, config_.batch.longest, TooLong::kCut, &example));
  Batch pair;
  pair.AddPair(example.source, example.target, rows_->start());
  const size_t read = example.source.size(), written = example.target.size();
  const SequenceConfig& shape = model_->model().config();
  // A map for each kind of attention, for d loss / d weight of every head.
  AttentionTrace trace;
  const auto reserve = [&](AttentionKind kind, const AttentionShape& of, size_t targets, size_t sources) {
    trace.Reserve(kind, of.layers, of.heads, targets, sources);
  };
  reserve(AttentionKind::kEncoderSelf, shape.encoder_self, read, read);
  reserve(AttentionKind::kDecoderSelf, shape.decoder_self, written, written);
  reserve(AttentionKind::kCross, shape.cross, written, read);
  // One forward and backward without an update.
  AttentionGradient gradient;
  gradient.loss = trainer_->AttentionGradients(pair, trace);
  gradient.encoder = trace.Take(AttentionKind::kEncoderSelf);
  gradient.decoder = trace.Take(AttentionKind::kDecoderSelf);
  gradient.cross = trace.Take(AttentionKind::kCross);
  return gradient;
}

std::string Session::Weights() {
  const bool swap = trainer_->has_average();
  if (swap) trainer_->SwapAverage();
  std::string weights = Safetensors(model_->Slots(), FloatsAs::kF16);
  if (swap) trainer_->SwapAverage();
  return weights;
}

Session::Saved Session::Save() {
  place_.batches = stream_->State();
  return {ToJson(place_), Safetensors(trainer_->State(), FloatsAs::kF32)};
}

// The tensors are copied into weights, moments and average at once, so a damaged file changes no weight.
Result<void> Session::Load(std::string_view place, std::span<const uint8_t> tensors) {
  QKV_TRY(place_, ParseRunPlace(place));
  WeightCopies loaded(trainer_->State());
  SafetensorsReader reader(loaded.slots(), tensors.size());
  QKV_CHECK(FeedAll(reader, tensors));
  trainer_->Resume(loaded.slots(), place_.step, place_.averaged);
  return stream_->Seek(place_.batches);
}

}  // namespace qkv
