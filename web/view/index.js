// Custom elements that draw attention. They read `qkv-trace/1` and `qkv-search/1`, and share a selection. They need no framework
// and no engine. `<qkv-grid>` shows a small matrix with its numbers; `equation` writes an equation in MathML. Styles:
// tokens.css, view.css, grid.css.

/** @typedef {import('./elements.js').QkvElements} QkvElements the elements by their names */
/** @typedef {import('./elements.js').QkvEvents} QkvEvents the events of each element */
/** @typedef {import('./elements.js').QkvProperties} QkvProperties the properties that a template can set */
/** @typedef {import('./grid.js').Grid} Grid */
/** @typedef {import('./trace.js').Trace} Trace */
/** @typedef {import('./trace.js').Slice} Slice */

export { toBertviz } from './bertviz.js';
export { WeightScale, onThemeChange, weightScale } from './colour.js';
export { figureSvg, lookOf, treeSvg } from './figure.js';
export { GridElement } from './grid.js';
export { HeadsElement } from './heads.js';
export { LegendElement } from './legend.js';
export { LinesElement } from './lines.js';
export { equation } from './math.js';
export { MatrixElement } from './matrix.js';
export { encoderTrace, generatorTrace } from './one-sided.js';
export { PiecesElement } from './pieces.js';
export { TraceError, readTrace } from './read-trace.js';
export { Selection, samePlace } from './selection.js';
export {
  alternativesAt,
  formatWeight,
  headsOf,
  labelOf,
  piecesAt,
  placeOfPiece,
  reading,
  readingText,
  sliceOf,
  weightAt,
  weightsOf,
} from './trace.js';
export { TreeElement } from './tree.js';
