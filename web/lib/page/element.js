// <qkv-translate to="fr">: a button that translates the page, and restores it. It has a menu of languages and shows progress.
import { translatePage } from './page.js';
import { styleSheet } from './style.js';

/** The element's texts in English. The property `labels` replaces them. `{language}` is replaced by a language's name. */
const kLabels = {
  name: 'Translation',
  translate: 'Translate into {language}',
  original: 'Show the original',
  both: 'Original and translation',
  menu: 'Languages',
  loading: 'Loading the translation into {language}',
  working: 'Translating into {language}',
  done: 'The page is in {language}',
  back: 'The page is as it was',
  failed: 'The page could not be translated: {message}',
};
/** @typedef {typeof kLabels} Labels */

/** The base class. Node, which has no HTMLElement, can import the module too. */
const Base = /** @type {typeof HTMLElement} */ (globalThis.HTMLElement ?? class {});

/**
 * Attributes: `to`, a language; `languages`, those of the menu, separated by spaces; `from`, the page's language; `base-url`,
 * the folder with the files of qkv and of models; `bilingual`. Properties: `options`, further options of `translatePage`;
 * `labels`; `page`, the translation that is shown. Events: 'qkv-translated', 'qkv-restored', and 'qkv-failed' with the
 * error as its `detail`.
 */
export class TranslateElement extends Base {
  static observedAttributes = ['to', 'languages', 'bilingual'];
  /** @type {Partial<import('./page.js').PageOptions>} */
  options = {};
  /** The translation that is shown. @type {import('./translate-page.js').PageTranslation | null} */
  page = null;
  #labels = kLabels;
  /** @type {AbortController | null} */
  #starting = null;
  /** @type {Record<string, any>} */
  #parts = {};

  connectedCallback() {
    if (!this.shadowRoot) this.#build();
    this.classList.add('notranslate');
    if (!this.hasAttribute('role')) this.setAttribute('role', 'region');
    if (!this.hasAttribute('aria-label')) this.setAttribute('aria-label', this.#labels.name);
    this.#show();
  }

  disconnectedCallback() {
    this.#open(false);
  }

  attributeChangedCallback() {
    if (this.shadowRoot) this.#show();
  }

  /** The texts. @param {Partial<Labels>} labels */
  set labels(labels) {
    this.#labels = { ...kLabels, ...labels };
    if (this.shadowRoot) this.#show();
  }

  get labels() {
    return this.#labels;
  }

  get #to() {
    return this.getAttribute('to') || this.#languages[0] || 'fr';
  }

  get #languages() {
    return (this.getAttribute('languages') ?? this.getAttribute('to') ?? '').split(/\s+/).filter(Boolean);
  }

  /**
   * Translates the page.
   * @param {string} [to]
   * @returns {Promise<void>} resolves when the texts in view are translated, or when it has failed
   */
  async start(to = this.#to) {
    // An earlier translation is undone first.
    this.restore();
    if (to !== this.getAttribute('to')) this.setAttribute('to', to);
    const starting = new AbortController();
    this.#starting = starting;
    this.#say('loading');
    try {
      // `options` overrides the attributes.
      const from = this.getAttribute('from') ?? undefined;
      const baseUrl = this.getAttribute('base-url') ?? undefined;
      const given = { ...(from && { from }), ...(baseUrl && { baseUrl }) };
      const bilingual = this.hasAttribute('bilingual');
      const page = await translatePage({
        ...given,
        bilingual,
        monitor: (monitor) => monitor.addEventListener('downloadprogress', (event) => this.#advance(event.loaded)),
        ...this.options,
        to,
        signal: starting.signal,
      });
      // A click may have stopped it, or started it again, while it loaded.
      if (starting.signal.aborted) return page.undo();
      this.page = page;
      page.addEventListener('progress', () =>
        this.#advance(page.progress.translated / Math.max(page.progress.found, 1)),
      );
      this.#say('working');
      await page.settled();
      if (this.page !== page) return;
      this.#say('done');
      this.dispatchEvent(new CustomEvent('qkv-translated', { bubbles: true, detail: page }));
    } catch (error) {
      if (starting.signal.aborted) return;
      this.restore();
      this.#parts.error.textContent = this.#text('failed', String(/** @type {Error} */ (error)?.message ?? error));
      this.dispatchEvent(new CustomEvent('qkv-failed', { bubbles: true, detail: error }));
    }
  }

  /** Undoes the translation. */
  restore() {
    this.#starting?.abort();
    this.#starting = null;
    this.#parts.error.textContent = '';
    if (this.page) {
      this.page.undo();
      this.page = null;
      this.#say('back');
      this.dispatchEvent(new CustomEvent('qkv-restored', { bubbles: true }));
    }
    this.#show();
  }

  #build() {
    // The elements.
    const root = this.attachShadow({ mode: 'open' });
    root.adoptedStyleSheets = [styleSheet()];
    const make = (
      /** @type {string} */ name,
      /** @type {Record<string, string>} */ attributes = {},
      /** @type {Node[]} */ inside = [],
    ) => {
      const element = document.createElement(name);
      for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
      element.append(...inside);
      return element;
    };
    const main = make('button', { type: 'button', part: 'button' });
    const more = make('button', {
      type: 'button',
      'aria-haspopup': 'menu',
      'aria-expanded': 'false',
      'aria-controls': 'menu',
    });
    more.textContent = '▾';
    const menu = make('div', { role: 'menu', id: 'menu', hidden: '' });
    const progress = make('progress', { max: '1', hidden: '' });
    const status = make('span', { role: 'status' });
    const error = make('div', { class: 'error', role: 'alert' });
    root.append(make('div', { class: 'bar' }, [main, more]), progress, error, menu, status);
    this.#parts = { main, more, menu, progress, status, error, make };
    // The events.
    main.addEventListener('click', () => (this.#isOn ? this.restore() : void this.start()));
    more.addEventListener('click', () => this.#open(menu.hasAttribute('hidden')));
    root.addEventListener('keydown', (event) => this.#key(/** @type {KeyboardEvent} */ (event)));
    this.addEventListener('focusout', (event) => {
      if (!(event.relatedTarget instanceof Node && this.contains(event.relatedTarget))) this.#open(false, false);
    });
  }

  get #isOn() {
    return this.#starting !== null;
  }

  /** @param {keyof Labels} label @param {string} [message] */
  #text(label, message = '') {
    return this.#labels[label].replace('{language}', nameOf(this.#to)).replace('{message}', message);
  }

  /** @param {'loading' | 'working' | 'done' | 'back'} state */
  #say(state) {
    this.#parts.status.textContent = this.#text(state);
    const isBusy = state === 'loading' || state === 'working';
    this.#parts.progress.toggleAttribute('hidden', !isBusy);
    this.#parts.progress.setAttribute('aria-label', this.#text(state));
    if (state === 'loading') this.#parts.progress.removeAttribute('value');
    this.#show();
  }

  /** @param {number} share */
  #advance(share) {
    this.#parts.progress.value = share;
  }

  #show() {
    // The two buttons.
    const { main, more, menu, make } = this.#parts;
    main.textContent = this.#text(this.#isOn ? 'original' : 'translate');
    main.setAttribute('aria-pressed', String(this.#isOn));
    more.setAttribute('aria-label', this.#labels.menu);
    menu.setAttribute('aria-label', this.#labels.menu);
    const item = (
      /** @type {string} */ text,
      /** @type {string} */ role,
      /** @type {boolean} */ isChecked,
      /** @type {() => void} */ act,
    ) => {
      const button = make('button', { type: 'button', role, tabindex: '-1', 'aria-checked': String(isChecked) });
      button.textContent = text;
      button.addEventListener('click', () => {
        this.#open(false);
        act();
      });
      return button;
    };
    // The menu: the languages, and the choice to show both languages.
    const languages = this.#languages.map((to) => {
      const button = item(nameOf(to), 'menuitemradio', this.#isOn && to === this.#to, () => void this.start(to));
      button.lang = to;
      return button;
    });
    const isBoth = this.hasAttribute('bilingual');
    const both = item(this.#labels.both, 'menuitemcheckbox', isBoth, () => {
      this.toggleAttribute('bilingual', !isBoth);
      if (this.#isOn) void this.start();
    });
    menu.replaceChildren(...languages, make('hr'), both);
  }

  /** @param {boolean} isOpen @param {boolean} [isFocused] whether the focus moves too */
  #open(isOpen, isFocused = true) {
    const { menu, more } = this.#parts;
    if (!menu || menu.hasAttribute('hidden') === !isOpen) return;
    menu.toggleAttribute('hidden', !isOpen);
    more.setAttribute('aria-expanded', String(isOpen));
    if (isOpen) (menu.querySelector('[aria-checked=true]') ?? menu.querySelector('button'))?.focus();
    else if (isFocused) more.focus();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const { menu, more } = this.#parts;
    if (menu.hasAttribute('hidden')) {
      if (event.key !== 'ArrowDown' || event.target !== more) return;
      event.preventDefault();
      return this.#open(true);
    }
    const items = [...menu.querySelectorAll('button')];
    const at = items.indexOf(this.shadowRoot?.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1 + items.length, Home: 0, End: items.length - 1 }[event.key];
    if (event.key === 'Escape') this.#open(false);
    else if (event.key === 'Tab') this.#open(false, false);
    else if (to !== undefined) items[to % items.length].focus();
    if (event.key === 'Escape' || to !== undefined) event.preventDefault();
  }
}

/** A language's name in that language, because its speakers look for that name. @param {string} tag */
function nameOf(tag) {
  try {
    return new Intl.DisplayNames([tag], { type: 'language' }).of(tag) ?? tag;
  } catch {
    return tag;
  }
}

/**
 * Defines <qkv-translate>, unless it is defined already.
 * @param {string} [name]
 */
export function defineTranslate(name = 'qkv-translate') {
  if (!customElements.get(name)) customElements.define(name, class extends TranslateElement {});
}
