/** The paths that the service worker keeps, below its own folder; '' is the first page. Set by the build. */
declare const kFiles: string[];
/** Changes with any of the files. Set by the build. */
declare const kVersion: string;
