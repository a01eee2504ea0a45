import { describe, expect, it } from 'vitest';
import { nameOf, withContractPlane } from '../support/harness/app/contract-app.js';
import type { Operation } from '../support/harness/app/openapi-document.js';
import { Coercions } from '../support/programs/schemathesis/coercions.js';
import {
  BodySchema,
  type Field,
  INVALID_VALUES,
  type InvalidValue,
  toJson,
} from './malformed-bodies.js';

const plane = withContractPlane();

const jsonOf = (operation: Operation) => operation.requestBody?.content['application/json'];
const operations = () => plane().api.operations.filter(jsonOf);

const coercionsOf = () => (coercions ??= new Coercions(plane().api.schemas));
let coercions: Coercions | undefined;
const bodies = new Map<string, BodySchema>();

function bodySchemaOf(operation: Operation): BodySchema {
  const name = nameOf(operation);
  const known = bodies.get(name);
  if (known) return known;
  const { schema } = jsonOf(operation);
  const made = new BodySchema(schema, plane().api.schemas, plane().bodyOf(operation));
  bodies.set(name, made);
  return made;
}

async function send(operation: Operation, text: string) {
  const bearer = plane().owner.key;
  const answer = await plane().ask(operation.method, plane().pathOf(operation), {
    bearer,
    body: text,
  });
  const about = `${nameOf(operation)} ${text.slice(0, 600)}\n${JSON.stringify(answer.body).slice(0, 1_500)}`;
  expect(operation.responses, about).toHaveProperty(String(answer.status));
  expect(answer.status, about).not.toBe(500);
  return { ...answer, about };
}

/** The places in the body that a 422 response reports. */
function placesIn(body: unknown): string[] {
  const { detail } = body as { detail: readonly { loc: readonly (string | number)[] }[] };
  expect(detail.every(({ loc }) => loc[0] === 'body')).toBe(true);
  return detail.map(({ loc }) => loc.slice(1).join('.'));
}

const placeOf = ({ place }: Field) => place.join('.');

/**
 * Sends one invalid value in all places at once, and separately in places where the document allows
 * it.
 */
async function sendEverywhere(
  operation: Operation,
  { name, make }: InvalidValue,
  fields: readonly Field[],
) {
  const schema = bodySchemaOf(operation);
  const values = fields
    .map((field) => [field, make(field.schema)] as const)
    .filter(([{ schema: one }, value]) => {
      return value !== undefined && !coercionsOf().explaining(one, value);
    });
  const isAllowed = ([{ schema: one }, value]: (typeof values)[number]) =>
    // This schema validator accepts only integers that a double holds exactly; the document allows
    // all.
    (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) ||
    coercionsOf().strict(one).safeParse(value).success;
  const allowed = values.filter(isAllowed);
  const wrong = values.filter((one) => !isAllowed(one));
  if (allowed.length > 0) await send(operation, toJson(schema.withValues(allowed)));
  if (wrong.length === 0) return;
  const { status, body, about } = await send(operation, toJson(schema.withValues(wrong)));
  expect(status, `${name}: ${about}`).toBe(422);
  const reported = placesIn(body);
  const unreported = wrong
    .map(([field]) => placeOf(field))
    .filter((place) => !reported.some((one) => one === place || one.startsWith(`${place}.`)));
  expect(unreported, `${name}: ${about}`).toEqual([]);
}

describe('fields of request bodies', () => {
  it.each(INVALID_VALUES.map((invalidValue) => [invalidValue.name, invalidValue] as const))(
    'are rejected with their place, or accepted as documented, if the value is %s',
    async (_, invalidValue) => {
      for (const operation of operations()) {
        const { fields } = bodySchemaOf(operation);
        await sendEverywhere(
          operation,
          invalidValue,
          fields.filter(({ hasFields: holds }) => !holds),
        );
        for (const field of fields.filter(({ hasFields: holds }) => holds)) {
          await sendEverywhere(operation, invalidValue, [field]);
        }
      }
    },
    120_000,
  );

  it('are all reported in one response if they are missing', async () => {
    for (const operation of operations()) {
      const schema = bodySchemaOf(operation);
      const required = schema.fields.filter(
        ({ isRequired, place }) => isRequired && place.length === 1,
      );
      if (required.length === 0) continue;
      const { status, body, about } = await send(
        operation,
        toJson(schema.withValues(required.map((field) => [field, undefined] as const))),
      );
      expect(status, about).toBe(422);
      expect(placesIn(body).sort(), about).toEqual(required.map(placeOf).sort());
    }
  });

  it('may have any JSON type, and deep nesting is rejected', async () => {
    for (const operation of operations()) {
      for (const body of ['null', '[]', '"text"', '7', '{}']) await send(operation, body);
      const deep = `{"x":${'['.repeat(500)}${']'.repeat(500)}}`;
      const { status, body } = await send(operation, deep);
      expect([status, body.detail[0].type]).toEqual([422, 'json_invalid']);
    }
  });
});
