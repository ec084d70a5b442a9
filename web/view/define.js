// Shared by the elements of this folder, so that a server that renders a page can import them.

/** HTMLElement; without a document, an empty class. */
export const BaseElement = /** @type {typeof HTMLElement} */ (globalThis.HTMLElement ?? class {});

/**
 * Defines an element. The first copy of this package on a page defines it; a second copy leaves the name as it is. On a server
 * nothing is defined.
 * @param {string} name
 * @param {CustomElementConstructor} constructor
 */
export function define(name, constructor) {
  const registry = /** @type {CustomElementRegistry | undefined} */ (globalThis.customElements);
  if (registry && !registry.get(name)) registry.define(name, constructor);
}
