// Saliency without a query and attention with one.

import { bars } from '../../shared/bars.js';
import { make, segmented } from '../../shared/dom.js';
import { papers } from '../papers.js';
import { namesOf } from '../state.js';
import { texts } from '../texts.js';

/** The things of each place. The first feature of a thing is its saliency; the others describe it. */
const kParty = () => ({
  keyNames: texts.lessons.saliency.things.party,
  key: [
    [3, 0, 0],
    [2.5, 0, 1.5],
    [0.6, 2.5, 0],
    [1.4, 0, 0.3],
    [0.9, 0.4, 0],
  ],
});
const kPicture = () => ({
  keyNames: texts.lessons.saliency.things.picture,
  key: [
    [3, 0, 0.3],
    [1, 2.4, 0.4],
    [0.8, 2.2, 0.3],
    [1.2, 0, 2.4],
    [0.6, 0, 2.1],
  ],
});

/** What each kind of selection changes in the state. @type {Record<string, {set: () => Partial<import('../state.js').State>}>} */
const kWays = {
  winner: { set: () => ({ query: [[1, 0, 0]], selection: 'argmax' }) },
  pool: { set: () => ({ query: [[0, 0, 0]], selection: 'max-pool' }) },
  gate: { set: () => ({ query: [[-1.5, 2.5, 4]], selection: 'gate' }) },
  second: { set: () => ({ query: [[0, 2.5, 0]], selection: 'soft' }) },
  third: { set: () => ({ query: [[0, 0, 2.5]], selection: 'soft' }) },
};

/** @type {import('../presets.js').Preset} */
export const saliency = {
  id: 'saliency',
  equations: [
    '\\w{a} = \\text{softmax}(\\k{K} \\q{q}) \\text{ asks}',
    '\\c{c_e} = \\text{max}_j \\v{v_{je}} \\text{ does not}',
  ],
  papers: [papers.cherry, papers.xu],
  state: () => ({
    ...kParty(),
    query: [[0, 2.5, 0]],
    queryNames: [texts.lessons.saliency.you],
    memory: 'one',
    scene: { place: 'party', way: 'second' },
  }),
  scene: (workbench) => {
    // The choice of the place and of the selection; how much each thing stands out, and its weight.
    const own = texts.lessons.saliency;
    const places = segmented(
      own.scene,
      [
        ['party', own.party],
        ['picture', own.picture],
      ],
      (place) =>
        workbench.open({
          ...(place === 'party' ? kParty() : kPicture()),
          scene: { ...workbench.state().scene, place },
          pinned: null,
        }),
    );
    const [out, got] = [bars(own.outs), bars(own.weights)];
    const pick = make('div.ways');
    return {
      node: make(
        'div.picture.stacked',
        {},
        make('div.row', {}, places.node, pick),
        make(
          'div.two',
          {},
          make('div', {}, make('h3', {}, own.out), out.node),
          make('div', {}, make('h3', {}, own.got), got.node),
        ),
      ),
      show(state, result) {
        const place = state.scene.place === 'picture' ? 'picture' : 'party';
        places.set(place);
        const labels = [own.winner, own.pool, own.gate, ...own.asks[place]];
        const ways = Object.keys(kWays).map((way, i) => /** @type {[string, string]} */ ([way, labels[i]]));
        const choice = segmented(own.how, ways, (way) =>
          workbench.change({ ...kWays[way].set(), scene: { ...workbench.state().scene, way } }),
        );
        choice.set(String(state.scene.way));
        if (pick.dataset.place !== place) pick.replaceChildren(choice.node);
        else for (const input of pick.querySelectorAll('input')) input.checked = input.value === state.scene.way;
        pick.dataset.place = place;
        const names = namesOf(state).keys;
        out.show(
          names.map((name, j) => ({
            name,
            value: (state.key[j]?.[0] ?? 0) / 3,
            role: 'key',
            note: (state.key[j]?.[0] ?? 0).toFixed(2),
          })),
        );
        if (result) got.show(names.map((name, j) => ({ name, value: result.weights.data[j] })));
      },
    };
  },
};
