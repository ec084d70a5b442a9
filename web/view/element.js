// Creates elements one by one. A page that requires Trusted Types accepts no HTML from strings.

const kSvgTags = new Set(['svg', 'g']);

/**
 * @param {string} name a tag and, after a dot, its class: 'div.sheet'. SVG is hidden from screen readers
 * @param {...Element} children
 */
export function element(name, ...children) {
  const [tag, className] = name.split('.');
  const isSvg = kSvgTags.has(tag);
  const created = isSvg ? document.createElementNS('http://www.w3.org/2000/svg', tag) : document.createElement(tag);
  if (className) created.setAttribute('class', className);
  if (tag === 'svg') created.setAttribute('aria-hidden', 'true');
  created.append(...children);
  return created;
}
