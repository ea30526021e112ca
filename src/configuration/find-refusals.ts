import { type Plan, planLimitReached, planNamed } from '../accounts/plans/plans.ts'
import type { LegacyAddress } from '../contract/check-options.ts'
import type { Fault, LimitedNoun } from '../contract/errors.ts'
import type { OperationContext } from '../contract/operation.ts'
import { legacyHash } from '../monitoring/monitor-options/legacy-address.ts'
import { MAX_CONTACTS } from '../notifications/contacts/create.ts'
import { domainHolders } from '../publishing/custom-domains/claims.ts'
import { slugHolders } from '../publishing/status-pages/claim-slug.ts'
import { slugFrom } from '../publishing/status-pages/slug.ts'
import { countInList } from '../storage/list-index.ts'
import { type DbWork, execute, q } from '../storage/query.ts'
import type { ListKind } from '../storage/schema/organizations.ts'
import { kinds } from './kinds/definitions.ts'
import type { Fields } from './kinds/fields.ts'
import type { KindName } from './kinds/kind.ts'
import type { PlannedChange } from './plan.ts'

/** Kinds that the plan of an organization limits. */
const listKinds = {
  monitors: 'monitor',
  statusPages: 'statuspage',
  maintenanceWindows: 'maintenance',
  webhookEndpoints: 'endpoint',
} as const satisfies Partial<Record<KindName & keyof Plan, ListKind>>

export const limitedKinds = Object.keys(listKinds) as (keyof typeof listKinds)[]

/** What only one resource can have, such as a slug. */
interface Claim {
  readonly path: string
  readonly key: string
  /** The id, or the key of a resource that is still to be created. */
  readonly owner: string
  readonly before: string | undefined
  readonly after: string | undefined
  /** Without it, or with another one, the resource is created all the same. */
  readonly isOptional?: boolean
}

/** Finds what the operations on single resources would refuse when a plan is applied: what depends on other resources and on limits. */
export class Refusals {
  readonly #context: OperationContext
  readonly #plan: Plan
  readonly #created = new Map<KindName, number>()
  readonly #faults: Fault[] = []
  readonly #slugs: Claim[] = []
  readonly #domains: Claim[] = []
  readonly #oldAddresses: Claim[] = []

  constructor(context: OperationContext) {
    this.#context = context
    this.#plan = planNamed(context.caller.plan)
  }

  add(changes: readonly PlannedChange[]): void {
    for (const { change, name, before, after } of changes) {
      const { action, kind, key, id = key } = change
      if (after === undefined) continue
      if (action === 'CREATE') this.#created.set(kind, (this.#created.get(kind) ?? 0) + 1)
      const path = `document.${kind}.${key}`
      const claim = (field: string, read: (fields: Fields) => unknown) => ({
        path: `${path}.${field}`,
        key,
        owner: id,
        before: textOf(before && read(before)),
        after: textOf(read(after)),
      })
      if (kind === 'monitors') {
        const isNewInterval = before?.intervalSeconds !== after.intervalSeconds
        if (isNewInterval && Number(after.intervalSeconds) < this.#plan.fastestIntervalSeconds) {
          this.#faults.push({ path: `${path}.intervalSeconds`, message: this.#intervalMessage() })
        }
        if (before?.legacyAddress ?? after.legacyAddress)
          this.#oldAddresses.push(claim('legacyAddress.token', oldAddressOf))
      }
      if (kind !== 'statusPages') continue
      // Only a lookup tells whether DNS lets a page that exists take the domain of another page.
      const isOptional = before !== undefined && this.#context.installation.requiresDomainProof
      this.#domains.push({ ...claim('customDomain', (fields) => fields.customDomain), isOptional })
      const slug = claim('slug', (fields) => fields.slug)
      this.#slugs.push(slug.after === undefined ? { ...slug, after: slugFrom(name), isOptional: true } : slug)
    }
  }

  /** Throws if the organization may not have so many resources. */
  *find(): DbWork<readonly Fault[]> {
    const { orgId } = this.#context.caller
    for (const kind of limitedKinds) {
      const created = this.#created.get(kind) ?? 0
      const limit = this.#plan[kind]
      // Deletions come last when a plan is applied.
      if (created > 0 && created + (yield* countInList(orgId, listKinds[kind])) > limit) {
        throw planLimitReached(this.#plan, limit, kinds[kind].noun as LimitedNoun)
      }
    }
    return [
      ...this.#faults,
      ...(yield* this.#contactFaults()),
      ...conflicts(this.#slugs, yield* slugHolders(wanted(this.#slugs)), 'slug'),
      ...conflicts(this.#domains, yield* domainHolders(wanted(this.#domains)), 'domain'),
      ...conflicts(this.#oldAddresses, holdersIn(this.#oldAddresses), 'old address'),
    ]
  }

  #intervalMessage(): string {
    const { name, fastestIntervalSeconds } = this.#plan
    return `must be at least ${fastestIntervalSeconds}: the ${name} plan checks no faster`
  }

  *#contactFaults(): DbWork<readonly Fault[]> {
    const created = this.#created.get('contacts') ?? 0
    if (created === 0) return []
    const contacts = q.selectFrom('contacts').select('id').where('org_id', '=', this.#context.caller.orgId)
    const count = created + (yield* execute(contacts)).length
    const message = `are too many: there would be ${count}, and an organization has at most ${MAX_CONTACTS}`
    return count > MAX_CONTACTS ? [{ path: 'document.contacts', message }] : []
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function oldAddressOf({ legacyAddress }: Fields): string | undefined {
  return legacyAddress === undefined ? undefined : legacyHash(legacyAddress as LegacyAddress)
}

function wanted(claims: readonly Claim[]): readonly string[] {
  return claims.flatMap(({ before, after }) => (after === undefined || after === before ? [] : after))
}

/** Of old addresses only those of the document: whether other monitors of the server have one must not be asked for free. */
function holdersIn(claims: readonly Claim[]): Map<string, string> {
  return new Map(claims.flatMap(({ before, owner }) => (before === undefined ? [] : [[before, owner] as const])))
}

/** Makes the claims in order, as applying the plan would. */
function conflicts(claims: readonly Claim[], holders: Map<string, string>, noun: string): readonly Fault[] {
  const keys = new Map(claims.map(({ owner, key }) => [owner, key]))
  const faults: Fault[] = []
  for (const { path, owner, before, after, isOptional } of claims) {
    if (after === before) continue
    const holder = after === undefined ? undefined : holders.get(after)
    if (after !== undefined && (holder === undefined || holder === owner)) holders.set(after, owner)
    else if (holder !== undefined && isOptional !== true) {
      const other = keys.get(holder)
      faults.push({
        path,
        message: other === undefined ? 'is in use; choose another one' : `is also the ${noun} of ${other}`,
      })
    }
    if (before !== undefined && holders.get(before) === owner) holders.delete(before)
  }
  return faults
}
