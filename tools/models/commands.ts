import { MediaError } from '../../media/errors.js';
import { packBundle, unpackBundle } from '../../media/models/bundle.js';
import { DEFAULT_MODEL_IDS, MODEL_CATALOGUE } from '../../media/models/catalogue.js';
import { licenceText } from '../../media/models/licences.js';
import { fetchBytes } from '../../media/models/model.js';
import type { ModelState, ModelStore } from '../../media/models/store.js';
import { fetchCommand, modelsCommand } from '../../src/platform/process/models-command.js';
import { ProgressDisplay } from './download-progress.js';

const USAGE = `usage: ${modelsCommand('COMMAND')}
  list                   what can be installed, what is, and under which licence
  ensure [--with ID…]    fetch what is missing of the default set (and of ID…)
  fetch ID…              fetch these models
  add LANGUAGE           fetch the neural voices of a language: ${optionalLanguages().join(' ')}
  verify                 hash every installed file again
  pack FILE              all installed models in one zip file, for machines without internet
  unpack FILE FOLDER     its counterpart: then set MODELS_DIR to FOLDER
  licences               the licence of every installed model in full
`;

/** The input of a command. */
export interface Context {
  readonly modelStore: ModelStore;
  readonly signal: AbortSignal;
  readonly args: readonly string[];
}

/** Runs a command. @returns the exit code */
export type Command = (context: Context) => Promise<number>;

/** The commands by name. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  list,
  ensure,
  fetch: ({ args, ...context }) => (args.length === 0 ? usage() : fetchModels(args, context)),
  add,
  verify,
  pack,
  unpack,
  licences,
};

async function list({ modelStore }: Context): Promise<number> {
  for (const { model, state, folder, hashes } of await modelStore.list()) {
    const size = `${(fetchBytes(model) / 1e6).toFixed(1)} MB`.padStart(8);
    const group = model.isDefault ? 'default ' : 'optional';
    const found = state === 'installed' ? `installed in ${folder}` : state;
    console.log(`${model.id.padEnd(18)} ${group} ${size}  ${model.languages.join(' ')}  ${found}`);
    console.log(`  ${model.use}; licence: ${model.licence.name}`);
    if (model.notes) console.log(`  ${model.notes}`);
    for (const file of model.files) {
      const hash = hashes?.[file.name];
      if (hash && !file.sha256)
        console.log(`  ${file.name}: SHA-256 ${hash}, from the first download`);
    }
  }
  return 0;
}

async function ensure({ args, ...context }: Context): Promise<number> {
  const [flag, ...others] = args;
  if (flag !== undefined && (flag !== '--with' || others.length === 0)) return usage();
  return fetchModels([...DEFAULT_MODEL_IDS, ...others], context);
}

async function fetchModels(
  ids: readonly string[],
  context: Omit<Context, 'args'>,
): Promise<number> {
  const { modelStore, signal } = context;
  const missing = await modelStore.missing(ids);
  if (missing.length === 0) return 0;
  const display = new ProgressDisplay(missing, process.stderr);
  try {
    await modelStore.ensure(ids, { onProgress: (progress) => display.update(progress), signal });
  } finally {
    display.end();
  }
  return 0;
}

async function add({ args, ...context }: Context): Promise<number> {
  const [language] = args;
  if (!language || args.length > 1) return usage();
  const voices = MODEL_CATALOGUE.filter(
    (model) =>
      !model.isDefault && model.use === 'speech synthesis' && model.languages.includes(language),
  );
  if (voices.length > 0)
    return fetchModels(
      voices.map(({ id }) => id),
      context,
    );
  const known = optionalLanguages().join(' ');
  throw new MediaError('INVALID_INPUT', `There is no voice for ${language}: use one of ${known}.`);
}

async function verify({ modelStore }: Context): Promise<number> {
  const states = await modelStore.verify();
  for (const state of states) console.log(verdict(state));
  if (states.every(({ state }) => state === 'installed')) return 0;
  console.error(`Fetch the damaged models again: ${fetchCommand('fetch ID…')}`);
  return 1;
}

function verdict({ model, state, faultyFile }: ModelState): string {
  return state === 'installed' ? `${model.id}: sound` : `${model.id}: damaged (${faultyFile})`;
}

async function pack({ modelStore, args }: Context): Promise<number> {
  const [file] = args;
  if (!file || args.length > 1) return usage();
  console.log(`Packed ${(await packBundle(modelStore, file)).join(', ')} into ${file}`);
  return 0;
}

export async function unpack({ args }: Context): Promise<number> {
  const [file, folder] = args;
  if (!file || !folder || args.length > 2) return usage();
  console.log(
    `Unpacked ${(await unpackBundle(file, folder)).join(', ')}: set MODELS_DIR=${folder}`,
  );
  return 0;
}

async function licences({ modelStore }: Context): Promise<number> {
  for (const { model, state } of await modelStore.list()) {
    if (state === 'installed') console.log(`${await licenceText(model)}\n${'-'.repeat(80)}`);
  }
  return 0;
}

/** Prints the usage. @returns the exit code for a wrong command line */
export async function usage(): Promise<number> {
  console.error(USAGE);
  return 2;
}

function optionalLanguages(): readonly string[] {
  const voices = MODEL_CATALOGUE.filter(
    (model) => !model.isDefault && model.use === 'speech synthesis',
  );
  return [...new Set(voices.flatMap(({ languages }) => languages))].sort();
}
