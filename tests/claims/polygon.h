// Polygons in the plane: convex hulls, areas, and whether sides cross.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace qkv {

struct Place {
  double x, y;
};
using Polygon = std::vector<Place>;

// Above zero if a, b, c turn left.
inline double Turn(Place a, Place b, Place c) { return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x); }

// The area, in either direction.
inline double Area(const Polygon& polygon) {
  double twice = 0;
  for (size_t i = 0; i < polygon.size(); ++i) {
    const Place &a = polygon[i], &b = polygon[(i + 1) % polygon.size()];
    twice += a.x * b.y - a.y * b.x;
  }
  return std::abs(twice) / 2;
}

// Whether the sides a-b and c-d meet.
inline bool Crosses(Place a, Place b, Place c, Place d) {
  return Turn(a, b, c) * Turn(a, b, d) <= 0 && Turn(c, d, a) * Turn(c, d, b) <= 0;
}

// At least three corners, and no two sides meet except neighbours at their corner.
inline bool IsSimple(const Polygon& polygon) {
  const size_t n = polygon.size();
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = i + 2; j < n; ++j) {
      const bool neighbours = i == 0 && j == n - 1;
      if (!neighbours && Crosses(polygon[i], polygon[i + 1], polygon[j], polygon[(j + 1) % n])) return false;
    }
  }
  return n >= 3;
}

// The corners of the hull, counter-clockwise, beginning with the first point in sorted order (Andrew's monotone chain).
inline std::vector<int32_t> Hull(const Polygon& points) {
  std::vector<int32_t> order(points.size()), hull;
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int32_t>(i);
  const auto at = [&](int32_t i) { return points[static_cast<size_t>(i)]; };
  std::sort(order.begin(), order.end(),
            [&](int32_t a, int32_t b) { return at(a).x != at(b).x ? at(a).x < at(b).x : at(a).y < at(b).y; });
  for (int side = 0; side < 2; ++side) {
    const size_t first = hull.size();
    for (const int32_t point : order) {
      while (hull.size() >= first + 2 && Turn(at(hull[hull.size() - 2]), at(hull.back()), at(point)) <= 0) {
        hull.pop_back();
      }
      hull.push_back(point);
    }
    hull.pop_back();  // the other side begins with this point
    std::reverse(order.begin(), order.end());
  }
  std::rotate(hull.begin(), std::min_element(hull.begin(), hull.end()), hull.end());
  return hull;
}

}  // namespace qkv
