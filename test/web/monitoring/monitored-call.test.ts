import { describe, expect, it } from 'vitest';
import {
  applyEvent,
  monitoredLines,
  UNKNOWN_CALL,
} from '../../../src/web/monitoring/monitored-call.js';
import { SseParser } from '../../../src/web/monitoring/sse-parser.js';

describe('event stream', () => {
  it('is parsed in any chunking, without heartbeats', () => {
    const text =
      'event: state\ndata: {"state":"thinking"}\n\n: beat\n\nid: 3\nevent: turn\ndata: {"text":"café\\n\\nbar"}\n\n';
    for (let cut = 0; cut <= text.length; cut++) {
      const lines = new SseParser();
      const events = [...lines.push(text.slice(0, cut)), ...lines.push(text.slice(cut))];
      expect(events).toEqual([
        { type: 'state', data: { state: 'thinking' } },
        { type: 'turn', data: { text: 'café\n\nbar' } },
      ]);
    }
  });
});

describe('monitored call', () => {
  const said = (segment: string, text: string, final = false) => {
    const role = segment.startsWith('u') ? 'user' : 'agent';
    return { type: 'transcript', data: { segment, role, text, final } };
  };
  const turn = (index: number, role: string, text: string, cut = false) => ({
    type: 'turn',
    data: { index, role, text, cut },
  });
  const shown = (...events: { type: string; data: unknown }[]) =>
    monitoredLines(events.reduce(applyEvent, UNKNOWN_CALL)).map(({ text, isFinal }) =>
      isFinal ? text : `${text} …`,
    );

  it('shows growing transcripts, and each turn once', () => {
    const before = [turn(1, 'user', 'Hi.'), turn(0, 'agent', 'Hello.'), said('u2', 'what')];
    expect(shown(...before)).toEqual(['Hello.', 'Hi.', 'what …']);
    const after = [
      said('u2', 'what time', true),
      said('a2', 'It is one'),
      turn(2, 'user', 'what time'),
    ];
    expect(shown(...before, ...after)).toEqual(['Hello.', 'Hi.', 'what time', 'It is one …']);
  });

  it('is corrected after interruptions and dropped turns', () => {
    const cut = [
      said('a1', 'One two three'),
      said('a1', 'One two', true),
      turn(0, 'agent', 'One two', true),
    ];
    expect(shown(...cut)).toEqual(['One two —']);
    expect(shown(said('u1', 'uh'), said('u1', '', true))).toEqual([]);
    expect(shown(turn(0, 'user', 'one'), turn(0, 'user', 'one and two'))).toEqual(['one and two']);
  });

  it('shows its state and its end reason', () => {
    const events = [
      { type: 'call', data: { state: 'listening' } },
      { type: 'latency', data: { total: 700 } },
      { type: 'ended', data: { reason: 'operator_ended' } },
    ];
    const call = events.reduce(applyEvent, UNKNOWN_CALL);
    expect([call.state, call.reason]).toEqual(['ended', 'operator_ended']);
  });
});
