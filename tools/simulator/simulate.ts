import { constants } from 'node:fs';
import { access, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../agents-runtime/contract/clock.js';
import { AudioSocketCall } from './audiosocket-call.js';
import type { SimulateOptions } from './cli-options.js';
import { findAgentNumber, registerAudioSocket } from './gateway-client.js';
import { type RunReport, reportOn } from './report.js';
import { type CallReport, runScenario } from './run-scenario.js';
import { SimulateError } from './simulate-error.js';
import type { SimulatedCall } from './simulated-call.js';
import { TwilioCall } from './twilio/twilio-call.js';
import { readWav, stereoWav } from './wav-file.js';

/** A number reserved for fiction. Source: NANP, 555-0100 to 555-0199. */
const CALLER = '+15550100';

/** Runs all calls, and writes their recordings. */
export async function simulate(options: SimulateOptions, clock: Clock): Promise<RunReport> {
  const sampleRate = options.carrier === 'twilio' ? 8000 : options.sampleRate;
  const speech = readWav(await bytesOf(options.wav), sampleRate);
  if (options.out !== undefined) await requireFolderOf(options.out);
  const make = await createCallFactory(options, clock);
  const running: Promise<CallReport>[] = [];
  for (let i = 0; i < options.calls; i++) {
    if (i > 0) await sleep(options.spacingMs);
    running.push(runCall(await make(), { ...options, speech }, i));
  }
  return reportOn(await Promise.all(running));
}

async function runCall(
  call: SimulatedCall,
  options: SimulateOptions & { readonly speech: Int16Array },
  index: number,
): Promise<CallReport> {
  try {
    return await runScenario(call, options);
  } finally {
    const { caller, agent } = call.leg.audio;
    if (options.out !== undefined) {
      const path = index === 0 ? options.out : numberedPath(options.out, index + 1);
      await writeFile(path, stereoWav(caller, agent, call.leg.sampleRate));
    }
  }
}

/** Returns a function that makes the next call of the run. */
async function createCallFactory(
  options: SimulateOptions,
  clock: Clock,
): Promise<() => Promise<SimulatedCall>> {
  const { url, key, agentId, driftPpm, from = CALLER } = options;
  const gateway = { url, key };
  if (options.carrier === 'twilio') {
    const { publicUrl, twilio } = options;
    const to = options.to ?? (await findAgentNumber(gateway, agentId ?? ''));
    return async () =>
      new TwilioCall({ clock, gatewayUrl: url, publicUrl, ...twilio, from, to, driftPpm });
  }
  const { host, sampleRate, variables } = options;
  return async () => {
    const { call_id, uuid, port } = await registerAudioSocket(gateway, {
      agent_id: agentId ?? '',
      from_number: from,
      to_number: options.to,
      dynamic_variables: variables,
    });
    return new AudioSocketCall({ clock, host, port, uuid, callId: call_id, sampleRate, driftPpm });
  };
}

async function bytesOf(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    throw new SimulateError(`Cannot read ${path}: --wav must be a WAV file`, { cause: error });
  }
}

/** Checked before the first call, so that no recording is lost. */
async function requireFolderOf(path: string): Promise<void> {
  try {
    await access(dirname(path), constants.W_OK);
  } catch (error) {
    const sentence = `Cannot write ${path}: the folder of --out must exist`;
    throw new SimulateError(sentence, { cause: error });
  }
}

/** `calls.wav` → `calls-2.wav`. */
function numberedPath(path: string, n: number): string {
  return path.replace(/(\.[^./]+)?$/, (ending) => `-${n}${ending}`);
}
