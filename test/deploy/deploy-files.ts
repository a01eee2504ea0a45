import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

/** The folder deploy/ of this clone. */
export const DEPLOY = fileURLToPath(new URL('../../../deploy/', import.meta.url));

/** The variables of deploy/.env that `docker compose` reads. */
export const COMPOSE_ENV = {
  PARLEY_HOST: 'voice.example.com',
  LIVEKIT_HOST: 'livekit.example.com',
  PUBLIC_IP: '192.0.2.10',
};

const Port = z.object({ published: z.string(), target: z.number(), protocol: z.string() });
const Mount = z.object({ type: z.string(), source: z.string(), target: z.string() });
const ComposeService = z.object({
  image: z.string(),
  environment: z.record(z.string(), z.string().nullable()).default({}),
  ports: z.array(Port).default([]),
  networks: z.record(z.string(), z.unknown()),
  volumes: z.array(Mount).default([]),
  secrets: z.array(z.object({ source: z.string() })).default([]),
  depends_on: z.record(z.string(), z.unknown()).default({}),
  healthcheck: z.unknown().optional(),
  read_only: z.boolean().default(false),
  init: z.boolean().default(false),
  cap_drop: z.array(z.string()).default([]),
  cap_add: z.array(z.string()).default([]),
  stop_grace_period: z.string().optional(),
  deploy: z
    .object({ resources: z.object({ limits: z.object({ memory: z.string() }).optional() }) })
    .optional(),
});
const ComposeProject = z.object({
  services: z.record(z.string(), ComposeService),
  networks: z.record(
    z.string(),
    z.object({
      internal: z.boolean().default(false),
      ipam: z.object({ config: z.array(z.object({ subnet: z.string() })).default([]) }).optional(),
    }),
  ),
  secrets: z.record(z.string(), z.object({ file: z.string() })),
});

const KubernetesObject = z.looseObject({
  kind: z.string(),
  metadata: z.looseObject({ name: z.string() }),
});
export type KubernetesObject = z.infer<typeof KubernetesObject>;

const Stage = z.object({ name: z.string(), base: z.string(), commands: z.array(z.string()) });

/** Parses files of deploy/ with the program `deploy-check`. @throws with the errors of a file */
export class DeployFiles {
  readonly #program: string;

  /** @param program path from the optional program `deploy-check` */
  constructor(program: string) {
    this.#program = program;
  }

  /** compose.yaml with exactly these variables. */
  compose(env: Readonly<Record<string, string>> = COMPOSE_ENV) {
    return ComposeProject.parse(this.read('compose', join(DEPLOY, 'compose.yaml'), env));
  }

  /** The objects of a folder in deploy/kubernetes. */
  kubernetes(folder: string): readonly KubernetesObject[] {
    return z
      .array(KubernetesObject)
      .parse(this.read('kubernetes', join(DEPLOY, 'kubernetes', folder)));
  }

  dockerfile() {
    return z.array(Stage).parse(this.read('dockerfile', join(DEPLOY, 'Dockerfile')));
  }

  yaml(file: string): unknown {
    return this.read('yaml', join(DEPLOY, file));
  }

  /** @throws with the output of the program */
  read(what: string, path: string, env: Readonly<Record<string, string>> = {}): unknown {
    return JSON.parse(
      execFileSync(this.#program, [what, path], {
        env: { ...env, HOME: '/nonexistent' },
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
        maxBuffer: 16 * 1024 * 1024,
      }),
    );
  }
}

/** A duration in the format of compose, `5m15s`, in seconds. */
export function secondsOf(duration: string): number {
  const units = { h: 3_600, m: 60, s: 1 };
  return [...duration.matchAll(/(\d+)([hms])/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * units[unit as keyof typeof units],
    0,
  );
}
