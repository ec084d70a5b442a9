// The tools around the two texts: clear, copy, the remaining length, and the message about a paste that is too long.

/** From here on the number of characters is shown. */
const kNearlyFull = 0.9;

const inWords = (/** @type {number} */ count) => count.toLocaleString('en');

/** Shows on a button for a moment that it was done. @param {HTMLButtonElement} button @param {string} done @param {string} usual */
export function sayDone(button, done, usual) {
  button.textContent = done;
  setTimeout(() => (button.textContent = usual), 1500);
}

/**
 * @param {ParentNode} root
 * @param {() => void} clear
 * @returns {{show: () => void}} to be called when a text has changed
 */
export function bindTextTools(root, clear) {
  const find = (/** @type {string} */ query) => /** @type {any} */ (root.querySelector(query));
  /** @type {HTMLTextAreaElement} */
  const source = find('#source');
  /** @type {HTMLElement} */
  const target = find('#target');
  /** @type {HTMLElement} */
  const note = find('#text-note');
  /** @type {Record<'clear' | 'copy', HTMLButtonElement>} */
  const buttons = { clear: find('#clear'), copy: find('#copy') };
  let refused = '';

  const show = () => {
    const { length } = source.value;
    const count = length >= kNearlyFull * source.maxLength ? `${inWords(length)} of ${inWords(source.maxLength)}` : '';
    note.textContent = refused || count;
    buttons.clear.disabled = length === 0;
    buttons.copy.disabled = target.textContent?.trim() === '';
  };
  source.addEventListener('input', () => {
    refused = '';
    show();
  });
  // The field would cut the text in the middle of a word, and say nothing.
  source.addEventListener('paste', (event) => {
    const text = event.clipboardData?.getData('text/plain') ?? '';
    const { value, selectionStart, selectionEnd, maxLength } = source;
    const length = value.length - (selectionEnd - selectionStart) + text.length;
    refused = length > maxLength ? `Not pasted: ${inWords(length)} characters, and ${inWords(maxLength)} fit` : '';
    if (refused) event.preventDefault();
    show();
  });
  buttons.clear.addEventListener('click', () => {
    refused = '';
    clear();
    source.focus();
  });
  buttons.copy.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(target.textContent ?? '');
      sayDone(buttons.copy, 'copied', 'copy');
    } catch {
      sayDone(buttons.copy, 'not copied', 'copy');
    }
  });
  return { show };
}
