// The page Translate with everything changed and asked at once, as an address.

export const kAll =
  'layer=2&head=1&change=off.cross.2.1*set.cross.1.1.2.3_80*hide.encoder.1.1..2&heads=weighed&asked=both';

/** In the page: whether all of it is drawn. */
export const isAllDrawn = () =>
  !!document.querySelector('qkv-heads')?.importance &&
  document.querySelectorAll('#changes-list li').length === 3 &&
  ['#changes', '#asked'].every((card) => document.querySelectorAll(`${card} .pane .base rect`).length >= 150);
