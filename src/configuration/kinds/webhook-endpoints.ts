import { parseStored } from '../../lib/json.ts'
import { shortenUrl } from '../../lib/mask.ts'
import { createWebhookEndpoint } from '../../notifications/webhooks/create.ts'
import { endpointsOf } from '../../notifications/webhooks/queries.ts'
import { CreateWebhookEndpoint } from '../../notifications/webhooks/schema.ts'
import { openUrl } from '../../notifications/webhooks/secret.ts'
import { execute } from '../../storage/query.ts'
import { checkBody, jsonSchemaOf, pick, withoutDefaults } from './fields.ts'
import type { KindDefinition } from './kind.ts'

export const webhookEndpoints: KindDefinition = {
  noun: 'webhook endpoint',
  table: 'webhook_endpoints',
  nameColumn: 'description',
  idPrefix: 'we_',
  path: '/webhook-endpoints/:endpointId',
  param: 'endpointId',
  schema: jsonSchemaOf(CreateWebhookEndpoint),

  read(entry, installation) {
    const checked = checkBody(createWebhookEndpoint, entry, installation)
    return 'value' in checked ? { fields: checked.value } : checked
  },

  write: (fields) => withoutDefaults(fields, CreateWebhookEndpoint),

  mapReferences: (fields) => fields,

  /** The whole URL: anyone who knows it can post to it. */
  mapSecrets: (fields, map) => ({ ...fields, url: map(String(fields.url), 'url') }),

  createdFields: ['secret'],

  *load({ orgId, installation: { sealer } }, ids) {
    const rows = yield* execute(endpointsOf(orgId).where('id', 'in', ids))
    return rows.map(({ id, url: sealed, description, event_types: types, enabled }) => {
      const url = openUrl(sealer, orgId, id, sealed)
      const fields = { url, description, eventTypes: parseStored(types), enabled: enabled === 1 }
      return { id, name: description || shortenUrl(url), fields }
    })
  },

  create: (fields) => [{ operation: 'createWebhookEndpoint', body: fields }],

  update: (_before, after, changed) => [{ operation: 'updateWebhookEndpoint', body: pick(after, changed) }],

  remove: 'deleteWebhookEndpoint',
}
