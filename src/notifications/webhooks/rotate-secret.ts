import { operation } from '../../contract/operation.ts'
import { Empty } from '../../contract/schema.ts'
import { DAY_MS } from '../../lib/clock.ts'
import { execute, q } from '../../storage/query.ts'
import { endpointOf, lockEndpoint } from './queries.ts'
import { renderEndpoint } from './render.ts'
import { ofEndpoint, WebhookEndpointWithSecret } from './schema.ts'
import { earlierSecrets, newSecret, sealSecret } from './secret.ts'

/** How long requests carry a signature of the old secret too. */
const OVERLAP_MS = DAY_MS

/** Each adds a signature to every request. */
const MAX_EARLIER = 20

export const rotateWebhookSecret = operation({
  ...ofEndpoint,
  id: 'rotateWebhookSecret',
  method: 'POST',
  path: '/webhook-endpoints/:endpointId/rotate-secret',
  summary: 'Rotate a signing secret',
  description:
    'The response contains the new secret, which is not shown again. For 24 hours, events are signed with the ' +
    `old secret too. After further rotations every earlier secret stays valid for its own 24 hours, up to ${MAX_EARLIER} of them.`,
  body: Empty,
  bodyRequired: false,
  answer: { status: 200, schema: WebhookEndpointWithSecret, description: 'The endpoint, with its new secret' },
  *handle(call, { params }) {
    const { caller, now, installation } = call
    const { orgId } = caller
    const { id, secret: previous, ...earlier } = yield* lockEndpoint(orgId, params.endpointId)
    const secret = newSecret()
    const sealed = sealSecret(installation.sealer, orgId, id, secret)
    // The new previous secret is one of them.
    const older = JSON.stringify(earlierSecrets(earlier, now).slice(0, MAX_EARLIER - 1))
    const rotated = {
      secret: sealed,
      previous_secret: previous,
      previous_secret_expires_at: now + OVERLAP_MS,
      older_secrets: older,
      updated_at: now,
    }
    yield* execute(q.updateTable('webhook_endpoints').set(rotated).where('org_id', '=', orgId).where('id', '=', id))
    return { ...renderEndpoint(yield* endpointOf(orgId, id), call), secret }
  },
})
