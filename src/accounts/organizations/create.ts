import { newId } from '../../lib/ids.ts'
import { type DbWork, first, q, statement } from '../../storage/query.ts'
import type { OrganizationTable } from '../../storage/schema/organizations.ts'

/** Returns no row if the slug is taken, also by a concurrent transaction. */
const insert = statement((org: OrganizationTable) =>
  q
    .insertInto('organizations')
    .values({
      id: org.id,
      slug: org.slug,
      name: org.name,
      plan: org.plan,
      subscription: org.subscription,
      created_at: org.created_at,
      timezone: org.timezone,
    })
    .onConflict((conflict) => conflict.column('slug').doNothing())
    .returning('id'),
)

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
    if ((yield* first(insert, row)) !== undefined) return row
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
