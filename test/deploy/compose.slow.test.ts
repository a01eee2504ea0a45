import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readConfig, SETTING_NAMES } from '../../src/config/config.js';
import { describeWith } from '../support/harness/process/required-tools.js';
import { COMPOSE_ENV, DEPLOY, DeployFiles, secondsOf } from './deploy-files.js';

/** Longest shutdown in addition to `DRAIN_SECONDS`, see docs/reference/settings.md. */
const END_BESIDE_CALLS_S = 12;
const GATEWAYS = ['gateway-1', 'gateway-2'];

describeWith(['deploy-check'], 'compose.yaml', (tools) => {
  const files = new DeployFiles(tools['deploy-check']);
  const project = files.compose();
  const services = Object.entries(project.services);
  const service = (name: string) => project.services[name]!;

  it.each(Object.keys(COMPOSE_ENV))('requires %s', (name) => {
    const { [name]: _, ...others } = COMPOSE_ENV as Record<string, string>;
    expect(() => files.compose(others)).toThrow(new RegExp(`required variable ${name} is missing`));
  });

  it('publishes the ports of the proxy, SIP and media only', () => {
    const published = services.flatMap(([name, { ports }]) =>
      ports.map(({ published: port, protocol }) => `${name} ${port}/${protocol}`),
    );
    const rtp = published.filter((port) => /^livekit-sip 1\d{4}\/udp$/.test(port));
    expect(published.filter((port) => !rtp.includes(port)).sort()).toEqual([
      'livekit 7881/tcp',
      'livekit 7882/udp',
      'livekit-sip 5060/tcp',
      'livekit-sip 5060/udp',
      'proxy 443/tcp',
      'proxy 443/udp',
      'proxy 80/tcp',
    ]);
    const [first, last] = SipConfig.parse(files.yaml('livekit-sip.yaml')).rtp_port;
    expect(rtp).toHaveLength(last! - first! + 1);
    expect(rtp[0]).toBe(`livekit-sip ${first}/udp`);
  });

  it("publishes exactly LiveKit's media ports", () => {
    const { rtc } = LiveKitConfig.parse(files.yaml('livekit.yaml'));
    const ports = service('livekit').ports.map(({ published, target }) => [
      Number(published),
      target,
    ]);
    expect(ports).toEqual([
      [rtc.tcp_port, rtc.tcp_port],
      [rtc.udp_port, rtc.udp_port],
    ]);
  });

  it('waits for calls when it stops a gateway or LiveKit', () => {
    const drain = Number(service('gateway-1').environment.DRAIN_SECONDS);
    for (const name of [...GATEWAYS, 'livekit', 'livekit-sip']) {
      const grace = secondsOf(service(name).stop_grace_period ?? '');
      expect(grace, name).toBeGreaterThanOrEqual(drain + END_BESIDE_CALLS_S);
    }
  });

  it('takes every image from a variable, so that it can be pinned by digest', () => {
    const text = readFileSync(join(DEPLOY, 'compose.yaml'), 'utf8');
    const variables = [...text.matchAll(/^ +image: \$\{([A-Z_]+_IMAGE):-.+\}$/gm)].map(
      ([, name]) => name!,
    );
    expect(variables).toHaveLength(text.match(/^ +image:/gm)!.length);
    const digest = `sha256:${'0'.repeat(64)}`;
    const pinned = Object.fromEntries(
      variables.map((name) => [name, `x/${name.toLowerCase()}@${digest}`]),
    );
    const images = Object.values(files.compose({ ...COMPOSE_ENV, ...pinned }).services);
    expect(images.every(({ image }) => image.endsWith(`@${digest}`))).toBe(true);
    const example = readFileSync(join(DEPLOY, 'example.env'), 'utf8');
    for (const name of variables) expect(example).toContain(name);
  });

  it.each(services)('gives %s minimal privileges', (name, { image, ...given }) => {
    expect(given.read_only).toBe(true);
    expect(given.cap_drop).toEqual(['ALL']);
    expect(image).toMatch(/^[\w./-]+:[\w.-]+$/);
    expect(image).not.toMatch(/:latest$/);
    // The image defines the gateways' health check; the models service exits.
    expect(Boolean(given.healthcheck)).toBe(![...GATEWAYS, 'models'].includes(name));
    if (name !== 'models') expect(given.deploy?.resources.limits?.memory).toBeDefined();
  });

  it('uses no init process for services that drop root, because it could not forward signals', () => {
    const changing = services.filter(([, { cap_add: added }]) => added.includes('SETUID'));
    expect(changing.map(([name]) => name)).toEqual(['database']);
    for (const [, { init, cap_add: added }] of changing) {
      expect(init && !added.includes('KILL')).toBe(false);
    }
  });

  it('limits access to the database, the storage and Redis to their clients', () => {
    const on = (network: string) =>
      services.filter(([, { networks }]) => network in networks).map(([name]) => name);
    expect(on('database').sort()).toEqual(['database', ...GATEWAYS]);
    expect(on('storage').sort()).toEqual([...GATEWAYS, 'storage']);
    expect(on('redis').sort()).toEqual(['livekit', 'livekit-sip', 'redis']);
    for (const name of ['database', 'storage', 'redis', 'gateways']) {
      expect(project.networks[name]?.internal, name).toBe(true);
      if (name === 'gateways') continue;
      expect(Object.keys(service(name).networks), name).toEqual([name]);
    }
  });

  it("keeps services that reach LiveKit's media by its public address out of its networks", () => {
    const open = Object.keys(service('livekit').networks).filter(
      (network) => !project.networks[network]?.internal,
    );
    const reachable = services.filter(([, { networks }]) => open.some((name) => name in networks));
    expect(reachable.map(([name]) => name).sort()).toEqual(['livekit', 'proxy']);
  });

  it("uses LiveKit's outbound network for media only", () => {
    const closed = Object.keys(service('livekit').networks).flatMap((name) => {
      const { internal, ipam } = project.networks[name]!;
      return internal ? (ipam?.config ?? [{ subnet: `any of ${name}` }]) : [];
    });
    const { rtc } = LiveKitConfig.parse(files.yaml('livekit.yaml'));
    expect(rtc.ips.excludes).toEqual(closed.map(({ subnet }) => subnet));
  });

  it('mounts existing files', () => {
    const binds = services.flatMap(([, { volumes }]) =>
      volumes.filter(({ type }) => type === 'bind').map(({ source }) => source),
    );
    expect(binds.length).toBeGreaterThan(0);
    expect(binds.filter((path) => !existsSync(path))).toEqual([]);
  });

  describe('with secrets', () => {
    let folder: string;
    const makeSecrets = () =>
      execFileSync('sh', [join(DEPLOY, 'make-secrets.sh'), folder], { encoding: 'utf8' });
    beforeAll(() => {
      folder = join(mkdtempSync(join(tmpdir(), 'parley-deploy-')), 'secrets');
      makeSecrets();
    });
    afterAll(() => rmSync(join(folder, '..'), { recursive: true, force: true }));

    it('gets all of them from make-secrets.sh, which changes no existing one', () => {
      const made = readdirSync(folder);
      // Without a token, a gateway answers metrics requests inside its container only.
      const used = [...Object.keys(project.secrets), 'metrics-token'];
      expect(used.sort()).toEqual(made.sort());
      for (const { file } of Object.values(project.secrets)) {
        expect(file).toMatch(/^.+\/deploy\/secrets\/[a-z0-9-]+$/);
      }
      const contents = () => made.map((name) => readFileSync(join(folder, name), 'utf8'));
      const before = contents();
      expect(makeSecrets()).toBe('');
      expect(contents()).toEqual(before);
      expect(new Set(before).size).toBe(made.length);
      expect(statSync(folder).mode & 0o777).toBe(0o700);
    });

    it('gives each secret to its users', () => {
      for (const [name, { environment, secrets }] of services) {
        const example = JSON.stringify(environment).match(/(?<=\/run\/secrets\/)[a-z0-9-]+/g) ?? [];
        const handed = secrets.map(({ source }) => source);
        expect(
          example.filter((secret) => !handed.includes(secret)),
          name,
        ).toEqual([]);
      }
    });

    it.each([
      ['no language model', {}],
      ['a language model', { LLM_BASE_URL: 'https://llm.example.com/v1', LLM_MODELS: 'small' }],
    ])('gives the gateways settings that exist and that they accept, with %s', (_what, more) => {
      const { environment } = files.compose({ ...COMPOSE_ENV, ...more }).services['gateway-1']!;
      const set = Object.entries(environment).filter(([, value]) => value);
      const unknown = set.filter(([name]) => !SETTING_NAMES.includes(name.replace(/_FILE$/, '')));
      expect(unknown).toEqual([]);
      const here = set.map(([name, value]) => [name, value!.replace('/run/secrets', folder)]);
      const config = readConfig(Object.fromEntries(here));
      const password = readFileSync(join(folder, 'database-password'), 'utf8').trim();
      expect(new URL(config.DATABASE_URL!).password).toBe(password);
      expect(new URL(config.DATABASE_URL!).hostname).toBe('database');
      expect(config.PUBLIC_URL).toBe(`https://${COMPOSE_ENV.PARLEY_HOST}`);
      expect(config.LLM_API_KEY).toBe('LLM_MODELS' in more ? 'none' : undefined);
    });
  });
});

const LiveKitConfig = z.object({
  rtc: z.object({
    udp_port: z.number(),
    tcp_port: z.number(),
    ips: z.object({ excludes: z.array(z.string()) }),
  }),
});
/** LiveKit SIP ignores unknown keys. Source: livekit/sip v1.11.0, pkg/config/config.go. */
const SipConfig = z.strictObject({
  ws_url: z.string(),
  redis: z.strictObject({ address: z.string() }),
  sip_port: z.number(),
  rtp_port: z.string().transform((range) => range.split('-').map(Number)),
  health_port: z.number(),
  logging: z.strictObject({ json: z.boolean(), level: z.string() }),
});
