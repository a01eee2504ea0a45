import { expect, it } from 'vitest';
import { shares } from '../../../src/composition/cluster.module.js';

it.each([
  [1, 2, [1, 1]],
  [2, 2, [1, 1]],
  [7, 3, [3, 2, 2]],
  [3, 8, [1, 1, 1, 1, 1, 1, 1, 1]],
])('%i CPU permits are divided between %i gateways as %j', (permits, count, expected) => {
  expect(shares(permits, count)).toEqual(expected);
});
