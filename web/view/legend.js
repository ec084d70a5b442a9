// <qkv-legend>: the numbers of the colours.

import { axisBottom } from 'd3-axis';
import { scaleLinear } from 'd3-scale';
import { select } from 'd3-selection';
import { onThemeChange, weightScale } from './colour.js';
import { BaseElement, define } from './define.js';

const kWidth = 160;
const kMargin = 18;
const kBar = 10;

/** The scale as a strip with an axis. Attributes: `scaling`, "absolute" or "row"; `view`, "matrix" (colours) or "lines" (opacity). */
export class LegendElement extends BaseElement {
  static observedAttributes = ['scaling', 'view'];
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
    const colours = weightScale();
    const meant = row ? 'share of the row’s largest weight' : 'attention weight from 0 to 1';
    const x = scaleLinear([0, 1], [kMargin, kWidth + kMargin]);
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
      .data(colours.table)
      .join('rect')
      .attr('x', (_, i) => x(i / colours.table.length))
      .attr('width', kWidth / colours.table.length + 0.5)
      .attr('height', kBar)
      .attr('fill', (rgb) => `rgb(${(lines ? colours.rgb(1) : rgb).join(' ')})`)
      .attr('fill-opacity', (_, i) => (lines ? i / (colours.table.length - 1) : 1));
    const axis = axisBottom(x)
      .tickValues([0, 0.25, 0.5, 0.75, 1])
      .tickSize(4)
      .tickPadding(3)
      .tickFormat((tick) => (row ? `${Number(tick) * 100}%` : String(tick)));
    svg
      .selectAll('g')
      .data([null])
      .join('g')
      .attr('transform', `translate(0 ${kBar})`)
      .call(/** @type {any} */ (axis));
    let caption = this.querySelector('span');
    if (!caption) this.append((caption = document.createElement('span')));
    caption.textContent = row ? 'of the row’s largest' : 'weight';
    caption.title = lines ? 'weights under 0.05 are not drawn' : '';
  }
}

define('qkv-legend', LegendElement);
