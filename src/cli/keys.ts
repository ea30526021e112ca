import { insertKey } from '../accounts/keys/insert.ts'
import { type KeyRow, keysOf, type ListedKeyRow } from '../accounts/keys/queries.ts'
import { keyStatus, renderKey } from '../accounts/keys/render.ts'
import { revokeKeyWithId } from '../accounts/keys/revoke.ts'
import { timestampMs } from '../contract/patterns.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../lib/clock.ts'
import { recordCommand } from './audit.ts'
import { cleanLine } from './clean-text.ts'
import { CommandError, type DatabaseAction, displayTime, readAll, table, UsageError } from './command.ts'
import { requireName } from './input.ts'
import { chosenOrganization } from './orgs.ts'

const DEFAULT_NAME = 'key'

export const createApiKey: DatabaseAction = async (database, { options }, now) => {
  const { access } = options
  const name = requireName(options.name ?? DEFAULT_NAME)
  if (access !== 'full' && access !== 'read-only') {
    throw new UsageError(`--access must be full or read-only, not "${access}"`)
  }
  const expiresAt = expiryOf(options['expires-in'], options['expires-at'], now)
  const org = await chosenOrganization(database, options.org)
  const { key, secret } = await database.write(function* () {
    const created = yield* insertKey({ orgId: org.id, name, access, expiresAt }, now)
    yield* recordCommand(auditEntry('create', created.key), now)
    return created
  })
  const until = expiresAt === null ? 'does not expire' : `expires ${displayTime(expiresAt)}`
  return {
    text: `${secret}\n\nSave this key now: it is not shown again. ID ${key.id}, ${access} access, ${until}.`,
    json: { ...keyJson({ ...key, creator_name: null, creator_role: null }, now), key: secret },
  }
}

export const listApiKeys: DatabaseAction = async (database, { options }, now) => {
  const org = await chosenOrganization(database, options.org)
  const keys = await readAll<ListedKeyRow>(database, (last, limit) => keysOf(org.id, last?.id ?? '', limit))
  const rows = keys.map((key) => [
    key.id,
    `…${key.hint}`,
    key.access,
    keyStatus(key, now),
    key.last_used_at === null ? 'never' : displayTime(key.last_used_at),
    key.last_used_address ?? '-',
    creator(key),
    key.name,
  ])
  return {
    text: table(['ID', 'KEY', 'ACCESS', 'STATUS', 'LAST USED', 'IP ADDRESS', 'CREATED BY', 'NAME'], rows),
    json: keys.map((key) => keyJson(key, now)),
  }
}

export const revokeApiKey: DatabaseAction = async (database, { positionals }, now) => {
  const [id] = positionals as [string]
  const key = await database.write(function* () {
    const revoked = yield* revokeKeyWithId(id, now)
    if (revoked !== undefined) yield* recordCommand(auditEntry('revoke', revoked), now)
    return revoked
  })
  if (key === undefined) throw new CommandError(`API key "${id}" not found; run "pharos keys list" to see all`)
  return { text: `Revoked API key ${cleanLine(key.name)} (${key.id})`, json: keyJson(key, now) }
}

function creator({ created_by: userId, creator_name: name, creator_role: role }: ListedKeyRow): string {
  if (userId === null) return '-'
  return role === null ? `${name ?? userId} (former member)` : (name ?? userId)
}

function auditEntry(word: string, { org_id: orgId, id, name }: KeyRow) {
  return { orgId, command: `keys ${word}`, target: id, targetName: name }
}

const unitsMs: Record<string, number> = { s: SECOND_MS, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS }

function expiryOf(span: string | undefined, at: string | undefined, now: number): number | null {
  if (span !== undefined && at !== undefined) throw new UsageError('Use --expires-in or --expires-at, not both')
  if (span !== undefined) {
    const [, amount, unit] = /^(\d{1,6})([smhd])$/.exec(span) ?? []
    const ms = Number(amount) * (unitsMs[unit ?? ''] ?? Number.NaN)
    if (!(ms > 0)) throw new UsageError(`--expires-in must be a duration such as 90s, 45m, 12h or 30d, not "${span}"`)
    return now + ms
  }
  if (at === undefined) return null
  const ms = timestampMs(at)
  if (ms === undefined || ms <= now)
    throw new UsageError(`--expires-at must be a time in the future such as 2030-01-31T12:00:00Z, not "${at}"`)
  return ms
}

function keyJson(key: ListedKeyRow, now: number) {
  const { id, ...rest } = renderKey(key, now)
  return { id, orgId: key.org_id, ...rest }
}
