import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

interface Platform {
  readonly platform: string;
  readonly arch?: string;
}

const SCRIPT = fileURLToPath(new URL('../../../scripts/prune-packages.mjs', import.meta.url));
const {
  platformOf,
  prunePackages,
}: {
  platformOf(head: Buffer): Platform | undefined;
  prunePackages(folder: string, wanted: Platform): { files: number; bytes: number };
} = await import(SCRIPT);

/** The ONNX runtime's folder per platform; its package contains all of them. */
const RUNTIMES = join(
  dirname(createRequire(import.meta.url).resolve('onnxruntime-node/package.json')),
  'bin/napi-v6',
);

it('the platform of each library of the ONNX runtime is recognised', () => {
  const libraries = readdirSync(RUNTIMES, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile(),
  );
  expect(libraries.length).toBeGreaterThanOrEqual(2);
  for (const { parentPath, name } of libraries) {
    const [platform, arch] = relative(RUNTIMES, parentPath).split('/');
    const expected = platform === 'linux' ? { platform, arch } : { platform };
    expect(platformOf(readFileSync(join(parentPath, name)).subarray(0, 20)), name).toEqual(
      expected,
    );
  }
});

describe('pruned node_modules folder', () => {
  let folder: string;
  const heads = {
    'here/x64.node': elf(62),
    'there/arm64.node': elf(183),
    'there/deep/riscv.so': elf(243),
    'windows/run.exe': Buffer.from('MZ'.padEnd(40, '\0')),
    'mac/lib.dylib': Buffer.from('cffaedfe'.padEnd(80, '0'), 'hex'),
    'mac/both.node': Buffer.from('cafebabe00000002'.padEnd(80, '0'), 'hex'),
    'java/Main.class': Buffer.from('cafebabe00000041'.padEnd(80, '0'), 'hex'),
    'code/index.js': Buffer.from('MZ = 1'),
    'code/index.js.map': Buffer.from('{}'),
    'code/index.d.ts': Buffer.from('export {};'),
    'code/index.d.mts': Buffer.from('export {};'),
    'code/source.ts': Buffer.from('export const platform = 1;'),
    'empty/nothing': Buffer.alloc(0),
  };
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'parley-prune-'));
    for (const [name, content] of Object.entries(heads)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), content);
    }
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('contains the files for the platform, without foreign binaries and files for development tools', () => {
    const removed = prunePackages(folder, { platform: 'linux', arch: 'x64' });
    expect(Object.keys(heads).filter((name) => existsSync(join(folder, name)))).toEqual([
      'here/x64.node',
      'java/Main.class',
      'code/index.js',
      'code/source.ts',
      'empty/nothing',
    ]);
    expect(removed.files).toBe(8);
    expect(existsSync(join(folder, 'there'))).toBe(false);
    expect(prunePackages(folder, { platform: 'linux', arch: 'x64' })).toEqual({
      files: 0,
      bytes: 0,
    });
  });
});

function elf(machine: number): Buffer {
  const head = Buffer.alloc(64);
  head.write('\x7fELF', 'latin1');
  head.writeUInt16LE(machine, 18);
  return head;
}
