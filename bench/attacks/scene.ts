import { insertKey } from '../../src/accounts/keys/insert.ts'
import { createOrganization } from '../../src/accounts/organizations/create.ts'
import type { PlanName } from '../../src/accounts/plans/plans.ts'
import { fill } from '../support/monitors.ts'
import { create, pharos, repeat } from '../support/processes.ts'

const MONITORS = 1_000
const HANGING_MONITORS = 3_000
const PAGES = 20
const VICTIM_MONITORS = 20
const STRANGERS = 6
const PARALLEL = 25

export interface Tenant {
  readonly keys: readonly string[]
}

export interface Stranger extends Tenant {
  readonly readOnlyKey: string
}

/** What the attackers and their victim know. */
export interface Scene {
  /** 1,000 monitors, labels, contacts, pages and hostile webhook receivers. */
  readonly large: Tenant & {
    readonly monitorIds: readonly string[]
    readonly contactId: string
    readonly slugs: readonly string[]
  }
  readonly heartbeatUrl: string
  /** On the plan FREE. */
  readonly small: Tenant
  /** Organizations of people who signed up. */
  readonly strangers: readonly Stranger[]
  readonly victim: Tenant & { readonly monitorIds: readonly string[] }
  readonly hangingUrl: string
  readonly receiverUrls: readonly string[]
}

/** Monitors of each stranger. */
export const documentWithHistories = {
  version: 1,
  source: 'attack',
  monitors: Object.fromEntries(Array.from({ length: 33 }, (_, i) => [`job-${i}`, { name: `Job ${i}`, type: 'CRON' }])),
}

interface Addresses {
  readonly hangingUrl: string
  readonly receiverUrls: readonly string[]
  readonly targetUrl: string
}

type Call = (path: string, body: unknown) => Promise<Record<string, string>>

/** Creates the organizations, with a server that runs no checks and has no rate limit. */
export async function fillForAttacks(place: string, addresses: Addresses): Promise<Scene> {
  const { hangingUrl, receiverUrls, targetUrl } = addresses
  const { large, hanging, small, victim, strangers } = await createTenants(place)
  await using server = await pharos(place, { PHAROS_PRIVATE_WEBHOOKS: 'allow' })
  const as =
    (tenant: Tenant): Call =>
    (path, body) =>
      create(server, path, body, tenant.keys[0] as string)

  const monitorIds = await repeat(MONITORS, PARALLEL, async (i) => {
    // Checked once a day, so that these monitors cost checks nothing.
    const monitor = { name: `Large ${i}`, type: 'CRON', intervalSeconds: 86_400, expectedPeriodSec: 86_400 }
    return (await as(large)('/monitors', monitor)).id as string
  })
  const { heartbeatUrl = '' } = await as(large)('/monitors', { name: 'Job', type: 'CRON', intervalSeconds: 60 })
  const contact = await as(large)('/contacts', {
    name: 'Hook',
    channel: 'WEBHOOK',
    settings: { url: receiverUrls[0] },
    covers: 'CHOSEN',
  })
  for (const url of receiverUrls) await as(large)('/webhook-endpoints', { url })
  const half = MONITORS / 2
  const sections = [0, half].map((from) => ({
    name: `From ${from}`,
    monitors: monitorIds.slice(from, from + half).map((monitorId) => ({ monitorId })),
  }))
  const slugs = await repeat(
    PAGES,
    PARALLEL,
    async (i) => (await as(large)('/status-pages', { name: `Page ${i}`, sections })).slug as string,
  )
  await repeat(HANGING_MONITORS, PARALLEL, (i) =>
    as(hanging)('/monitors', {
      name: `Hanging ${i}`,
      type: 'HTTP',
      url: hangingUrl,
      intervalSeconds: 30,
      timeoutSeconds: 30,
    }),
  )
  for (const stranger of strangers) {
    const { planId } = await as(stranger)('/configuration/plan', { document: documentWithHistories })
    await as(stranger)('/configuration/apply', { planId })
  }
  const victimIds = await repeat(VICTIM_MONITORS, PARALLEL, async (i) => {
    const monitor = { name: `Victim ${i}`, type: 'HTTP', url: targetUrl, intervalSeconds: 30 }
    return (await as(victim)('/monitors', monitor)).id as string
  })
  return {
    large: { ...large, monitorIds, contactId: contact.id as string, slugs },
    heartbeatUrl: new URL(heartbeatUrl).pathname,
    small,
    strangers,
    victim: { ...victim, monitorIds: victimIds },
    hangingUrl,
    receiverUrls,
  }
}

interface Tenants {
  readonly large: Tenant
  readonly hanging: Tenant
  readonly small: Tenant
  readonly victim: Tenant
  readonly strangers: readonly Stranger[]
}

function createTenants(place: string): Promise<Tenants> {
  return fill(place, Date.now(), async (database) => {
    const tenant = (name: string, plan: PlanName, keyCount: number): Promise<Stranger> =>
      database.write(function* () {
        const { id: orgId } = yield* createOrganization({ name, plan }, Date.now())
        const keys: string[] = []
        for (let i = 0; i < keyCount; i += 1) {
          const key = yield* insertKey({ orgId, name: `Key ${i}`, access: 'full', expiresAt: null }, Date.now())
          keys.push(key.secret)
        }
        const reader = yield* insertKey({ orgId, name: 'Reader', access: 'read-only', expiresAt: null }, Date.now())
        return { keys, readOnlyKey: reader.secret }
      })
    return {
      large: await tenant('Large', 'SELF_HOSTED', 10),
      hanging: await tenant('Hanging', 'SELF_HOSTED', 1),
      small: await tenant('Small', 'FREE', 20),
      victim: await tenant('Victim', 'SELF_HOSTED', 5),
      strangers: await repeat(STRANGERS, 1, (i) => tenant(`Stranger ${i}`, 'BUSINESS', 2)),
    }
  })
}
