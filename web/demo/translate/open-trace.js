// Opens a saved trace that the reader chose by the button or dropped on the page. It needs no engine.

import { readTrace } from '../../view/index.js';

/** @typedef {import('../../view/trace.js').Trace} Trace */

const kLargestFile = 200e6;

/**
 * @param {HTMLInputElement} input of type file
 * @param {HTMLButtonElement} button that opens it
 * @param {(trace: Trace, name: string) => void} opened
 * @param {(name: string, why: string) => void} failed
 */
export function bindOpen(input, button, opened, failed) {
  const open = async (/** @type {File | undefined} */ file) => {
    if (!file) return;
    try {
      if (file.size > kLargestFile) throw new Error('It is larger than 200 MB.');
      opened(readTrace(await file.text()), file.name);
    } catch (error) {
      failed(file.name, error instanceof Error ? error.message : String(error));
    }
  };
  button.addEventListener('click', () => input.click());
  input.addEventListener('change', () => {
    open(input.files?.[0]);
    input.value = ''; // so that the same file can be chosen again
  });
  const hasFile = (/** @type {DragEvent} */ event) => event.dataTransfer?.types.includes('Files');
  document.addEventListener('dragover', (event) => hasFile(event) && event.preventDefault());
  document.addEventListener('drop', (event) => {
    if (!hasFile(event)) return;
    event.preventDefault();
    open(event.dataTransfer?.files[0]);
  });
}
