import { randomBytes } from 'node:crypto'
import { type DbWork, q, run, statement } from '../../storage/query.ts'

const insert = statement((t: { token: string; orgId: string; id: string }) =>
  q.insertInto('heartbeat_tokens').values({ token: t.token, org_id: t.orgId, monitor_id: t.id }),
)

const drop = statement(({ token }: { token: string }) => q.deleteFrom('heartbeat_tokens').where('token', '=', token))

interface Holder {
  readonly id: string
  readonly heartbeat_token: string | null
}

/** A CRON monitor has an address that nobody can guess; a monitor of another type has none. */
export function* exchangeToken(orgId: string, monitor: Holder, type: string): DbWork<string | null> {
  const { id, heartbeat_token: held } = monitor
  if (type === 'CRON') {
    if (held !== null) return held
    const token = randomBytes(18).toString('base64url')
    yield* run(insert, { token, orgId, id })
    return token
  }
  yield* dropToken(monitor)
  return null
}

export function* dropToken({ heartbeat_token: token }: Holder): DbWork<void> {
  if (token !== null) yield* run(drop, { token })
}
