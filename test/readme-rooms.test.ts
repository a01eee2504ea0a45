import { readdirSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const LAYERS = ['media', 'agents-runtime', 'src'];

const codeIn = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, code]) => code!);

/** What the README's table of rooms names; the resources stand in one row together. */
function namedRooms(): string[] {
  const readme = readFileSync(`${ROOT}README.md`, 'utf8');
  const from = readme.indexOf('| room | what lives there |');
  const table = readme.slice(from, readme.indexOf('\n\n', from));
  return table.split('\n').flatMap((row) => {
    const [, rooms = '', told = ''] = row.split('|');
    if (!rooms.includes('src/<resource>')) return codeIn(rooms);
    return codeIn(told).map((resource) => `src/${resource}`);
  });
}

it('has each room of the code in its table, and none that is not there', () => {
  const rooms = LAYERS.flatMap((layer) =>
    readdirSync(`${ROOT}${layer}`, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => `${layer}/${name}`),
  );
  expect(rooms.length).toBeGreaterThan(40);
  const named = namedRooms();
  expect(rooms.filter((room) => !named.includes(room))).toEqual([]);
  expect(named.filter((room) => !statSync(`${ROOT}${room}`).isDirectory())).toEqual([]);
});
