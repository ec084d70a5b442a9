// Two panes of running text that scroll together. Each can be scrolled to the current sentence.

const kMargin = 4; // pixels around a sentence that is scrolled into view

/**
 * @param {HTMLElement} source
 * @param {HTMLElement} mirror the element under the source that has the marks
 * @param {HTMLElement} target
 * @returns {(sides: {source: Range, target: Element}) => void} scrolls both panes until the sentence is in view
 */
export function scrollTogether(source, mirror, target) {
  /** The panes that this script scrolled: their next scroll event is ignored. @type {Set<HTMLElement>} */
  const scrolled = new Set();
  const scroll = (/** @type {HTMLElement} */ pane, /** @type {number} */ top) => {
    const before = pane.scrollTop;
    pane.scrollTop = top;
    if (pane.scrollTop !== before) scrolled.add(pane);
    mirror.scrollTop = source.scrollTop;
  };
  // When one pane scrolls, the other scrolls by the same share.
  const room = (/** @type {HTMLElement} */ pane) => pane.scrollHeight - pane.clientHeight;
  const follow = (/** @type {HTMLElement} */ pane, /** @type {HTMLElement} */ other) => {
    mirror.scrollTop = source.scrollTop;
    if (scrolled.delete(pane) || room(pane) <= 0) return;
    scroll(other, (pane.scrollTop / room(pane)) * room(other));
  };
  source.addEventListener('scroll', () => follow(source, target));
  target.addEventListener('scroll', () => follow(target, source));

  /** @param {HTMLElement} pane @param {DOMRect} box */
  const reveal = (pane, box) => {
    const { top, bottom } = pane.getBoundingClientRect();
    if (box.top < top) scroll(pane, pane.scrollTop - (top - box.top) - kMargin);
    else if (box.bottom > bottom) scroll(pane, pane.scrollTop + Math.min(box.bottom - bottom, box.top - top) + kMargin);
  };
  return (sides) => {
    reveal(source, sides.source.getBoundingClientRect());
    reveal(target, sides.target.getBoundingClientRect());
  };
}
