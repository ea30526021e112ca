import Type from 'typebox'
import type { Tag } from '../../../contract/operation.ts'
import { resource, Timestamp } from '../../../contract/schema.ts'
import { type EventType, eventTypes } from '../../../events/types.ts'
import { catalogue, exampleOf } from '../webhook-events/catalogue.ts'
import { type JsonObject, pascal, type Refer } from './references.ts'

export const WEBHOOK_TAG: Tag = 'Webhooks'

const signature = ['WebhookId', 'WebhookTimestamp', 'WebhookSignature'].map((name) => ({
  $ref: `#/components/parameters/${name}`,
}))

/** The `webhooks` section: one entry per event type. Describes the request that a receiver gets. */
export function webhookSection(refer: Refer): JsonObject {
  return Object.fromEntries(eventTypes.map((type) => [type, { post: describe(type, refer) }]))
}

function describe(type: EventType, refer: Refer): JsonObject {
  const { sentence, data } = catalogue[type]
  const name = pascal(type)
  const schema = resource(`${name}Event`, {
    id: Type.String({ description: 'The same as the header webhook-id' }),
    type: Type.Unsafe({ type: 'string', enum: [type] }),
    timestamp: Timestamp,
    data,
  })
  return {
    operationId: `on${name}`,
    tags: [WEBHOOK_TAG],
    summary: type,
    description: sentence,
    // Receivers need no API key: requests are signed.
    security: [],
    parameters: signature,
    requestBody: {
      required: true,
      content: { 'application/json': { schema: refer(schema), example: exampleOf(type) } },
    },
    responses: { '2XX': { description: 'Received. Any other response, or none within 15 seconds, is retried.' } },
  }
}
