import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import type { RoomInfo } from '../../../src/channels/livekit/room-client.js';
import { callOfSid, roomOf } from '../../../src/channels/livekit/room-names.js';
import { RoomReaper } from '../../../src/channels/livekit/room-reaper.js';

type State = 'reserved' | 'live' | 'ended';

const web = (ageS: number): RoomInfo => ({ name: roomOf(randomUUID()), sid: 'RM_1', ageS });
const phone = (ageS: number, sid: string): RoomInfo => ({ name: `phone_${sid}`, sid, ageS });
const callIn = ({ name, sid }: RoomInfo) =>
  name.startsWith('phone') ? callOfSid(sid) : name.slice('call-'.length);

/** Runs once for these rooms; returns the closed rooms and the log. */
async function sweep(
  rooms: readonly (readonly [RoomInfo, State?])[],
  { taken = [], takenMeanwhile = [] }: Readonly<Record<string, readonly RoomInfo[]>> = {},
) {
  const closed: string[] = [];
  const logged: string[] = [];
  const waiting = rooms.flatMap(([room, state]) => (state === 'reserved' ? callIn(room) : []));
  await new RoomReaper({
    roomClient: {
      listRooms: async () => rooms.map(([room]) => room),
      closeRoom: async (name) => void closed.push(name),
      hasRunningJob: async (name) => {
        if (name === 'phone_RM_0') throw new Error('no response from servers');
        return taken.some((room) => room.name === name);
      },
    },
    calls: {
      statesOf: async () =>
        new Map(rooms.flatMap(([room, state]) => (state ? [[callIn(room), state] as const] : []))),
      endReserved: async (callId) =>
        waiting.includes(callId) && !takenMeanwhile.map(callIn).includes(callId),
    },
    log: pino({ level: 'info' }, { write: (line) => void logged.push(JSON.parse(line).level) }),
  }).sweep();
  return { closed, logged };
}

it('the caller of a given-up job is disconnected, with a log message', async () => {
  const [soon, abandoned, held, over] = [web(9), web(10), web(100), web(1)];
  const { closed, logged } = await sweep([
    [soon, 'reserved'],
    [abandoned, 'reserved'],
    [held, 'live'],
    [over, 'ended'],
  ]);
  expect(closed).toEqual([abandoned.name, over.name]);
  expect(logged).toEqual([40, 30]);
});

it('the room of a call that was claimed meanwhile is kept', async () => {
  const room = web(10);
  const { closed } = await sweep([[room, 'reserved']], { takenMeanwhile: [room] });
  expect(closed).toEqual([]);
});

it('a phone caller gets more time after a gateway has accepted the job, because its call is created in the room', async () => {
  const [soon, accepted, nobody, late] = [
    phone(9, 'RM_1'),
    phone(59, 'RM_2'),
    phone(10, 'RM_3'),
    phone(60, 'RM_4'),
  ];
  const odd = phone(10, 'RM_0');
  const ringing = phone(59, 'RM_5');
  const rooms = [soon, odd, accepted, nobody, late].map((room) => [room] as const);
  const { closed } = await sweep([...rooms, [ringing, 'reserved']], {
    taken: [accepted, late, ringing],
  });
  expect(closed).toEqual([nobody.name, late.name]);
});
