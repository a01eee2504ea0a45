import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ModelStore } from '../../media/models/store.js';
import { cacheRoot, modelFolders } from '../../src/models/model-folders.js';
import { type Speaker, startPeer } from './speaker.js';

const run = promisify(execFile);
const SHERPA = 'sherpa-onnx-node@1.13.8';
const PIPER = 'piper-tts==1.8.0';
const PROGRAMS = fileURLToPath(new URL('../../../test/bench/peers/', import.meta.url));

/**
 * Starts both peers with the same voice, one thread each. What they need goes into the cache folder
 * at the first run; none of it is a dependency of ours.
 */
export async function startPeers(): Promise<readonly Speaker[]> {
  const folder = join(cacheRoot(process.env), 'bench');
  const store = new ModelStore({ ...modelFolders(process.env), environment: process.env });
  const voices = await store.ensure(['piper-joe']);
  const voice = join(voices.get('piper-joe') ?? '', 'en_US-joe-medium.onnx');
  const python = await installPiper(folder);
  const sherpa = await installSherpa(folder);
  const sherpaVoice = join(folder, 'joe-for-sherpa');
  if (!existsSync(join(sherpaVoice, 'model.onnx'))) {
    await run(python, [join(PROGRAMS, 'prepare-sherpa.py'), voice, sherpaVoice]);
  }
  const found = await run(python, ['-c', 'import piper; print(piper.__file__)']);
  const espeakData = join(dirname(found.stdout.trim()), 'espeak-ng-data');
  return [
    await startPeer(SHERPA, process.execPath, [
      join(PROGRAMS, 'sherpa-peer.mjs'),
      sherpa,
      sherpaVoice,
      espeakData,
    ]),
    await startPeer(PIPER, python, [join(PROGRAMS, 'piper-peer.py'), voice]),
  ];
}

/** A virtual environment with piper-tts; returns its Python. */
async function installPiper(folder: string): Promise<string> {
  const environment = join(folder, PIPER);
  const python = join(environment, 'bin', 'python');
  const isReady = join(environment, 'ready');
  if (existsSync(isReady)) return python;
  await mkdir(folder, { recursive: true });
  await run('python3', ['-m', 'venv', '--clear', environment]);
  await run(python, ['-m', 'pip', 'install', '--quiet', PIPER, 'onnx>=1.16']);
  await writeFile(isReady, '');
  return python;
}

/** The npm package in a folder of its own; returns the folder. */
async function installSherpa(folder: string): Promise<string> {
  const prefix = join(folder, SHERPA);
  const isReady = join(prefix, 'ready');
  if (existsSync(isReady)) return prefix;
  await mkdir(prefix, { recursive: true });
  await run('npm', ['install', '--prefix', prefix, '--no-save', '--ignore-scripts', SHERPA]);
  await writeFile(isReady, '');
  return prefix;
}
