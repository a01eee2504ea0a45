import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ModelStore } from '../../media/models/store.js';
import { cacheRoot, modelFolders } from '../../src/config/model-folders.js';
import { MODEL_ADVICE } from '../../src/platform/process/models-command.js';
import { type Speaker, startPeer } from './speaker.js';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const PROGRAMS = join(ROOT, 'test', 'bench', 'peers');

/**
 * Starts both peers with the same voice, one thread each. The first run downloads their packages to
 * the cache folder; they are not dependencies of Parley.
 */
export async function startPeers(): Promise<readonly Speaker[]> {
  const modelStore = new ModelStore({
    ...modelFolders(process.env),
    environment: process.env,
    advice: MODEL_ADVICE,
  });
  const voices = await modelStore.ensure(['piper-joe']);
  const voice = join(voices.get('piper-joe') ?? '', 'en_US-joe-medium.onnx');
  const tools = await prepare('piper-tts', 'sherpa-onnx');
  const sherpaVoice = join(cacheRoot(process.env), 'bench', 'joe-for-sherpa');
  if (!existsSync(join(sherpaVoice, 'model.onnx'))) {
    await run(tools['piper-tts'], [join(PROGRAMS, 'prepare-sherpa.py'), voice, sherpaVoice]);
  }
  const found = await run(tools['piper-tts'], ['-c', 'import piper; print(piper.__file__)']);
  const espeakData = join(dirname(found.stdout.trim()), 'espeak-ng-data');
  const sherpaArgs = [tools['sherpa-onnx'], sherpaVoice, espeakData];
  return [
    await startPeer('sherpa-onnx-node 1.13.8', process.execPath, [
      join(PROGRAMS, 'sherpa-peer.mjs'),
      ...sherpaArgs,
    ]),
    await startPeer('piper-tts 1.8.0', tools['piper-tts'], [
      join(PROGRAMS, 'piper-peer.py'),
      voice,
    ]),
  ];
}

/** Paths of the optional programs of scripts/needs.mjs, which are prepared if necessary. */
async function prepare<const Name extends string>(
  ...names: readonly Name[]
): Promise<Readonly<Record<Name, string>>> {
  const { stdout } = await run(process.execPath, [join(ROOT, 'scripts', 'needs.mjs'), ...names]);
  const found = JSON.parse(stdout) as Record<Name, { path: string } | { reason: string }>;
  const paths = names.map((name) => {
    const tool = found[name];
    if ('path' in tool) return [name, tool.path];
    throw new Error(`The benchmark needs ${name}: ${tool.reason}`);
  });
  return Object.fromEntries(paths);
}
