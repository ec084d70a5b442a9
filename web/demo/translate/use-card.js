// The card that shows how to use the package. Its button runs the lines that it shows.

/** @param {Document} document */
export function bindUseCard(document) {
  const button = /** @type {HTMLButtonElement} */ (document.querySelector('#run-lines'));
  const output = /** @type {HTMLOutputElement} */ (document.querySelector('#lines-output'));
  button.addEventListener('click', async () => {
    button.disabled = true;
    output.textContent = '…';
    try {
      output.textContent = (await import('./five-lines.js')).default;
    } catch (error) {
      output.textContent = String(/** @type {Error} */ (error).message);
    } finally {
      button.disabled = false;
    }
  });
}
