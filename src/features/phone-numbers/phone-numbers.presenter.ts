import type { z } from 'zod';
import type { OwnNumber } from './phone-numbers.repository.js';
import type { NumberList } from './phone-numbers.schema.js';

type NumberListBody = z.output<typeof NumberList>;

/** The body of a list of all numbers of an account. */
export function presentNumbers(numbers: readonly OwnNumber[]): NumberListBody {
  const assigned = numbers.filter(({ agentId }) => agentId !== null).length;
  return {
    phone_numbers: numbers.map(({ phoneNumber, agentId, agentName }) => ({
      phone_number: phoneNumber,
      status: agentId === null ? 'available' : 'assigned',
      ...(agentId !== null && {
        assigned_to_agent_id: agentId,
        assigned_to_agent_name: agentName,
      }),
    })),
    total_numbers: numbers.length,
    total_available: numbers.length - assigned,
    total_assigned: assigned,
  };
}

/** The same with only the numbers that no deployed agent has; the totals count all. */
export function presentAvailableNumbers(numbers: readonly OwnNumber[]): NumberListBody {
  const { phone_numbers, ...totals } = presentNumbers(numbers);
  return { phone_numbers: phone_numbers.filter(({ status }) => status === 'available'), ...totals };
}
