import { randomBytes } from 'node:crypto'
import { type DbWork, q, send, statement } from '../../storage/query.ts'

const insert = statement((t: { token: string; orgId: string; id: string }) =>
  q.insertInto('heartbeat_tokens').values({ token: t.token, org_id: t.orgId, monitor_id: t.id }),
)

const drop = statement(({ token }: { token: string }) => q.deleteFrom('heartbeat_tokens').where('token', '=', token))

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
  yield* dropToken(monitor)
  return null
}

export function* dropToken({ heartbeat_token: token }: TokenHolder): DbWork<void> {
  if (token !== null) yield* send(drop, { token })
}
