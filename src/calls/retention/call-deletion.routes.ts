import { type Route, route } from '../../platform/http/route.js';
import { model, str } from '../../platform/http/validation/schema-builders.js';
import { CallPath } from '../store/load-call.js';
import type { CallDeletionService } from './call-deletion.service.js';
import { Receipt, toReceipt } from './retention.schema.js';

const TAG = 'Retention';
const RUNS = 'A call that would go has not ended';

/** E.164 with separators. A plus that is not escaped in a query arrives as a space. */
const NUMBER = /^(\+|00| )?[1-9]([ ()./-]{0,2}\d){6,14}$/;

/** Deletion of calls and their artifacts. */
export function deletionRoutes(deletion: CallDeletionService): readonly Route[] {
  const common = { tag: TAG, scope: 'calls:retention', method: 'delete' } as const;
  return [
    route({
      ...common,
      path: '/agent/call-history/{call_id}',
      summary: 'Delete a call',
      description: 'With its turns, summary, recording and what receivers were to be told of it.',
      params: CallPath,
      responses: {
        200: { description: 'It is gone; what was deleted', schema: Receipt },
        404: { description: 'No such call' },
        409: { description: RUNS },
      },
      async handle({ principal, params, log }) {
        const receipt = await deletion.deleteOne(principal.accountId, params.call_id);
        log.info({ keyId: principal.keyId, receipt: receipt.id }, 'a call was deleted');
        return toReceipt(receipt);
      },
    }),
    route({
      ...common,
      path: '/agent/call-history',
      summary: 'Delete all calls of a telephone number',
      description:
        'Those from it and those to it. A deletion that broke off is gone on with by the same request.',
      query: model({
        number: str({ pattern: NUMBER, max: 50, description: 'E.164: +49 30 1234567.' }),
      }),
      responses: {
        200: { description: 'They are gone; what was deleted', schema: Receipt },
        409: { description: RUNS },
      },
      async handle({ principal, query, log }) {
        const digits = query.number.replaceAll(/\D/g, '').replace(/^00/, '');
        const receipt = await deletion.deleteOfNumber(principal.accountId, digits);
        const { id, calls } = receipt;
        log.info({ keyId: principal.keyId, receipt: id, calls }, 'calls of a number were deleted');
        return toReceipt(receipt);
      },
    }),
  ];
}
