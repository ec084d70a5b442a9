// int4: rows of a file, what they unpack to, and how near packing comes.
#include "core/kernels/int4.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "core/kernels/quantized.h"
#include "core/layers/weight_slots.h"
#include "core/train/int4_weights.h"
#include "tests/core/kernel_testing.h"

namespace qkv {
namespace {

// The format as int4.h says it, for one number.
int WeightOf(int q, int m) { return std::max(-127, std::min(127, static_cast<int>(std::floor((q * m + 4) / 8.0)))); }

std::vector<int8_t> Unpacked(const std::vector<uint8_t>& row) {
  std::vector<int8_t> weights(row.size() / kInt4GroupBytes * kInt4Group);
  UnpackInt4(row.data(), weights.size(), weights.data());
  return weights;
}

std::vector<uint8_t> Packed(const std::vector<float>& weights) {
  std::vector<uint8_t> row(Int4Bytes(weights.size()));
  PackInt4(weights.data(), weights.size(), ScaleOfWeights(weights.data(), weights.size()), row.data());
  return row;
}

std::vector<float> RandomWeights(size_t size, uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, 0.1f);
  std::vector<float> weights(size);
  for (float& each : weights) each = normal(random);
  return weights;
}

TEST(Int4, UnpacksEveryByteAsTheFormatSays) {
  std::mt19937 random(1);
  std::vector<uint8_t> row(Int4Bytes(8192));
  for (uint8_t& each : row) each = static_cast<uint8_t>(random());
  const std::vector<int8_t> weights = Unpacked(row);
  for (size_t i = 0; i < weights.size(); ++i) {
    const uint8_t* const group = row.data() + i / 32 * 17;
    const uint8_t byte = group[1 + i % 16];
    const int bits = i % 32 < 16 ? byte & 15 : byte >> 4;
    ASSERT_EQ(weights[i], WeightOf(bits < 8 ? bits : bits - 16, group[0])) << i;
  }
}

TEST(Int4, ChoosesTheByteOfThePlainLoopsOnEachTarget) {
  ForEachTarget([] {
    std::mt19937 random(7);
    // In units of int8 the largest weight of a row is 127. Most groups have a smaller one; GPTQ can make a larger one.
    for (const float largest : {0.0f, 0.4f, 1.0f, 3.7f, 20.0f, 64.0f, 127.0f, 190.0f}) {
      std::uniform_real_distribution<float> weight(-largest, largest + 1e-6f), share(0, 2);
      for (size_t run = 0; run < 50; ++run) {
        float group[kInt4Group], importance[kInt4Group];
        for (float& each : group) each = weight(random);
        for (float& each : importance) each = share(random);
        group[run % kInt4Group] = run % 2 == 0 ? largest : -largest;
        ASSERT_EQ(ChooseInt4Byte(group, nullptr), ChooseInt4ByteNaive(group, nullptr)) << largest;
        ASSERT_EQ(ChooseInt4Byte(group, importance), ChooseInt4ByteNaive(group, importance)) << largest;
      }
    }
  });
}

// The least sum of squares of any byte m and any numbers q.
double LeastDifference(const float* weights) {
  double least = std::numeric_limits<double>::infinity();
  for (int m = 0; m < 256; ++m) {
    double sum = 0;
    for (size_t i = 0; i < 32; ++i) {
      double nearest = std::numeric_limits<double>::infinity();
      for (int q = -8; q < 8; ++q) nearest = std::min(nearest, std::pow(weights[i] - WeightOf(q, m), 2.0));
      sum += nearest;
    }
    least = std::min(least, sum);
  }
  return least;
}

TEST(Int4, PacksNearlyAsNearAsAnyRowCan) {
  double sum = 0, least = 0;
  for (uint32_t seed = 1; seed <= 50; ++seed) {
    std::vector<float> weights = RandomWeights(32, seed);
    const std::vector<int8_t> unpacked = Unpacked(Packed(weights));
    const float scale = ScaleOfWeights(weights.data(), weights.size());
    for (size_t i = 0; i < weights.size(); ++i) {
      weights[i] /= scale;
      sum += std::pow(weights[i] - unpacked[i], 2.0);
    }
    least += LeastDifference(weights.data());
  }
  EXPECT_GE(sum, least * 0.9999);
  EXPECT_LT(sum, least * 1.02);
}

TEST(Int4, PacksUnpackedWeightsToTheSameWeights) {
  for (const float factor : {1.0f, 1e-30f, 1e30f}) {
    for (uint32_t seed = 1; seed <= 200; ++seed) {
      std::vector<float> weights = RandomWeights(96, seed);
      for (size_t i = 0; i < 32; ++i) weights[i] *= 0.02f * static_cast<float>(seed % 50);  // a group of small weights
      for (float& each : weights) each *= factor;
      const std::vector<int8_t> once = Unpacked(Packed(weights));
      const float scale = ScaleOfWeights(weights.data(), weights.size());
      for (size_t i = 0; i < weights.size(); ++i) weights[i] = scale * static_cast<float>(once[i]);
      std::vector<uint8_t> row(Int4Bytes(weights.size()));
      PackInt4(weights.data(), weights.size(), scale, row.data());
      ASSERT_EQ(Unpacked(row), once) << seed;
    }
  }
}

TEST(Int4, ZerosStayZeros) {
  EXPECT_EQ(Unpacked(Packed(std::vector<float>(64))), std::vector<int8_t>(64));
  std::vector<float> weights(64);
  weights[40] = -3;  // the first group is zeros, the second is not
  const std::vector<int8_t> unpacked = Unpacked(Packed(weights));
  EXPECT_EQ(std::count(unpacked.begin(), unpacked.end(), 0), 63);
  EXPECT_EQ(unpacked[40], -127);
}

TEST(Int4Weights, PassesSeeRoundedMatricesAndUpdatesSeeTheOriginals) {
  Weight matrix, narrow, transposed;
  Vector vector;
  WeightSlots slots;
  slots.Add("matrix", matrix, 40, 64);
  slots.Add("narrow", narrow, 5, 24);  // not whole groups
  slots.Add("transposed", transposed, 8, 32);
  slots.slots.back().transposed = true;
  slots.Add("vector", vector, 3);
  ReserveFloats(slots);
  for (Weight* each : {&matrix, &narrow, &transposed}) {
    for (size_t o = 0; o < each->outputs(); ++o) {
      each->floats().SetRow(o, RandomWeights(each->inputs(), static_cast<uint32_t>(o)).data());
    }
  }
  vector << 1, 2, 3;

  Int4Weights rounded(slots, 2);
  rounded.Set();
  std::vector<float> row(64);
  for (size_t o = 0; o < 40; ++o) {
    const std::vector<float> was = RandomWeights(64, static_cast<uint32_t>(o));
    const std::vector<int8_t> unpacked = Unpacked(Packed(was));
    matrix.GetRow(o, row.data());
    for (size_t i = 0; i < 64; ++i) {
      ASSERT_EQ(row[i], ScaleOfWeights(was.data(), 64) * static_cast<float>(unpacked[i])) << o << " " << i;
    }
  }
  narrow.GetRow(4, row.data());
  EXPECT_EQ(row[23], RandomWeights(24, 4)[23]);
  transposed.GetRow(7, row.data());
  EXPECT_EQ(row[31], RandomWeights(32, 7)[31]);

  rounded.Restore();
  for (size_t o = 0; o < 40; ++o) {
    matrix.GetRow(o, row.data());
    ASSERT_EQ(row, RandomWeights(64, static_cast<uint32_t>(o)));
  }
}

}  // namespace
}  // namespace qkv
