import Type from 'typebox'
import { operation } from '../../../contract/operation.ts'
import { oneOf, page, pageQuery, resource } from '../../../contract/schema.ts'
import { eventTypes } from '../../../events/types.ts'
import { constant } from '../../../storage/query.ts'
import { catalogue, exampleOf } from './catalogue.ts'

const data = eventTypes.map((type) => ({
  type,
  description: catalogue[type].sentence,
  example: exampleOf(type),
}))

const WebhookEventType = resource('WebhookEventType', {
  type: oneOf(eventTypes),
  description: Type.String({ description: 'When the event is sent' }),
  example: Type.Unsafe<object>({ type: 'object', description: 'An example body' }),
})

export const listWebhookEventTypes = operation({
  id: 'listWebhookEventTypes',
  method: 'GET',
  path: '/webhook-events',
  access: 'read',
  extension: true,
  tag: 'Webhooks',
  summary: 'List the webhook event types',
  description: 'With an example body of each.',
  query: Type.Object(pageQuery),
  skipsSnapshot: true,
  answer: {
    status: 200,
    schema: page('WebhookEventTypePage', WebhookEventType),
    description: 'A page of event types',
  },
  handle: (_context, { query: { limit, offset } }) =>
    constant({ data: data.slice(offset, offset + limit), pagination: { limit, offset, total: data.length } }),
})
