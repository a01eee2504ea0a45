import { agentSettingsReference } from './agent-settings-reference.js';
import { errorsReference } from './errors-reference.js';
import { settingsReference } from './settings-reference.js';

/** The generated pages of `docs/reference`, by the names of their files. */
export const REFERENCE_PAGES: Readonly<Record<string, () => string>> = {
  'agent-settings': agentSettingsReference,
  errors: errorsReference,
  settings: settingsReference,
};
