import { expect, it } from 'vitest';
import { connectStream, dial, hangUp, reject } from '../../../src/channels/twilio/twiml.js';

const HEAD = '<?xml version="1.0" encoding="UTF-8"?>';

it('a call is connected to its socket with parameters', () => {
  const url = 'wss://gw.example.test/telephony/twilio/stream/TOKEN';
  expect(connectStream(url, { agentId: 'ag_123', from: '+15550100' })).toBe(
    `${HEAD}<Response><Connect><Stream url="${url}">` +
      '<Parameter name="agentId" value="ag_123"/><Parameter name="from" value="+15550100"/>' +
      '</Stream></Connect></Response>',
  );
  expect(connectStream(url, {})).toBe(
    `${HEAD}<Response><Connect><Stream url="${url}"/></Connect></Response>`,
  );
});

it('parameters that Twilio would reject are omitted', () => {
  const written = connectStream('wss://gw/s', { a: 'x'.repeat(498), b: 'x'.repeat(499) });
  expect(written).toContain('name="a"');
  expect(written).not.toContain('name="b"');
});

it("busy, closed and ended calls use Twilio's verbs", () => {
  expect(reject('busy')).toBe(`${HEAD}<Response><Reject reason="busy"/></Response>`);
  expect(reject('rejected')).toBe(`${HEAD}<Response><Reject reason="rejected"/></Response>`);
  expect(hangUp()).toBe(`${HEAD}<Response><Hangup/></Response>`);
});

it('numbers and SIP addresses are dialled', () => {
  expect(dial('+15550100')).toBe(
    `${HEAD}<Response><Dial><Number>+15550100</Number></Dial></Response>`,
  );
  expect(dial('sip:ann@example.test?a=1&b=2')).toBe(
    `${HEAD}<Response><Dial><Sip>sip:ann@example.test?a=1&amp;b=2</Sip></Dial></Response>`,
  );
});

it('external values are escaped, and characters that XML cannot represent are omitted', () => {
  const written = connectStream('wss://gw/s', { from: `"><Hangup/>&'\u0000\ud800é😀` });
  expect(written).toContain(
    '<Parameter name="from" value="&quot;&gt;&lt;Hangup/&gt;&amp;&apos;é😀"/>',
  );
});
