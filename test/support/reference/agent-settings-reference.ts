import { AGENT_SETTINGS } from '../../../src/features/agents/config/agent-settings.js';
import type { Setting } from '../../../src/features/agents/config/settings-table.js';
import { VOICE_SETTINGS } from '../../../src/features/agents/config/voice-settings.js';
import { type JsonSchema, jsonSchemaOf } from '../../../src/platform/http/openapi/json-schema.js';

const INTRODUCTION = `# Agent settings

The fields of \`config\` in \`POST /api/v1/agent\` and \`PUT /api/v1/agent/{agent_id}\`. Every setting may be
absent or null; both mean the default. In an update, absent settings stay as they are. The OpenAPI document
describes the fields of objects and lists.

This page is generated from \`src/features/agents/config\` by \`npm run reference\`.
`;

const VOICE_INTRODUCTION = `
## Voice settings

The fields of \`tts_params\`. One call can override them with \`agent_overrides.tts_params\`.

`;

/** The reference page of all settings of an agent, as Markdown. */
export function agentSettingsReference(): string {
  const rows = Object.entries<Setting>(AGENT_SETTINGS);
  const replayable = namesOf(rows.filter(([, { isReplayable }]) => isReplayable));
  const secret = namesOf(rows.filter(([, { seal }]) => seal));
  return `${INTRODUCTION}
${tableOf(rows)}
- \`npm run replay -- --set NAME=VALUE\` can change: ${replayable}.
- These settings contain secrets: ${secret}. Secrets are stored encrypted. Responses only say whether they
  are set.
${VOICE_INTRODUCTION}${tableOf(Object.entries<Setting>(VOICE_SETTINGS))}`;
}

type Row = readonly [name: string, setting: Setting];

function namesOf(rows: readonly Row[]): string {
  return rows.map(([name]) => `\`${name}\``).join(', ');
}

function tableOf(rows: readonly Row[]): string {
  const lines = rows.map(([name, setting]) => lineOf(name, setting));
  return `| setting | value | default | description |\n|---|---|---|---|\n${lines.join('')}`;
}

function lineOf(name: string, setting: Setting): string {
  const json = jsonSchemaOf(setting.schema, 'input');
  // The column `value` shows the unit.
  const description = String(json.description ?? '').replace(/^(Seconds|Characters)\. ?/, '');
  const text = [setting.doc, description].filter(Boolean).join(' ');
  if (text === '') throw new Error(`${name} has no description`);
  return `| \`${name}\` | ${valueText(setting, json)} | ${defaultText(setting)} | ${text} |\n`;
}

/** The type, unit and range of a value. */
function valueText({ unit }: Setting, json: JsonSchema): string {
  const { type = 'object', enum: values, minimum, maximum, maxLength } = json;
  if (Array.isArray(values)) return values.map((value) => `\`${value}\``).join(', ');
  if (maxLength !== undefined) return `${type}, at most ${maxLength} characters`;
  if (minimum === undefined) return type === 'array' ? 'list' : String(type);
  const range = maximum === undefined ? `≥ ${minimum}` : `${minimum}–${maximum}`;
  return `${type}, ${range}${unit === undefined ? '' : ` ${unit}`}`;
}

function defaultText({ default: value }: Setting): string {
  return value === undefined || value === null ? '–' : `\`${JSON.stringify(value)}\``;
}
