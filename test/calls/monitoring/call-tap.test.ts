import { expect, it } from 'vitest';
import { Call } from '../../../agents-runtime/session/call.js';
import { AudioMixer } from '../../../src/calls/monitoring/audio-mixer.js';
import { watchCall } from '../../../src/calls/monitoring/call-tap.js';
import type { LiveEvent, RunningCall } from '../../../src/calls/monitoring/live-event.js';
import { type CallFeed, LiveEventBus } from '../../../src/calls/monitoring/live-event-bus.js';
import { type HarnessOptions, harness } from '../../support/harness/call/call-harness.js';
import { STORY, storyOptions } from '../../support/harness/call/story-call.js';

const CALL: RunningCall = {
  call_id: 'the call',
  agent_id: 'an agent',
  agent_name: 'Pool',
  call_type: 'web',
  from_number: null,
  to_number: null,
  started_at: null,
};

function watchedCall(options: HarnessOptions = {}) {
  const eventBus = new LiveEventBus();
  let feed: CallFeed | undefined;
  const call = harness({
    ...options,
    begin: (parts) => {
      feed = eventBus.begin('an account', CALL);
      return new Call({
        ...parts,
        observers: [watchCall(feed, new AudioMixer(24_000, parts.clock))],
      });
    },
  });
  const watch = (accountId = 'an account', callId?: string) => {
    const liveEvents: LiveEvent[] = [];
    const unwatch = eventBus.watch({
      accountId,
      callId,
      tell: (event) => liveEvents.push(event),
      closed: () => undefined,
    });
    return { liveEvents, unwatch };
  };
  return { eventBus, call, watch };
}

it('a tap receives a call from start to end: states, growing transcripts of both sides, turns, latency', async () => {
  const { call, watch } = watchedCall();
  const { liveEvents } = watch('an account', 'the call');
  call.call.connected();
  await call.say('what time is it', 1_000);
  await call.silence(3_000);
  call.call.hangUp('user_hangup');
  await call.clock.run(100);
  expect(liveEvents[0]).toEqual({ type: 'call', ...CALL, state: 'initializing' });
  expect(liveEvents.at(-1)).toEqual({ type: 'ended', call_id: 'the call', reason: 'user_hangup' });
  const states = liveEvents.flatMap((event) => (event.type === 'state' ? [event.state] : []));
  expect(states).toEqual(call.states());
  const said = liveEvents.filter(({ type }) => type === 'transcript');
  const shown = call.transport.events.flatMap((event) => {
    if (event.type !== 'transcript') return [];
    const { segment, role, text, final } = event;
    return [expect.objectContaining({ segment, role, text, final })];
  });
  expect(said).toEqual(shown);
  expect(said.some((event) => 'final' in event && !event.final)).toBe(true);
  const turns = liveEvents.flatMap((event) =>
    event.type === 'turn' ? [[event.index, event.text]] : [],
  );
  expect(turns).toEqual([
    [0, 'what time is it'],
    [1, 'You said what time is it.'],
  ]);
  expect(liveEvents.some(({ type }) => type === 'latency')).toBe(true);
});

it('an interruption removes the unplayed text from the transcript', async () => {
  const { call, watch } = watchedCall(storyOptions);
  const { liveEvents } = watch();
  call.call.connected();
  await call.say('tell me', 600);
  while (call.states().at(-1) !== 'speaking') await call.silence(20);
  await call.silence(480);
  await call.say('stop now please', 600);
  await call.silence(2_000);
  const agent = liveEvents.flatMap((event) =>
    event.type === 'transcript' && event.role === 'agent' ? [event] : [],
  );
  const first = agent.filter(({ segment }) => segment === agent[0]!.segment);
  expect(first[0]!.text).toBe(STORY);
  const last = first.at(-1)!;
  expect(last.final).toBe(true);
  expect(STORY.startsWith(last.text)).toBe(true);
  expect(last.text.length).toBeLessThan(STORY.length);
  const turn = liveEvents.find((event) => event.type === 'turn' && event.role === 'agent');
  expect(turn).toMatchObject({ cut: true, text: last.text });
});

it('without watchers no events are created, and a new watcher receives the current state', async () => {
  const { eventBus, call, watch } = watchedCall();
  const publish = eventBus.tell.bind(eventBus);
  let events = 0;
  eventBus.tell = (...liveEvents) => {
    events++;
    publish(...liveEvents);
  };
  watch('another account');
  call.call.connected();
  await call.say('what time is it', 1_000);
  await call.silence(3_000);
  expect(events).toBe(0);
  const { liveEvents, unwatch } = watch();
  expect(liveEvents).toEqual([{ type: 'call', ...CALL, state: 'listening' }]);
  unwatch();
  expect(eventBus.isWatched('an account')).toBe(false);
  call.call.hangUp('user_hangup');
  await call.clock.run(100);
  expect(eventBus.find('the call')).toBeUndefined();
});
