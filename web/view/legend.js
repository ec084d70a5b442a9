// <qkv-legend>: the legend of the colours, with their numbers.

import { axisBottom } from 'd3-axis';
import { scaleLinear } from 'd3-scale';
import { select } from 'd3-selection';
import { onThemeChange, signedScale, weightScale } from './colour.js';
import { BaseElement, define } from './define.js';

const kWidth = 160;
const kMargin = 18;
const kBar = 10;

/**
 * The colours as a strip with an axis. Attributes: `scaling`, "absolute" or "row"; `view`, "matrix" (colours) or "lines"
 * (opacity); for signed numbers `peak`, the largest one, and `unit`.
 */
export class LegendElement extends BaseElement {
  static observedAttributes = ['scaling', 'view', 'peak', 'unit'];
  #stop = () => {};

  connectedCallback() {
    this.#stop = onThemeChange(() => this.#draw());
    this.#draw();
  }

  disconnectedCallback() {
    this.#stop();
  }

  attributeChangedCallback() {
    if (this.isConnected) this.#draw();
  }

  #draw() {
    const row = this.getAttribute('scaling') === 'row';
    const lines = this.getAttribute('view') === 'lines';
    const peak = Number(this.getAttribute('peak') ?? 0);
    const unit = this.getAttribute('unit') ?? '';
    const { meant, says, ticks, table, format } = peak > 0 ? signedLegend(peak, unit) : weightLegend(row, lines);
    // The strip of colours.
    const x = scaleLinear([ticks[0], ticks[ticks.length - 1]], [kMargin, kWidth + kMargin]);
    const svg = select(this)
      .selectAll('svg')
      .data([null])
      .join('svg')
      .attr('width', kWidth + 2 * kMargin)
      .attr('height', kBar + 20)
      .attr('role', 'img')
      .attr('aria-label', `${lines ? 'Opacity' : 'Colours'}: ${meant}`);
    svg
      .selectAll('rect')
      .data(table)
      .join('rect')
      .attr('x', (_, i) => kMargin + (i / table.length) * kWidth)
      .attr('width', kWidth / table.length + 0.5)
      .attr('height', kBar)
      .attr('fill', (rgb) => `rgb(${rgb.join(' ')})`)
      .attr('fill-opacity', (_, i) => (lines ? i / (table.length - 1) : 1));
    // The axis, then the caption.
    const axis = axisBottom(x)
      .tickValues(ticks)
      .tickSize(4)
      .tickPadding(3)
      .tickFormat((tick) => format(Number(tick)));
    svg
      .selectAll('g')
      .data([null])
      .join('g')
      .attr('transform', `translate(0 ${kBar})`)
      .call(/** @type {any} */ (axis));
    let caption = this.querySelector('span');
    if (!caption) this.append((caption = document.createElement('span')));
    caption.textContent = says;
    caption.title = lines ? 'weights under 0.05 are not drawn' : '';
  }
}

/** @param {boolean} row @param {boolean} lines */
function weightLegend(row, lines) {
  const colours = weightScale();
  return {
    meant: row ? 'share of the row’s largest weight' : 'attention weight from 0 to 1',
    says: row ? 'of the row’s largest' : 'weight',
    ticks: [0, 0.25, 0.5, 0.75, 1],
    table: lines ? colours.table.map(() => colours.rgb(1)) : colours.table,
    format: (/** @type {number} */ tick) => (row ? `${tick * 100}%` : String(tick)),
  };
}

/** @param {number} peak @param {string} unit */
function signedLegend(peak, unit) {
  const colours = signedScale();
  const digits = peak < 0.1 ? 3 : peak < 1 ? 2 : 1;
  return {
    meant: `${unit} from ${(-peak).toFixed(digits)} to ${peak.toFixed(digits)}`,
    says: unit,
    ticks: [-peak, 0, peak],
    table: [...colours.below.table.toReversed(), ...colours.above.table],
    format: (/** @type {number} */ tick) => (tick === 0 ? '0' : tick.toFixed(digits).replace('-', '−')),
  };
}

define('qkv-legend', LegendElement);
