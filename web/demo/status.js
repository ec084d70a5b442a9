// The status line: progress while loading, then what runs and how fast; a failure says what to do.

/** @typedef {{pieces: number, milliseconds: number}} Timing */

/** @param {ParentNode} root */
export function statusLine(root) {
  const find = (/** @type {string} */ query) => /** @type {any} */ (root.querySelector(query));
  const line = /** @type {HTMLElement} */ (find('#status'));
  const bar = /** @type {HTMLProgressElement} */ (find('#progress'));
  const message = /** @type {HTMLElement} */ (find('#message'));
  const retry = /** @type {HTMLButtonElement} */ (find('#retry'));

  /** @param {string} text @param {{failed?: boolean, progress?: number, again?: (() => void) | null}} [state] */
  function say(text, { failed = false, progress, again = null } = {}) {
    line.classList.toggle('failed', failed);
    bar.hidden = progress === undefined;
    if (progress !== undefined) bar.value = progress;
    message.textContent = text;
    retry.hidden = !again;
    retry.onclick = again;
  }

  return {
    /** @param {number} loaded 0..1 */
    loading: (loaded) => say(`Loading the model, ${Math.round(100 * loaded)} %`, { progress: loaded }),
    /** @param {any} info @param {Timing} [timing] */
    ready: (info, timing) => say([...about(info), ...speed(timing)].join(' · ')),
    /** @param {unknown} error @param {(() => void) | null} again */
    failed: (error, again) => say(advice(error), { failed: true, again }),
  };
}

/** @param {any} info */
function about({ name = 'en-fr', parameters, bytes, engine }) {
  const size = parameters ? `${(parameters / 1e6).toFixed(1)} M parameters` : '';
  const weight = bytes ? `${(bytes / 1e6).toFixed(1)} MB` : '';
  return [name, size, weight, engine].filter(Boolean);
}

/** @param {Timing} [timing] */
function speed(timing) {
  if (!timing?.pieces) return [];
  const { pieces, milliseconds } = timing;
  return [`${Math.max(1, Math.round(milliseconds))} ms`, `${Math.round((1000 * pieces) / milliseconds)} pieces/s`];
}

/** @param {unknown} error */
function advice(error) {
  const { name, message } = error instanceof Error ? error : { name: '', message: String(error) };
  const said = message.replace(/\.?$/, '.');
  if (name === 'NetworkError')
    return `The model did not load. ${said} Check that it is served beside this page, then try again.`;
  if (name === 'QuotaExceededError')
    return `This text is too long for the model. ${said} Shorten it, or split the sentence.`;
  if (name === 'NotSupportedError') return `This does not run here. ${said} A browser of 2024 or later is needed.`;
  return `Something went wrong. ${said} Try again; if it stays, reload the page.`;
}
