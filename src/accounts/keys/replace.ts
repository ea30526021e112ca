import Type from 'typebox'
import { appOperation } from '../../contract/app-operation.ts'
import { body, defaulted } from '../../contract/schema.ts'
import { DAY_MS, SECOND_MS } from '../../lib/clock.ts'
import { execute, q } from '../../storage/query.ts'
import { issueKey } from './insert.ts'
import { requireLiveKey } from './queries.ts'
import { CreatedKey, ofKey } from './schema.ts'

const MAX_OVERLAP_SECONDS = (30 * DAY_MS) / SECOND_MS

export const replaceKey = appOperation('replaceKey', {
  ...ofKey,
  method: 'POST',
  path: '/keys/:keyId/replace',
  summary: 'Replace an API key',
  description: 'Creates a key with the same name, access and expiry. The old key keeps working for the chosen time.',
  body: body('ReplaceKey', {
    overlapSeconds: defaulted(Type.Integer({ minimum: 0, maximum: MAX_OVERLAP_SECONDS }), DAY_MS / SECOND_MS),
  }),
  bodyRequired: false,
  answer: { status: 201, schema: CreatedKey, description: 'The new key, shown only once' },
  *handle({ caller, now }, { params: { keyId }, body: { overlapSeconds = DAY_MS / SECOND_MS } }) {
    const { name, access, expires_at: expiresAt } = yield* requireLiveKey(caller.orgId, keyId, now)
    const until = Math.min(expiresAt ?? Number.POSITIVE_INFINITY, now + overlapSeconds * SECOND_MS)
    const keys = q.updateTable('api_keys').set({ expires_at: until })
    yield* execute(keys.where('org_id', '=', caller.orgId).where('id', '=', keyId))
    return yield* issueKey(caller, { name, access, expiresAt }, now)
  },
})
