import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { extract, readZip, writeZip } from '../../../media/models/zip.js';
import { hashOf } from './sample-models.js';

const FILES = {
  'random.bin': randomBytes(100_000),
  'text.txt': Buffer.from('same same '.repeat(5000)),
  'empty.txt': Buffer.alloc(0),
};

let folder: string;
let archive: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-zip-'));
  archive = join(folder, 'archive.zip');
  for (const [name, content] of Object.entries(FILES)) await writeFile(join(folder, name), content);
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

function members() {
  return Object.keys(FILES).map((name) => ({ name: `tugão/${name}`, file: join(folder, name) }));
}

async function content(name: string): Promise<Buffer> {
  const entry = (await readZip(archive)).get(name);
  if (!entry) throw new Error(`no ${name}`);
  await extract(archive, entry, join(folder, 'out'));
  return readFile(join(folder, 'out'));
}

describe('zip files', () => {
  it('are read as written', async () => {
    await writeZip(archive, members());
    for (const [name, expected] of Object.entries(FILES)) {
      expect(hashOf(await content(`tugão/${name}`))).toBe(hashOf(expected));
    }
  });

  it("are compatible with Python's zipfile, stored or compressed", async () => {
    await writeZip(archive, members());
    const check =
      'import sys,zipfile; z=zipfile.ZipFile(sys.argv[1]); print(z.testzip(), len(z.namelist()))';
    expect(execFileSync('python3', ['-c', check, archive]).toString().trim()).toBe('None 3');
    const write = `import sys,zipfile
with zipfile.ZipFile(sys.argv[1], 'w') as z:
  z.write(sys.argv[2] + '/text.txt', 'stored.txt')
  z.write(sys.argv[2] + '/text.txt', 'packed.txt', zipfile.ZIP_DEFLATED)
  z.comment = b'a comment at the end'`;
    execFileSync('python3', ['-c', write, archive, folder]);
    expect(hashOf(await content('stored.txt'))).toBe(hashOf(FILES['text.txt']));
    expect(hashOf(await content('packed.txt'))).toBe(hashOf(FILES['text.txt']));
  });

  it.each([0, 10, 21, 500, 60_000])(
    'are corrupt if they are truncated after %i bytes',
    async (length) => {
      await writeZip(archive, members());
      await truncate(archive, length);
      await expect(readZip(archive)).rejects.toMatchObject({ code: 'MODEL_CORRUPT' });
    },
  );

  it('are rejected if an entry unpacks to more than its declared size', async () => {
    await writeZip(archive, members());
    const entry = (await readZip(archive)).get('tugão/text.txt');
    if (!entry) throw new Error('no entry');
    await expect(
      extract(archive, Object.assign(entry, { uncompressedSize: 100 }), join(folder, 'out')),
    ).rejects.toMatchObject({ code: 'MODEL_CORRUPT' });
  });

  it('are corrupt if compressed data has flipped bits', async () => {
    await writeZip(archive, members());
    const bytes = await readFile(archive);
    const at = bytes.indexOf('tugão/text.txt') + 18;
    bytes.fill(0xff, at, at + 20);
    await writeFile(archive, bytes);
    await expect(content('tugão/text.txt')).rejects.toMatchObject({ code: 'MODEL_CORRUPT' });
  });
});
