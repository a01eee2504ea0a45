import { expect, it } from 'vitest';
import { ModelStore } from '../../../media/models/store.js';
import { InstalledLanguages } from '../../../src/features/voices/language-availability.js';
import { MODEL_ADVICE } from '../../../src/platform/process/models-command.js';

it('a call cannot use a cloned voice that cannot speak', async () => {
  const owned = new Map([['made-here', { name: 'Mine' }]]);
  const languages = new InstalledLanguages({
    ownVoices: {
      find: async (accountId, id) => (accountId === 'owner' ? owned.get(id) : undefined),
    },
    voices: [],
    modelFiles: [],
    modelStore: new ModelStore({ modelsDir: undefined, cacheDir: 'nowhere', advice: MODEL_ADVICE }),
  });
  const problemOf = (accountId: string, voiceId: string) =>
    languages.problemWith({ accountId, language: 'en', voiceId });
  expect(await problemOf('owner', 'made-here')).toContain('cloning failed: choose another');
  // Voices of other accounts are not disclosed; the error names the next missing part.
  expect(await problemOf('somebody', 'made-here')).toContain('No installed voice speaks en');
});
