import { describe, expect, it } from 'vitest';
import { LANGUAGES } from '../../../media/languages.js';
import { MODEL_CATALOGUE } from '../../../media/models/catalogue.js';
import { VoiceCatalogue } from '../../../src/features/voices/voice-catalogue.js';
import { ToneVoice } from '../../support/fakes/tone-voice.js';

describe('voice catalogue', () => {
  const open = [
    new ToneVoice({ id: 'piper-de', languages: ['de'] }),
    new ToneVoice({ id: 'formant-de', languages: ['de'] }),
    new ToneVoice({ id: 'formant-fr', languages: ['fr'] }),
  ];
  const voices = new VoiceCatalogue(MODEL_CATALOGUE, open).list();
  const find = (id: string) => voices.find((voice) => voice.id === id);

  it('has a neural and an eSpeak voice for each language', () => {
    for (const language of LANGUAGES) {
      const engines = new Set(
        voices.filter((voice) => voice.language === language).map(({ engine }) => engine),
      );
      expect(engines.size).toBeGreaterThan(1);
      expect(engines.has('formant')).toBe(true);
    }
  });

  it('uses the first installed voice of a language as its default', () => {
    expect(voices.filter(({ isDefault }) => isDefault).map(({ id }) => id)).toEqual([
      'piper-de',
      'formant-fr',
    ]);
  });

  it('names the command that installs a missing voice', () => {
    expect(find('piper-fr')).toMatchObject({
      name: 'Siwis',
      isInstalled: false,
      install: 'npm run models -- fetch piper-fr',
    });
    expect(find('formant-de')).toMatchObject({ name: 'German, formant', isInstalled: true });
    expect(find('formant-de')?.install).toBe(undefined);
  });
});
