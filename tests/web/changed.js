// An address of the page Translate with all kinds of changes, bars of importance, and an explanation.

export const kAll =
  'layer=2&head=1&change=off.cross.2.1*set.cross.1.1.2.3_80*hide.encoder.1.1..2&heads=weighed&asked=both';

/** In the page: whether everything is drawn. */
export const isAllDrawn = () =>
  !!document.querySelector('qkv-heads')?.importance &&
  document.querySelectorAll('#changes-list li').length === 3 &&
  ['#changes', '#explanation'].every((card) => document.querySelectorAll(`${card} .pane .base rect`).length >= 150);
