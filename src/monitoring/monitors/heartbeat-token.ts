import { randomBytes } from 'node:crypto'
import { batch, sendAll, usingRows } from '../../storage/batch.ts'
import { type DbWork, q, send, statement } from '../../storage/query.ts'

const insert = statement((t: { token: string; orgId: string; id: string }) =>
  q.insertInto('heartbeat_tokens').values({ token: t.token, org_id: t.orgId, monitor_id: t.id }),
)

const drop = batch<{ token: string }>({ token: 'text' }, (t, rows) =>
  usingRows(q.deleteFrom('heartbeat_tokens as h'), rows).where('h.token', '=', t.token),
)

interface TokenHolder {
  readonly id: string
  readonly heartbeat_token: string | null
}

/** Creates or drops the secret heartbeat token for the new type; only CRON monitors have one. */
export function* exchangeToken(orgId: string, monitor: TokenHolder, type: string): DbWork<string | null> {
  const { id, heartbeat_token: held } = monitor
  if (type === 'CRON') {
    if (held !== null) return held
    const token = randomBytes(18).toString('base64url')
    yield* send(insert, { token, orgId, id })
    return token
  }
  yield* dropTokens([monitor])
  return null
}

export function* dropTokens(holders: readonly Pick<TokenHolder, 'heartbeat_token'>[]): DbWork<void> {
  yield* sendAll(
    drop,
    holders.flatMap(({ heartbeat_token: token }) => (token === null ? [] : [{ token }])),
  )
}
