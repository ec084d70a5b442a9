// Places of texts in a page: the element that shows whether a text is in view, changes of a text since it was read, shadow
// roots and frames.

/** @typedef {import('../markup/blocks.js').Block} Block */
/** @typedef {import('../markup/blocks.js').Attribute} Attribute */

/**
 * The element that shows whether a text is in view: the nearest element around it that has a box. Without one it is the
 * root element of the document, which counts as in view.
 * @param {Node} node
 * @param {Element} root
 * @returns {Element}
 */
export function anchorOf(node, root) {
  const page = /** @type {Document} */ (root.ownerDocument);
  let at = /** @type {Node | null} */ (node);
  while (at && !hasBox(at)) at = at.parentNode ?? /** @type {ShadowRoot} */ (at).host ?? null;
  return /** @type {Element | null} */ (at) ?? page.documentElement;
}

/** @param {Node} node */
function hasBox(node) {
  if (node.nodeType !== 1) return false;
  const { localName } = /** @type {Element} */ (node);
  if (/^(option|optgroup|title|head|area|map|track|source|slot)$/.test(localName)) return false;
  return getComputedStyle(/** @type {Element} */ (node)).display !== 'contents';
}

/**
 * Whether a text has not changed since it was read.
 * @param {Block | Attribute} text
 */
export function isCurrent(text) {
  if (!('items' in text)) return text.element.isConnected && text.element.getAttribute(text.name) === text.text;
  const { parent, first, last, items, texts } = text;
  const around = (/** @type {number} */ index) => (index < 0 ? parent : items[index].node);
  return (
    first.isConnected &&
    first.parentNode === parent &&
    last.parentNode === parent &&
    texts.every(({ node, data, parent: index }) => node.data === data && node.parentNode === around(index)) &&
    items.every(({ node, parent: index }) => !node || node.parentNode === around(index))
  );
}

/**
 * The shadow roots in a tree, and the documents of its frames of the same origin. `onload`: calls its
 * argument with each document that the frame loads later.
 * @param {Node} root
 * @param {() => Promise<void>} pace
 * @returns {AsyncGenerator<{root: Node | null, onload?: (load: (root: Node) => void) => void}, void>}
 */
export async function* innerRoots(root, pace) {
  const walker = /** @type {Document} */ (root.ownerDocument ?? root).createTreeWalker(root, 1);
  for (let node = /** @type {Node | null} */ (root); node; node = walker.nextNode()) {
    const element = /** @type {HTMLElement} */ (node);
    if (element.shadowRoot) yield { root: element.shadowRoot };
    if (element.localName === 'iframe') {
      const frame = /** @type {HTMLIFrameElement} */ (element);
      const inside = () => frame.contentDocument?.documentElement ?? null;
      yield {
        root: inside(),
        onload: (load) =>
          frame.addEventListener('load', () => {
            const later = inside();
            if (later) load(later);
          }),
      };
    }
    await pace();
  }
}

const kRightToLeft = /^(ar|he|fa|ur|yi|ps|sd|dv|ug)\b/;

/**
 * Sets the page's `lang` to the language of the translation, if the whole page is translated.
 * @param {Element} root
 * @param {string} language
 * @returns {() => void} restores the former value
 */
export function markLanguage(root, language) {
  const page = root.ownerDocument;
  const html = page.documentElement;
  if (root !== html && root !== page.body) return () => {};
  const was = ['lang', 'dir'].map((name) => ({ name, value: html.getAttribute(name) }));
  html.setAttribute('lang', language);
  if (kRightToLeft.test(language)) html.setAttribute('dir', 'rtl');
  return () => {
    for (const { name, value } of was) {
      if (value === null) html.removeAttribute(name);
      else html.setAttribute(name, value);
    }
  };
}

/**
 * The nearest element around a node whose texts have been read, or the node itself.
 * @param {Node} node
 * @param {WeakSet<Node>} read
 */
export function containerOf(node, read) {
  let at = node;
  while (!read.has(at) && at.parentNode) at = at.parentNode;
  return at;
}
