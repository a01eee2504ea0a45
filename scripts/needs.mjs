// What tests and benchmarks want that the machine may lack: one row each, made when first asked for,
// kept in the cache folder. As a program: `node scripts/needs.mjs NAME…` prints the result as JSON.
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { goBinary } from './needs/go-binary.mjs';
import { npmPackages } from './needs/npm-packages.mjs';
import { otherPostgres } from './needs/other-postgres.mjs';
import { ownGoProgram } from './needs/own-go-program.mjs';
import { pythonVenv } from './needs/python-venv.mjs';
import { redisServer } from './needs/redis-server.mjs';
import { installWithApt, systemCommand } from './needs/system-command.mjs';

/**
 * @typedef {object} Need
 * @property {() => string | undefined} find the path of what is there already; quick
 * @property {() => Promise<string>} [make] makes it and gives its path, or throws the reason
 * @property {string} [aptPackage] the Debian package that brings it
 */

/** @type {Record<string, Need>} */
const NEEDS = {
  ffmpeg: systemCommand(['ffmpeg'], 'ffmpeg'),
  ffprobe: systemCommand(['ffprobe'], 'ffmpeg'),
  sox: systemCommand(['sox'], 'sox'),
  opusinfo: systemCommand(['opusinfo'], 'opus-tools'),
  chromium: systemCommand(['chromium', 'chromium-browser', 'google-chrome'], 'chromium'),
  'other-postgresql': otherPostgres(),
  // The paths are the environments' pythons.
  'piper-tts': pythonVenv('piper-tts', ['piper-tts==1.8.0', 'onnx==1.22.0']),
  schemathesis: pythonVenv('schemathesis', [
    'schemathesis==4.32.5',
    'hypothesis==6.170.15',
    'jsonschema_rs==0.60.3',
  ]),
  // The turn model's own way of listening, to compare ours with; its python, too.
  'turn-reference': pythonVenv('turn-reference', [
    'transformers==5.23.0',
    'onnxruntime==1.31.1',
    'numpy==2.4.6',
  ]),
  // A PostgreSQL with the extension pgvector.
  pgvector: pythonVenv('pgvector', [
    'pgserver==0.1.4',
    'fasteners==0.20',
    'platformdirs==4.14.7',
    'psutil==7.2.2',
  ]),
  // The path is a node_modules folder.
  'sherpa-onnx': npmPackages('sherpa-onnx', ['sherpa-onnx-node@1.13.8']),
  // LiveKit keeps trunks and dispatch rules of SIP in one.
  'redis-server': redisServer(),
  // A server of S3's protocol that keeps everything in memory.
  gofakes3: goBinary('github.com/johannesboyne/gofakes3/cmd/gofakes3', 'v1.2.0'),
  // Newer ones cannot be built from the module proxy alone.
  'livekit-server': goBinary('github.com/livekit/livekit-server/cmd/server', 'v1.11.0'),
  // Those who read the files of deploy/ in earnest, as far as they check them.
  'deploy-check': ownGoProgram('deploy-check'),
  caddy: systemCommand(['caddy'], 'caddy'),
};

/**
 * Makes what is missing, side by side.
 * @param {readonly string[]} names rows of the table
 * @returns {Promise<Record<string, {path: string} | {reason: string}>>}
 */
export async function prepare(names) {
  const unknown = names.find((name) => !Object.hasOwn(NEEDS, name));
  if (unknown) throw new Error(`scripts/needs.mjs has no row that is called ${unknown}`);
  const packages = names
    .filter((name) => !NEEDS[name].find())
    .map((name) => NEEDS[name].aptPackage);
  const apt = installWithApt(packages.filter(Boolean));
  const results = await Promise.all(names.map(async (name) => [name, await ready(name, apt)]));
  return Object.fromEntries(results);
}

async function ready(name, apt) {
  const { find, make, aptPackage } = NEEDS[name];
  try {
    const found = find();
    if (found) return { path: found };
    console.error(`Preparing ${name} …`);
    if (aptPackage) await apt;
    return { path: find() ?? (await make()) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    console.error(`No ${name}: ${reason}`);
    return { reason };
  }
}

/** The needs that built test files name in their calls of `describeWith`. */
export function needsOf(files) {
  const names = new Set();
  for (const file of files) {
    for (const [, list] of readFileSync(file, 'utf8').matchAll(/describeWith\(\s*\[([^\]]*)\]/g)) {
      for (const [, name] of list.matchAll(/['"]([^'"]+)['"]/g)) names.add(name);
    }
  }
  return [...names].sort();
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  console.log(JSON.stringify(await prepare(process.argv.slice(2))));
}
