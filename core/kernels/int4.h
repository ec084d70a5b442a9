// int4: how a file holds weights in about half the bytes of int8. They become int8 when they are loaded, so models
// compute with them as with any int8 weights.
//
// A row of inputs is a sequence of groups. A group has a byte m and then kInt4Group numbers q of 4 bits, -8 <= q <= 7.
// Its weights in int8 are (q m + 4) >> 3, limited to [-127, 127]. Input i of a group is in the low half of byte i,
// input i + kInt4Group / 2 in the high half of the same byte, as two's complement.
#pragma once

#include <cstddef>
#include <cstdint>

namespace qkv {

inline constexpr size_t kInt4Group = 32;
inline constexpr size_t kInt4GroupBytes = 1 + kInt4Group / 2;
inline constexpr int kInt4Least = -8, kInt4Most = 7;  // of q
inline constexpr int kInt4LargestWeight = 127;        // the largest |weight| in int8

// Whether a row of `inputs` is made of whole groups.
constexpr bool FitsInt4(uint64_t inputs) { return inputs > 0 && inputs % kInt4Group == 0; }
// The bytes of a row. FitsInt4(inputs).
constexpr uint64_t Int4Bytes(uint64_t inputs) { return inputs / kInt4Group * kInt4GroupBytes; }

// weights [inputs] of a row [Int4Bytes(inputs)]; any bytes are a row.
void UnpackInt4(const uint8_t* row, size_t inputs, int8_t* weights);

// Writes `row` [Int4Bytes(inputs)], whose unpacked weights have the least sum of squared differences from `weights`
// [inputs]. `scale` is the scale of int8: the largest |weight| divided by 127, or 0 if all weights are 0. If the
// weights come from a row of this function, they do not change.
void PackInt4(const float* weights, size_t inputs, float scale, uint8_t* row);

// The byte m with which a group's weights in int8, `group` [kInt4Group], are rounded with the least sum of squared
// errors, each times its importance [kInt4Group]; null: each times 1. If two sums are equal, the smaller m is taken.
// The sums are added in one order, so the choice is the same on every target.
int ChooseInt4Byte(const float* group, const float* importance);
int ChooseInt4ByteNaive(const float* group, const float* importance);
// The nearest weight in int8 that a group with the byte m can have.
int RoundToInt4(float weight, int m);

}  // namespace qkv
