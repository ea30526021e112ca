import { createOrganization } from '../accounts/organizations/create.ts'
import {
  changeOrganization,
  type OrganizationChange,
  organizationsAfter,
  organizationWithIdOrSlug,
} from '../accounts/organizations/queries.ts'
import { isPlanName, type PlanName } from '../accounts/plans/plans.ts'
import { isoTimestampOrNull } from '../lib/timestamp.ts'
import type { Database } from '../storage/database.ts'
import type { OrganizationTable } from '../storage/schema/organizations.ts'
import { recordCommand } from './audit.ts'
import { cleanLine } from './clean-text.ts'
import { CommandError, type DatabaseAction, readAll, table, UsageError } from './command.ts'
import { requireName } from './input.ts'
import { displayPlan, planList } from './plan-names.ts'

export const createOrg: DatabaseAction = async (database, { options }, now) => {
  const name = requireName(options.name as string)
  const plan = planOf(options.plan ?? 'free')
  const org = await database.write(() => createOrganization({ name, plan }, now))
  return { text: `Created ${describe(org)}`, json: organizationJson(org) }
}

export const listOrgs: DatabaseAction = async (database) => {
  const orgs = await readAll<OrganizationTable>(database, (last, limit) => organizationsAfter(last?.id ?? '', limit))
  const rows = orgs.map((org) => [org.id, org.slug, displayPlan(org.plan), org.subscription, org.name])
  return { text: table(['ID', 'SLUG', 'PLAN', 'SUBSCRIPTION', 'NAME'], rows), json: orgs.map(organizationJson) }
}

export const setOrg: DatabaseAction = async (database, { positionals, options }, now) => {
  const { plan, subscription } = options
  if (plan === undefined && subscription === undefined) throw new UsageError('Set --plan, --subscription or both')
  const change: OrganizationChange = {
    ...(plan === undefined ? {} : { plan: planOf(plan) }),
    ...(subscription === undefined ? {} : { subscription: subscriptionOf(subscription) }),
  }
  const org = await requireOrganization(database, positionals[0] as string)
  await database.write(function* () {
    yield* changeOrganization(org.id, change)
    yield* recordCommand({ orgId: org.id, command: 'orgs set', target: org.id, targetName: org.name }, now)
  })
  const changed = { ...org, ...change }
  return { text: `Updated ${describe(changed)}`, json: organizationJson(changed) }
}

export async function requireOrganization(database: Database, name: string): Promise<OrganizationTable> {
  const org = await database.read(organizationWithIdOrSlug(name))
  if (org === undefined) throw new CommandError(`Organization "${name}" not found; run "pharos orgs list" to see all`)
  return org
}

/** The organization of --org, by default the only one. A key for the wrong one would be worse than a question. */
export async function chosenOrganization(database: Database, given: string | undefined): Promise<OrganizationTable> {
  if (given !== undefined) return requireOrganization(database, given)
  const [only, ...others] = await database.read(organizationsAfter('', MAX_NAMED))
  if (only === undefined) throw new CommandError('There is no organization; run "pharos orgs create"')
  if (others.length === 0) return only
  const slugs = [only, ...others].map(({ slug }) => slug).join(', ')
  throw new UsageError(`Missing option --org ORG: there are several organizations, such as ${slugs}`)
}

/** Organizations that a message names. */
const MAX_NAMED = 5

function planOf(text: string): PlanName {
  const name = text.toUpperCase().replaceAll('-', '_')
  if (isPlanName(name)) return name
  throw new UsageError(`Unknown plan "${text}": use ${planList}`)
}

function subscriptionOf(text: string): 'active' | 'inactive' {
  if (text === 'active' || text === 'inactive') return text
  throw new UsageError(`--subscription must be active or inactive, not "${text}"`)
}

function describe(org: OrganizationTable): string {
  return `${cleanLine(org.name)} (${org.slug}, ${org.id}), ${displayPlan(org.plan)} plan, subscription ${org.subscription}`
}

function organizationJson({ created_at, ...org }: OrganizationTable) {
  return { ...org, createdAt: isoTimestampOrNull(created_at) }
}
