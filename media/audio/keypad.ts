/** Hz. Source: ITU-T Q.23. */
export const ROWS = [697, 770, 852, 941] as const;
export const COLUMNS = [1209, 1336, 1477, 1633] as const;
/** Row by row. */
export const KEYS = '123A456B789C*0#D';
