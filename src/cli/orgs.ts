import { createOrganization } from '../accounts/organizations/create.ts'
import { organizationsAfter, organizationWithIdOrSlug } from '../accounts/organizations/queries.ts'
import { type OrganizationChange, setOrganization } from '../accounts/organizations/set.ts'
import { isPlanName, type PlanName, planNames } from '../accounts/plans/plans.ts'
import type { Database } from '../storage/database.ts'
import type { OrganizationTable } from '../storage/schema.ts'
import { audited } from './audit.ts'
import { CommandError, type DatabaseCommand, moment, table } from './command.ts'

const PAGE = 500

export const createOrg: DatabaseCommand = {
  name: 'orgs create',
  summary: 'Make an organization',
  options: {
    name: { value: 'NAME', required: true, help: 'what it is called' },
    plan: { value: 'PLAN', help: `one of ${planNames.join(', ')} (FREE)` },
  },
  async run(database, { options }, now) {
    const name = (options.name as string).trim()
    if (name === '' || name.length > 120) throw new CommandError('--name must have 1 to 120 characters')
    const plan = planOf(options.plan ?? 'FREE')
    const org = await database.write(() => createOrganization({ name, plan }, now))
    return { text: `Made ${describe(org)}`, json: shown(org) }
  },
}

export const listOrgs: DatabaseCommand = {
  name: 'orgs list',
  summary: 'Show all organizations',
  async run(database) {
    const orgs: OrganizationTable[] = []
    for (;;) {
      const page = await database.read(organizationsAfter(orgs.at(-1)?.id ?? '', PAGE))
      orgs.push(...page)
      if (page.length < PAGE) break
    }
    const rows = orgs.map((org) => [org.id, org.slug, org.plan, org.subscription, org.name])
    return { text: table(['ID', 'SLUG', 'PLAN', 'SUBSCRIPTION', 'NAME'], rows), json: orgs.map(shown) }
  },
}

export const setOrg: DatabaseCommand = {
  name: 'orgs set',
  summary: "Change an organization's plan or subscription",
  positionals: ['ORG'],
  options: {
    plan: { value: 'PLAN', help: `one of ${planNames.join(', ')}` },
    subscription: { value: 'STATE', help: 'active or inactive' },
  },
  async run(database, { positionals, options }, now) {
    const { plan, subscription } = options
    if (plan === undefined && subscription === undefined) throw new CommandError('Give --plan, --subscription or both')
    const change: OrganizationChange = {
      ...(plan === undefined ? {} : { plan: planOf(plan) }),
      ...(subscription === undefined ? {} : { subscription: subscriptionOf(subscription) }),
    }
    const org = await requireOrganization(database, positionals[0] as string)
    const changed = await database.write(() =>
      audited(
        setOrganization(org, change),
        ({ id, name }) => ({ orgId: id, command: 'orgs set', target: id, targetName: name }),
        now,
      ),
    )
    return { text: `Now ${describe(changed)}`, json: shown(changed) }
  },
}

export async function requireOrganization(database: Database, name: string): Promise<OrganizationTable> {
  const org = await database.read(organizationWithIdOrSlug(name))
  if (org === undefined) throw new CommandError(`There is no organization "${name}"; see "pharos orgs list"`)
  return org
}

function planOf(text: string): PlanName {
  if (isPlanName(text)) return text
  throw new CommandError(`There is no plan "${text}"; the plans are ${planNames.join(', ')}`)
}

function subscriptionOf(text: string): 'active' | 'inactive' {
  if (text === 'active' || text === 'inactive') return text
  throw new CommandError(`--subscription is active or inactive, not "${text}"`)
}

function describe(org: OrganizationTable): string {
  return `${org.name} (${org.slug}, ${org.id}), plan ${org.plan}, subscription ${org.subscription}`
}

function shown({ created_at, ...org }: OrganizationTable) {
  return { ...org, createdAt: moment(created_at) }
}
