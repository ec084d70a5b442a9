// The tools around the two texts: clear, copy, the length, and the message about a pasted text that is too long.

/** Above this share of the longest text, the number of characters is shown. */
const kNearlyFull = 0.9;

const formatCount = (/** @type {number} */ count) => count.toLocaleString('en');

/** Shows a text on a button for a moment. @param {HTMLButtonElement} button @param {string} done @param {string} usual the button's own text */
export function sayDone(button, done, usual) {
  button.textContent = done;
  setTimeout(() => (button.textContent = usual), 1500);
}

/**
 * @param {ParentNode} root
 * @param {() => void} clear
 * @returns {{show: () => void}} call `show` when a text has changed
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
    const count =
      length >= kNearlyFull * source.maxLength ? `${formatCount(length)} of ${formatCount(source.maxLength)}` : '';
    note.textContent = refused || count;
    buttons.clear.disabled = length === 0;
    buttons.copy.disabled = target.textContent?.trim() === '';
  };
  source.addEventListener('input', () => {
    refused = '';
    show();
  });
  // A text that is too long is refused. The browser would cut it without a message.
  source.addEventListener('paste', (event) => {
    const text = event.clipboardData?.getData('text/plain') ?? '';
    const { value, selectionStart, selectionEnd, maxLength } = source;
    const length = value.length - (selectionEnd - selectionStart) + text.length;
    refused =
      length > maxLength ? `Not pasted: ${formatCount(length)} characters, and ${formatCount(maxLength)} fit` : '';
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
