// Shared by the tests of markup: a fast translator, which can do what no model does, and random fragments.

/** A generator of numbers from 0 to 1 (mulberry32). */
export function chance(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * A translator that writes each word in capitals and in another order, with an alignment. Kept words do not change.
 * @param {(words: {text: string}[], random: () => number) => {text: string}[]} [order]
 */
export function capitals(order = shuffled, { seed = 1, noise = 0 } = {}) {
  const random = chance(seed);
  const translate = ({ text, sentence, kept = [] }) => {
    if (!sentence) return { text, sentence, translation: text };
    const words = wordsOf(text, kept);
    const written = order(words, random);
    let translation = '';
    const begin = [];
    const end = [];
    for (const { text: word, isKept } of written) {
      if (translation) translation += ' ';
      begin.push(translation.length);
      translation += isKept ? word : word.toUpperCase();
      end.push(translation.length);
    }
    const weight = (word, other) => (word === other ? 1 : 0) + noise * random();
    const data = Float32Array.from(written.flatMap((word) => words.map((other) => weight(word, other))));
    const copied = written.flatMap(({ isKept, from, to }, i) => (isKept ? [from, to, begin[i], end[i]] : []));
    return {
      text,
      sentence,
      translation,
      alignment: {
        shape: [written.length, words.length],
        data,
        source: { begin: Int32Array.from(words, ({ from }) => from), end: Int32Array.from(words, ({ to }) => to) },
        target: { begin: Int32Array.from(begin), end: Int32Array.from(end) },
        copied: Int32Array.from(copied),
      },
    };
  };
  return {
    sourceLanguage: 'en',
    targetLanguage: 'fr',
    info: { maxLength: 512, copy: 'attention' },
    translateAligned: async (parts, { signal } = {}) => {
      signal?.throwIfAborted();
      return parts.map(translate);
    },
  };
}

/** The words of a sentence. A kept text is one word. */
function wordsOf(text, kept) {
  const words = [];
  const add = (from, to) => {
    for (const { 0: word, index } of text.slice(from, to).matchAll(/\S+/g)) {
      words.push({ text: word, from: from + index, to: from + index + word.length });
    }
  };
  let from = 0;
  for (const [begin, end] of kept) {
    add(from, begin);
    words.push({ text: text.slice(begin, end), from: begin, to: end, isKept: true });
    from = end;
  }
  add(from, text.length);
  return words;
}

export const inOrder = (words) => words;
export const backwards = (words) => words.toReversed();
export function shuffled(words, random) {
  const list = [...words];
  for (let i = list.length; i-- > 1;) {
    const j = Math.floor(random() * (i + 1));
    [list[i], list[j]] = [list[j], list[i]];
  }
  return list;
}

const kWords =
  'the red cat sat. on my mat! where is "it"? a dog, and (one) bird; naïve über עִבְרִית 漢字 2024 x-y it\'s &amp; &lt;b&gt; &nbsp;'.split(
    ' ',
  );
/** Words that a model can translate. */
export const sentences = [
  'My brother lives in a big white house.',
  'She bought a new car yesterday.',
  'The red car is',
  'very expensive.',
  'I love you!',
  'Do you know',
  'the old man',
  'with two dogs',
  'and',
  'it costs $1,234.56',
  'https://example.org/a?b=1',
  'before the next train',
  '\u{1F600}',
  'Thank you',
  'NOW',
];

const kInline = ['a', 'b', 'i', 'em', 'strong', 'span', 'sub', 'u', 'mark', 'small', 'q'];
const kBlocks = ['p', 'div', 'li', 'h2', 'section', 'td', 'blockquote'];
const kWhole = [
  '<br>',
  '<img src="a.png" alt="A cat">',
  '<code>let x = 1;</code>',
  '<!-- a note -->',
  '<wbr>',
  '<span></span>',
  '<i> </i>',
  '<kbd>Ctrl</kbd>',
  '<span translate="no">Acme Cloud</span>',
  '<b class="notranslate">PRJ</b>',
  '<svg><title>t</title><path d="M0 0"/></svg>',
  '<script>if (a < b) "</p>";</script>',
  '<style>p { color: red }</style>',
  '<sup>[1]</sup>',
  '<input placeholder="Your name">',
  '<button title="Go on">Save it</button>',
  '<select><option>One</option><option value="2">Two cats</option></select>',
  '\u200F',
  '<math><mi>x</mi></math>',
];

/**
 * A fragment of HTML. `careless`: with tags that are not closed or in the wrong order.
 * @param {() => number} random
 * @param {{careless?: boolean, words?: string[], depth?: number}} [options]
 */
export function fragment(random, { careless = false, words = kWords, depth: most = 1 } = {}) {
  let id = 0;
  const pick = (list) => list[Math.floor(random() * list.length)];
  const tag = (name) => `<${name} id="${name}${id++}"${random() < 0.2 ? ' title="An old house"' : ''}>`;
  const close = (name) => (careless && random() < 0.15 ? (random() < 0.5 ? '' : `</${pick(kInline)}>`) : `</${name}>`);
  const inline = (depth) => {
    let html = '';
    for (let i = 1 + Math.floor(random() * 5); i > 0; i--) {
      const what = random();
      const space = random() < 0.8 ? pick([' ', ' ', ' ', '\n  ']) : '';
      if (what < 0.55) html += pick(words) + space;
      else if (what < 0.68) html += pick(kWhole) + space;
      else if (depth > 0) {
        const name = pick(kInline);
        html += tag(name) + inline(depth - 1) + close(name) + space;
      }
    }
    return html;
  };
  const block = (depth) => {
    let html = '';
    for (let i = 1 + Math.floor(random() * 3); i > 0; i--) {
      const what = random();
      if (depth === 0 || what < 0.5) html += inline(2);
      else {
        const name = pick(kBlocks);
        html += tag(name) + block(depth - 1) + close(name) + pick(['', '\n']);
      }
    }
    return html;
  };
  return block(most);
}

/**
 * What a translation must not change in a tree: elements with attributes and parents, all nodes that are not text, and the
 * letters of the text.
 */
export function skeleton(root, { TreeElement, TreeText }) {
  const tag = ({ source }) => source.replace(/ (?:title|alt|placeholder|value)="[^"]*"/g, '');
  const elements = [];
  const others = [];
  let letters = '';
  let node = root.firstChild;
  while (node) {
    if (node instanceof TreeElement) elements.push(`${tag(node)} in ${tag(node.parentNode)}`);
    else if (node instanceof TreeText) letters += node.data;
    else others.push(node.source);
    let at = node;
    if (!node.firstChild) while (at && at !== root && !at.nextSibling) at = at.parentNode;
    node = node.firstChild ?? (at && at !== root ? at.nextSibling : null);
  }
  const sorted = [...letters.replace(/\s+/g, '').toUpperCase()].sort().join('');
  return { elements: elements.sort(), others: others.sort(), letters: sorted };
}
