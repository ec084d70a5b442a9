#include "core/train/pointer_session.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/budget.h"
#include "core/base/json.h"
#include "core/base/random.h"
#include "core/io/feed_all.h"
#include "core/io/safetensors.h"
#include "core/io/safetensors_writer.h"

namespace qkv {
namespace {

constexpr int64_t kLargestSize = 4096;               // of a state, of a point, of a batch
constexpr size_t kMostPoints = 4096;                 // of a set: a step has a row of weights for each choice
constexpr uint64_t kDataStream = uint64_t{1} << 33;  // apart from the streams of the initial weights

Error WrongSet(size_t set, const char* why) {
  return {ErrorCode::kInvalidArgument, "set " + std::to_string(set) + " " + why, "sets"};
}

// Checks that every set has finite points and an order of its places.
Result<void> CheckSets(const PointerBatch& sets, const PointerConfig& config) {
  const auto finite = [](float x) { return std::isfinite(x); };
  // All sets together.
  if (sets.segments.size() != sets.choice_segments.size() ||
      sets.points.size() != sets.segments.rows() * config.inputs ||
      sets.choices.size() != sets.choice_segments.rows()) {
    return Error{ErrorCode::kInvalidArgument, "the numbers of points, inputs and places do not fit together", "sets"};
  }
  if (!std::all_of(sets.points.begin(), sets.points.end(), finite)) {
    return Error{ErrorCode::kInvalidArgument, "a coordinate is not a finite number", "sets"};
  }
  // Each set, and the places of its order.
  for (size_t s = 0; s < sets.segments.size(); ++s) {
    const size_t points = sets.segments.length(s), choices = sets.choice_segments.length(s);
    if (points == 0 || points > kMostPoints) return WrongSet(s, "must have from 1 to 4096 points");
    if (choices == 0 || choices > kMostPoints) return WrongSet(s, "must have an order of 1 to 4096 places");
    std::vector<uint8_t> seen(points);
    for (size_t i = sets.choice_segments.begin(s); i < sets.choice_segments.end(s); ++i) {
      const int32_t place = sets.choices[i];
      if (place < 0 || static_cast<size_t>(place) >= points) return WrongSet(s, "names a place that it does not have");
      if (!config.repeats && seen[static_cast<size_t>(place)]++ != 0) {
        return WrongSet(s, "names a place twice, which needs \"repeats\"");
      }
    }
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<PointerSession>> PointerSession::Create(std::string_view text, PointerBatch sets,
                                                               PointerBatch dev, size_t threads) {
  QKV_TRY(const JsonObject json, JsonObject::Parse(text, "config", kLargestConfig));
  PointerConfig config;
  QKV_TRY(const int64_t inputs, json.Integer("inputs", 1, kLargestSize));
  QKV_TRY(const int64_t d, json.Integer("d_model", 1, kLargestSize, 64));
  QKV_TRY(const std::string_view cell, json.String("cell", "lstm"));
  QKV_TRY(config.bidirectional, json.Bool("bidirectional", false));
  QKV_TRY(config.repeats, json.Bool("repeats", false));
  QKV_TRY(const int64_t batch, json.Integer("batch", 1, kLargestSize, 32));
  QKV_TRY(const int64_t seed, json.Integer("seed", 0, int64_t{1} << 53, 1));
  QKV_TRY(const double rate, json.Number("rate", 5e-3));
  QKV_TRY(const double clip, json.Number("clip", 1));
  if (cell != "lstm" && cell != "gru") return json.Unsupported("cell", "is neither lstm nor gru");
  if (!(rate >= 0 && rate <= 10)) return json.Invalid("rate", "must be from 0 to 10");
  if (!(clip >= 0 && clip <= 1e6)) return json.Invalid("clip", "must be from 0 to 1000000");
  if (config.bidirectional && d % 2 != 0) return json.Invalid("d_model", "must be even for both directions");
  config.inputs = static_cast<size_t>(inputs);
  config.d = static_cast<size_t>(d);
  config.cell = cell == "gru" ? CellKind::kGru : CellKind::kLstm;
  QKV_CHECK(CheckSets(sets, config));
  QKV_CHECK(CheckSets(dev, config));
  // Two cells and two maps. Each weight has a gradient and two moments.
  const uint64_t width = config.d, weights = width * (8 * (width + config.inputs + 2) + 2 * width);
  QKV_CHECK(CheckMemory(4 * sizeof(float) * weights, "make the network smaller", "d_model"));

  std::unique_ptr<PointerSession> session(new PointerSession());
  AdamOptions adam = PointerTrainer::kUsual;
  adam.clip = clip;
  session->trainer_ = std::make_unique<PointerTrainer>(config, static_cast<uint64_t>(seed), adam, threads);
  session->sets_ = std::move(sets);
  session->dev_ = std::move(dev);
  session->batch_ = static_cast<size_t>(batch);
  session->rate_ = rate;
  session->seed_ = static_cast<uint64_t>(seed);
  return session;
}

Result<PointerTrainer::Report> PointerSession::Step() {
  if (sets_.segments.size() == 0) return Error{ErrorCode::kInvalidArgument, "there are no sets to learn from", "sets"};
  // Sets are drawn with replacement. Each step has its own stream, so its data depend only on its number.
  Random random(seed_, kDataStream + trainer_->step());
  PointerBatch batch;
  for (size_t i = 0; i < batch_; ++i) {
    batch.Add(sets_, static_cast<size_t>(uint64_t{random.Next()} * sets_.segments.size() >> 32));
  }
  return trainer_->Learn(batch, rate_);
}

Result<double> PointerSession::Measure() {
  if (dev_.segments.size() == 0) return Error{ErrorCode::kInvalidArgument, "there are no sets for measuring", "dev"};
  return trainer_->Loss(dev_);
}

Result<PointerSession::Order> PointerSession::Point(std::span<const float> points, size_t most, int32_t stop) {
  const PointerConfig& config = trainer_->network().config();
  const size_t rows = points.size() / config.inputs;
  const auto wrong = [](const char* why) { return Error{ErrorCode::kInvalidArgument, why, "points"}; };
  if (rows == 0 || rows > kMostPoints) return wrong("must be from 1 to 4096 points");
  if (rows * config.inputs != points.size()) return wrong("must have the network's number of inputs each");
  if (!std::all_of(points.begin(), points.end(), [](float x) { return std::isfinite(x); })) {
    return wrong("must be finite numbers");
  }
  if (most == 0) most = rows;
  if (most > kMostPoints || (most > rows && !config.repeats)) return wrong("are fewer than the places asked for");
  Order order;
  order.weights.resize(most * rows);
  const ConstMatrixView view(points.data(), static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(config.inputs));
  order.places = trainer_->Point(view, most, stop, order.weights.data());
  order.weights.resize(order.places.size() * rows);
  return order;
}

std::string PointerSession::Save(bool moments) {
  std::string out;
  WriteSafetensors(moments ? trainer_->State() : trainer_->slots(), FloatsAs::kF32,
                   [&](std::string_view bytes) { out += bytes; });
  return out;
}

Result<void> PointerSession::Load(std::span<const uint8_t> tensors, uint64_t step, bool moments) {
  WeightCopies loaded(moments ? trainer_->State() : trainer_->slots());
  SafetensorsReader reader(loaded.slots(), tensors.size());
  QKV_CHECK(FeedAll(reader, tensors));
  trainer_->Resume(loaded.slots(), step);
  return {};
}

}  // namespace qkv
