/** Samples at which the workers of the tests die, hang or fail; other samples are below 1. */
export const DIES = 2;
export const HANGS = 3;
export const FAILS = 4;
