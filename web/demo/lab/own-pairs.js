// The reader's own pairs, from the text field or from a dropped file.

const kLargestFile = 4_000_000; // bytes

/**
 * @param {(id: string) => any} find
 * @param {(text: string) => void} use
 * @param {(error: Error) => void} failed
 */
export function listenForPairs(find, use, failed) {
  find('own-use').addEventListener('click', () => use(find('own-text').value));
  const hasFile = (/** @type {DragEvent} */ event) => event.dataTransfer?.types.includes('Files');
  document.addEventListener('dragover', (event) => hasFile(event) && event.preventDefault());
  document.addEventListener('drop', async (event) => {
    if (!hasFile(event)) return;
    event.preventDefault();
    const file = event.dataTransfer?.files[0];
    if (!file) return;
    if (file.size > kLargestFile) return failed(new Error('That file is larger than 4 MB. Give a part of it.'));
    use(await file.text());
  });
}
