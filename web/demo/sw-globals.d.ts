/** The paths that the service worker keeps, below its own folder; '' is the first page. Set by the build. */
declare const kFiles: string[];
/** A version that changes when one of the files changes. Set by the build. */
declare const kVersion: string;
