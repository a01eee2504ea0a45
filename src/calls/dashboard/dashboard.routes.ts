import { type Route, route } from '../../platform/http/route.js';
import { valueError } from '../../platform/http/validation/invalid-input.js';
import { float, int, list, model, str } from '../../platform/http/validation/schema-builders.js';
import type { DashboardDay, DashboardRepository } from './dashboard.repository.js';

/** An IANA name. Offsets are not accepted. */
const TIME_ZONE = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/;

const Dashboard = model({
  number_of_calls: int(),
  average_duration: float({ description: 'Seconds.' }),
  total_credits_used: float(),
  avg_credits_per_call: float(),
  daily_stats: list(
    model({ date: str({ format: 'date' }), total_calls: int(), total_credits: float() }),
  ),
}).meta({ id: 'Dashboard' });

/** `/agent/dashboard`. */
export function dashboardRoutes(dashboard: DashboardRepository): readonly Route[] {
  return [
    route({
      tag: 'Calls',
      scope: 'analytics',
      method: 'get',
      path: '/agent/dashboard',
      summary: 'Daily totals of the calls of the last 90 days',
      query: model({
        timezone: str({
          max: 64,
          description: 'Time zone of the days, an IANA name.',
          format: 'iana-time-zone',
        }).optional(),
        tz: str({
          max: 64,
          description: 'A short name of the same parameter.',
          format: 'iana-time-zone',
        }).optional(),
      }),
      responses: { 200: { description: 'The totals', schema: Dashboard } },
      async handle({ principal, query: { timezone: longer, tz } }) {
        const name = longer === undefined && tz !== undefined ? 'tz' : 'timezone';
        const timezone = longer ?? tz ?? 'UTC';
        const days = isTimeZone(timezone)
          ? await dashboard.days(principal.accountId, timezone)
          : undefined;
        if (!days) {
          const sentence = `${name} must be an IANA name such as Europe/Berlin`;
          throw valueError(['query', name], sentence, timezone);
        }
        return toDashboard(days);
      },
    }),
  ];
}

function isTimeZone(name: string): boolean {
  if (!TIME_ZONE.test(name)) return false;
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }));
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

function toDashboard(days: readonly DashboardDay[]) {
  const sum = (of: (day: DashboardDay) => number) =>
    days.reduce((total, day) => total + of(day), 0);
  const calls = sum((day) => day.calls);
  const credits = sum((day) => day.credits);
  return {
    number_of_calls: calls,
    average_duration: calls === 0 ? 0 : sum((day) => day.seconds) / calls,
    total_credits_used: credits,
    avg_credits_per_call: calls === 0 ? 0 : credits / calls,
    daily_stats: days.map((day) => ({
      date: day.date,
      total_calls: day.calls,
      total_credits: day.credits,
    })),
  };
}
