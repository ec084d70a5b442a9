// The options of the index of the documents. The build and the page must use the same ones.

export const searchOptions = {
  idField: 'url',
  fields: ['title', 'page', 'text'],
  storeFields: ['title', 'page', 'url'],
  searchOptions: { prefix: true, fuzzy: 0.15, boost: { title: 4, page: 2 }, combineWith: /** @type {const} */ ('AND') },
};
