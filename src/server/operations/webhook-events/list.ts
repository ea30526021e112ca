import Type from 'typebox'
import { appOperation } from '../../../contract/app-operation.ts'
import { oneOf, resource } from '../../../contract/schema.ts'
import { eventTypes } from '../../../events/types.ts'
import { constant } from '../../../storage/query.ts'
import { catalogue, exampleOf } from './catalogue.ts'

const data = eventTypes.map((type) => ({
  type,
  description: catalogue[type].sentence,
  example: exampleOf(type),
}))

export const listWebhookEventTypes = appOperation('listWebhookEventTypes', {
  method: 'GET',
  path: '/webhook-events',
  access: 'read',
  tag: 'Webhooks',
  summary: 'List the webhook event types',
  answer: {
    status: 200,
    schema: resource('WebhookEventTypeList', {
      data: Type.Array(
        resource('WebhookEventType', {
          type: oneOf(eventTypes),
          description: Type.String({ description: 'When the event is sent' }),
          example: Type.Unsafe<object>({ type: 'object', description: 'An example body' }),
        }),
      ),
    }),
    description: 'Every event type',
  },
  handle: () => constant({ data }),
})
