import { readFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { BridgePool } from '../../../agents-runtime/transports/livekit/bridge-pool.js';
import { agentToken, roomToken } from '../../support/harness/call/room-participant.js';
import { percentilesOf } from '../../support/harness/endpointing/percentiles.js';
import {
  type LiveKitServer,
  startLiveKitServer,
} from '../../support/harness/process/livekit-server.js';
import { prepareTool } from '../../support/harness/process/required-tools.js';
import { liveBytes } from '../live-bytes.js';
import { usageOfTree } from '../process-tree.js';
import { EchoCall } from './echo-call.js';
import { PulseParticipant } from './pulses.js';

const ROOMS = 4;
/** Minimum duration of both measurements. */
const MINUTES = 1;
/** Time until everything has started, in milliseconds. */
const WARM_MS = 10_000;
/** Upper limit of the added latency in milliseconds. */
const ADDED_P99_MS = 40;
const KIB = 1024;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

interface Room {
  readonly guest: PulseParticipant;
  readonly other: PulseParticipant | undefined;
  readonly call: EchoCall | undefined;
}

/**
 * Measures the latency that bridge and gateway add: a tone is echoed by another participant, or
 * through the bridge by a call. Also measures CPU and memory per room. `--minutes N` sets the
 * duration, `--rooms N` the number of rooms, `--json` prints JSON.
 */
export async function run(args: readonly string[]): Promise<number> {
  const option = (name: string, otherwise: number) =>
    args.includes(name) ? Number(args[args.indexOf(name) + 1]) : otherwise;
  const server = await startLiveKitServer(prepareTool('livekit-server'));
  const log = { info: () => undefined, warn: console.error };
  const pool = new BridgePool({ log });
  const rooms: Room[] = [];
  try {
    const figures = await measure(server, pool, rooms, {
      rooms: option('--rooms', ROOMS),
      minutes: option('--minutes', MINUTES),
    });
    const machine = {
      cpu: cpus()[0]?.model ?? 'unknown',
      cores: cpus().length,
      load: loadavg()[0] ?? 0,
    };
    // On a busy machine, a rare delay may affect only the raw path: no percentile may exceed the
    // limit.
    const worst = Math.max(...Object.values(figures.addedMs));
    const verdicts = [
      {
        name: 'added, the most of p50, p95 and p99',
        ms: worst,
        bar: ADDED_P99_MS,
        isMet: worst <= ADDED_P99_MS,
      },
    ];
    const report = { machine, ...figures, verdicts };
    if (args.includes('--json')) console.log(JSON.stringify(report, undefined, 2));
    else print(report);
    return verdicts.every(({ isMet }) => isMet) ? 0 : 1;
  } finally {
    await Promise.all(rooms.flatMap(({ guest, other }) => [guest.close(), other?.close()]));
    await pool.close();
    await server.stop();
  }
}

type Figures = Awaited<ReturnType<typeof measure>>;

async function measure(
  server: LiveKitServer,
  pool: BridgePool,
  rooms: Room[],
  wanted: { readonly rooms: number; readonly minutes: number },
) {
  await sleep(WARM_MS / 2);
  const empty = memoryOf(pool);
  // Equal numbers of both kinds, so that other load affects both.
  for (let i = 0; i < wanted.rooms; i++) rooms.push(await echoed(server, pool, `ours-${i}`));
  for (let i = 0; i < wanted.rooms; i++) rooms.push(await raw(server, `raw-${i}`));
  await sleep(WARM_MS);
  const [begin, beganAt] = [usage(pool), performance.now()];
  const first = { bridges: memoryOf(pool), gateway: liveBytes(collect) };
  for (const { guest } of rooms) guest.roundTripsMs.length = 0;
  await sleep(wanted.minutes * 60_000);
  const seconds = (performance.now() - beganAt) / 1000;
  const end = usage(pool);
  const last = { bridges: memoryOf(pool), gateway: liveBytes(collect) };
  const times = (isOurs: boolean) =>
    percentilesOf(
      rooms.flatMap(({ guest, call }) =>
        (call !== undefined) === isOurs ? guest.roundTripsMs : [],
      ),
    );
  const [ours, through] = [times(true), times(false)];
  return {
    rooms: wanted.rooms,
    minutes: wanted.minutes,
    /** Round trip through another participant and through a call. */
    rawMs: through,
    oursMs: ours,
    addedMs: {
      p50: ours.p50 - through.p50,
      p95: ours.p95 - through.p95,
      p99: ours.p99 - through.p99,
    },
    aRoom: {
      bridgeCpuPercent: (100 * (end.bridges - begin.bridges)) / seconds / wanted.rooms,
      gatewayCpuPercent: (100 * (end.gateway - begin.gateway)) / seconds / wanted.rooms,
      bridgeKib: (first.bridges - empty) / wanted.rooms / KIB,
    },
    bridgeKib: last.bridges / KIB,
    growthKibAMinute: {
      bridges: (last.bridges - first.bridges) / KIB / wanted.minutes,
      gateway: (last.gateway - first.gateway) / KIB / wanted.minutes,
    },
    endedRooms: rooms.filter(({ call }) => call?.endedBy !== undefined).length,
  };
}

async function echoed(server: LiveKitServer, pool: BridgePool, room: string): Promise<Room> {
  const url = server.url.replace('http', 'ws');
  const guest = new PulseParticipant('pulse', url, await roomToken(server, room, 'caller'));
  const token = await agentToken(server, room);
  const invitation = { callId: room, url, token, callerIdentity: 'caller' };
  const transport = await pool.join(invitation, new AbortController().signal);
  const call = new EchoCall(transport);
  transport.start(call);
  await guest.ready;
  return { guest, other: undefined, call };
}

async function raw(server: LiveKitServer, room: string): Promise<Room> {
  const url = server.url.replace('http', 'ws');
  const guest = new PulseParticipant('pulse', url, await roomToken(server, room, 'caller'));
  const other = new PulseParticipant('echo', url, await roomToken(server, room, 'echo'));
  await Promise.all([guest.ready, other.ready]);
  return { guest, other, call: undefined };
}

function usage(pool: BridgePool) {
  const { user, system } = process.cpuUsage();
  const bridges = pool.pids.reduce((sum, pid) => sum + usageOfTree(pid).cpuSeconds, 0);
  return { bridges, gateway: (user + system) / 1e6 };
}

function memoryOf(pool: BridgePool): number {
  return pool.pids.reduce((sum, pid) => {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return sum + KIB * Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0);
  }, 0);
}

function print(report: Figures & { machine: object; verdicts: readonly object[] }): void {
  const { rawMs, oursMs, addedMs, aRoom, growthKibAMinute } = report;
  const ms = (value: number) => `${value.toFixed(1)} ms`;
  const row = (name: string, all: { p50: number; p95: number; p99: number }) =>
    console.log(`${name.padEnd(34)} ${[all.p50, all.p95, all.p99].map(ms).join('   ')}`);
  console.log('p50, p95, p99');
  row('there and back, a participant', rawMs);
  row('there and back, bridge and gateway', oursMs);
  row('added', addedMs);
  console.log(
    `a room: ${aRoom.bridgeCpuPercent.toFixed(1)} % of a core in its bridge, ` +
      `${aRoom.gatewayCpuPercent.toFixed(1)} % in the gateway, ${aRoom.bridgeKib.toFixed(0)} KiB`,
  );
  console.log(
    `growth: ${growthKibAMinute.bridges.toFixed(0)} KiB a minute in the bridges, ` +
      `${growthKibAMinute.gateway.toFixed(0)} of live memory in the gateway`,
  );
  for (const verdict of report.verdicts) console.log(JSON.stringify(verdict));
}
