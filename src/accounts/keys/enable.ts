import { appOperation } from '../../contract/app-operation.ts'
import { notFound } from '../../contract/errors.ts'
import { execute, q } from '../../storage/query.ts'
import { keyWithId, requireLiveKey } from './queries.ts'
import { renderKey } from './render.ts'
import { Key, ofKey } from './schema.ts'

export const disableKey = enablingOperation('disable')
export const enableKey = enablingOperation('enable')

function enablingOperation(word: 'enable' | 'disable') {
  return appOperation(`${word}Key`, {
    ...ofKey,
    method: 'POST',
    path: `/keys/:keyId/${word}`,
    summary: word === 'enable' ? 'Enable an API key' : 'Disable an API key',
    answer: { status: 200, schema: Key, description: 'The updated key' },
    *handle({ caller: { orgId }, now }, { params: { keyId: id } }) {
      yield* requireLiveKey(orgId, id, now)
      const change = { disabled_at: word === 'enable' ? null : now }
      yield* execute(q.updateTable('api_keys').set(change).where('org_id', '=', orgId).where('id', '=', id))
      const key = yield* keyWithId(id)
      if (key === undefined) throw notFound('key')
      return renderKey(key, now)
    },
  })
}
