// Equations as MathML. Browsers draw it and screen readers read it without a library. The source is written as in TeX.

const kNs = 'http://www.w3.org/1998/Math/MathML';

/** Commands that give a symbol the colour of its matrix. */
const kColours = { q: 'query', k: 'key', v: 'value', s: 'score', w: 'weights', c: 'context' };

/** @type {Record<string, string>} */
const kBrackets = { '(': ')', '[': ']' };
const kOperators = '+−-=·×÷,;()[]|/∑∏≤≥<>→∈∂⊙≈:!';

/**
 * An equation. `\frac{a}{b}`, `\sqrt{a}`, `\text{word}`, `a_b`, `a^b`, `{group}`; `\q{Q}`, `\k`, `\v`, `\s`, `\w`, `\c`
 * colour queries, keys, values, scores, weights and contexts. Other characters are copied.
 * @param {string} source
 * @param {{block?: boolean}} [options] block: whether it gets its own line
 * @returns {Element}
 */
export function equation(source, { block = false } = {}) {
  const math = make('math', ...new Reader(source).row(''));
  if (block) math.setAttribute('display', 'block');
  math.setAttribute('alttext', plainEquation(source));
  return math;
}

/** An equation as text, for labels and code. @param {string} source */
export const plainEquation = (source) =>
  source
    .replace(/\\frac\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}\{((?:[^{}]|\{[^{}]*\})*)\}/g, '($1) / ($2)')
    .replace(/\\sqrt/g, '√')
    .replace(/\\[a-z]+/g, '')
    .replace(/[_^]\{([^{}])\}/g, '$1')
    .replace(/[{}]/g, '')
    .replace(/\s+/g, ' ')
    .trim();

/** @param {string} name @param {...(Node | string)} children */
function make(name, ...children) {
  const element = document.createElementNS(kNs, name);
  element.append(...children);
  return element;
}

/** @param {Element[]} row */
const one = (row) => (row.length === 1 ? row[0] : make('mrow', ...row));

class Reader {
  #text;
  #at = 0;

  /** @param {string} text */
  constructor(text) {
    this.#text = text;
  }

  /** Parses up to `end` and skips it. @param {string} end '': the end of the text @returns {Element[]} */
  row(end) {
    const row = [];
    while (this.#at < this.#text.length && this.#text[this.#at] !== end) {
      const atom = this.#atom();
      if (atom) row.push(this.#scripted(atom));
    }
    ++this.#at;
    return row;
  }

  /** @param {Element} base */
  #scripted(base) {
    /** @type {Record<string, Element>} */
    const scripts = {};
    while (this.#text[this.#at] === '_' || this.#text[this.#at] === '^') {
      const mark = this.#text[this.#at++];
      scripts[mark] = this.#atom() ?? make('mrow');
    }
    const { _: below, '^': above } = scripts;
    if (below && above) return make('msubsup', base, below, above);
    if (below) return make(base.textContent === '∑' ? 'munder' : 'msub', base, below);
    return above ? make('msup', base, above) : base;
  }

  /** @returns {Element | null} null for white space */
  #atom() {
    const character = String.fromCodePoint(/** @type {number} */ (this.#text.codePointAt(this.#at)));
    this.#at += character.length;
    if (character === '{') return one(this.row('}'));
    if (character === '\\') return this.#command();
    if (/\s/.test(character)) return null;
    const closing = kBrackets[character];
    // Brackets with their content.
    if (closing && this.#closes(character, closing)) {
      const row = this.row(closing);
      const brackets = [make('mo', character), make('mo', closing)];
      const isTall = row.some((each) => each.localName === 'mfrac' || each.querySelector('mfrac'));
      if (!isTall) for (const bracket of brackets) bracket.setAttribute('stretchy', 'false');
      return make('mrow', brackets[0], ...row, brackets[1]);
    }
    // Numbers, operators and letters.
    if (/\d/.test(character)) return make('mn', character + this.#while(/[\d.]/));
    const atom = make(kOperators.includes(character) ? 'mo' : 'mi', character);
    if (character === '|') {
      for (const side of ['lspace', 'rspace']) atom.setAttribute(side, '0.1em');
      atom.setAttribute('stretchy', 'false'); // opening and closing bars look the same
    }
    return atom;
  }

  /**
   * Whether a bracket is closed in the same group. Then both brackets have the height of a fraction between them, or of a
   * letter without one.
   * @param {string} opening @param {string} closing
   */
  #closes(opening, closing) {
    let brackets = 1;
    for (let at = this.#at, braces = 0; at < this.#text.length && braces >= 0; ++at) {
      const character = this.#text[at];
      braces += Number(character === '{') - Number(character === '}');
      if (braces > 0) continue;
      brackets += Number(character === opening) - Number(character === closing);
      if (brackets === 0) return true;
    }
    return false;
  }

  #command() {
    const name = this.#while(/[a-zA-Z]/);
    const group = () => {
      ++this.#at; // the opening brace
      return this.row('}');
    };
    if (name === 'frac') return make('mfrac', one(group()), one(group()));
    if (name === 'sqrt') return make('msqrt', ...group());
    if (name === 'text') {
      ++this.#at;
      const word = this.#while(/[^}]/);
      ++this.#at;
      // Spaces at the ends of a text would be dropped.
      return word.includes(' ') ? make('mtext', word.replace(/^ | $/g, '\u00a0')) : make('mi', word);
    }
    const coloured = one(group());
    coloured.setAttribute('class', `of-${/** @type {Record<string, string>} */ (kColours)[name]}`);
    return coloured;
  }

  /** @param {RegExp} allowed */
  #while(allowed) {
    const begin = this.#at;
    while (this.#at < this.#text.length && allowed.test(this.#text[this.#at])) ++this.#at;
    return this.#text.slice(begin, this.#at);
  }
}
