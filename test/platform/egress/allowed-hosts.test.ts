import { describe, expect, it } from 'vitest';
import { AllowedHosts } from '../../../src/platform/egress/allowed-hosts.js';

const hosts = new AllowedHosts(['CRM.internal', '10.0.0.0/8', '127.0.0.1', '[::1]', 'fd00::/8']);

describe('allowed hosts', () => {
  it.each([
    'crm.internal',
    'CRM.INTERNAL',
    '10.9.8.7',
    '::ffff:10.9.8.7',
    '127.0.0.1',
    '[::1]',
    '[fd12::3]',
  ])('include %s', (host) => expect(hosts.has(host)).toBe(true));

  it.each([
    'x.crm.internal',
    'internal',
    '11.0.0.1',
    '127.0.0.2',
    '[fe80::1]',
    '10.0.0.1.example',
    '',
  ])('exclude %j', (host) => expect(hosts.has(host)).toBe(false));
});
