// Every requirement of the two specifications that a page can test. A row has the requirement, and a function that throws if it is
// not met. Rows run in the page, and test the classes that are its globals.
import { calls } from './calls.js';
import { conversions } from './conversions.js';
import { creation } from './creation.js';
import { detection } from './detection.js';
import { idl } from './idl.js';
import { progress } from './progress.js';
import { activated, configure, kTiny, sleep } from './tools.js';

/** The time limit of a row. */
const kLongest = 30_000; // ms

export const rows = [...idl, ...conversions, ...creation, ...progress, ...calls, ...detection];

/** @returns {Promise<[requirement: string, fault: string][]>} '' if there is no fault */
export async function runRows(list = rows) {
  const results = [];
  for (const [requirement, check] of list) {
    configure({ models: { 'en-fr': kTiny } });
    try {
      const isOver = sleep(kLongest).then(() => 'it does not end');
      const fault = await activated(true, () => Promise.race([Promise.resolve(check()).then(() => ''), isOver]));
      results.push([requirement, fault]);
    } catch (error) {
      results.push([requirement, `${error}\n${error?.stack}`]);
    }
  }
  return results;
}
