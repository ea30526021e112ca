import { sql } from 'kysely'
import { invalid, notFound } from '../../contract/errors.ts'
import type { Sealer } from '../../lib/seal.ts'
import type { AddressPolicy } from '../../outbound/address-policy.ts'
import { type DbWork, first, q, run, statement } from '../../storage/query.ts'
import type { ContactTable } from '../../storage/schema/contacts.ts'
import type { ChannelName } from './channels/index.ts'
import { openSettings, sealSettings, storedKinds } from './create.ts'
import { checkSettings, redactSettings, type Settings } from './settings.ts'
import type { AlertKind } from './types.ts'

/** What is left out stays as it is. */
export interface ContactChange {
  readonly name?: string
  /** Those that change; null takes one away. What is not named stays, secrets above all, which nobody can read and repeat. */
  readonly settings?: Settings
  /** Null: all. */
  readonly kinds?: readonly AlertKind[] | null
  readonly coversAll?: boolean
}

export interface ContactRules {
  readonly sealer: Sealer
  readonly policy: AddressPolicy
}

const held = statement(({ orgId, id }: { orgId: string; id: string }) =>
  q.selectFrom('contacts').selectAll().where('org_id', '=', orgId).where('id', '=', id).forUpdate(),
)

interface Changed {
  orgId: string
  id: string
  name: string
  settings: string
  sealed: string
  kinds: string
  coversAll: number
  now: number
}

const save = statement((c: Changed) =>
  q
    .updateTable('contacts')
    .set({
      name: c.name,
      settings: c.settings,
      sealed: c.sealed,
      kinds: c.kinds,
      covers_all: c.coversAll,
      updated_at: c.now,
    })
    .where('org_id', '=', c.orgId)
    .where('id', '=', c.id)
    .returningAll(),
)

/** Nobody knows how the new settings fare: what waits is tried at once, unless somebody is just trying. */
const tryAnew = statement(({ orgId, id, now }: { orgId: string; id: string; now: number }) =>
  q
    .updateTable('contacts')
    .set({
      last_error: null,
      failing_since: null,
      hold_until: 0,
      due_at: sql`case when due_at > cast(${now} as bigint) then cast(${now} as bigint) else due_at end`,
    })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('claimed_by', 'is', null)
    .returningAll(),
)

const followRule = statement(({ orgId, id }: { orgId: string; id: string }) =>
  q.deleteFrom('contact_exceptions').where('org_id', '=', orgId).where('contact_id', '=', id),
)

/** Changes a contact, all of it or nothing. Its channel stays: another channel is another contact. */
export function* updateContact(
  orgId: string,
  id: string,
  change: ContactChange,
  { sealer, policy }: ContactRules,
  now: number,
): DbWork<ContactTable> {
  const row = yield* first(held, { orgId, id })
  if (row === undefined) throw notFound('contact')
  const channel = row.channel as ChannelName
  const settings = change.settings && changedSettings(channel, openSettings(row, sealer), change.settings, policy)
  const coversAll = change.coversAll === undefined ? row.covers_all : change.coversAll ? 1 : 0
  // The exceptions from one rule are not those from the other.
  if (coversAll !== row.covers_all) yield* run(followRule, { orgId, id })
  const saved = yield* first(save, {
    orgId,
    id,
    name: change.name ?? row.name,
    settings: settings ? JSON.stringify(redactSettings(channel, settings)) : row.settings,
    sealed: settings ? sealSettings(settings, row, sealer) : row.sealed,
    kinds: change.kinds === undefined ? row.kinds : storedKinds(channel, change.kinds ?? undefined),
    coversAll,
    now,
  })
  const anew = settings && (yield* first(tryAnew, { orgId, id, now }))
  return anew ?? (saved as ContactTable)
}

function changedSettings(channel: ChannelName, before: Settings, change: Settings, policy: AddressPolicy): Settings {
  const merged = Object.entries({ ...before, ...change }).filter(([, value]) => value !== null)
  const verdict = checkSettings(channel, Object.fromEntries(merged), policy)
  if ('value' in verdict) return verdict.value
  throw invalid(verdict.faults.map(({ path, message }) => ({ path: `settings.${path}`, message })))
}
