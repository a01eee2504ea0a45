import { describe, expect, it } from 'vitest';
import { readOptions } from '../../../tools/simulator/cli-options.js';

const ACCOUNT = { TWILIO_ACCOUNT_SID: 'AC01', TWILIO_AUTH_TOKEN: 'secret' };
const read = (line: string, environment: Record<string, string> = ACCOUNT) =>
  readOptions(line.split(' '), environment);

describe('arguments of npm run simulate', () => {
  it('are parsed', () => {
    const options = read(
      'twilio --agent ag --wav a.wav --dtmf 5@3.2,12#@8 --linger 2 --calls 3 --drift=-100 --json --url http://gw.test:1/',
    );
    expect(options).toMatchObject({
      carrier: 'twilio',
      agentId: 'ag',
      url: 'http://gw.test:1',
      keys: [
        { digits: '5', atMs: 3200 },
        { digits: '12#', atMs: 8000 },
      ],
      lingerMs: 2000,
      hangUpAtMs: undefined,
      calls: 3,
      driftPpm: -100,
      isJson: true,
      twilio: { accountSid: 'AC01', authToken: 'secret' },
    });
    const other = read('audiosocket --agent ag --wav a.wav --variable name=A=B --rate 16000', {
      PARLEY_URL: 'http://[::1]:8080',
      PARLEY_KEY: 'k',
    });
    expect(other).toMatchObject({
      host: '::1',
      key: 'k',
      variables: { name: 'A=B' },
      sampleRate: 16_000,
    });
  });

  it.each([
    ['--agent a --wav b', /twilio or audiosocket/],
    ['twilio audiosocket --wav b', /twilio or audiosocket/],
    ['twilio --agent a', /--wav FILE/],
    ['audiosocket --wav b', /--agent ID/],
    ['audiosocket --to +15550199 --wav b', /--agent ID/],
    ['twilio --agent a --wav b --linger soon', /--linger must be a number/],
    ['twilio --agent a --wav b --linger=-1', /--linger must be a number/],
    ['twilio --agent a --wav b --dtmf x@1', /--dtmf must be keys/],
    ['twilio --agent a --wav b --dtmf 1', /--dtmf must be keys/],
    ['audiosocket --agent a --wav b --variable x', /NAME=VALUE/],
    ['twilio --agent a --wav b --dance', /--dance/],
    ['twilio --agent a --wav b --url gw', /gw is not an http or https URL/],
    ['twilio --agent a --wav b --calls 0', /--calls must be a whole number/],
    ['twilio --agent a --wav b --calls 1.5', /--calls must be a whole number/],
    ['audiosocket --agent a --wav b --rate 11025', /--rate must be a rate of AudioSocket: 8000/],
    ['audiosocket --agent a --wav b --rate 0', /--rate must be/],
  ])('of %s are rejected with what is missing', (line, sentence) => {
    expect(() => read(line)).toThrow(sentence);
  });

  it('require the same Twilio settings as the gateway', () => {
    expect(() => read('twilio --agent a --wav b', {})).toThrow(/TWILIO_AUTH_TOKEN/);
  });
});
