// Two panes of running text that scroll together, and each of which shows the current sentence.

const kMargin = 4; // pixels around a sentence that came into view

/**
 * @param {HTMLElement} source
 * @param {HTMLElement} mirror that lies under the source and has its marks
 * @param {HTMLElement} target
 * @returns {(sides: {source: Range, target: Element}) => void} scrolls both panes as far as the sentence's ends need
 */
export function scrollTogether(source, mirror, target) {
  /** The panes that a script scrolled: their scroll events are not the reader's. @type {Set<HTMLElement>} */
  const scrolled = new Set();
  const scroll = (/** @type {HTMLElement} */ pane, /** @type {number} */ top) => {
    const before = pane.scrollTop;
    pane.scrollTop = top;
    if (pane.scrollTop !== before) scrolled.add(pane);
    mirror.scrollTop = source.scrollTop;
  };
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
