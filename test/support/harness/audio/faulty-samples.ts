/** Sample values at which the test workers die, hang or fail. Other samples are below 1. */
export const DIES = 2;
export const HANGS = 3;
export const FAILS = 4;
