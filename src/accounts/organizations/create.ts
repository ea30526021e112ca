import { singleLine } from '../../contract/schema.ts'
import { newId } from '../../lib/ids.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import type { OrganizationTable } from '../../storage/schema/organizations.ts'

export const OrganizationName = singleLine({ minLength: 1, maxLength: 120 })

interface NewOrganization {
  readonly name: string
  readonly slug?: string
  /** The name of a plan (see plans/plans.ts). */
  readonly plan: string
}

/** Appends a number to the slug if it is taken. */
export function* createOrganization({ name, slug, plan }: NewOrganization, now: number): DbWork<OrganizationTable> {
  const base = slug ?? slugOf(name)
  const org = { id: newId('org', now), name, plan, subscription: 'active', created_at: now, timezone: 'UTC' } as const
  for (let number = 1; ; number += 1) {
    const row: OrganizationTable = { ...org, slug: number === 1 ? base : `${base}-${number}` }
    const insert = q.insertInto('organizations').values(row)
    // No row if the slug is taken, also by a concurrent transaction.
    const created = yield* execute(insert.onConflict((on) => on.column('slug').doNothing()).returning('id'))
    if (created.length === 1) return row
  }
}

function slugOf(name: string): string {
  const slug = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 50)
    .replace(/-+$/, '')
  return slug === '' ? 'organization' : slug
}
