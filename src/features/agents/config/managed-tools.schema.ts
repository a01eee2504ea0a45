import type { z } from 'zod';
import { bool, list, model, str } from '../../../platform/http/validation/schema-builders.js';
import { orDefault } from './entry-fields.js';

const name = () => str({ max: 500 }).nullable().default(null);
const operations = () => orDefault(list(str({ min: 1, max: 100 }), { max: 50 }), []);
const enabled = () => orDefault(bool(), false);

/** The tools for a linked Google account. */
export const ManagedTools = model({
  google_calendar: model({
    enabled: enabled(),
    default_calendar_id: name(),
    timezone: name(),
    selected_operations: operations(),
  })
    .nullable()
    .default(null),
  google_sheets: model({
    enabled: enabled(),
    spreadsheet_id: name(),
    sheet_name: name(),
    selected_operations: operations(),
  })
    .nullable()
    .default(null),
  google_gmail: model({ enabled: enabled(), selected_operations: operations() })
    .nullable()
    .default(null),
}).meta({ id: 'ManagedTools' });
export type ManagedTools = z.output<typeof ManagedTools>;
