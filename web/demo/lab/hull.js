// The convex hull of points in the plane.

/** @typedef {[number, number]} Point */

/** Above 0 if a, b, c are in counter-clockwise order. @param {Point} a @param {Point} b @param {Point} c */
const orientation = (a, b, c) => (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);

/**
 * The corners of the hull (Andrew's monotone chain), counter-clockwise. They begin with the corner of the smallest index.
 * @param {Point[]} points all different
 * @returns {number[]} indices of points
 */
export function hullOf(points) {
  const order = [...points.keys()].sort((i, j) => points[i][0] - points[j][0] || points[i][1] - points[j][1]);
  /** @param {number[]} sorted */
  const side = (sorted) => {
    /** @type {number[]} */
    const chain = [];
    for (const next of sorted) {
      while (
        chain.length > 1 &&
        orientation(points[chain[chain.length - 2]], points[chain[chain.length - 1]], points[next]) <= 0
      ) {
        chain.pop();
      }
      chain.push(next);
    }
    return chain.slice(0, -1); // the last corner is the first of the other side
  };
  const hull = [...side(order), ...side(order.toReversed())];
  const first = hull.indexOf(Math.min(...hull));
  return [...hull.slice(first), ...hull.slice(0, first)];
}
