// Lets a server import the elements of this folder to render a page, although it has no HTMLElement.

/** HTMLElement; without a document, an empty class. */
export const BaseElement = /** @type {typeof HTMLElement} */ (globalThis.HTMLElement ?? class {});

/**
 * Defines an element, unless another copy of this package on the page has defined it. On a server nothing is defined.
 * @param {string} name
 * @param {CustomElementConstructor} constructor
 */
export function define(name, constructor) {
  const registry = /** @type {CustomElementRegistry | undefined} */ (globalThis.customElements);
  if (registry && !registry.get(name)) registry.define(name, constructor);
}
