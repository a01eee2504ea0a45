import type { Knex } from 'knex';
import type { CpuScheduler } from '../../media/runtime/cpu-scheduler.js';
import { PlsThread } from '../../media/text/pls/pls-thread.js';
import type { Config } from '../config/config.js';
import { CompiledDictionaries } from '../features/dictionaries/compiled-dictionaries.js';
import { DictionariesRepository } from '../features/dictionaries/dictionaries.repository.js';
import { dictionaryRoutes } from '../features/dictionaries/dictionaries.routes.js';
import {
  type DictionaryReferences,
  DictionaryService,
} from '../features/dictionaries/dictionaries.service.js';
import type { Route } from '../platform/http/route.js';

export interface DictionaryServiceNeeds {
  readonly config: Pick<
    Config,
    | 'DICTIONARY_RULES'
    | 'DICTIONARY_WORD_LENGTH'
    | 'DICTIONARY_REPLACEMENT_LENGTH'
    | 'DICTIONARY_FILE_BYTES'
  >;
  readonly db: Knex;
  readonly scheduler: CpuScheduler;
  readonly users: DictionaryReferences;
}

/** Everything about pronunciation dictionaries, put together. */
export interface OpenDictionaries {
  readonly routes: readonly Route[];
  /** For who speaks. */
  readonly compiled: CompiledDictionaries;
  close(): Promise<void>;
}

export function openDictionaries(needs: DictionaryServiceNeeds): OpenDictionaries {
  const { config, db, scheduler, users } = needs;
  const limits = {
    rules: config.DICTIONARY_RULES,
    wordLength: config.DICTIONARY_WORD_LENGTH,
    replacementLength: config.DICTIONARY_REPLACEMENT_LENGTH,
  };
  const repository = new DictionariesRepository(db);
  const pls = new PlsThread(scheduler);
  const dictionaries = new DictionaryService({ repository, references: users, pls, limits });
  return {
    routes: dictionaryRoutes({ dictionaries, limits, maxFileBytes: config.DICTIONARY_FILE_BYTES }),
    compiled: new CompiledDictionaries(repository),
    close: () => pls.close(),
  };
}
