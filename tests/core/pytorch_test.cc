// PyTorch's files: tensors are read, no code is run, and crafted files are refused.
#include <gtest/gtest.h>

#include <cstring>
#include <ctime>

#include "core/io/pickle.h"
#include "core/io/pytorch.h"
#include "core/io/weight_loader.h"
#include "tests/core/goldens.h"

namespace qkv {
namespace {

const std::string kCorpus = "tests/fuzz/corpus/pytorch/";

struct TinyModel {
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

Result<void> Read(TinyModel& model, const std::string& file) {
  const auto open = [](const WeightFile& weights) -> std::unique_ptr<TensorDirectory> {
    return std::make_unique<PytorchDirectory>(weights.name, weights.size);
  };
  WeightLoader loader(model.Slots(), {{"pytorch_model.bin", file.size()}}, open);
  for (ByteRange range = loader.Next(); range.length != 0; range = loader.Next()) {
    const uint64_t begin = std::min<uint64_t>(range.offset, file.size());
    const uint64_t length = std::min<uint64_t>(range.length, file.size() - begin);
    QKV_CHECK(loader.Feed({reinterpret_cast<const uint8_t*>(file.data()) + begin, length}));
  }
  return {};
}

std::string Refusal(const std::string& file) {
  TinyModel model;
  const Result<void> read = Read(model, file);
  return read ? "" : read.error().ToString();
}

TEST(Pytorch, TensorsAreRead) {
  for (const char* name : {"good.bin", "halves.bin"}) {
    TinyModel model;
    const Result<void> read = Read(model, ReadBytes(kCorpus + name));
    ASSERT_TRUE(read) << read.error().ToString();
    float row[3];
    model.matrix.GetRow(2, row);
    EXPECT_EQ(row[0], 6);
    EXPECT_EQ(row[2], 8);
    EXPECT_EQ(model.vector, Eigen::Vector2f(1, 2));
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

std::span<const uint8_t> BytesOf(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

// The pickle of a good file with one part replaced.
std::string PickleWith(const std::string& from, const std::string& to) {
  const std::string good = ReadBytes(kCorpus + "good.bin");
  std::string pickle = good.substr(good.find("\x80\x02"));
  const size_t at = pickle.find(from);
  EXPECT_NE(at, std::string::npos);
  return pickle.replace(at, from.size(), to);
}

// LONG1 with eight bytes.
std::string Long(uint64_t value) {
  std::string bytes = "\x8a\x08";
  for (size_t i = 0; i < 8; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xFF);
  return bytes;
}

// Offsets and sizes whose product with the width of a number overflows to a small one: bytes of other tensors were
// read.
TEST(Pytorch, ProductsThatWrapAreRefused) {
  const std::string first("K\x00", 2), shape = "K\x03K\x03\x86", strides = "K\x03K\x01\x86";
  ASSERT_TRUE(ReadPickle(BytesOf(PickleWith(first, first)), "data.pkl"));
  const std::string q = "q\x09";  // the memo's index, between sizes and strides
  const std::string sizes = Long(1 << 24) + Long(1 << 20) + Long(1 << 20) + "\x87" + q + Long(uint64_t{1} << 40) +
                            Long(1 << 20) + "K\x01\x87";
  for (const std::string& pickle :
       {PickleWith(first + shape, Long(uint64_t{1} << 62) + shape), PickleWith(shape + q + strides, sizes)}) {
    const auto read = ReadPickle(BytesOf(pickle), "data.pkl");
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, ErrorCode::kInvalidFile) << read.error().ToString();
    EXPECT_NE(read.error().message.find("any file"), std::string::npos) << read.error().ToString();
  }
}

// Each tensor has a copy of its name: with a memo a few bytes per tensor made gigabytes of one long name.
TEST(Pytorch, LongNamesAreRefused) {
  const std::string name = std::string("X\x01\x00\x00\x00", 5) + "w";
  const std::string longer = std::string("X\x01\x08\x00\x00", 5) + std::string(2049, 'w');
  const auto read = ReadPickle(BytesOf(PickleWith(name, longer)), "data.pkl");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kLimitExceeded) << read.error().ToString();
}

void Append(std::string& bytes, uint64_t value, size_t width) {
  for (size_t i = 0; i < width; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xFF);
}

// A zip of stored entries, with only the fields that the reader uses.
std::string Zip(const std::vector<std::pair<std::string, std::string>>& entries) {
  std::string zip, directory;
  for (const auto& [name, content] : entries) {
    const auto sizes = [&](std::string& to) {
      Append(to, 0, 4);  // the checksum, which is not read
      Append(to, content.size(), 4);
      Append(to, content.size(), 4);
      Append(to, name.size(), 2);
      Append(to, 0, 2);
    };
    directory += "PK\x01\x02" + std::string(12, '\0');
    sizes(directory);
    directory += std::string(10, '\0');
    Append(directory, zip.size(), 4);
    directory += name;
    zip += "PK\x03\x04" + std::string(10, '\0');
    sizes(zip);
    zip += name + content;
  }
  const size_t offset = zip.size();
  zip += directory + "PK\x05\x06" + std::string(8, '\0');
  Append(zip, directory.size(), 4);
  Append(zip, offset, 4);
  return zip + std::string(2, '\0');
}

// This many names took a second, because every name was compared with every other.
TEST(Pytorch, TwentyThousandEntriesAreRead) {
  std::vector<std::pair<std::string, std::string>> entries = {{"x/data.pkl", PickleWith("q", "q")}};
  for (size_t i = 0; i + 1 < 20000; ++i) entries.emplace_back("x/data/" + std::to_string(i), std::string(64, '\0'));
  const std::clock_t start = std::clock();
  EXPECT_EQ(Refusal(Zip(entries)), "");
  EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 0.3);
  entries.push_back(entries[7]);
  entries.erase(entries.begin() + 1);
  EXPECT_NE(Refusal(Zip(entries)).find("two entries of one name"), std::string::npos);
}

TEST(Pytorch, WhatIsNoZipSaysSo) {
  EXPECT_NE(Refusal("\x80\x02\x8a\x0alots of older pickles").find("before PyTorch 1.6"), std::string::npos);
  EXPECT_NE(Refusal(std::string(100, 'x')).find("not a file of PyTorch's"), std::string::npos);
  EXPECT_NE(Refusal(""), "");
}

}  // namespace
}  // namespace qkv
