import { expect, it } from 'vitest';
import { announcementLines } from '../../../src/platform/process/announcement.js';

const READY = {
  url: 'http://127.0.0.1:8080',
  keyFile: '/data/api-key',
  firstKey: 'vk_first',
  isTerminal: true,
};

it('the first key is printed on a terminal at the start that created it', () => {
  expect(announcementLines(READY)).toEqual([
    'Parley is ready: http://127.0.0.1:8080',
    'API key: vk_first (shown once; stored in /data/api-key)',
  ]);
});

it.each([
  ['where standard output is no terminal', { isTerminal: false }],
  ['at later starts', { firstKey: undefined }],
])('the file of the key is printed instead of the key: %s', (_, change) => {
  expect(announcementLines({ ...READY, ...change })).toEqual([
    'Parley is ready: http://127.0.0.1:8080',
    'API key: see /data/api-key',
  ]);
});
