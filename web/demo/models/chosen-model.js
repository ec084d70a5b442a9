// The model that a reader gives, as chosen files, dropped files, or a URL.

/** @typedef {import('../../lib/models/index.js').AnyModelOption} AnyModelOption */
/** @typedef {{source: AnyModelOption, name: string, url: string | null}} Given `url`: for the address; null: the model is files */

const kMostFiles = 5000;
const kMostFolders = 500;

/** @param {FileList | File[]} list @returns {Given | null} null: nothing was chosen */
export function chosenFiles(list) {
  const files = [...list];
  if (files.length === 0) return null;
  const folder = files[0].webkitRelativePath?.split('/')[0];
  refuseSeveral(files.map((file) => file.webkitRelativePath || file.name));
  const marian = files.find((file) => /^model\..*bin(\.gz|\.zst)?$/.test(file.name)); // the name of a Firefox model
  const name = files.length === 1 ? files[0].name : folder || marian?.name || `${files.length} files`;
  return { source: files, name, url: null };
}

/**
 * The dropped files, with all files of dropped folders. Call it while the event is handled: later the data is empty.
 * @param {DataTransfer} data
 * @returns {Promise<Given | null>}
 */
export async function droppedFiles(data) {
  const entries = [...data.items].map((item) => item.webkitGetAsEntry?.()).filter((entry) => entry != null);
  const folder = entries.find((entry) => entry.isDirectory);
  if (!folder) return chosenFiles(data.files);
  const files = await filesIn(entries);
  return { source: { files }, name: folder.name, url: null };
}

/**
 * The files of folders, by name. Of several files with one name, the one in the highest folder is used.
 * @param {FileSystemEntry[]} entries
 */
async function filesIn(entries) {
  /** @type {Record<string, File>} */
  const files = {};
  /** @type {string[]} */
  const paths = [];
  let level = entries;
  for (let folders = 0; level.length > 0;) {
    for (const entry of level.filter((one) => one.isFile)) {
      paths.push(entry.fullPath.slice(1));
      if (entry.name in files || Object.keys(files).length >= kMostFiles) continue;
      files[entry.name] = await new Promise((found, failed) =>
        /** @type {FileSystemFileEntry} */ (entry).file(found, failed),
      );
    }
    // The folders of the next level.
    const inside = level.filter((one) => one.isDirectory);
    folders += inside.length;
    if (folders > kMostFolders) throw new Error('It has too many folders: drop the one with config.json.');
    level = (await Promise.all(inside.map(entriesOf))).flat();
  }
  refuseSeveral(paths);
  return files;
}

/** Throws if there are several models. @param {string[]} paths of files */
function refuseSeveral(paths) {
  const configs = paths.filter((path) => /(^|\/)config\.json$/.test(path)).map((path) => path.split('/').slice(0, -1));
  const top = configs.filter(({ length }) => length === Math.min(...configs.map((other) => other.length)));
  if (top.length < 2) return;
  const names = top.map((folder) => folder.at(-1) ?? '').sort();
  throw new Error(`There are ${names.length} models in it: ${names.join(', ')}. Give the folder of one.`);
}

/**
 * All entries of a folder. Its reader returns one part of them at a time.
 * @param {FileSystemEntry} folder
 * @returns {Promise<FileSystemEntry[]>}
 */
async function entriesOf(folder) {
  const reader = /** @type {FileSystemDirectoryEntry} */ (folder).createReader();
  const all = [];
  for (;;) {
    const part = await new Promise((found, failed) => reader.readEntries(found, failed));
    if (part.length === 0) return all;
    all.push(...part);
  }
}

/**
 * @param {string} typed the URL of a folder or a zip of this site
 * @returns {Given} throws an Error that says what is wrong with it
 */
export function urlModel(typed) {
  const text = typed.trim();
  if (text === '') throw new Error('Type the URL of a folder, such as models/english/masked/.');
  if (!URL.canParse(text, location.href)) throw new Error(`“${text}” is no URL.`);
  const url = new URL(text, location.href);
  if (url.origin !== location.origin) {
    throw new Error('This page loads nothing from other sites: download the folder there, then drop it here.');
  }
  return { source: url, name: url.pathname.split('/').filter(Boolean).at(-1) ?? '', url: text };
}
