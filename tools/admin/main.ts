import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Knex } from 'knex';
import { type Config, readConfig } from '../../src/config/config.js';
import { StartError } from '../../src/config/start-error.js';
import { resealConfigs } from '../../src/features/agents/secret-rotation.js';
import { AccountsRepository } from '../../src/features/auth/accounts.repository.js';
import { prepareDataDir } from '../../src/platform/process/data-dir.js';
import { SealError, SecretBox } from '../../src/platform/secrets/secret-box.js';
import { loadSecretKeys } from '../../src/platform/secrets/secret-keys.js';
import {
  addAccount,
  addCredits,
  changeAccount,
  findAccount,
  readAmount,
  removeAccount,
} from './accounts.js';
import { AdminError } from './admin-error.js';
import { addKey, listKeys, revokeKey } from './api-keys.js';
import { backUp } from './backup.js';
import { withAdminDatabase } from './database.js';
import { assignNumber, listNumbers, readPhoneNumber, unassignNumber } from './phone-numbers.js';
import { restore } from './restore.js';
import { adoptSecretKey, readSecretKey } from './secret-key.js';
import { accountLines, keyLines, numberLines } from './text-tables.js';

const USAGE = `usage: npm run admin -- COMMAND        (ACCOUNT is an id or a name)
  accounts                             list the accounts
  accounts add NAME                    make one, its balance unlimited
  accounts rename ACCOUNT NAME
  accounts remove ACCOUNT --yes        with its agents, keys, knowledge and calls
  credits set ACCOUNT AMOUNT|unlimited
  credits add ACCOUNT AMOUNT
  prices ACCOUNT [--per-1000-characters AMOUNT] [--per-call-second AMOUNT]
  keys list ACCOUNT
  keys add ACCOUNT NAME [--scopes A,B] [--days N]    the key is shown once
  keys revoke ACCOUNT ID
  numbers [list [ACCOUNT]]             list phone numbers and the accounts that own them
  numbers assign ACCOUNT NUMBER        let this account deploy and dial with the number
  numbers unassign NUMBER
  backup FILE [--with-secret]          the whole database, while the service runs
  restore FILE [--forget-secrets]      into an empty DATA_DIR or database
  reseal                               encrypt stored secrets with the newest SECRET_KEY

The settings are those of "npm start": DATA_DIR or DATABASE_URL selects the installation.`;

const OPTIONS = {
  'forget-secrets': { type: 'boolean' },
  'per-1000-characters': { type: 'string' },
  'per-call-second': { type: 'string' },
  'with-secret': { type: 'boolean' },
  days: { type: 'string' },
  scopes: { type: 'string' },
  yes: { type: 'boolean' },
} as const;

interface Request {
  readonly config: Config;
  readonly args: readonly string[];
  readonly options: ReturnType<typeof parse>['values'];
}

/** Returns the text to print; undefined for invalid arguments. */
type Command = (request: Request) => Promise<string | undefined>;

const COMMANDS: Readonly<Record<string, Command>> = {
  accounts: (request) => onDatabase(request, accounts),
  credits: (request) => onDatabase(request, credits),
  prices: (request) => onDatabase(request, prices),
  keys: (request) => onDatabase(request, keys),
  numbers: (request) => onDatabase(request, numbers),
  backup,
  restore: restoreBackup,
  reseal,
};

type DatabaseCommand = (db: Knex, request: Request) => Promise<string | undefined>;

function onDatabase(request: Request, act: DatabaseCommand): Promise<string | undefined> {
  return withAdminDatabase(request.config, (db) => act(db, request));
}

async function accounts(db: Knex, { args, options }: Request): Promise<string | undefined> {
  const [verb = 'list', first, second] = args;
  if (verb === 'list') return accountLines(await new AccountsRepository(db).list());
  if (first === undefined) return undefined;
  if (verb === 'add') return `Created the account ${await addAccount(db, first)}.`;
  const account = await findAccount(db, first);
  if (verb === 'rename' && second !== undefined) {
    return accountLines([await changeAccount(db, account, { name: second })]);
  }
  if (verb !== 'remove') return undefined;
  if (!options.yes)
    throw new AdminError('This deletes the account with all its data: add --yes to confirm.');
  await removeAccount(db, account);
  return `Removed the account ${account.id}.`;
}

async function credits(db: Knex, { args: [verb, name, amount] }: Request) {
  if (name === undefined) return undefined;
  const account = await findAccount(db, name);
  if (verb === 'add') {
    return accountLines([await addCredits(db, account, readAmount(amount, 'Credits'))]);
  }
  if (verb !== 'set') return undefined;
  const balance = amount === 'unlimited' ? null : readAmount(amount, 'Credits');
  return accountLines([await changeAccount(db, account, { balance })]);
}

async function prices(db: Knex, { args: [name], options }: Request) {
  const { 'per-1000-characters': characters, 'per-call-second': second } = options;
  if (name === undefined || (characters ?? second) === undefined) return undefined;
  const account = await findAccount(db, name);
  const change = {
    ...(characters !== undefined && { pricePer1000Characters: readAmount(characters, 'A price') }),
    ...(second !== undefined && { pricePerCallSecond: readAmount(second, 'A price') }),
  };
  return accountLines([await changeAccount(db, account, change)]);
}

async function keys(db: Knex, { args: [verb, account, what], options }: Request) {
  if (account === undefined) return undefined;
  const owner = await findAccount(db, account);
  if (verb === 'list') return keyLines(await listKeys(db, owner));
  if (what === undefined) return undefined;
  if (verb === 'revoke') return keyLines([await revokeKey(db, owner, what)]);
  if (verb !== 'add') return undefined;
  const { text, info } = await addKey(db, owner, what, options);
  return `${keyLines([info])}\n${text}\n(shown only once)`;
}

async function numbers(db: Knex, { args: [verb = 'list', first, second] }: Request) {
  if (verb === 'list') {
    return numberLines(
      await listNumbers(db, first === undefined ? first : await findAccount(db, first)),
    );
  }
  if (verb === 'unassign' && first !== undefined) {
    const number = readPhoneNumber(first);
    await unassignNumber(db, number);
    return `${number} is no longer assigned to an account.`;
  }
  if (verb !== 'assign' || first === undefined || second === undefined) return undefined;
  const account = await findAccount(db, first);
  const number = readPhoneNumber(second);
  await assignNumber(db, account, number);
  return `${number} now belongs to the account ${account.id}.`;
}

async function backup({ config, args: [file], options }: Request): Promise<string | undefined> {
  if (file === undefined) return undefined;
  const withSecret = options['with-secret'] === true;
  const secretKey = withSecret ? await readSecretKey(config) : undefined;
  if (withSecret && secretKey === undefined)
    throw new AdminError('There is no SECRET_KEY yet: run "npm start" once.');
  await withAdminDatabase(config, (db) => backUp(db, { file: resolve(file), secretKey }));
  return withSecret
    ? `Wrote ${file}. It contains SECRET_KEY: anybody with the file can read all its secrets.`
    : `Wrote ${file}, without SECRET_KEY: store SECRET_KEY separately (it is in the setting, or in the file secret-key of DATA_DIR). Without it, the secrets of webhooks, tools and MCP servers cannot be decrypted.`;
}

async function restoreBackup({ config, args: [file], options }: Request) {
  if (file === undefined) return undefined;
  await prepareDataDir(config.DATA_DIR);
  const mayForget = options['forget-secrets'] === true;
  const { manifest, agentsWithoutSecrets } = await withAdminDatabase(
    config,
    (db) =>
      restore(db, {
        file: resolve(file),
        decide: (made, secretKey) => adoptSecretKey(config, made, secretKey, mayForget),
      }),
    { mayBeEmpty: true },
  );
  const lost =
    agentsWithoutSecrets > 0
      ? ` ${agentsWithoutSecrets} agents have lost the secrets of their webhooks, tools or MCP servers: enter them again.`
      : '';
  return `Restored the backup of ${manifest.made_at}.${lost} API keys work as before. Run "npm start".`;
}

async function reseal({ config }: Request): Promise<string> {
  const box = new SecretBox(await loadSecretKeys(config.DATA_DIR, config.SECRET_KEY));
  const count = await withAdminDatabase(config, (db) => resealConfigs(db, box));
  return `Encrypted the secrets of ${count} agents with the newest secret. Keep the older secrets in SECRET_KEY for another 24 hours: issued tokens and stored responses still need them.`;
}

function parse(args: readonly string[]) {
  return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
}

/** Undefined for invalid arguments. */
function readArguments(args: readonly string[]) {
  try {
    return parse(args);
  } catch {
    return undefined;
  }
}

async function main(): Promise<number> {
  const parsed = readArguments(process.argv.slice(2));
  const [name = '', ...args] = parsed?.positionals ?? [];
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!parsed || !command) return usage();
  try {
    const config = readConfig(process.env);
    const output = await command({ config, args, options: parsed.values });
    if (output === undefined) return usage();
    console.log(output);
    return 0;
  } catch (error) {
    const isExpected = [AdminError, StartError, SealError].some((kind) => error instanceof kind);
    if (!isExpected) throw error;
    console.error((error as Error).message);
    return 1;
  }
}

function usage(): number {
  console.error(USAGE);
  return 2;
}

process.exitCode = await main();
