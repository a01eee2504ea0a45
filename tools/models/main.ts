import { MediaError } from '../../media/errors.js';
import { ModelStore } from '../../media/models/store.js';
import { modelFolders, modelsDirFault } from '../../src/config/model-folders.js';
import { MODEL_ADVICE } from '../../src/platform/process/models-command.js';
import { COMMANDS, unpack, usage } from './commands.js';

async function main(): Promise<number> {
  const [name = 'list', ...args] = process.argv.slice(2);
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command) return usage();
  const fault = command === unpack ? undefined : modelsDirFault(process.env);
  if (fault) {
    console.error(`${fault}.`);
    return 1;
  }
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  const modelStore = new ModelStore({
    ...modelFolders(process.env),
    environment: process.env,
    advice: MODEL_ADVICE,
  });
  try {
    return await command({ modelStore, signal: stop.signal, args });
  } catch (error) {
    if (!(error instanceof MediaError)) throw error;
    if (error.code !== 'ABORTED') {
      console.error(error.message);
      return 1;
    }
    console.error('Stopped. The next run continues from here.');
    return 130;
  }
}

process.exitCode = await main();
