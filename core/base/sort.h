// Heapsort, for lists whose sorting takes little time. Its code is a fraction of std::sort's, and code is part of the
// download.
#pragma once

#include <algorithm>
#include <vector>

namespace qkv {

// Sorts by `less`, a total order of the elements.
template <class T, class Less>
void SortSmall(std::vector<T>& list, const Less& less) {
  std::make_heap(list.begin(), list.end(), less);
  std::sort_heap(list.begin(), list.end(), less);
}

}  // namespace qkv
