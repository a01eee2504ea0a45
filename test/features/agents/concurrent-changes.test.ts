import { describe, expect, it } from 'vitest';
import { withControlPlane } from '../../support/harness/app/control-plane-app.js';

const plane = withControlPlane();

async function madeAgent() {
  const ask = await plane.asNewAccount();
  const { body, headers } = await ask('POST', '/agent', { name: 'Pool', config: {} });
  return { ask, path: `/agent/${body.agent_id}`, etag: headers.get('etag')! };
}

describe('ETag of an agent', () => {
  it('is part of every response with the agent, and changes with it', async () => {
    const { ask, path, etag } = await madeAgent();
    expect(etag).toMatch(/^"[^"]+"$/);
    expect((await ask('GET', path)).headers.get('etag')).toBe(etag);
    const renamed = await ask('PUT', path, { name: 'Lido' });
    expect(renamed.headers.get('etag')).not.toBe(etag);
    expect((await ask('GET', path)).headers.get('etag')).toBe(renamed.headers.get('etag'));
    const deployed = await ask('POST', `${path}/deploy`);
    expect(deployed.headers.get('etag')).not.toBe(renamed.headers.get('etag'));
    const again = await ask('POST', `${path}/deploy`);
    expect(again.headers.get('etag')).toBe(deployed.headers.get('etag'));
  });
});

describe('If-Match', () => {
  const ifMatch = (tag: string) => ({ 'if-match': tag });

  it('accepts a change of the current version, and any change with *', async () => {
    const { ask, path, etag } = await madeAgent();
    const first = await ask('PUT', path, { name: 'One' }, ifMatch(`"other", ${etag}`));
    expect(first.status).toBe(200);
    expect((await ask('PUT', path, { name: 'Two' }, ifMatch('*'))).status).toBe(200);
  });

  it('returns 412 for every kind of change of an old version', async () => {
    const { ask, path, etag } = await madeAgent();
    const { headers } = await ask('PUT', path, { name: 'Lido' });
    const current = headers.get('etag')!;
    for (const [method, sub, body] of [
      ['PUT', '', { name: 'Late' }],
      ['POST', '/deploy'],
      ['POST', '/pause'],
      ['POST', '/disable'],
      ['DELETE', '/knowledge-base'],
    ] as const) {
      for (const tag of [etag, `W/${current}`, 'nonsense']) {
        const late = await ask(method, path + sub, body, ifMatch(tag));
        expect([late.status, late.body.code]).toEqual([412, 'PRECONDITION_FAILED']);
        expect(late.headers.get('etag')).toBe(current);
      }
    }
    expect((await ask('GET', path)).body).toMatchObject({ name: 'Lido', status: 'paused' });
  });

  it('lets exactly one of many concurrent changes succeed', async () => {
    const { ask, path, etag } = await madeAgent();
    const all = await Promise.all(
      Array.from({ length: 8 }, (_, i) => ask('PUT', path, { name: `Writer ${i}` }, ifMatch(etag))),
    );
    const won = all.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    expect((await ask('GET', path)).body.name).toBe(won[0]!.body.name);
    expect(all.filter(({ status }) => status === 412)).toHaveLength(7);
  });
});

describe('POST /agent/init-agent', () => {
  it('returns a template for a new agent and creates none', async () => {
    const ask = await plane.asNewAccount();
    const { body: first } = await ask('POST', '/agent/init-agent');
    expect(first.available_types).toContain('business');
    expect((await ask('GET', '/agent')).body).toEqual([]);
    for (const agent_template of first.available_types) {
      const { status, body } = await ask('POST', '/agent/init-agent', {
        agent_template,
        name: 'X',
      });
      expect([status, body.agent_template, body.name]).toEqual([200, agent_template, 'X']);
      expect(body.description).not.toBe('');
      const { name, config } = body;
      expect((await ask('POST', '/agent', { name, config })).status).toBe(201);
    }
  });

  it('rejects an unknown template', async () => {
    const ask = await plane.asNewAccount();
    const { status, body } = await ask('POST', '/agent/init-agent', { agent_template: 'pirate' });
    expect([status, body.detail[0].loc]).toEqual([422, ['body', 'agent_template']]);
  });
});
