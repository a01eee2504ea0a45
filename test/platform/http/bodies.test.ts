import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { requestsTo, withHttpApp } from '../../support/harness/app/http-app.js';

const app = withHttpApp();
const ask = requestsTo(app);

describe('invalid bodies', () => {
  const post = (body: unknown, headers?: Record<string, string>) =>
    ask('POST', '/api/v1/echo', { body, ...(headers ? { headers } : {}) });

  it.each([
    ['{"text": "x"', "Expecting ',' delimiter", 12],
    ['{"text": }', 'Expecting value', 9],
    ['{text: 1}', 'Expecting property name enclosed in double quotes', 1],
    ['{"a": NaN}', 'Expecting value', 6],
    ['{"\u{1f600}": }', 'Expecting value', 6],
    ['{} x', 'Extra data', 3],
    ['"ab', 'Unterminated string starting at', 0],
    ['"a\\x"', 'Invalid \\escape', 2],
    ['"a\nb"', 'Invalid control character at', 2],
  ])('return the position of the JSON error in %j', async (text, error, offset) => {
    const { status, body } = await post(text);
    expect(status).toBe(422);
    expect(body.detail).toEqual([
      {
        type: 'json_invalid',
        loc: ['body', offset],
        msg: 'JSON decode error',
        input: {},
        ctx: { error },
      },
    ]);
  });

  it('with invalid UTF-8 are invalid JSON', async () => {
    const { status, body } = await post(Buffer.from([0x22, 0xff, 0x22]));
    expect([status, body.detail[0].type]).toEqual([422, 'json_invalid']);
  });

  it.each([undefined, 'null'])('that are missing are reported as such: %s', async (sent) => {
    const { status, body } = await ask('POST', '/api/v1/echo', sent ? { body: sent } : {});
    expect([status, body.detail]).toEqual([
      422,
      [{ type: 'missing', loc: ['body'], msg: 'Field required', input: null }],
    ]);
  });

  it('with a nesting of 200 and of 1,000,000 are rejected without harm', async () => {
    const { status, body } = await post(`{"text":"x","y":${'['.repeat(200)}${']'.repeat(200)}}`);
    expect([status, body.detail[0].type]).toEqual([422, 'json_invalid']);
    expect((await post('['.repeat(9_000))).status).toBe(422);
  });

  it('of other content types and over the limit are rejected, with or without a declared length', async () => {
    const typed = await post('text=x', { 'content-type': 'application/x-www-form-urlencoded' });
    expect([typed.status, typed.body.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
    const large = await post({ text: 'x'.repeat(20_000) });
    expect([large.status, large.body.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  });

  it('return 413 to a client that sends all of its 5 MB before it reads', async () => {
    const { status } = await post({ text: 'x'.repeat(5_000_000) });
    expect(status).toBe(413);
  });

  it('of unknown, endless length return 413', async () => {
    const socket = connect(app.port, '127.0.0.1');
    socket.write(
      'POST /api/v1/echo HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer all\r\n' +
        'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
    );
    const chunk = `1000\r\n${'x'.repeat(4096)}\r\n`;
    const timer = setInterval(() => socket.write(chunk), 1);
    socket.on('error', () => undefined); // the server closes the connection during the upload
    const [answer] = await once(socket, 'data');
    clearInterval(timer);
    socket.destroy();
    expect(String(answer)).toMatch(/^HTTP\/1\.1 413 /);
  });

  it('with __proto__ in any notation are harmless', async () => {
    const plain = await post('{"text":"x","__proto__":{"polluted":1}}');
    expect([plain.status, plain.body]).toEqual([200, { text: 'x', level: 1 }]);
    const escaped = await post('{"text":"x","\\u005f_proto__":{"level":5}}');
    expect([escaped.status, escaped.body]).toEqual([200, { text: 'x', level: 1 }]);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});
