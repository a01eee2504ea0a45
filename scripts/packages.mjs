import { existsSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { run } from './run.mjs';
import { diskFullSentence, StepFailure } from './step-failure.mjs';

const OFFLINE = /ENOTFOUND|ECONNREFUSED|ECONNRESET|EAI_AGAIN|ETIMEDOUT|ENETUNREACH|ENOTCACHED/;
/** npm's own note of what it installed, its last act. */
const INSTALLED = 'node_modules/.package-lock.json';

/**
 * Whether node_modules holds what package-lock.json asks for; an install that was cut short does not.
 */
export function packagesAreCurrent(root) {
  const installed = readLock(join(root, INSTALLED));
  if (!installed) return false;
  const wanted = readLock(join(root, 'package-lock.json')) ?? {};
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === '') return true;
    const found = installed[path];
    // Most optional packages are absent, because each is for one platform.
    if (!found) return entry.optional === true || entry.devOptional === true;
    return found.version === entry.version && found.integrity === entry.integrity;
  });
}

/** Installs the packages, unless they are there. @throws {StepFailure} */
export async function installPackages(root) {
  if (packagesAreCurrent(root)) return;
  console.log('Installing the packages (npm ci) …');
  const [command, ...npm] = npmCommand();
  const { code, output } = await run(
    command,
    // Explicit, because NODE_ENV, omit and loglevel of the caller also apply to this npm.
    [...npm, 'ci', '--include=dev', '--include=optional', '--no-audit', '--loglevel=warn'],
    { cwd: root },
  );
  // If npm cannot unpack a file, it only warns, and the package counts as installed.
  const isWhole = code === 0 && !output.includes('TAR_ENTRY_ERROR') && packagesAreCurrent(root);
  if (isWhole) return;
  rmSync(join(root, INSTALLED), { force: true });
  throw new StepFailure(installSentence(output));
}

/** One sentence for what `npm ci` printed when it failed. */
export function installSentence(output) {
  if (/not found|ENOENT/.test(output) && /spawn npm/.test(output)) {
    return 'There is no npm on the PATH: install npm and run the same command again.';
  }
  const full = diskFullSentence(output);
  if (full) return full;
  const code = /npm (?:error|ERR!) code (\S+)/.exec(output)?.[1] ?? 'no code';
  if (OFFLINE.test(output)) {
    return `Cannot download the packages (${code}): check the network, and the proxy and registry in \`npm config list\`. Then run the same command again.`;
  }
  if (code === 'EUSAGE') {
    return 'package-lock.json does not match package.json: run `npm install`, then the same command again.';
  }
  return `Cannot install the packages (npm ci: ${code}): run \`npm ci\` to see why, then the same command again.`;
}

/** How to call npm: the one that started us if there is one, else that on the PATH. */
export function npmCommand() {
  const caller = process.env.npm_execpath;
  if (caller && basename(caller) === 'npm-cli.js' && existsSync(caller)) {
    return [process.execPath, caller];
  }
  return ['npm'];
}

function readLock(path) {
  if (!existsSync(path)) return undefined;
  return JSON.parse(readFileSync(path, 'utf8')).packages;
}
