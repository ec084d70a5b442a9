// The 'downloadprogress' events of a monitor.
import { asInterface } from '../webidl/interface.js';
import { newMonitor } from './monitor.js';

/** @typedef {import('./monitor.js').CreateMonitor} CreateMonitor */

/** The platform's ProgressEvent; Node has none. */
const ProgressEvent =
  globalThis.ProgressEvent ??
  class extends Event {
    static {
      asInterface(this, 'ProgressEvent');
    }
    /** @param {string} type @param {{lengthComputable: boolean, loaded: number, total: number}} fields */
    constructor(type, fields) {
      super(type);
      Object.assign(this, fields);
    }
  };

/**
 * The share of a download that an event reports. It is rounded down to a multiple of 1/65536, so nobody can compute the size
 * of the download from it.
 * @param {number} loaded from 0 to 1
 */
export const floored = (loaded) => Math.floor(loaded * 0x10000) / 0x10000;

/**
 * @param {CreateMonitor} monitor
 * @param {number} loaded as `floored` gives it
 */
export function tellProgress(monitor, loaded) {
  monitor.dispatchEvent(new ProgressEvent('downloadprogress', { lengthComputable: true, loaded, total: 1 }));
}

/** The smallest progress that is reported by an event. */
const kLeastStep = 0.001;

/**
 * Creates a monitor, and gives it to `use`. The result is a function that reports progress to the monitor. It drops values
 * that are not larger than before, and very small steps.
 * @param {((monitor: CreateMonitor) => void) | undefined} use
 * @returns {(loaded: number) => void}
 */
export function monitored(use) {
  if (!use) return () => {};
  const monitor = newMonitor();
  use(monitor);
  let last = -1;
  return (loaded) => {
    if (loaded < last + kLeastStep && !(loaded === 1 && last < 1)) return;
    last = floored(loaded);
    tellProgress(monitor, last);
  };
}
