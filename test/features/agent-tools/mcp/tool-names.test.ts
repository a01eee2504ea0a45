import { expect, it } from 'vitest';
import { mcpToolNames } from '../../../../src/features/agent-tools/mcp/tool-names.js';

const names = (tools: readonly (readonly [string, string])[], taken: readonly string[] = []) =>
  mcpToolNames(
    tools.map(([server, name]) => ({ server, name })),
    taken,
  );

it('are their own where they can be, and have the form that models take', () => {
  expect(
    names([
      ['shop', 'look'],
      ['bank', 'pay.now ☃'],
    ]),
  ).toEqual(['look', 'pay_now_']);
});

it('begin with the server where two have the same, or it is taken', () => {
  expect(
    names(
      [
        ['shop', 'look'],
        ['bank', 'look'],
        ['bank', 'end_call'],
      ],
      ['end_call'],
    ),
  ).toEqual(['shop_look', 'bank_look', 'bank_end_call']);
});

it('leave out what cannot be told apart even so', () => {
  expect(
    names([
      ['a', 'x'],
      ['a', 'x'],
      ['b', ''],
    ]),
  ).toEqual(['a_x', undefined, undefined]);
  const long = 'n'.repeat(80);
  expect(
    names([
      ['s', long],
      ['t', long],
    ]).map((name) => name?.length),
  ).toEqual([64, 64]);
});
