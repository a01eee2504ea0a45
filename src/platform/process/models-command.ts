import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { OperatorAdvice } from '../../../media/models/operator-advice.js';

/** The folder that contains `dist`, in the clone or in the image. */
const TOP = fileURLToPath(new URL('../../../../', import.meta.url));

/**
 * Returns the command line of the models program, for messages to the operator. The container image has
 * neither the launcher nor npm.
 * @param args - arguments of the program
 * @param top - folder that contains `dist`; default: that of this installation
 */
export function modelsCommand(args: string, top: string = TOP): string {
  return isClone(top) ? `npm run models -- ${args}` : `node dist/tools/models/main.js ${args}`;
}

/**
 * Like `modelsCommand`, for a command that downloads. The gateway's image has no pip; its build target
 * `models` has it.
 */
export function fetchCommand(args: string, top: string = TOP): string {
  if (isClone(top)) return modelsCommand(args, top);
  return `docker run --rm --volume VOLUME:/models parley-models ${args}`;
}

/** Returns the instructions for a missing pip, as a part of a sentence. */
export function pipAdvice(top: string = TOP): string {
  if (isClone(top)) return 'install python3 with pip (on Debian: apt install python3-pip)';
  return `fetch into the volume at /models with "${fetchCommand('fetch ID', top)}" (deploy/Dockerfile, target models)`;
}

function isClone(top: string): boolean {
  return existsSync(`${top}/scripts/launch.mjs`);
}

export const MODEL_ADVICE: OperatorAdvice = {
  modelsCommand: (args) => modelsCommand(args),
  fetchCommand: (args) => fetchCommand(args),
  pipAdvice: () => pipAdvice(),
};
