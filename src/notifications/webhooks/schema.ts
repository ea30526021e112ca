import Type from 'typebox'
import type { Fault } from '../../contract/errors.ts'
import type { Installation } from '../../contract/operation.ts'
import {
  body,
  DOCUMENTED,
  defaulted,
  nullable,
  oneOf,
  page,
  pageQuery,
  resource,
  singleLine,
  Timestamp,
  TimestampInput,
} from '../../contract/schema.ts'
import { ALL_EVENTS } from '../../events/emit.ts'
import { eventTypes } from '../../events/types.ts'
import { webhookUrlProblem } from '../../outbound/urls.ts'

const deliveryStates = ['PENDING', 'SUCCEEDED', 'FAILED'] as const

export const attemptErrors = ['TIMEOUT', 'DNS', 'CONNECT', 'TLS', 'BLOCKED_ADDRESS', 'REDIRECT', 'STATUS'] as const

/** Without a user name and password; URLs may have the empty ones. */
const ADDRESS = '^[Hh][Tt][Tt][Pp][Ss]?://(:?@)?[^/\\\\\\s@?#]+([/?#\\\\]\\S*)?$'

/** The fields that users set. */
const fields = {
  url: Type.String({
    maxLength: 2048,
    description: 'An https:// address on the public Internet',
    [DOCUMENTED]: { pattern: ADDRESS, examples: ['https://hooks.example/pharos'] },
  }),
  description: nullable(singleLine({ maxLength: 200 })),
  eventTypes: Type.Array(oneOf([ALL_EVENTS, ...eventTypes] as const), {
    minItems: 1,
    maxItems: eventTypes.length,
    description: 'Event types without duplicates, or ["*"] for all, including those of later versions',
    [DOCUMENTED]: { uniqueItems: true, not: { minItems: 2, contains: { const: ALL_EVENTS } } },
  }),
  enabled: Type.Boolean({ description: 'If false, nothing is sent' }),
}

export const CreateWebhookEndpoint = body('CreateWebhookEndpoint', {
  url: fields.url,
  description: defaulted(fields.description, null),
  eventTypes: defaulted(fields.eventTypes, [ALL_EVENTS]),
  enabled: defaulted(fields.enabled, true),
})

export const UpdateWebhookEndpoint = body('UpdateWebhookEndpoint', Type.Partial(Type.Object(fields)).properties)

/** Checks that a schema cannot express. */
export function endpointFaults(
  { url, eventTypes: types }: Readonly<Record<string, unknown>>,
  { webhooks }: Installation,
): Fault[] {
  const faults: Fault[] = []
  const message = typeof url === 'string' ? webhookUrlProblem(url, webhooks.policy) : null
  if (message !== null) faults.push({ path: 'url', message })
  const named = Array.isArray(types) ? typesFault(types) : null
  if (named !== null) faults.push({ path: 'eventTypes', message: named })
  return faults
}

/** Not in the schema: `uniqueItems` compares every item deeply, however deep the input is nested. */
function typesFault(types: readonly unknown[]): string | null {
  if (new Set(types).size < types.length) return 'must not contain duplicates'
  return types.length > 1 && types.includes(ALL_EVENTS) ? 'must be ["*"] alone, or names without "*"' : null
}

const endpoint = {
  id: Type.String({ minLength: 1 }),
  url: Type.String({
    description:
      'Stored encrypted. Callers that may not change endpoints, and events, get the host and at most the last 4 characters: ' +
      '`https://hooks.example/…a1b2`.',
  }),
  description: nullable(Type.String()),
  eventTypes: Type.Array(oneOf([ALL_EVENTS, ...eventTypes] as const)),
  enabled: Type.Boolean(),
  disabledReason: nullable(oneOf(['GONE', 'FAILING'] as const), {
    description:
      'Why it was disabled automatically: it answered 410 (GONE) or failed for five days (FAILING). Cleared ' +
      'when it is enabled.',
  }),
  previousSecretExpiresAt: nullable(Timestamp, {
    description: 'Until then, events are signed with the previous secret too; earlier ones end before',
  }),
  lastDeliveryAt: nullable(Timestamp, { description: 'Time of the last delivery' }),
  createdAt: Timestamp,
  updatedAt: Timestamp,
}

export const WebhookEndpoint = resource('WebhookEndpoint', endpoint)

export const WebhookEndpointWithSecret = resource('WebhookEndpointWithSecret', {
  ...endpoint,
  secret: Type.String({ description: 'The signing secret. Only in this response.' }),
})

export const WebhookEndpointPage = page('WebhookEndpointPage', WebhookEndpoint)

/** What operations on one endpoint share. */
export const ofEndpoint = {
  path: '/webhook-endpoints/:endpointId',
  access: 'write',
  tag: 'Webhooks',
  params: Type.Object({ endpointId: Type.String({ minLength: 1 }) }),
  errors: ['not_found'],
} as const

export const EndpointQuery = Type.Object({ ...pageQuery, enabled: Type.Optional(Type.Boolean()) })

const delivery = {
  id: Type.String({ minLength: 1 }),
  endpointId: Type.String(),
  eventId: Type.String({ description: 'Sent as `webhook-id`; the same for all attempts' }),
  eventType: oneOf(eventTypes),
  status: oneOf(deliveryStates),
  attemptCount: Type.Integer(),
  maxAttempts: Type.Integer({ description: 'Number of automatic attempts; manual retries are not included' }),
  nextAttemptAt: nullable(Timestamp, { description: 'null if it succeeded or no attempt is left' }),
  lastResponseStatus: nullable(Type.Integer()),
  createdAt: Timestamp,
  completedAt: nullable(Timestamp),
}

/** The body of a request to an endpoint. */
const WebhookEvent = resource('WebhookEvent', {
  id: Type.String({ minLength: 1 }),
  type: oneOf(eventTypes),
  timestamp: Timestamp,
  data: Type.Unsafe<object>({ type: 'object', description: 'The resource as the API returned it at that time' }),
})

const WebhookAttempt = resource('WebhookAttempt', {
  id: Type.String({ minLength: 1 }),
  number: Type.Integer({ description: 'Counted from 1' }),
  trigger: oneOf(['SCHEDULED', 'MANUAL'] as const),
  startedAt: Timestamp,
  durationMs: Type.Integer(),
  outcome: oneOf(['SUCCEEDED', 'FAILED'] as const),
  responseStatus: nullable(Type.Integer()),
  responseBody: nullable(Type.String(), { description: 'The first 4096 characters' }),
  error: nullable(oneOf(attemptErrors)),
})

export const WebhookDelivery = resource('WebhookDelivery', delivery)

export const WebhookDeliveryDetail = resource('WebhookDeliveryDetail', {
  ...delivery,
  payload: WebhookEvent,
  attempts: Type.Array(WebhookAttempt, { description: 'Oldest first' }),
})

export const WebhookDeliveryPage = page('WebhookDeliveryPage', WebhookDelivery)

/** What operations on one delivery share. */
export const ofDelivery = {
  path: '/webhook-deliveries/:deliveryId',
  access: 'read',
  tag: 'Webhooks',
  params: Type.Object({ deliveryId: Type.String({ minLength: 1 }) }),
  errors: ['not_found'],
} as const

export const DeliveryQuery = Type.Object({
  ...pageQuery,
  endpointId: Type.Optional(Type.String({ minLength: 1 })),
  eventType: Type.Optional(oneOf(eventTypes)),
  status: Type.Optional(oneOf(deliveryStates)),
  createdAfter: Type.Optional(TimestampInput),
  createdBefore: Type.Optional(TimestampInput),
})
