// The convex hull of points in the plane.

/** @typedef {[number, number]} Point */

/** Above zero where a, b, c turn left. @param {Point} a @param {Point} b @param {Point} c */
const turn = (a, b, c) => (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);

/**
 * The corners of the hull, counter-clockwise from the one that comes first among the points (Andrew's monotone chain).
 * @param {Point[]} points different ones
 * @returns {number[]} their places
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
        turn(points[chain[chain.length - 2]], points[chain[chain.length - 1]], points[next]) <= 0
      ) {
        chain.pop();
      }
      chain.push(next);
    }
    return chain.slice(0, -1); // the other side begins with the last
  };
  const hull = [...side(order), ...side(order.toReversed())];
  const first = hull.indexOf(Math.min(...hull));
  return [...hull.slice(first), ...hull.slice(0, first)];
}
