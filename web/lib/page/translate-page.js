// Translates a page in place: first the texts in view, the others when they are scrolled into view. Texts that
// the page changes are translated again.
import { textsIn } from '../markup/blocks.js';
import { isInsideForbidden } from '../markup/elements.js';
import { partsOf } from '../markup/translate.js';
import { pacer } from '../base/runtime.js';
import { AttributeChange, BilingualChange, BlockChange, keepingSelection } from './change.js';
import { anchorOf, containerOf, innerRoots, isCurrent, markLanguage } from './places.js';

/** @typedef {import('../markup/blocks.js').Block} Block */
/** @typedef {import('../markup/blocks.js').Attribute} Attribute */
/** @typedef {import('../engine/engine.js').AlignedPart} AlignedPart */
/** @typedef {BlockChange | AttributeChange | BilingualChange} Change */
/** @typedef {import('../markup/translate.js').Aligning} Aligning */

/** UTF-16 units that are translated in one call. A small number makes texts in view appear soon. */
const kAtOnce = 1200;
/** Texts are also translated so far above and below the window, in heights of the window. */
const kAhead = 1;
/** The most milliseconds of writing texts into the page without a pause. */
const kSlice = 8;
const kMostCached = 2000;
const kAttributes = ['alt', 'title', 'placeholder', 'aria-label'];

/** The translations of pages that have not been undone. @type {Set<PageTranslation>} */
const active = new Set();

/** @typedef {{translated: number, found: number}} Progress numbers of texts and attributes */

/**
 * A page, or a part of it, that is being translated. It has 'progress' events, whose `detail` is a Progress.
 */
export class PageTranslation extends EventTarget {
  /** The translator of the sentences. @readonly */
  translator;
  /** @readonly */
  root;
  #options;
  #life = new AbortController();
  /**
   * Texts that are not translated yet, by the element that shows whether they are in view.
   * @type {Map<Element, Set<Block | Attribute>>}
   */
  #waiting = new Map();
  /** Elements in view or near the view, and whether they are in view. @type {Map<Element, boolean>} */
  #near = new Map();
  /** Elements for which the observer has not yet reported whether they are in view. @type {Set<Element>} */
  #unseen = new Set();
  /** @type {Set<Change>} */
  #changes = new Set();
  /** The change that set each node. @type {WeakMap<Node, Change>} */
  #changeOf = new WeakMap();
  /** The changes that set children of each element. @type {WeakMap<Node, Set<Change>>} */
  #changesIn = new WeakMap();
  /** @type {WeakMap<Element, Map<string, AttributeChange>>} */
  #attributesOf = new WeakMap();
  /** The waiting text that begins with each node. @type {WeakMap<Node, {text: Block, list: Set<Block | Attribute>}>} */
  #waitingFor = new WeakMap();
  /** Elements whose texts were read. @type {WeakSet<Node>} */
  #read = new WeakSet();
  /** @type {Map<string, AlignedPart[]>} */
  #cache = new Map();
  /** @type {Set<Node>} */
  #roots = new Set();
  /** The number of tasks that are running. */
  #busy = 0;
  #isTranslating = false;
  /** @type {(() => void)[]} */
  #settling = [];
  #translated = 0;
  #found = 0;
  /** @type {() => void} */
  #unmark = () => {};
  #seeing;
  #mutations;

  /**
   * @param {Aligning & {targetLanguage: string}} translator
   * @param {Element} root
   * @param {{observe: boolean, attributes: boolean, bilingual: boolean}} options
   */
  constructor(translator, root, options) {
    super();
    this.translator = translator;
    this.root = root;
    this.#options = options;
    for (const other of [...active]) {
      if (other.root === root || other.root.contains(root) || root.contains(other.root)) other.undo();
    }
    active.add(this);
    const margin = `${100 * kAhead}% 0%`;
    this.#seeing = new IntersectionObserver((entries) => this.#seen(entries), { rootMargin: margin });
    this.#mutations = new MutationObserver((records) => this.#changed(records));
    if (!options.bilingual) this.#unmark = markLanguage(root, translator.targetLanguage);
    void this.#add(root);
  }

  /** How many texts were found so far, and how many of them are translated. @returns {Progress} */
  get progress() {
    return { translated: this.#translated, found: this.#found };
  }

  /**
   * Resolves when everything that is in view is translated. Rejects with the error of the translation.
   * @returns {Promise<void>}
   */
  async settled() {
    // Changes of the page are reported in a later task. Some frames later the observer reports whether they are in view.
    // So two frames in a row without work are needed.
    const frame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    for (let idleFrames = 0; idleFrames < 2 && !this.#life.signal.aborted;) {
      await frame();
      if (this.#busy > 0) await new Promise((resolve) => this.#settling.push(() => resolve(undefined)));
      const isUnseen = [...this.#unseen].some((element) => element.isConnected);
      idleFrames = this.#busy > 0 || isUnseen ? 0 : idleFrames + 1;
    }
    if (this.#failure) throw this.#failure;
  }

  /** @type {unknown} */
  #failure;

  /** Ends the translation. Translated texts stay. */
  stop() {
    this.#life.abort();
    this.#seeing.disconnect();
    this.#mutations.disconnect();
    this.#settle();
  }

  /** Ends the translation and puts the former texts back, except where the page has changed them since. */
  undo() {
    this.stop();
    active.delete(this);
    keepingSelection(this.root, () => {
      for (const change of [...this.#changes].toReversed()) this.#undoChange(change);
    });
    this.#unmark();
    this.#unmark = () => {};
  }

  /** Reads a root's texts, and those of the shadow roots and frames in it. @param {Node} root */
  async #add(root) {
    if (this.#roots.has(root)) return;
    this.#roots.add(root);
    if (this.#options.observe) {
      const what = { subtree: true, childList: true, characterData: true };
      this.#mutations.observe(root, this.#options.attributes ? { ...what, attributeFilter: kAttributes } : what);
    }
    await this.#readTexts(root);
    await this.#addInner(root);
  }

  /** @param {Node} root */
  async #addInner(root) {
    await this.#work(async () => {
      for await (const { root: inner, onload } of innerRoots(root, pacer())) {
        if (this.#life.signal.aborted) return;
        onload?.((later) => void (this.#life.signal.aborted || this.#add(later)));
        if (inner) await this.#add(inner);
      }
    });
  }

  /** Reads the texts in a node that have not been read yet. @param {Node} root */
  async #readTexts(root) {
    await this.#work(async () => {
      // Elements that have been read are not read again.
      const pace = pacer();
      const { sourceLanguage, info } = this.translator;
      const opens = (/** @type {Node} */ node) => {
        if (node !== root && this.#read.has(node)) return false;
        this.#read.add(node);
        return true;
      };
      const reading = {
        language: sourceLanguage.split('-')[0].toLowerCase(),
        keeps: info.copy !== 'none',
        attributes: this.#options.attributes,
        displayOf: (/** @type {Element} */ element) => getComputedStyle(element).display,
        translate: !isInsideForbidden(root.parentNode ?? /** @type {ShadowRoot} */ (root).host),
        opens,
      };
      // All texts wait until they are near the view.
      for (const text of textsIn(root, reading)) {
        this.#addWaiting(text);
        await pace();
        if (this.#life.signal.aborted) return;
      }
    });
  }

  /** Adds a text to those that wait until they are near the view, unless it is translated already. @param {Block | Attribute} text */
  #addWaiting(text) {
    const isBlock = 'items' in text;
    if (isBlock ? this.#isDone(text) : this.#attributesOf.get(text.element)?.get(text.name)?.isWhole) return;
    // The same text may wait already. Then it is replaced.
    const anchor = anchorOf(isBlock ? text.parent : text.element, this.root);
    const list = this.#waiting.get(anchor) ?? new Set();
    if (isBlock) {
      const before = this.#waitingFor.get(text.texts[0].node);
      if (before?.list.delete(before.text)) this.#found--;
      this.#waitingFor.set(text.texts[0].node, { text, list });
    }
    list.add(text);
    this.#found++;
    // Observe the element that shows whether the text is in view.
    if (!this.#waiting.has(anchor)) {
      this.#waiting.set(anchor, list);
      if (anchor === this.root.ownerDocument.documentElement) this.#near.set(anchor, true);
      else this.#observe(anchor);
    }
    if (this.#near.has(anchor)) void this.#translate();
  }

  /** @param {Element} anchor */
  #observe(anchor) {
    this.#unseen.add(anchor);
    this.#seeing.observe(anchor);
  }

  /**
   * Whether a block is translated. If the page has changed the translation, it is undone and the text is read again.
   * @param {Block} block
   */
  #isDone({ texts, parent }) {
    const changes = new Set(texts.map(({ node }) => this.#changeOf.get(node)));
    changes.delete(undefined);
    if (changes.size === 0) return false;
    if (texts.every(({ node }) => this.#changeOf.get(node)?.isWhole)) return true;
    for (const change of changes) if (change) this.#undoChange(change);
    void this.#readTexts(containerOf(parent, this.#read));
    return true;
  }

  /** @param {IntersectionObserverEntry[]} entries */
  #seen(entries) {
    for (const { target, isIntersecting, boundingClientRect: box } of entries) {
      this.#unseen.delete(target);
      if (!isIntersecting) this.#near.delete(target);
      else this.#near.set(target, box.bottom >= 0 && box.top <= innerHeight);
    }
    void this.#translate();
  }

  /** Translates the texts near the view until none is left. */
  async #translate() {
    if (this.#isTranslating) return;
    this.#isTranslating = true;
    await this.#work(async () => {
      const pace = pacer();
      try {
        for (let texts = this.#next(); texts.length && !this.#life.signal.aborted; texts = this.#next()) {
          const lists = await this.#translations(texts);
          for (let from = 0; from < texts.length;) {
            await pace();
            if (this.#life.signal.aborted) return;
            from = this.#putSome(texts, lists, from);
          }
          this.dispatchEvent(new CustomEvent('progress', { detail: this.progress }));
        }
      } finally {
        this.#isTranslating = false;
      }
    });
  }

  /** The texts to translate next: those in view first. */
  #next() {
    const texts = [];
    let size = 0;
    const near = [...this.#near].filter(([anchor]) => this.#waiting.has(anchor));
    for (const [anchor] of near.toSorted(([, a], [, b]) => Number(b) - Number(a))) {
      const list = this.#waiting.get(anchor) ?? new Set();
      for (const text of list) {
        if (size >= kAtOnce) return texts;
        list.delete(text);
        texts.push(text);
        size += text.text.length;
      }
      this.#waiting.delete(anchor);
      this.#seeing.unobserve(anchor);
      this.#near.delete(anchor);
    }
    return texts;
  }

  /** @param {(Block | Attribute)[]} texts @returns {Promise<AlignedPart[][]>} */
  async #translations(texts) {
    // Find the sentences of each text. Texts with the same sentences have the same key.
    const pace = pacer();
    /** @type {import('../text/sentences.js').Part[][]} */
    const parts = [];
    for (const text of texts) {
      parts.push(partsOf(text, this.translator));
      await pace();
    }
    const keys = parts.map((list) => JSON.stringify(list));
    // Translate the texts that are not in the cache.
    const wanted = [...new Set(keys)].filter((key) => !this.#cache.has(key));
    const lists = wanted.map((key) => parts[keys.indexOf(key)]);
    const done = lists.length
      ? await this.translator.translateAligned(lists.flat(), { signal: this.#life.signal })
      : [];
    const found = new Map(keys.map((key) => [key, this.#cache.get(key)]));
    let from = 0;
    wanted.forEach((key, i) => {
      const translated = done.slice(from, (from += lists[i].length));
      found.set(key, translated);
      this.#cache.set(key, translated);
    });
    // Remove the oldest entries of the cache.
    for (const key of this.#cache.keys()) {
      if (this.#cache.size <= kMostCached) break;
      this.#cache.delete(key);
    }
    return keys.map((key) => found.get(key) ?? []);
  }

  /**
   * Puts translations into the page for some milliseconds. The selection is saved and restored once for all of them: to read
   * it, the browser must compute the layout.
   * @param {(Block | Attribute)[]} texts
   * @param {AlignedPart[][]} lists
   * @param {number} from
   * @returns {number} the index of the first text that is not in the page yet
   */
  #putSome(texts, lists, from) {
    const end = performance.now() + kSlice;
    let i = from;
    const put = () => {
      do this.#put(texts[i], lists[i++]);
      while (i < texts.length && performance.now() < end);
    };
    this.#unobserved(() => keepingSelection(this.root, put));
    return i;
  }

  /** @param {Block | Attribute} text @param {AlignedPart[]} parts */
  #put(text, parts) {
    this.#translated++;
    if (!isCurrent(text)) return;
    const change = this.#changeFor(text, parts);
    this.#changes.add(change);
    if (change instanceof AttributeChange) this.#keepAttribute(change);
    for (const own of change.nodes) this.#changeOf.set(own, change);
    for (const parent of change.parents) {
      if (!this.#changesIn.has(parent)) this.#changesIn.set(parent, new Set());
      this.#changesIn.get(parent)?.add(change);
    }
  }

  /** @param {Block | Attribute} text @param {AlignedPart[]} parts @returns {Change} */
  #changeFor(text, parts) {
    if (!('items' in text)) return new AttributeChange(text, parts);
    const { bilingual } = this.#options;
    if (!bilingual || text.parent.nodeName === 'OPTION' || text.parent.nodeName === 'TITLE')
      return new BlockChange(text, parts);
    const language = this.translator.sourceLanguage.split('-')[0].toLowerCase();
    return new BilingualChange(text, parts, language, this.translator.targetLanguage);
  }

  /** @param {AttributeChange} change */
  #keepAttribute(change) {
    const { element, name } = change.attribute;
    if (!this.#attributesOf.has(element)) this.#attributesOf.set(element, new Map());
    this.#attributesOf.get(element)?.set(name, change);
  }

  /** Changes nodes so that the observer does not report it. Earlier changes of the page are handled first. @param {() => void} work */
  #unobserved(work) {
    const records = this.#mutations.takeRecords();
    if (records.length) this.#changed(records);
    work();
    this.#mutations.takeRecords();
  }

  /** @param {Change} change */
  #undoChange(change) {
    if (!this.#changes.delete(change)) return;
    for (const node of change.nodes) this.#changeOf.delete(node);
    for (const parent of change.parents) this.#changesIn.get(parent)?.delete(change);
    if (this.#life.signal.aborted) change.undo();
    else this.#unobserved(() => keepingSelection(this.root, () => change.undo()));
  }

  /** Undoes the translations of texts that the page has changed, and reads the texts again. @param {MutationRecord[]} records */
  #changed(records) {
    /** @type {Set<Node>} */
    const again = new Set();
    // Find the elements whose texts must be read again.
    for (const { type, target, addedNodes } of records) {
      if (type === 'attributes') {
        again.add(containerOf(target, this.#read));
        continue;
      }
      const changes =
        type === 'characterData' ? [this.#changeOf.get(target)] : [...(this.#changesIn.get(target) ?? [])];
      for (const change of changes)
        if (change && !(type === 'characterData' && change.isWhole)) this.#undoChange(change);
      again.add(containerOf(type === 'characterData' ? (target.parentNode ?? target) : target, this.#read));
      for (const node of addedNodes) if (node.nodeType === 1) this.#read.delete(node);
    }
    // Read them, then look for shadow roots and frames in new nodes.
    for (const node of again) if (node.isConnected) void this.#readTexts(node);
    for (const { addedNodes } of records) {
      for (const node of addedNodes) if (node.nodeType === 1 && node.isConnected) void this.#addInner(node);
    }
  }

  /** Runs a task and counts it as running. An error ends the translation. @param {() => Promise<void>} work */
  async #work(work) {
    this.#busy++;
    try {
      await work();
    } catch (error) {
      if (!this.#life.signal.aborted) {
        this.#failure = error;
        this.stop();
        this.dispatchEvent(new CustomEvent('error', { detail: error }));
      }
    } finally {
      this.#busy--;
      if (this.#busy === 0) this.#settle();
    }
  }

  #settle() {
    for (const resolve of this.#settling.splice(0)) resolve();
  }
}
