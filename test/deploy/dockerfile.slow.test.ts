import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readConfig, SETTING_NAMES } from '../../src/config/config.js';
import { describeWith } from '../support/harness/process/required-tools.js';
import { DEPLOY, DeployFiles } from './deploy-files.js';

describeWith(['deploy-check'], 'Dockerfile', (tools) => {
  const files = new DeployFiles(tools['deploy-check']);
  const stages = files.dockerfile();
  /** The instructions of a stage and of its base stages, the innermost first. */
  const allOf = (name: string): readonly string[] => {
    const stage = stages.find((one) => one.name === name);
    return stage ? [...allOf(stage.base), ...stage.commands] : [];
  };
  const gateway = allOf('gateway');
  const last = (instruction: string) =>
    gateway.filter((command) => command.startsWith(`${instruction} `)).at(-1);

  it('copies from existing stages, and files that the clone has and .dockerignore allows', () => {
    const ignore = readFileSync(join(DEPLOY, 'Dockerfile.dockerignore'), 'utf8').split('\n');
    expect(ignore).toContain('*');
    const names = stages.map(({ name }) => name);
    for (const command of stages.flatMap(({ commands }) => commands)) {
      const [, options, sources] = /^COPY ((?:--\S+ )*)(.+) \S+$/.exec(command) ?? [];
      if (sources === undefined) continue;
      const from = /--from=(\S+)/.exec(options!)?.[1];
      if (from !== undefined) {
        expect(names).toContain(from);
        continue;
      }
      for (const source of sources.split(' ')) {
        expect(ignore).toContain(`!${source.split('/')[0]}`);
        expect(existsSync(join(DEPLOY, '..', source)), source).toBe(true);
      }
    }
  });

  it('sets settings that exist and that the gateway accepts', () => {
    const set = [...last('ENV')!.matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [
      name!,
      value!,
    ]);
    const unknown = set.filter(([name]) => !SETTING_NAMES.includes(name!));
    expect(unknown.map(([name]) => name)).toEqual(['NODE_ENV', 'HOME']);
    expect(readConfig(Object.fromEntries(set))).toMatchObject({ HOST: '0.0.0.0', PORT: 8080 });
  });

  it('is rejected if it is invalid', () => {
    const folder = mkdtempSync(join(tmpdir(), 'parley-dockerfile-'));
    try {
      const path = join(folder, 'Dockerfile');
      const text = readFileSync(join(DEPLOY, 'Dockerfile'), 'utf8');
      writeFileSync(path, text.replace('AS packages', 'as Packages'));
      expect(() => files.read('dockerfile', path)).toThrow(/StageNameCasing/);
      writeFileSync(path, text.replace('WORKDIR', 'WORKDIRS'));
      expect(() => files.read('dockerfile', path)).toThrow(/unknown instruction: WORKDIRS/);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
