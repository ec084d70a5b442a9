// The status line: progress while a model loads, then the engine and its speed; after a failure, what to do.

import { QkvError } from '../../lib/index.js';

/**
 * The part of a model's `info` that the line shows.
 * @typedef {Pick<import('../../lib/index.js').TranslatorInfo, 'name' | 'parameters' | 'bytes' | 'engine' | 'worker' | 'threads'>} ShownInfo
 */
/** @typedef {{pieces: number, milliseconds: number, note?: string}} Timing `note`: what to know about the result, such as that the text was cut */

/** @param {ParentNode} root */
export function statusLine(root) {
  const find = (/** @type {string} */ query) => /** @type {any} */ (root.querySelector(query));
  const line = /** @type {HTMLElement} */ (find('#status'));
  const bar = /** @type {HTMLProgressElement} */ (find('#progress'));
  const message = /** @type {HTMLElement} */ (find('#message'));
  const retry = /** @type {HTMLButtonElement} */ (find('#retry'));

  /** Whether the page works without a network. */
  let isOffline = false;
  /** Shows the last text of `ready` again; null: another text was shown since. @type {(() => void) | null} */
  let readyAgain = null;

  /** Shows a text, and perhaps the progress or a button to try again. @param {string} text @param {{failed?: boolean, progress?: number, again?: (() => void) | null, title?: string}} [state] */
  function say(text, { failed = false, progress, again = null, title = '' } = {}) {
    readyAgain = null;
    line.classList.toggle('failed', failed);
    bar.hidden = progress === undefined;
    if (progress !== undefined) bar.value = progress;
    message.textContent = text;
    message.title = title;
    retry.hidden = !again;
    retry.onclick = again;
  }

  /** The name under which the reader gave the model; null: the model's own name is shown. @type {string | null} */
  let givenName = null;

  return {
    /** @param {string | null} name that is shown for the model; null: its own */
    named: (name) => (givenName = name),
    /** @param {number} loaded 0..1 */
    loading: (loaded) => say(`Loading the model, ${Math.round(100 * loaded)} %`, { progress: loaded }),
    /** Whether the page works without a network: `ready` says so. @param {boolean} is */
    offline(is) {
      if (is === isOffline) return;
      isOffline = is;
      readyAgain?.();
    },
    /** @param {ShownInfo} info @param {Timing} [timing] */
    ready: function ready(info, timing) {
      const facts = [...about({ ...info, name: givenName ?? info.name }), ...speed(timing)];
      say([...facts, ...(isOffline ? ['works offline'] : [])].join(' · '));
      readyAgain = () => ready(info, timing);
    },
    /** @param {string} why a sentence: the reason of the failure */
    refused: (why) => say(why, { failed: true }),
    /** @param {string} text a sentence */
    note: (text) => say(text),
    /** @param {string} name of the file that the trace in view comes from */
    opened: (name) => say(`A saved trace, ${name}. Type to translate again.`),
    /** @param {string} name @param {string} why a sentence */
    unreadable: (name, why) => say(`${name} cannot be opened: ${why}`, { failed: true }),
    /** @param {unknown} error @param {(() => void) | null} again */
    failed: (error, again) => {
      const { text, title } = advice(error);
      say(text, { failed: true, again, title });
    },
  };
}

/** @param {ShownInfo} info */
function about({ name, parameters, bytes, engine, worker, threads }) {
  const build = engine === 'custom' ? 'custom build' : `${engine} SIMD`;
  const runs = [build, ...(threads > 1 ? [`${threads} threads`] : []), ...(worker ? ['in a worker'] : [])];
  return [name, `${millions(parameters)} M parameters`, `${millions(bytes)} MB in memory`, runs.join(', ')];
}

/** @param {number} count */
const millions = (count) => (count / 1e6).toFixed(1);

/** @param {Timing} [timing] */
function speed(timing) {
  if (!timing?.pieces) return [];
  const { pieces, milliseconds, note } = timing;
  return [
    ...(note ? [note] : []),
    `${Math.max(1, Math.round(milliseconds))} ms`,
    `${Math.round((1000 * pieces) / milliseconds)} pieces/s`,
  ];
}

/**
 * What failed, and what to do, for a person; `title`: in full, for whoever serves the files.
 * @param {unknown} error
 * @returns {{text: string, title?: string}}
 */
function advice(error) {
  const { name, message, cause } = error instanceof Error ? error : { name: '', message: String(error), cause: null };
  const own = error instanceof QkvError ? error : cause instanceof QkvError ? cause : null;
  const sentence = `${message.replace(/\.$/, '')}.`;
  if (own?.code === 'NETWORK' || own?.code === 'MISSING_FILE') {
    const what = own.where ? `the file ${own.where} did not come` : 'a file did not come';
    const text = navigator.onLine
      ? `The model did not load: ${what}. Check the connection, then try again.`
      : 'The model did not load: this device is offline, and has not kept it. Connect, then try again.';
    return { text, title: sentence };
  }
  if (own?.code === 'UNSUPPORTED' || name === 'NotSupportedError') return { text: `This cannot run here: ${sentence}` };
  return { text: `Something failed: ${sentence} Try again. If it fails again, reload the page.` };
}
