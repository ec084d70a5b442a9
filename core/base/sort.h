// Sorting where there is little to sort: heapsort, a fraction of std::sort's code, which a download pays for.
#pragma once

#include <algorithm>
#include <vector>

namespace qkv {

// By `less`, a total order of what is in the list.
template <class T, class Less>
void SortSmall(std::vector<T>& list, const Less& less) {
  std::make_heap(list.begin(), list.end(), less);
  std::sort_heap(list.begin(), list.end(), less);
}

}  // namespace qkv
