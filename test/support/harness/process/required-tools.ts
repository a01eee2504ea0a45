import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, it } from 'vitest';

type Availability = { readonly path: string } | { readonly reason: string };

/**
 * Defines a suite that needs optional programs (the rows of scripts/needs.mjs) and receives their
 * paths. If one is unavailable, the suite is skipped and the reason is printed.
 */
export function describeWith<const Name extends string>(
  needs: readonly Name[],
  suite: string,
  define: (tools: Readonly<Record<Name, string>>) => void,
): void {
  const found = readiness(needs);
  const paths: Partial<Record<Name, string>> = {};
  const reasons: string[] = [];
  for (const name of needs) {
    const tool = found[name];
    if (tool && 'path' in tool) paths[name] = tool.path;
    else reasons.push(`${name}: ${tool?.reason ?? NOT_PREPARED}`);
  }
  describe(suite, () => {
    if (reasons.length === 0) return define(paths as Record<Name, string>);
    it('runs its required programs', ({ skip }) => skip(`it cannot run: ${reasons.join('; ')}`));
  });
}

/** The path of a program, for use outside of tests. @throws with the reason if it is unavailable */
export function prepareTool(name: string): string {
  const found = readiness([name])[name];
  if (found && 'path' in found) return found.path;
  throw new Error(`${name}: ${found?.reason ?? NOT_PREPARED}`);
}

/** The path of a program; undefined if it is unavailable. */
export function findTool(name: string): string | undefined {
  const found = readiness([name])[name];
  return found && 'path' in found ? found.path : undefined;
}

const NOT_PREPARED = 'the launcher did not prepare it';

/** What the launcher prepared. Without the launcher, the programs are prepared here. */
function readiness(needs: readonly string[]): Readonly<Record<string, Availability>> {
  const script = fileURLToPath(new URL('../../../../../scripts/needs.mjs', import.meta.url));
  const json = process.env.PARLEY_TOOLS ?? execFileSync(process.execPath, [script, ...needs]);
  return JSON.parse(json.toString());
}
