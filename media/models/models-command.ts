import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The folder that `dist` lies in: a clone's, or the image's. */
const TOP = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * What to type for a command of the models' program, for people who read a message of ours. The container
 * image has neither the launcher nor npm.
 */
export function modelsCommand(args: string, top: string = TOP): string {
  return isClone(top) ? `npm run models -- ${args}` : `node dist/tools/models/main.js ${args}`;
}

/** The same for one that fetches: the gateway's image has no pip, which its `models` target adds. */
export function fetchCommand(args: string, top: string = TOP): string {
  if (isClone(top)) return modelsCommand(args, top);
  return `docker run --rm --volume VOLUME:/models parley-models ${args}`;
}

/** How pip is got, where it is missing. */
export function pipAdvice(top: string = TOP): string {
  if (isClone(top)) return 'install python3 with pip (on Debian: apt install python3-pip)';
  return `fetch into the volume at /models with "${fetchCommand('fetch ID', top)}" (deploy/Dockerfile, target models)`;
}

function isClone(top: string): boolean {
  return existsSync(`${top}/scripts/launch.mjs`);
}
