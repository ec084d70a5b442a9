// Which byte m of a group of int4 (core/kernels/int4.h) rounds its weights best. Files are written and models are
// trained with it.
#pragma once

namespace qkv {

// The byte m with which a group's weights in int8, `group` [kInt4Group], are rounded with the least sum of squared
// errors, each times its importance [kInt4Group]; null: all are alike. Of equal sums the least m. The sums are added in
// one order, so the choice is the same on every target.
int ChooseInt4Byte(const float* group, const float* importance);
int ChooseInt4ByteNaive(const float* group, const float* importance);

}  // namespace qkv
