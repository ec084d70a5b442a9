// The processor's limit for multiply-adds of floats, from registers alone.
#pragma once

#include <cstddef>

namespace qkv {

// `rounds` multiply-adds in each lane of each of a fixed number of independent vectors.
void MultiplyAdds(size_t rounds);

// The floating-point operations of that: two for each multiply-add.
double MultiplyAddOperations(size_t rounds);

}  // namespace qkv
