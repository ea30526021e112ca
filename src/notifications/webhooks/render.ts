import type { Static } from 'typebox'
import type { OperationContext } from '../../contract/operation.ts'
import { maySeeSecrets } from '../../contract/permissions.ts'
import { Json, parseStored } from '../../lib/json.ts'
import { shortenUrl } from '../../lib/mask.ts'
import { isoTimestamp, isoTimestampOrNull } from '../../lib/timestamp.ts'
import type { AttemptTable, DeliveryTable, EndpointTable } from '../../storage/schema/webhooks.ts'
import type { WebhookDelivery, WebhookDeliveryDetail, WebhookEndpoint } from './schema.ts'
import { openUrl } from './secret.ts'

export const endpointColumns = [
  'id',
  'url',
  'description',
  'event_types',
  'enabled',
  'disabled_reason',
  'previous_secret_expires_at',
  'last_delivery_at',
  'created_at',
  'updated_at',
] as const

/** The columns that the API shows. */
export type EndpointRow = Pick<EndpointTable, (typeof endpointColumns)[number]>

type Call = Pick<OperationContext, 'caller' | 'installation' | 'now'>

/** The URL for callers that may edit endpoints, and enough to recognize it for others. */
export function urlFor({ id, url: sealed }: EndpointRow, { caller, installation }: Omit<Call, 'now'>): string {
  const url = openUrl(installation.sealer, caller.orgId, id, sealed)
  return maySeeSecrets(caller) ? url : shortenUrl(url)
}

/** The endpoint as this caller may see it. Events carry it with the URL that all may see. */
export function renderEndpoint(row: EndpointRow, call: Call, url = urlFor(row, call)): Static<typeof WebhookEndpoint> {
  const { previous_secret_expires_at: expiresAt } = row
  return {
    id: row.id,
    url,
    description: row.description,
    eventTypes: parseStored(row.event_types),
    enabled: row.enabled === 1,
    disabledReason: row.disabled_reason,
    previousSecretExpiresAt: expiresAt !== null && expiresAt > call.now ? isoTimestamp(expiresAt) : null,
    lastDeliveryAt: isoTimestampOrNull(row.last_delivery_at),
    createdAt: isoTimestamp(row.created_at),
    updatedAt: isoTimestamp(row.updated_at),
  }
}

export type DeliveryRow = Omit<
  DeliveryTable,
  'org_id' | 'seq' | 'manual' | 'planned_at' | 'manual_count' | 'sending_by'
>

export function renderDelivery(row: DeliveryRow, maxAttempts: number): Static<typeof WebhookDelivery> {
  return {
    id: row.id,
    endpointId: row.endpoint_id,
    eventId: row.event_id,
    eventType: row.event_type as never,
    status: row.status,
    attemptCount: row.attempt_count,
    maxAttempts,
    nextAttemptAt: isoTimestampOrNull(row.next_attempt_at),
    lastResponseStatus: row.last_response_status,
    createdAt: isoTimestamp(row.created_at),
    completedAt: isoTimestampOrNull(row.completed_at),
  }
}

export type AttemptRow = Omit<AttemptTable, 'org_id' | 'delivery_id'>

/** The delivery with its attempts; the payload is the stored event, byte for byte. */
export function deliveryJson(
  row: DeliveryRow & { readonly body: string },
  attempts: readonly AttemptRow[],
  maxAttempts: number,
): Json<Static<typeof WebhookDeliveryDetail>> {
  const members = JSON.stringify(renderDelivery(row, maxAttempts)).slice(1, -1)
  return new Json(`{${members},"payload":${row.body},"attempts":${JSON.stringify(attempts.map(renderAttempt))}}`)
}

function renderAttempt(row: AttemptRow): Static<typeof WebhookDeliveryDetail>['attempts'][number] {
  return {
    id: row.id,
    number: row.number,
    trigger: row.trigger_kind,
    startedAt: isoTimestamp(row.started_at),
    durationMs: row.duration_ms,
    outcome: row.outcome,
    responseStatus: row.response_status,
    responseBody: row.response_body,
    error: row.error as never,
  }
}
