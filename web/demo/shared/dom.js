// Makes elements by calls, because a strict Content-Security-Policy allows no inline styles and no HTML strings.

/**
 * @param {string} name a tag and, after dots, its classes: 'p.caption'
 * @param {Record<string, any>} [set] properties; attributes if the name has a dash, or if no property has this name
 * @param {...(Node | string)} children
 * @returns {any}
 */
export function make(name, set = {}, ...children) {
  const [tag, ...classes] = name.split('.');
  const element = /** @type {any} */ (document.createElement(tag));
  if (classes.length > 0) element.className = classes.join(' ');
  for (const [key, value] of Object.entries(set)) {
    if (key in element && !key.includes('-')) element[key] = value;
    else element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
}

/**
 * @param {string} name
 * @param {Record<string, string | number>} [attributes]
 * @param {...(Node | string)} children
 * @returns {SVGElement}
 */
export function svgMake(name, attributes = {}, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  element.append(...children);
  return element;
}

/**
 * A slider with its name and its value.
 * @param {string} name
 * @param {{min: number, max: number, step: number, say?: (value: number) => string}} range
 * @param {(value: number) => void} changed
 * @returns {{node: HTMLElement, set: (value: number) => void}}
 */
export function slider(name, { min, max, step, say = String }, changed) {
  const input = make('input', { type: 'range', min, max, step, name });
  const output = make('output');
  const show = () => {
    output.textContent = say(Number(input.value));
    input.setAttribute('aria-valuetext', output.textContent);
  };
  input.addEventListener('input', () => {
    show();
    changed(Number(input.value));
  });
  const node = make('label.slider', {}, make('span', {}, name), input, output);
  const set = (/** @type {number} */ value) => {
    if (Number(input.value) !== value) input.value = String(value);
    show();
  };
  return { node, set };
}

/**
 * Lets Tab focus an element while its content is wider than it is, so that keys can scroll it.
 * @param {HTMLElement} node
 * @param {string} name
 */
export function scrollable(node, name) {
  node.setAttribute('role', 'group');
  node.setAttribute('aria-label', name);
  const measure = () => {
    if (node.scrollWidth > node.clientWidth) node.tabIndex = 0;
    else node.removeAttribute('tabindex');
  };
  const observer = new ResizeObserver(measure);
  observer.observe(node);
  const watch = () => [...node.children].forEach((child) => observer.observe(child));
  new MutationObserver(() => {
    watch();
    measure();
  }).observe(node, { childList: true });
  watch();
  return node;
}

let groups = 0;

/**
 * A group of choices, one of which is selected.
 * @param {string} name
 * @param {[string, string][]} choices value and label
 * @param {(value: string) => void} changed
 * @returns {{node: HTMLElement, set: (value: string) => void}}
 */
export function segmented(name, choices, changed) {
  const group = `choice-${++groups}`;
  const radios = choices.map(([value, label]) => {
    const input = make('input', { type: 'radio', name: group, value });
    input.addEventListener('change', () => changed(value));
    return { input, label: make('label', {}, input, make('span', {}, label)) };
  });
  const node = make('fieldset.segmented', {}, make('legend.qkv-hidden', {}, name), ...radios.map(({ label }) => label));
  node.dataset.name = name;
  const set = (/** @type {string} */ value) => {
    for (const { input } of radios) input.checked = input.value === value;
  };
  return { node, set };
}

/** @param {string} name @param {(on: boolean) => void} changed */
export function checkbox(name, changed) {
  const input = make('input', { type: 'checkbox', name });
  input.addEventListener('change', () => changed(input.checked));
  const set = (/** @type {boolean} */ on) => (input.checked = on);
  return { node: make('label.switch', {}, input, make('span', {}, name)), set };
}

/** @param {string} label @param {() => void} pressed */
export function button(label, pressed) {
  const made = make('button', { type: 'button' }, label);
  made.addEventListener('click', pressed);
  return made;
}
