// The processor's limits for multiply-adds of floats and of 8 bits, in registers only.
#pragma once

#include <cstddef>

namespace qkv {

// `rounds` multiply-adds in each lane of a fixed number of independent vectors.
void MultiplyAdds(size_t rounds);

// The floating-point operations of that: two for each multiply-add.
double MultiplyAddOperations(size_t rounds);

// The same with the instructions of the int8 products: a round is a tile of dot products, and each operation is a
// multiplication or an addition of 8 bits.
void DotProducts(size_t rounds);
double DotProductOperations(size_t rounds);

}  // namespace qkv
