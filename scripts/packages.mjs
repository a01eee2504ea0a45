import { existsSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { run } from './run.mjs';
import { diskFullSentence, StepFailure } from './step-failure.mjs';

const OFFLINE = /ENOTFOUND|ECONNREFUSED|ECONNRESET|EAI_AGAIN|ETIMEDOUT|ENETUNREACH|ENOTCACHED/;
/** npm's record of installed packages, which it writes last. */
const INSTALLED = 'node_modules/.package-lock.json';

/** Whether node_modules matches package-lock.json; false after an interrupted install. */
export function packagesAreCurrent(root) {
  const installed = readLock(join(root, INSTALLED));
  if (!installed) return false;
  const wanted = readLock(join(root, 'package-lock.json')) ?? {};
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === '') return true;
    const found = installed[path];
    // An optional package is for one platform: most of them are absent.
    if (!found) return entry.optional === true || entry.devOptional === true;
    return found.version === entry.version && found.integrity === entry.integrity;
  });
}

/** Installs the packages if necessary. @throws {StepFailure} */
export async function installPackages(root) {
  if (packagesAreCurrent(root)) return;
  console.log('Installing the packages (npm ci) …');
  const [command, ...npm] = npmCommand();
  const { code, output } = await run(
    command,
    // Explicit options, because NODE_ENV, omit or loglevel of the caller would also affect this
    // npm.
    [...npm, 'ci', '--include=dev', '--include=optional', '--no-audit', '--loglevel=warn'],
    { cwd: root },
  );
  // npm only warns about a file that it cannot unpack and records the package as installed.
  const isWhole = code === 0 && !output.includes('TAR_ENTRY_ERROR') && packagesAreCurrent(root);
  if (isWhole) return;
  rmSync(join(root, INSTALLED), { force: true });
  throw new StepFailure(installSentence(output));
}

/** One sentence for the output of a failed `npm ci`. */
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

/** The npm that started this process, or else the one on the PATH. */
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
