import { z } from 'zod';
import { SETTING_GROUPS } from '../../../src/config/config.js';

const INTRODUCTION = `# Settings

All settings are environment variables. The gateway does not start if a value is wrong; the message
names all faults at once. \`NAME_FILE\` names a file with the value of \`NAME\`, for secrets that
containers mount as files: \`SECRET_KEY_FILE=/run/secrets/secret-key\` sets \`SECRET_KEY\` to the content
of the file.

This page is generated from \`src/config\` by \`npm run reference\`.
`;

/** The reference page of all settings, as Markdown. */
export function settingsReference(): string {
  const groups = Object.entries(SETTING_GROUPS).map(([title, { shape }]) => {
    const rows = Object.entries(shape).map(([name, schema]) => rowOf(name, schema));
    return `\n## ${title}\n\n| name | default | description |\n|---|---|---|\n${rows.join('')}`;
  });
  return INTRODUCTION + groups.join('');
}

function rowOf(name: string, schema: z.ZodType): string {
  const { description, unit, defaultText } = schema.meta() ?? {};
  if (description === undefined) throw new Error(`${name} has no description`);
  const value = String(defaultText ?? defaultOf(schema));
  const withUnit = unit === undefined ? value : `${value} ${String(unit)}`;
  return `| \`${name}\` | ${withUnit} | ${description} |\n`;
}

/** The default as Markdown; a dash if there is none. */
function defaultOf(schema: z.ZodType): string {
  if (!(schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault)) return '–';
  const { defaultValue } = schema.def;
  const text = Array.isArray(defaultValue) ? defaultValue.join(',') : String(defaultValue);
  return text === '' ? '–' : `\`${text}\``;
}
