import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { AllowedHosts } from '../../../src/platform/egress/allowed-hosts.js';
import { EgressClient } from '../../../src/platform/egress/egress-client.js';
import { EgressGuard, type Resolve } from '../../../src/platform/egress/egress-guard.js';
import {
  closeEarly,
  closeImmediately,
  gigabyte,
  hang,
  status,
  WebhookReceiver,
} from '../../support/fakes/webhook-receiver.js';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** A client whose names resolve by this table; several results are returned in turn. */
function makeClient(allowed: readonly string[], names: Record<string, string[][]> = {}) {
  const lookups: string[] = [];
  const resolve: Resolve = async (host) => {
    lookups.push(host);
    const answers = names[host];
    if (!answers) throw new Error('ENOTFOUND');
    const addresses = answers.length > 1 ? answers.shift()! : answers[0]!;
    return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  };
  const guard = new EgressGuard({ allowed: new AllowedHosts(allowed), resolve });
  closers.push(() => guard.close());
  return { client: new EgressClient(guard), lookups };
}

async function openReceiver(host?: string): Promise<WebhookReceiver> {
  const receiver = await WebhookReceiver.open(host);
  closers.push(() => receiver.close());
  return receiver;
}

const QUICK = { method: 'POST', timeoutMs: 20_000, maxBytes: 1_000, body: '{}' } as const;

/** Resolves to the code of the error. */
async function codeOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'answered',
    (error) => `${(error as { code?: string }).code}`,
  );
}

describe('egress client', () => {
  it.each([
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0177.0.0.1/',
    'https://127.1/',
    'https://0/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://169.254.169.254/latest/meta-data/',
    'https://[fd00:ec2::254]/',
    'https://10.1.2.3/',
    'https://100.64.0.1/',
    'https://0.0.0.0/',
    'https://224.0.0.1/',
    'https://①②⑦.0.0.1/',
  ])('refuses the host of %s', async (url) => {
    const { client } = makeClient([]);
    expect(await codeOf(client.request({ ...QUICK, url }))).toBe('BLOCKED_ADDRESS');
  });

  it.each([
    [['127.0.0.1']],
    [['8.8.8.8', '10.0.0.1']],
    [['::ffff:169.254.169.254']],
    [['2606:4700::1', '::1']],
  ])('refuses a name that resolves to %j', async (addresses) => {
    const { client } = makeClient([], { 'hook.test': [addresses] });
    const url = 'https://hook.test/';
    expect(await codeOf(client.request({ ...QUICK, url }))).toBe('BLOCKED_ADDRESS');
  });

  it.each([
    'http://hook.test/',
    'ftp://hook.test/',
    'file:///etc/passwd',
    'https://user:password@hook.test/',
    'no address',
  ])('refuses %s', async (url) => {
    const { client, lookups } = makeClient([], { 'hook.test': [['8.8.8.8']] });
    expect(await codeOf(client.request({ ...QUICK, url }))).toBe('INSECURE_URL');
    expect(lookups).toEqual([]);
  });

  it('requests an allowed host over http at its resolved address', async () => {
    const receiver = await openReceiver();
    const { client } = makeClient(['hook.test'], { 'hook.test': [['127.0.0.1']] });
    const url = `http://hook.test:${receiver.port}/a?b=c`;
    const answer = await client.request({ ...QUICK, url, headers: { 'x-one': '1' } });
    expect(answer.status).toBe(200);
    expect(receiver.requests[0]).toMatchObject({
      path: '/a?b=c',
      headers: { host: `hook.test:${receiver.port}`, 'x-one': '1', 'accept-encoding': 'identity' },
    });
  });

  it('requests an address in an allowed network', async () => {
    const receiver = await openReceiver();
    const { client } = makeClient(['127.0.0.0/8']);
    expect((await client.request({ ...QUICK, url: receiver.url() })).status).toBe(200);
    // Another notation of the same address.
    const url = `http://2130706433:${receiver.port}/`;
    expect((await client.request({ ...QUICK, url })).status).toBe(200);
  });

  it('does not extend an allowed host to other hosts', async () => {
    const { client } = makeClient(['good.test'], { 'sub.good.test': [['127.0.0.1']] });
    const url = 'https://sub.good.test/';
    expect(await codeOf(client.request({ ...QUICK, url }))).toBe('BLOCKED_ADDRESS');
  });

  it('connects to the address that was checked, whatever the name resolves to next', async () => {
    const checked = await openListener('127.0.0.2');
    const other = await openListener('127.0.0.1', checked.port);
    const { client, lookups } = makeClient(['127.0.0.2/32'], {
      'rebind.test': [['127.0.0.2'], ['127.0.0.1']],
    });
    const url = `https://rebind.test:${checked.port}/`;
    expect(await codeOf(client.request({ ...QUICK, url }))).not.toBe('answered');
    expect(lookups).toEqual(['rebind.test']);
    expect(checked.received.join()).toContain('rebind.test'); // the TLS handshake contains the host name
    // The next connection is checked again and refused.
    expect(await codeOf(client.request({ ...QUICK, url }))).toBe('BLOCKED_ADDRESS');
    expect(other.received).toEqual([]);
  });

  it('returns a redirect without following it', async () => {
    const receiver = await openReceiver();
    receiver.answer(status(302, '', { location: receiver.url('/secret') }));
    const { client } = makeClient(['127.0.0.1']);
    const answer = await client.request({ ...QUICK, url: receiver.url() });
    expect(answer).toMatchObject({ status: 302, headers: { location: receiver.url('/secret') } });
    expect(receiver.requests).toHaveLength(1);
  });

  it('also guards fetch', async () => {
    const receiver = await openReceiver();
    receiver.answer(status(200, { a: 1 }), status(307, '', { location: receiver.url('/secret') }));
    const { client } = makeClient(['127.0.0.1']);
    expect(await (await client.fetch(receiver.url())).json()).toEqual({ a: 1 });
    const redirected = await client.fetch(receiver.url(), { method: 'POST', body: 'x' });
    expect(redirected.status).toBe(307);
    expect(receiver.requests).toHaveLength(2);
    await expect(client.fetch('https://10.0.0.1/')).rejects.toMatchObject({
      cause: { code: 'BLOCKED_ADDRESS' },
    });
    await expect(client.fetch('http://10.0.0.1/')).rejects.toMatchObject({ code: 'INSECURE_URL' });
  });
});

describe('limits of outbound requests', () => {
  it('include a timeout for a host that hangs', async () => {
    const receiver = await openReceiver();
    receiver.answer(hang);
    const { client } = makeClient(['127.0.0.1']);
    const started = Date.now();
    const request = client.request({ ...QUICK, url: receiver.url(), timeoutMs: 150 });
    expect(await codeOf(request)).toBe('TIMEOUT');
    expect(Date.now() - started).toBeLessThan(15_000);
  });

  it('include a timeout for a slow response', async () => {
    const receiver = await openReceiver();
    receiver.answer((response) => {
      const drip = setInterval(() => response.write('x'), 20);
      response.on('close', () => clearInterval(drip));
    });
    const { client } = makeClient(['127.0.0.1']);
    const request = client.request({ ...QUICK, url: receiver.url(), timeoutMs: 300 });
    expect(await codeOf(request)).toBe('TIMEOUT');
  });

  it('include a timeout for DNS resolution', async () => {
    const guard = new EgressGuard({
      allowed: new AllowedHosts([]),
      resolve: () => new Promise(() => undefined),
    });
    closers.push(() => guard.close());
    const request = new EgressClient(guard).request({
      ...QUICK,
      url: 'https://hook.test/',
      timeoutMs: 100,
    });
    expect(await codeOf(request)).toBe('TIMEOUT');
  });

  it('include a maximum response size', async () => {
    const receiver = await openReceiver();
    const sent = { bytes: 0 };
    receiver.answer(gigabyte(sent), gigabyte(sent));
    const { client } = makeClient(['127.0.0.1']);
    expect(await codeOf(client.request({ ...QUICK, url: receiver.url() }))).toBe('TOO_LARGE');
    const cut = await client.request({ ...QUICK, url: receiver.url(), onTooLarge: 'cut' });
    expect(cut).toMatchObject({ status: 200 });
    expect(cut.body).toHaveLength(1_000);
    expect(sent.bytes).toBeLessThan(2 ** 26);
  });

  it.each([
    ['in the middle of the body', closeEarly],
    ['before the answer', closeImmediately],
  ])('report a connection that closes %s', async (_, answering) => {
    const receiver = await openReceiver();
    receiver.answer(answering);
    const { client } = makeClient(['127.0.0.1']);
    expect(await codeOf(client.request({ ...QUICK, url: receiver.url() }))).toBe('CLOSED_EARLY');
  });

  it('report an unknown host', async () => {
    const receiver = await WebhookReceiver.open();
    const url = receiver.url();
    receiver.close();
    const { client } = makeClient(['127.0.0.1']);
    expect(await codeOf(client.request({ ...QUICK, url }))).toBe('UNREACHABLE');
    const unknown = client.request({ ...QUICK, url: 'https://nowhere.test/' });
    expect(await codeOf(unknown)).toBe('UNREACHABLE');
  });

  it('stop when the caller aborts', async () => {
    const receiver = await openReceiver();
    receiver.answer(hang);
    const { client } = makeClient(['127.0.0.1']);
    const caller = new AbortController();
    const request = client.request({ ...QUICK, url: receiver.url(), signal: caller.signal });
    setTimeout(() => caller.abort(), 50);
    expect(await codeOf(request)).not.toBe('answered');
  });

  it("keep the request's content out of error messages", async () => {
    const { client } = makeClient([]);
    const url = 'https://127.0.0.1/path?token=hunter2';
    const error = await client.request({ ...QUICK, url, body: 'words' }).catch((e: Error) => e);
    expect(String(error)).not.toMatch(/hunter2|words|127\.0\.0\.1/);
  });
});

/** A TCP server that records its input and closes the connection. */
async function openListener(host: string, port = 0) {
  const received: string[] = [];
  const server: Server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (data) => {
      received.push(data.toString('latin1'));
      socket.destroy();
    });
  });
  server.listen(port, host);
  await once(server, 'listening');
  closers.push(() => server.close());
  return { received, port: (server.address() as { port: number }).port };
}
