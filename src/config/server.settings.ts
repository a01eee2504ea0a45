import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { baseUrl, host, proxies, wholeNumber } from './setting-types.js';

/** Addresses, processes and logs. */
export const ServerSettings = z.object({
  PORT: wholeNumber(0, 65_535, 'a port from 0 to 65535').default(8080).meta({
    description: 'TCP port for HTTP and WebSockets. 0 selects any free port.',
  }),
  HOST: host().default('127.0.0.1').meta({
    description: 'Host name or address on which the gateway listens.',
  }),
  PUBLIC_URL: baseUrl().optional().meta({
    description:
      'URL under which clients and carriers reach the gateway. Calls and signed links need it unless the gateway listens on the loopback.',
  }),
  TRUST_PROXY: proxies().default(false).meta({
    description:
      'Proxies whose `X-Forwarded-*` headers are trusted: `true`, `false`, a number of proxies, or a comma list of addresses and networks.',
  }),
  GATEWAYS: wholeNumber(1, 32, 'a whole number from 1 to 32').default(1).meta({
    description: 'Gateway processes that share one port.',
  }),
  GATEWAY_ADDRESS: z
    .string()
    .regex(/^(\[[\da-f:]+\]|[\w.-]+)(:\d{1,5})?$/i, 'a host or an address, with or without a port')
    .default('127.0.0.1')
    .meta({
      description:
        'With `DATABASE_URL`: address at which gateways on other machines reach this one, such as `10.0.0.5` or `10.0.0.5:7001`. Without a port, any free port is used.',
    }),
  DRAIN_SECONDS: wholeNumber(0, 3_600, 'a whole number of seconds from 0 to 3600').default(8).meta({
    unit: 's',
    description:
      'Time that running calls may continue after SIGTERM. During this time the gateway rejects new calls and `/readyz` responds 503. The shutdown takes at most 12 s longer.',
  }),
  CPU_PERMITS: wholeNumber(1, 1_024, 'a whole number from 1')
    .default(() => Math.max(1, availableParallelism() - 1))
    .meta({
      defaultText: 'number of cores − 1',
      description: 'Models that may compute at the same time.',
    }),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
      error: 'trace, debug, info, warn, error, fatal or silent',
    })
    .default('info')
    .meta({
      description:
        '`trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`. Logs contain no audio, no words, no phone numbers and no keys.',
    }),
});
export type ServerSettings = z.output<typeof ServerSettings>;
