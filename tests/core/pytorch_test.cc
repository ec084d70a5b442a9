// PyTorch's files: tensors are read, nothing is run, and what is crafted is refused.
#include <gtest/gtest.h>

#include <cstring>

#include "core/io/pickle.h"
#include "core/io/pytorch.h"
#include "core/io/weight_loader.h"
#include "tests/core/goldens.h"

namespace qkv {
namespace {

const std::string kCorpus = "tests/fuzz/corpus/pytorch/";

struct Seats {
  Weight matrix;
  Vector vector;
  WeightSlots Slots() {
    WeightSlots slots;
    slots.slots.push_back({{"w"}, 3, 3, &matrix, false});
    slots.slots.push_back({{"b"}, 2, 1, &vector, true});
    slots.ignored = {"t"};
    return slots;
  }
};

Result<void> Read(Seats& seats, const std::string& file) {
  const auto open = [](const WeightFile& weights) -> std::unique_ptr<TensorDirectory> {
    return std::make_unique<PytorchDirectory>(weights.name, weights.size);
  };
  WeightLoader loader(seats.Slots(), {{"pytorch_model.bin", file.size()}}, open);
  for (ByteRange range = loader.Next(); range.length != 0; range = loader.Next()) {
    const uint64_t begin = std::min<uint64_t>(range.offset, file.size());
    const uint64_t length = std::min<uint64_t>(range.length, file.size() - begin);
    QKV_CHECK(loader.Feed({reinterpret_cast<const uint8_t*>(file.data()) + begin, length}));
  }
  return {};
}

std::string Refusal(const std::string& file) {
  Seats seats;
  const Result<void> read = Read(seats, file);
  return read ? "" : read.error().ToString();
}

TEST(Pytorch, TensorsAreRead) {
  for (const char* name : {"good.bin", "halves.bin"}) {
    Seats seats;
    const Result<void> read = Read(seats, ReadBytes(kCorpus + name));
    ASSERT_TRUE(read) << read.error().ToString();
    float row[3];
    seats.matrix.GetRow(2, row);
    EXPECT_EQ(row[0], 6);
    EXPECT_EQ(row[2], 8);
    EXPECT_EQ(seats.vector, Eigen::Vector2f(1, 2));
  }
}

TEST(Pytorch, CodeIsNamedAndNotRun) {
  const std::string refusal = Refusal(ReadBytes(kCorpus + "code.bin"));
  EXPECT_NE(refusal.find("UNSUPPORTED"), std::string::npos) << refusal;
  EXPECT_NE(refusal.find("system"), std::string::npos) << refusal;
}

TEST(Pytorch, EveryCutAndEveryFlippedByteIsAnErrorOrAModel) {
  const std::string good = ReadBytes(kCorpus + "good.bin");
  for (size_t length = 0; length < good.size(); ++length) EXPECT_NE(Refusal(good.substr(0, length)), "") << length;
  for (size_t i = 0; i < good.size(); ++i) {
    std::string flipped = good;
    flipped[i] = static_cast<char>(~flipped[i]);
    Refusal(flipped);
  }
}

TEST(Pytorch, APickleThatGrowsIsStopped) {
  std::string grows = "\x80\x02";
  for (int i = 0; i < 2000000; ++i) grows += "}";
  const auto read = ReadPickle({reinterpret_cast<const uint8_t*>(grows.data()), grows.size()}, "data.pkl");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kLimitExceeded);
}

TEST(Pytorch, WhatIsNoZipSaysSo) {
  EXPECT_NE(Refusal("\x80\x02\x8a\x0alots of older pickles").find("before PyTorch 1.6"), std::string::npos);
  EXPECT_NE(Refusal(std::string(100, 'x')).find("not a file of PyTorch's"), std::string::npos);
  EXPECT_NE(Refusal(""), "");
}

}  // namespace
}  // namespace qkv
