/** The package's version. */
export const version = '0.2.0';
