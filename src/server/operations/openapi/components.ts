import { errorCodes, MAX_DETAILS } from '../../../contract/errors.ts'
import type { Tag } from '../../../contract/operation.ts'

const text = (description: string, extra: object = {}) => ({
  description,
  required: true,
  schema: { type: 'string', ...extra },
})

const count = (description: string) => ({ description, required: true, schema: { type: 'integer', minimum: 0 } })

export const headers = {
  'X-Request-Id': text('Identifies this request; errors contain it as requestId'),
  'RateLimit-Limit': count('Requests permitted in the window'),
  'RateLimit-Remaining': count('Requests remaining in the window'),
  'RateLimit-Reset': count('Seconds until the window resets'),
  RateLimit: text('The same as structured field', { examples: ['public-api;r=119;t=60'] }),
  'RateLimit-Policy': text('The policy as structured field', { examples: ['public-api;q=120;w=60'] }),
  'Retry-After': count('Seconds to wait before the next request'),
  'WWW-Authenticate': text('How to authenticate', { examples: ['Bearer'] }),
  Allow: text('The methods that the path has', { examples: ['GET, HEAD, POST'] }),
  'Idempotency-Replayed': {
    description: '`true` if this is the stored response to an earlier request with the same Idempotency-Key',
    schema: { type: 'string', enum: ['true'] },
  },
  Deprecation: text('When the operation was deprecated (RFC 9745)', { examples: ['@1767225600'] }),
  Sunset: text('The earliest moment the operation may stop working (RFC 8594)'),
  Link: text('The notes on the deprecation (rel="deprecation")'),
} as const

export type HeaderName = keyof typeof headers

/** Headers of every response. */
export const everyAnswer: readonly HeaderName[] = [
  'X-Request-Id',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'RateLimit',
  'RateLimit-Policy',
]

export const parameters = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'Makes the request safe to repeat: the first successful response is stored for 24 hours and returned ' +
      'again instead of running the operation twice.',
    schema: { type: 'string', minLength: 1, maxLength: 200, pattern: '^[A-Za-z0-9._:-]+$' },
  },
  WebhookId: {
    name: 'webhook-id',
    in: 'header',
    required: true,
    description: 'The id of the event, the same for all attempts. Use it to ignore repeats.',
    schema: { type: 'string' },
    example: 'evt_019a8c60b1a870009d8c7b6a59483726',
  },
  WebhookTimestamp: {
    name: 'webhook-timestamp',
    in: 'header',
    required: true,
    description: 'Time of this attempt, in seconds since 1970. Reject old requests.',
    schema: { type: 'string', pattern: '^[0-9]+$' },
    example: '1772443860',
  },
  WebhookSignature: {
    name: 'webhook-signature',
    in: 'header',
    required: true,
    description:
      '`v1,` and the base64 of HMAC-SHA256 over `webhook-id.webhook-timestamp.body` (Standard Webhooks). For 24 ' +
      'hours after a rotation there are two or more, separated by spaces; one match is enough.',
    schema: { type: 'string' },
    example: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  },
} as const

export const securitySchemes = {
  ApiKeyHeader: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'An API key of the organization' },
  BearerKey: { type: 'http', scheme: 'bearer', description: 'The same API key' },
} as const

/** `reason`: what the dashboard's API adds to each message. */
const errorSchemaWith = (reason: object) => ({
  title: 'Error',
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message', 'requestId'],
      properties: {
        code: {
          type: 'string',
          description: 'Stable and machine-readable. Decide by the code, not by the message.',
          enum: Object.keys(errorCodes),
        },
        message: { type: 'string', description: 'Human-readable; may be reworded' },
        ...reason,
        requestId: { type: 'string', description: 'The same value as the X-Request-Id header' },
        details: {
          type: 'array',
          description: 'One entry per fault, at most 100; only for validation errors',
          maxItems: MAX_DETAILS,
          items: {
            type: 'object',
            required: ['path', 'message'],
            properties: {
              path: { type: 'string', description: 'Dotted path of the field' },
              message: { type: 'string' },
              ...reason,
            },
          },
        },
      },
    },
  },
})

/** The body of every error response. */
export const errorSchema = errorSchemaWith({})

export const appErrorSchema = errorSchemaWith({
  reason: {
    type: 'object',
    description:
      'The code of the message with its values, if it has one. The dashboard renders it in the language of the reader',
    required: ['code', 'values'],
    properties: { code: { type: 'string' }, values: { type: 'object', additionalProperties: true } },
  },
})

export const tags: Record<Tag, string> = {
  Monitors: 'Checks of a service',
  Incidents: 'Outages detected from failed checks',
  'Status pages': 'Public pages that show the current status',
  'Maintenance windows': 'Planned windows that suppress alerts',
  'Published incidents': 'Incidents that you write and publish on status pages',
  Webhooks: 'Signed event subscriptions and their delivery history',
  Account: 'Sign-in, and the account of the signed-in user',
  Members: 'Members of the organization and invitations',
  'API keys': 'Keys for the public API',
  Contacts: 'Contacts that receive alerts',
  Labels: 'Labels of monitors, and selectors that choose monitors by label',
  Configuration: 'Configuration as code: plan and apply documents that describe resources',
  Insight: 'Statistics, audit log and plan usage',
}
