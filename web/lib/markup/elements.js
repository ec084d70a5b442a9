// What an element means for translation: whether it separates texts, whether its text stays, which attributes are texts.

/** @param {string} names */
const setOf = (names) => new Set(names.split(' '));

/** Elements whose text is not in a language, or is not shown. Nothing inside them is changed. */
const kUntouched = setOf(
  'code pre script style kbd samp math svg template noscript textarea canvas audio video object embed iframe frame ' +
    'noembed noframes plaintext xmp rp rt meta link base',
);
/** Those of the elements above that count as words of the sentence around them. */
const kSpoken = setOf('code kbd samp math');
/** Elements that are part of a sentence. */
const kInline = setOf(
  'a abbr acronym b bdi bdo big blink cite data del dfn em font i ins label mark nobr output q ruby s small span strike ' +
    'strong sub sup time tt u var',
);
/** Elements in a sentence that are not words of it. Their content is a separate text. */
const kObjects = setOf('area button datalist img input map meter picture progress select wbr');
/** Those of the elements above that separate texts. */
const kUntouchedBlocks = setOf('pre xmp plaintext frame');

const kAttributes = ['alt', 'title', 'placeholder', 'aria-label'];

/**
 * `inline`: part of the sentence around it. `break`: it ends a line. `kept`: a word of the sentence that stays as it is.
 * `object`: it has a place in the sentence, but no words. `block`: it separates texts.
 * @typedef {'inline' | 'break' | 'kept' | 'object' | 'block'} Kind
 */

/**
 * The role of an element in the text around it.
 * @param {Element} element
 * @param {(element: Element) => string} [displayOf] its `display`, if there is a page with styles
 * @returns {Kind}
 */
export function kindOf(element, displayOf) {
  const name = element.localName;
  if (name === 'br') return 'break';
  if (kUntouchedBlocks.has(name)) return 'block';
  if (kSpoken.has(name)) return displayOf?.(element) === 'block' ? 'block' : 'kept';
  if (kUntouched.has(name) || kObjects.has(name)) return 'object';
  if (!kInline.has(name) && !name.includes('-')) return 'block';
  const display = displayOf?.(element);
  if (!kInline.has(name) && display !== 'inline') return 'block';
  if (display === 'inline-block' || display?.startsWith('inline-')) return 'object';
  if (display && display !== 'inline' && display !== 'contents' && display !== 'none' && !display.startsWith('ruby')) {
    return 'block';
  }
  return forbidsTranslation(element) ? 'kept' : 'inline';
}

/**
 * Whether nothing inside an element is changed, even if its attributes request a translation.
 * @param {Element} element
 */
export const isUntouched = (element) => kUntouched.has(element.localName);

/**
 * Whether an element forbids the translation of its text: by an attribute, by a class, or because a person edits it.
 * @param {Element} element
 */
export function forbidsTranslation(element) {
  const translate = element.getAttribute('translate');
  if (translate !== null) return translate.trim().toLowerCase() === 'no';
  const classes = element.getAttribute('class');
  if (classes && /(^|\s)(notranslate|skiptranslate)(\s|$)/.test(classes)) return true;
  const editable = element.getAttribute('contenteditable');
  return editable !== null && editable.trim().toLowerCase() !== 'false';
}

/**
 * Whether an element requests the translation of its text, although an element around it forbids it.
 * @param {Element} element
 */
export const requestsTranslation = (element) => /^(yes)?$/i.test(element.getAttribute('translate')?.trim() ?? 'no');

/**
 * Whether a node is inside an element that forbids translation. The element may be outside of the node's shadow root.
 * @param {Node} node
 * @returns {boolean}
 */
export function isInsideForbidden(node) {
  for (let at = /** @type {any} */ (node); at; at = at.parentNode ?? at.host) {
    if (at.nodeType !== 1) continue;
    if (requestsTranslation(at)) return false;
    if (forbidsTranslation(at) || isUntouched(at)) return true;
  }
  return false;
}

/**
 * The attributes of an element whose text a person reads.
 * @param {Element} element
 * @returns {string[]}
 */
export function attributesOf(element) {
  const names = kAttributes.filter((name) => /\p{L}/u.test(element.getAttribute(name) ?? ''));
  const { localName } = element;
  if (localName === 'optgroup' || localName === 'track') names.push('label');
  const isButton = localName === 'input' && /^(button|submit|reset)$/i.test(element.getAttribute('type') ?? '');
  if (isButton) names.push('value');
  return names.filter((name) => /\p{L}/u.test(element.getAttribute(name) ?? ''));
}
