#include "core/io/safetensors.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>

namespace qkv {
namespace {

// A model with one matrix [2, 3] named a, or "alias" instead, and one optional vector [2] named b.
struct TinyModel {
  Weight matrix;
  Vector vector;
  WeightSlots Slots() {
    WeightSlots slots;
    slots.slots.push_back({{"a", "alias"}, 2, 3, &matrix, false});
    slots.slots.push_back({{"b"}, 2, 1, &vector, true});
    slots.ignored = {"positions"};
    return slots;
  }
};

std::string File(const std::string& header, const std::string& data) {
  const uint64_t length = header.size();
  std::string file(8, '\0');
  std::memcpy(file.data(), &length, 8);
  return file + header + data;
}

template <class T>
std::string Bytes(std::initializer_list<T> values) {
  return {reinterpret_cast<const char*>(values.begin()), values.size() * sizeof(T)};
}

Result<void> Read(TinyModel& model, const std::string& file, bool size_known = true) {
  SafetensorsReader reader(model.Slots(), size_known ? file.size() : 0);
  for (ByteRange range = reader.Next(); range.length != 0; range = reader.Next()) {
    const uint64_t begin = std::min<uint64_t>(range.offset, file.size());
    const uint64_t length = std::min<uint64_t>(range.length, file.size() - begin);
    QKV_CHECK(reader.Feed({reinterpret_cast<const uint8_t*>(file.data()) + begin, length}));
  }
  return {};
}

const std::string kMatrix = Bytes<float>({1, 2, 3, 4, 5, 6});

std::string Entry(const std::string& name, const std::string& dtype, const std::string& shape, size_t begin,
                  size_t end) {
  return "\"" + name + "\":{\"dtype\":\"" + dtype + "\",\"shape\":" + shape + ",\"data_offsets\":[" +
         std::to_string(begin) + "," + std::to_string(end) + "]}";
}

const std::string kGood = Entry("a", "F32", "[2,3]", 0, 24);

TEST(Safetensors, PutsEachTensorInItsSlot) {
  TinyModel model;
  ASSERT_TRUE(Read(
      model, File("{\"__metadata__\":{\"format\":\"pt\"}," + Entry("b", "F32", "[1,2]", 24, 32) + "," + kGood + "}",
                  kMatrix + Bytes<float>({7, 8}))));
  float row[3];
  model.matrix.GetRow(1, row);
  EXPECT_EQ(row[0], 4);
  EXPECT_EQ(row[2], 6);
  EXPECT_EQ(model.vector, Eigen::Vector2f(7, 8));
}

TEST(Safetensors, ReadsHalvesAndBrainFloats) {
  TinyModel halves;
  ASSERT_TRUE(Read(halves, File("{" + Entry("alias", "F16", "[2,3]", 0, 12) + "}",
                                Bytes<uint16_t>({0x3C00, 0xC000, 0x0001, 0x8000, 0x7BFF, 0x3555}))));
  float row[3];
  halves.matrix.GetRow(0, row);
  EXPECT_EQ(row[0], 1);
  EXPECT_EQ(row[1], -2);
  EXPECT_EQ(row[2], 0x1p-24f);
  halves.matrix.GetRow(1, row);
  EXPECT_TRUE(row[0] == 0 && std::signbit(row[0]));
  EXPECT_EQ(row[1], 65504);
  EXPECT_EQ(row[2], 0x1.554p-2f);
  EXPECT_EQ(halves.vector, Eigen::Vector2f(0, 0));  // absent and optional

  TinyModel brains;
  ASSERT_TRUE(Read(brains, File("{" + Entry("a", "BF16", "[2,3]", 0, 12) + "}",
                                Bytes<uint16_t>({0x3F80, 0xC000, 0x4049, 0, 1, 2}))));
  brains.matrix.GetRow(0, row);
  EXPECT_EQ(row[2], 3.140625f);
}

struct Bad {
  const char* what;
  std::string file;
  ErrorCode code;
  const char* in_message;
};

std::vector<Bad> BadFiles() {
  const auto of = [](const std::string& entries, const std::string& data = kMatrix) {
    return File("{" + entries + "}", data);
  };
  std::string huge = File("{}", "");
  const uint64_t claim = uint64_t{1} << 60;
  std::memcpy(huge.data(), &claim, 8);
  const std::string nan = Bytes<float>({1, 2, std::nanf(""), 4, 5, 6});
  const ErrorCode invalid = ErrorCode::kInvalidFile;
  return {
      {"header claims 2^60 bytes", huge, invalid, "claims 1152921504606846976"},
      {"no header", File("", ""), invalid, "empty"},
      {"not JSON", File("{nonsense", ""), invalid, "JSON"},
      {"not an object", File("[1,2]", ""), invalid, "object"},
      {"10,000 levels of JSON", File(std::string(10000, '[') + std::string(10000, ']'), ""), invalid, "object"},
      {"missing tensor", of(""), invalid, "a: this tensor is missing"},
      {"doubled tensor", of(kGood + "," + Entry("a", "F32", "[2,3]", 24, 48), kMatrix + kMatrix), invalid, "twice"},
      {"overlap", of(kGood + "," + Entry("b", "F32", "[2]", 20, 28), kMatrix + kMatrix), invalid, "overlap"},
      {"outside the file", of(Entry("a", "F32", "[2,3]", 8, 32)), invalid, "outside"},
      {"backwards offsets", of(Entry("a", "F32", "[2,3]", 24, 0)), invalid, "outside"},
      {"offsets of 2^63", of(Entry("a", "F32", "[2,3]", 0, uint64_t{1} << 63)), invalid, "outside"},
      {"wrong shape", of(Entry("a", "F32", "[3,2]", 0, 24)), invalid, "[3, 2]; config.json asks for [2, 3]"},
      {"shape that lies", of(Entry("a", "F32", "[2,3]", 0, 20)), invalid, "span 20 bytes"},
      {"negative shape", of(Entry("a", "F32", "[-2,3]", 0, 24)), invalid, "shape"},
      {"unknown dtype", of(Entry("a", "I4", "[2,3]", 0, 24)), ErrorCode::kUnsupported, "I4"},
      {"no slot", of(kGood + "," + Entry("c", "F32", "[0]", 24, 24)), ErrorCode::kUnsupported, "no place"},
      {"entry that is no object", of("\"a\":3"), invalid, "object"},
      {"entry without offsets", of("\"a\":{\"dtype\":\"F32\",\"shape\":[2,3]}"), invalid, "data_offsets"},
      {"NaN", of(kGood, nan), invalid, "not finite"},
  };
}

TEST(Safetensors, RefusesWhatIsBrokenAndSaysWhy) {
  for (const Bad& bad : BadFiles()) {
    TinyModel model;
    const Result<void> result = Read(model, bad.file);
    ASSERT_FALSE(result) << bad.what;
    EXPECT_EQ(result.error().code, bad.code) << bad.what << ": " << result.error().ToString();
    EXPECT_NE(result.error().ToString().find(bad.in_message), std::string::npos)
        << bad.what << ": " << result.error().ToString();
    EXPECT_EQ(result.error().where.rfind("model.safetensors", 0), 0u) << result.error().where;
  }
}

TEST(Safetensors, ReadsALargeTensorInParts) {
  constexpr size_t kRows = 2500, kColumns = 300;  // 3 MB, and a part is not a whole number of rows
  std::vector<float> values(kRows * kColumns);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  const std::string file =
      File("{" + Entry("a", "F32", "[2500,300]", 0, values.size() * 4) + "}",
           std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)));
  Weight matrix;
  WeightSlots slots;
  slots.Add("a", matrix, kRows, kColumns);
  SafetensorsReader reader(std::move(slots), file.size());
  size_t parts = 0;
  for (ByteRange range = reader.Next(); range.length != 0; range = reader.Next(), ++parts) {
    ASSERT_LE(range.length, 1u << 20);
    ASSERT_TRUE(reader.Feed({reinterpret_cast<const uint8_t*>(file.data()) + range.offset, range.length}));
  }
  EXPECT_EQ(parts, 5u);
  EXPECT_EQ(reader.parameters(), values.size());
  std::vector<float> row(kColumns);
  for (size_t r = 0; r < kRows; ++r) {
    matrix.GetRow(r, row.data());
    ASSERT_EQ(std::memcmp(row.data(), values.data() + r * kColumns, kColumns * sizeof(float)), 0) << r;
  }
}

// The matrix takes 16 rows of 3 floats, the vector 2 floats.
TEST(Safetensors, RefusesWhatMemoryHasNoRoomFor) {
  const std::string file =
      File("{" + kGood + "," + Entry("b", "F32", "[2]", 24, 32) + "}", kMatrix + Bytes<float>({7, 8}));
  for (const uint64_t memory : {uint64_t{200}, uint64_t{199}, uint64_t{0}}) {
    TinyModel model;
    SafetensorsReader reader(model.Slots(), file.size(), memory);
    const std::span<const uint8_t> bytes(reinterpret_cast<const uint8_t*>(file.data()), file.size());
    ASSERT_TRUE(reader.Feed(bytes.first(8)));
    const ByteRange header = reader.Next();
    const Result<void> fed = reader.Feed(bytes.subspan(header.offset, header.length));
    EXPECT_EQ(static_cast<bool>(fed), memory == 200) << memory;
    if (!fed) EXPECT_EQ(fed.error().code, ErrorCode::kLimitExceeded);
  }
}

// Large tensors become int8, and the memory asked for is that of int8 from the start: 192 MiB of floats need a quarter
// of it, and scales.
TEST(Safetensors, RoundsWhatIsLargeOnArrival) {
  for (const size_t rows : {size_t{3} << 15, size_t{3} << 18}) {
    Weight matrix;
    WeightSlots slots;
    slots.Add("a", matrix, rows, 64);
    const std::string shape = "[" + std::to_string(rows) + ",64]";
    const std::string file = File("{" + Entry("a", "F32", shape, 0, rows * 256) + "}", "");
    WeightLoader reader(std::move(slots), {{"model.safetensors", 0}}, &OpenSafetensors, PTRDIFF_MAX, ArriveAs::kAuto);
    const bool large = rows * 256 > kLargestFloats;
    const uint64_t expected = matrix.Bytes(large ? Numbers::kInt8 : Numbers::kFloat, rows, 64);
    EXPECT_EQ(reader.bytes(), expected) << rows;
    const std::span<const uint8_t> bytes(reinterpret_cast<const uint8_t*>(file.data()), file.size());
    ASSERT_TRUE(reader.Feed(bytes.first(8)));
    ASSERT_TRUE(reader.Feed(bytes.subspan(8)));
    EXPECT_EQ(reader.bytes(), expected) << rows;
  }
}

TEST(Safetensors, RefusesHalfATerabyteUnseen) {
  Weight matrix;
  WeightSlots slots;
  slots.Add("a", matrix, size_t{1} << 22, size_t{1} << 15);
  const std::string file = File("{" + Entry("a", "F32", "[4194304,32768]", 0, size_t{1} << 39) + "}", "");
  SafetensorsReader reader(std::move(slots), 0, uint64_t{1} << 31);
  const std::span<const uint8_t> bytes(reinterpret_cast<const uint8_t*>(file.data()), file.size());
  ASSERT_TRUE(reader.Feed(bytes.first(8)));
  const Result<void> fed = reader.Feed(bytes.subspan(8));
  ASSERT_FALSE(fed);
  EXPECT_EQ(
      fed.error().ToString(),
      "LIMIT_EXCEEDED: model.safetensors: the model's weights take 549755 MB of memory; 2147 MB can be had: use a "
      "smaller model");
}

TEST(Safetensors, RefusesEveryTruncation) {
  const std::string file = File("{" + kGood + "}", kMatrix);
  for (size_t length = 0; length < file.size(); ++length) {
    for (const bool size_known : {true, false}) {
      TinyModel model;
      EXPECT_FALSE(Read(model, file.substr(0, length), size_known && length != 0)) << length;
    }
  }
}

}  // namespace
}  // namespace qkv
