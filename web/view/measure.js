/** @type {CanvasRenderingContext2D | null} */
let shared = null;

/**
 * @param {string} family as CSS writes font families
 * @returns {(text: string, size: number) => number} the width of a label at a font size, in CSS pixels
 */
export function measureIn(family) {
  shared ??= document.createElement('canvas').getContext('2d');
  const context = /** @type {CanvasRenderingContext2D} */ (shared);
  return (text, size) => {
    context.font = `${size}px ${family}`;
    return context.measureText(text).width;
  };
}
