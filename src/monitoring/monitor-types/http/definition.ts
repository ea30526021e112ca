import type { MonitorTypeDefinition } from '../definition.ts'
import { choice, type Field, flag, text } from '../fields.ts'
import { httpUrl } from '../required-fields.ts'
import { probeHttp } from './probe.ts'
import type { HttpTarget } from './request.ts'

export const http = {
  label: 'HTTP',
  fields: {
    method: choice(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'], 'HTTP, KEYWORD: the method of the request'),
    expectedStatus: {
      schema: {
        type: 'array',
        items: { type: 'integer', minimum: 100, maximum: 599 },
        minItems: 1,
        maxItems: 100,
        description: 'HTTP, KEYWORD: the status codes that count as up',
      },
      default: [200, 201, 202, 203, 204, 205, 206, 301, 302, 307, 308],
    } as Field<number[]>,
    requestHeaders: {
      schema: {
        type: ['object', 'null'],
        maxProperties: 64,
        additionalProperties: { type: 'string' },
        description:
          'At most 64 headers, with names and values of at most 16,384 characters in total. Stored encrypted. Callers that may not ' +
          'change monitors see the value *** except for harmless headers such as Accept. Sent back in an update, *** keeps the stored value.',
      },
      default: null,
      documented: {
        propertyNames: { pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$" },
        additionalProperties: { type: 'string', pattern: '^[\\t -~\\u0080-\\u00ff]*$' },
      },
    } as Field<Record<string, string> | null>,
    requestBody: text(100_000, 'Stored encrypted, and shown as *** to callers that may not change monitors.'),
    followRedirects: flag(
      true,
      'The request body, credentials and headers that may be secret are not sent to another origin',
    ),
    verifySsl: flag(true, 'Whether the certificate must be valid'),
  },
  required: { url: httpUrl },
  usesCredentialsInUrl: true,
  targetText: ({ url }) => url,
  expiry: { of: 'certificate', isDegraded: false },
  createProbe: (network) => (target: HttpTarget, signal) => probeHttp(target, network, signal),
  example: {
    name: 'Checkout',
    url: 'https://shop.example/health',
    expectedStatus: [200, 204],
    sslExpiryThresholdDays: 14,
    intervalSeconds: 60,
    degradedThresholdMs: 800,
  },
} satisfies MonitorTypeDefinition
