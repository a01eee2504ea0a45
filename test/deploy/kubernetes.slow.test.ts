import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readConfig, SETTING_NAMES } from '../../src/config/config.js';
import { describeWith } from '../support/harness/process/required-tools.js';
import { DEPLOY, DeployFiles } from './deploy-files.js';

/** Longest shutdown in addition to `DRAIN_SECONDS`, see docs/reference/settings.md. */
const END_BESIDE_CALLS_S = 12;
const OF_THE_POD = ['POD_IP'];

const Container = z.object({
  env: z.array(z.object({ name: z.string(), value: z.string().optional() })),
  volumeMounts: z.array(
    z.object({ name: z.string(), mountPath: z.string(), readOnly: z.boolean().optional() }),
  ),
  lifecycle: z.object({
    preStop: z.object({ exec: z.object({ command: z.tuple([z.literal('sleep'), z.string()]) }) }),
  }),
});
const Gateways = z.object({
  spec: z.object({
    template: z.object({
      spec: z.object({
        terminationGracePeriodSeconds: z.number(),
        containers: z.tuple([Container]),
      }),
    }),
  }),
});
const Settings = z.object({ data: z.record(z.string(), z.string()) });

describeWith(['deploy-check'], 'Kubernetes manifests', (tools) => {
  const files = new DeployFiles(tools['deploy-check']);
  const objects = files.kubernetes('base');
  const find = (kind: string) => objects.find((object) => object.kind === kind);
  const pod = Gateways.parse(find('StatefulSet')).spec.template.spec;
  const [container] = pod.containers;
  const settings = Settings.parse(find('ConfigMap')).data;

  it("pass the API server's validation", () => {
    expect(find('StatefulSet')).toBeDefined();
  });

  it('set settings that exist and that gateways accept', () => {
    const names = [...Object.keys(settings), ...container.env.map(({ name }) => name)];
    const unknown = names.filter((name) => !SETTING_NAMES.includes(name.replace(/_FILE$/, '')));
    expect(unknown).toEqual(OF_THE_POD);
    const address = container.env.find(({ name }) => name === 'GATEWAY_ADDRESS')?.value;
    expect(address).toBe('$(POD_IP):7001');
    expect(readConfig({ ...settings, GATEWAY_ADDRESS: '10.1.2.3:7001' })).toMatchObject({
      TRUST_PROXY: ['uniquelocal'],
    });
  });

  it('mount each secret under the name that make-secrets.sh gives it', () => {
    const made = readFileSync(join(DEPLOY, 'make-secrets.sh'), 'utf8');
    const paths = container.env.flatMap(({ name, value }) =>
      name.endsWith('_FILE') ? value! : [],
    );
    expect(paths.length).toBeGreaterThan(3);
    for (const path of paths) {
      const [, name] = /^\/run\/secrets\/parley\/([a-z0-9-]+)$/.exec(path) ?? [];
      expect(made).toContain(`\nsecret ${name} `);
    }
    expect(container.volumeMounts).toContainEqual({
      name: 'secrets',
      mountPath: '/run/secrets/parley',
      readOnly: true,
    });
  });

  it('wait for calls when a gateway is stopped', () => {
    const waitS = Number(container.lifecycle.preStop.exec.command[1]);
    const drainS = Number(settings.DRAIN_SECONDS);
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(
      waitS + drainS + END_BESIDE_CALLS_S,
    );
  });

  it('block metrics on the ingress', () => {
    const metrics = objects.find(({ metadata }) => metadata.name === 'parley-metrics');
    expect(metrics).toMatchObject({
      metadata: {
        annotations: { 'nginx.ingress.kubernetes.io/denylist-source-range': '0.0.0.0/0,::/0' },
      },
      spec: { rules: [{ http: { paths: [{ path: '/metrics', pathType: 'Prefix' }] } }] },
    });
  });

  it('also scale by the number of calls with Prometheus', () => {
    const example = files.kubernetes('example');
    const scaler = example.find(({ kind }) => kind === 'HorizontalPodAutoscaler');
    const metrics = [
      { type: 'Pods', pods: { metric: { name: 'parley_call_load' } } },
      { type: 'Resource', resource: { name: 'cpu' } },
    ];
    expect(scaler).toMatchObject({ spec: { metrics } });
    expect(example.find(({ kind }) => kind === 'ServiceMonitor')).toMatchObject({
      spec: {
        endpoints: [
          {
            path: '/metrics',
            authorization: { credentials: { name: 'parley-secrets', key: 'metrics-token' } },
          },
        ],
      },
    });
    const gateways = Gateways.parse(example.find(({ kind }) => kind === 'StatefulSet'));
    expect(gateways.spec.template.spec.containers[0].env).toContainEqual({
      name: 'METRICS_TOKEN_FILE',
      value: '/run/secrets/parley/metrics-token',
    });
    expect(files.yaml('kubernetes/monitoring/adapter-rules.yaml')).toMatchObject({
      rules: { custom: [{ name: { as: 'parley_call_load' } }] },
    });
  });

  describe('that are invalid', () => {
    const folder = mkdtempSync(join(tmpdir(), 'parley-manifests-'));
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    it.each([
      ['gateways.yaml', 'periodSeconds: 3', 'periodSecond: 3', /unknown field/],
      ['gateways.yaml', 'runAsNonRoot: true', 'runAsNonRoot: false', /runAsNonRoot != true/],
      [
        'gateways.yaml',
        'name: http, containerPort: 8080',
        'name: http, containerPort: 80800',
        /65535/,
      ],
      ['autoscaler.yaml', 'maxReplicas: 10', 'maxReplicas: 1', /must be greater than or equal/],
    ])('are rejected: %s with "%s" as "%s"', (file, right, wrong, expected) => {
      cpSync(join(DEPLOY, 'kubernetes/base'), folder, { recursive: true });
      const text = readFileSync(join(folder, file), 'utf8');
      expect(text).toContain(right);
      writeFileSync(join(folder, file), text.replace(right, wrong));
      expect(() => files.read('kubernetes', folder)).toThrow(expected);
    });
  });
});
