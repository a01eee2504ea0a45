import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { percentilesOf } from '../../support/harness/endpointing/percentiles.js';
import { makeAgent } from '../bench-agent.js';
import { machineNow, numberBehind } from '../comparison.js';
import { CallersProcess, QUESTION } from '../density/callers-process.js';
import { AGENT, INSTANT, profiling } from '../density/density.js';
import { type RampCallers, ramp } from '../density/ramp.js';
import { type RunningGateway, startGateway } from '../gateway.js';
import type { PhoneAnswer, PhoneOrder } from './phone-callers.js';

const CALLERS = fileURLToPath(new URL('./phone-callers.js', import.meta.url));
const ACCOUNT = { accountSid: 'AC0001', authToken: 'bench_auth_token' };
const NUMBER = '+15550199';
/** Without a reachable REST API: calls end by their sockets. */
const ENV = {
  TWILIO_ACCOUNT_SID: ACCOUNT.accountSid,
  TWILIO_AUTH_TOKEN: ACCOUNT.authToken,
  TWILIO_BASE_URL: 'http://127.0.0.1:9',
};
/** Minimum number of calls per core. */
const BAR_CALLS_A_CORE = 40;
/** Maximum time from the onset of speech to silence. */
const BAR_BARGE_IN_P95_MS = 350;
const STEP = 10;
const MAX_CALLS = 200;
const INTERRUPTING_CALLS = 4;
const INTERRUPTIONS = 60;
const INTERRUPTED_WITHIN_MS = 300_000;

/**
 * Measures calls over Twilio's protocol with instant providers: calls per core until frames are
 * late, and the time until the carrier is silent after an interruption. `--json` prints JSON,
 * `--calls N` and `--step N` set the maximum and the step, `--on` continues with late frames,
 * `--density` and `--barge-in` select one part.
 */
export async function run(args: readonly string[]): Promise<number> {
  const density = args.includes('--barge-in') ? undefined : await densityOf(args);
  const bargeIn = args.includes('--density') ? undefined : await bargeInOf();
  const verdicts = [
    ...(density
      ? [
          {
            name: "calls a core on Twilio's wire",
            figure: density.best?.callsACore ?? 0,
            bar: BAR_CALLS_A_CORE,
            isMet: (density.best?.callsACore ?? 0) >= BAR_CALLS_A_CORE,
          },
        ]
      : []),
    ...(bargeIn
      ? [
          {
            name: 'the caller breaks in → the carrier plays nothing, p95 ms',
            figure: bargeIn.p95,
            bar: BAR_BARGE_IN_P95_MS,
            isMet: bargeIn.p95 <= BAR_BARGE_IN_P95_MS,
          },
        ]
      : []),
  ];
  if (args.includes('--json')) {
    const report = { machine: machineNow(), question: QUESTION, density, bargeIn, verdicts };
    console.log(JSON.stringify(report, undefined, 2));
  } else {
    for (const { name, isMet, figure, bar } of verdicts) {
      console.log(`${isMet ? 'met   ' : 'missed'} ${name}: ${figure.toFixed(1)} (bar ${bar})`);
    }
  }
  return verdicts.every(({ isMet }) => isMet) ? 0 : 1;
}

function densityOf(args: readonly string[]) {
  return ramp({
    name: "Twilio's wire, instant providers",
    program: [...profiling(args), INSTANT],
    env: ENV,
    maxCalls: numberBehind(args, '--calls', MAX_CALLS),
    step: numberBehind(args, '--step', STEP),
    continuesWhenLate: args.includes('--on'),
    callersFor: (gateway) => phoneCallers(gateway, false),
  });
}

/** Callers who interrupt every answer. */
async function bargeInOf() {
  const gateway = await startGateway({ program: [INSTANT], env: ENV });
  try {
    const callers = await phoneCallers(gateway, true);
    try {
      for (let i = 0; i < INTERRUPTING_CALLS; i++) await callers.add();
      const until = performance.now() + INTERRUPTED_WITHIN_MS;
      let figures = await callers.report();
      while (figures.bargeInMs.length < INTERRUPTIONS && performance.now() < until) {
        await sleep(1_000);
        figures = await callers.report();
      }
      if (figures.lost.length > 0) throw new Error(`Lost: ${figures.lost.join(', ')}`);
      return { ...percentilesOf(figures.bargeInMs), mostLeadMs: figures.maxLeadMs };
    } finally {
      callers.stop();
    }
  } finally {
    await gateway.close();
  }
}

interface PhoneCallers extends RampCallers {
  report(): Promise<PhoneAnswer>;
}

async function phoneCallers(gateway: RunningGateway, breaksIn: boolean): Promise<PhoneCallers> {
  const program = { path: CALLERS, sampleRate: 8_000 };
  const callers = await CallersProcess.start<PhoneOrder, PhoneAnswer>(program);
  await makeAgent(gateway, { ...AGENT, phone_number: NUMBER });
  const options = { ...ACCOUNT, gatewayUrl: gateway.url, from: '+15550100', to: NUMBER };
  return {
    add: async () => {
      const { refused } = await callers.order({ type: 'call', options, breaksIn });
      if (refused !== undefined) throw new Error(refused);
    },
    report: () => callers.order({ type: 'report' }),
    stop: () => callers.stop(),
  };
}
