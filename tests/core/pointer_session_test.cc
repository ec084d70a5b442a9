// A pointer network that pages train: what it refuses, and how it goes on.
#include "core/train/pointer_session.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace qkv {
namespace {

constexpr char kConfig[] = R"({"inputs": 1, "d_model": 8, "batch": 4, "rate": 0.01})";

// Three numbers each, and the order that sorts them.
PointerBatch Sets() {
  PointerBatch sets;
  sets.Add(std::vector<float>{0.3f, 0.1f, 0.2f}, 3, std::vector<int32_t>{1, 2, 0});
  sets.Add(std::vector<float>{0.9f, 0.5f}, 2, std::vector<int32_t>{1, 0});
  sets.Add(std::vector<float>{0.4f, 0.6f, 0.8f}, 3, std::vector<int32_t>{0, 1, 2});
  return sets;
}

std::unique_ptr<PointerSession> Made(PointerBatch sets = Sets()) {
  Result<std::unique_ptr<PointerSession>> session = PointerSession::Create(kConfig, std::move(sets), Sets(), 1);
  EXPECT_TRUE(session) << session.error().ToString();
  return std::move(*session);
}

std::vector<uint8_t> Bytes(const std::string& text) { return {text.begin(), text.end()}; }

TEST(PointerSession, LearnsItsSetsAndGoesOnBitForBit) {
  const std::unique_ptr<PointerSession> whole = Made(), first = Made(), second = Made();
  const double before = *whole->Measure();
  for (int i = 0; i < 60; ++i) ASSERT_TRUE(whole->Step());
  EXPECT_LT(*whole->Measure(), before / 2);
  for (int i = 0; i < 25; ++i) ASSERT_TRUE(first->Step());
  ASSERT_TRUE(second->Load(Bytes(first->Save(true)), first->step(), true));
  for (int i = 25; i < 60; ++i) ASSERT_TRUE(second->Step());
  EXPECT_EQ(second->step(), 60u);
  EXPECT_EQ(second->Save(true), whole->Save(true));

  // The weights alone are enough to run.
  const std::unique_ptr<PointerSession> runs = Made({});
  ASSERT_TRUE(runs->Load(Bytes(whole->Save(false)), 0, false));
  const std::vector<float> numbers = {0.7f, 0.2f, 0.5f};
  const PointerSession::Order order = *whole->Point(numbers, 0, kNoKey), again = *runs->Point(numbers, 0, kNoKey);
  EXPECT_EQ(order.places, again.places);
  EXPECT_EQ(order.weights, again.weights);
  ASSERT_EQ(order.weights.size(), 9u);
  for (size_t row = 0; row < 3; ++row) {
    EXPECT_NEAR(order.weights[3 * row] + order.weights[3 * row + 1] + order.weights[3 * row + 2], 1, 1e-5);
  }
}

TEST(PointerSession, RefusesWhatItCannotTrain) {
  const auto refused = [](const char* config, PointerBatch sets) {
    const Result<std::unique_ptr<PointerSession>> session = PointerSession::Create(config, std::move(sets), {}, 1);
    return session ? std::string("taken") : session.error().ToString();
  };
  const auto with = [](float x, std::vector<int32_t> order) {
    PointerBatch sets;
    sets.Add(std::vector<float>{x, 0.5f}, 2, order);
    return sets;
  };
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::pair<std::string, const char*> cases[] = {
      {refused("{}", {}), "inputs"},
      {refused(R"({"inputs": 0})", {}), "inputs"},
      {refused(R"({"inputs": 1, "d_model": 5000})", {}), "d_model"},
      {refused(R"({"inputs": 1, "cell": "rnn"})", {}), "cell"},
      {refused(R"({"inputs": 1, "rate": -1})", {}), "rate"},
      {refused(R"({"inputs": 1, "clip": -1})", {}), "clip"},
      {refused(R"({"inputs": 1, "batch": 0})", {}), "batch"},
      {refused(R"({"inputs": 1, "d_model": 7, "bidirectional": true})", {}), "d_model"},
      {refused(R"({"inputs": 2})", Sets()), "sets"},
      {refused(kConfig, with(nan, {0, 1})), "finite"},
      {refused(kConfig, with(0, {0, 2})), "set 0"},
      {refused(kConfig, with(0, {0, -1})), "set 0"},
      {refused(kConfig, with(0, {1, 1})), "repeats"},
      {refused(kConfig, with(0, {})), "order"},
  };
  for (const auto& [error, names] : cases) EXPECT_NE(error.find(names), std::string::npos) << names << ": " << error;
}

TEST(PointerSession, RefusesPointsAndFilesAndGoesOn) {
  const std::unique_ptr<PointerSession> session = Made();
  const std::vector<float> numbers = {0.7f, 0.2f, 0.5f};
  EXPECT_FALSE(session->Point({}, 0, kNoKey));
  EXPECT_FALSE(session->Point(numbers, 4, kNoKey));
  EXPECT_FALSE(session->Point(std::vector<float>{std::numeric_limits<float>::infinity()}, 0, kNoKey));
  EXPECT_FALSE(Made({})->Step());
  ASSERT_TRUE(session->Point(numbers, 2, kNoKey));
  EXPECT_EQ(session->Point(numbers, 2, kNoKey).value().places.size(), 2u);
  const std::string saved = session->Save(true);
  for (const size_t length : {size_t{0}, size_t{7}, saved.size() / 2, saved.size() - 1}) {
    EXPECT_FALSE(Made()->Load(Bytes(saved.substr(0, length)), 1, true)) << length;
  }
}

}  // namespace
}  // namespace qkv
