// The view that the page is to show.

/** The view of this entry of the history: more than the address says, if more was noted. @returns {string} a hash */
export const currentView = () => (typeof history.state === 'string' ? history.state : location.hash);
