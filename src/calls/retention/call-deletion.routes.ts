import { type Route, route } from '../../platform/http/route.js';
import { model, str } from '../../platform/http/validation/schema-builders.js';
import { CallPath } from '../store/load-call.js';
import type { CallDeletionService } from './call-deletion.service.js';
import { Receipt, toReceipt } from './retention.schema.js';

const TAG = 'Retention';
const RUNS = 'One of the calls has not ended';

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
      description: 'Deletes the call with its turns, summary, recording and webhook deliveries.',
      params: CallPath,
      responses: {
        200: { description: 'The receipt of the deletion', schema: Receipt },
        404: { description: 'No such call' },
        409: { description: RUNS },
      },
      async handle({ principal, params, log }) {
        const receipt = await deletion.deleteOne(principal.accountId, params.call_id);
        log.info({ keyId: principal.keyId, receipt: receipt.id }, 'A call was deleted by request');
        return toReceipt(receipt);
      },
    }),
    route({
      ...common,
      path: '/agent/call-history',
      summary: 'Delete all calls of a phone number',
      description:
        'Deletes the calls from and to the number. The same request continues a deletion that was interrupted.',
      query: model({
        number: str({ pattern: NUMBER, max: 50, description: 'E.164: +49 30 1234567.' }),
      }),
      responses: {
        200: { description: 'The receipt of the deletion', schema: Receipt },
        409: { description: RUNS },
      },
      async handle({ principal, query, log }) {
        const digits = query.number.replaceAll(/\D/g, '').replace(/^00/, '');
        const receipt = await deletion.deleteOfNumber(principal.accountId, digits);
        const { id, calls } = receipt;
        log.info(
          { keyId: principal.keyId, receipt: id, calls },
          'The calls of a phone number were deleted by request',
        );
        return toReceipt(receipt);
      },
    }),
  ];
}
