import { describe, expect, it } from 'vitest';
import { isPublicAddress } from '../../../src/platform/egress/public-address.js';

const PUBLIC = ['8.8.8.8', '1.1.1.1', '203.0.114.1', '2606:4700:4700::1111', '2a00:1450::1'];

const NOT_PUBLIC: Readonly<Record<string, readonly string[]>> = {
  unspecified: ['0.0.0.0', '0.1.2.3', '::'],
  loopback: ['127.0.0.1', '127.255.255.254', '::1'],
  private: ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.0.1', 'fc00::1', 'fd12::1'],
  'link-local': ['169.254.0.1', 'fe80::1', 'febf::1'],
  'shared (CGNAT)': ['100.64.0.1', '100.127.255.255'],
  metadata: ['169.254.169.254', 'fd00:ec2::254', '100.100.100.200', '192.0.0.192', '168.63.129.16'],
  multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1'],
  broadcast: ['255.255.255.255'],
  reserved: ['240.0.0.1', '192.0.2.1', '198.18.0.1', '198.51.100.1', '203.0.113.1', '2001:db8::1'],
  'site-local': ['fec0::1'],
  'IPv4 inside IPv6': [
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:10.0.0.1',
    '::127.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b:1::a00:1',
    '2002:7f00:1::',
    '2001::1',
  ],
  'no address': ['', 'localhost', 'example.org', '127.0.0.1.nip.io', 'fe80::1%eth0'],
};

describe('isPublicAddress', () => {
  it.each(PUBLIC)('accepts %s', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  for (const [kind, addresses] of Object.entries(NOT_PUBLIC)) {
    it.each(addresses)(`refuses ${kind}: %s`, (address) => {
      expect(isPublicAddress(address)).toBe(false);
    });
  }

  it('treats an IPv4-mapped address as its IPv4 address', () => {
    expect(isPublicAddress('::ffff:8.8.8.8')).toBe(true);
  });
});
