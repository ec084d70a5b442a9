// Saves files, and closes the menus that offer them. The page makes each file; nothing is sent.

const kLargestSide = 8192;

/** Closes the menu on Escape, on a press elsewhere, and when the focus leaves it. @param {HTMLDetailsElement} menu */
export function bindMenu(menu) {
  const close = () => (menu.open = false);
  document.addEventListener('pointerdown', (event) => {
    if (!menu.contains(/** @type {Node} */ (event.target))) close();
  });
  menu.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || !menu.open) return;
    event.stopPropagation();
    close();
    menu.querySelector('summary')?.focus();
  });
  menu.addEventListener('focusout', (event) => {
    if (event.relatedTarget && !menu.contains(/** @type {Node} */ (event.relatedTarget))) close();
  });
}

/** @param {string} text */
export const svg = (text) => new Blob([text], { type: 'image/svg+xml' });

/** Downloads a file. @param {Blob} blob @param {string} name */
export function saveFile(blob, name) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = `qkv-${name}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** A picture with two pixels for each CSS pixel, or fewer if a canvas cannot be that large. @param {string} text of an SVG @returns {Promise<Blob>} */
export async function toPng(text) {
  const url = URL.createObjectURL(svg(text));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement('canvas');
    const zoom = Math.min(2, kLargestSide / Math.max(image.width, image.height));
    canvas.width = Math.round(image.width * zoom);
    canvas.height = Math.round(image.height * zoom);
    canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((done, failed) =>
      canvas.toBlob((blob) => (blob ? done(blob) : failed(new Error('the picture is too large')))),
    );
  } finally {
    URL.revokeObjectURL(url);
  }
}
