import { ApiError, type LimitedNoun, nounReason, nounsReason } from '../../contract/errors.ts'
import { reason } from '../../reasons/reason.ts'

export const planNames = ['FREE', 'STARTER', 'PRO', 'BUSINESS', 'SELF_HOSTED'] as const
export type PlanName = (typeof planNames)[number]

export interface Plan {
  readonly name: PlanName
  readonly monitors: number
  readonly fastestIntervalSeconds: number
  readonly statusPages: number
  readonly webhookEndpoints: number
  readonly publishedIncidents: number
  readonly maintenanceWindows: number
  readonly rawResultsDays: number
}

const unlimited = Number.POSITIVE_INFINITY

/** Configurable for self-hosted installations (PHAROS_RAW_RESULTS_DAYS). */
let selfHostedRawResultsDays = 90

/** Called once, at the start of the process. */
export function setSelfHostedRawResultsDays(days: number): void {
  selfHostedRawResultsDays = days
}

const plans: Readonly<Record<PlanName, Plan>> = {
  FREE: {
    name: 'FREE',
    monitors: 10,
    fastestIntervalSeconds: 300,
    statusPages: 1,
    webhookEndpoints: 1,
    publishedIncidents: 100,
    maintenanceWindows: 20,
    rawResultsDays: 30,
  },
  STARTER: {
    name: 'STARTER',
    monitors: 50,
    fastestIntervalSeconds: 60,
    statusPages: 3,
    webhookEndpoints: 5,
    publishedIncidents: 500,
    maintenanceWindows: 100,
    rawResultsDays: 90,
  },
  PRO: {
    name: 'PRO',
    monitors: 200,
    fastestIntervalSeconds: 30,
    statusPages: 10,
    webhookEndpoints: 20,
    publishedIncidents: 2_000,
    maintenanceWindows: 500,
    rawResultsDays: 365,
  },
  BUSINESS: {
    name: 'BUSINESS',
    monitors: 1000,
    fastestIntervalSeconds: 30,
    statusPages: 50,
    webhookEndpoints: 100,
    publishedIncidents: 10_000,
    maintenanceWindows: 2_000,
    rawResultsDays: 730,
  },
  SELF_HOSTED: {
    name: 'SELF_HOSTED',
    monitors: unlimited,
    fastestIntervalSeconds: 30,
    statusPages: unlimited,
    webhookEndpoints: unlimited,
    publishedIncidents: unlimited,
    maintenanceWindows: unlimited,
    get rawResultsDays() {
      return selfHostedRawResultsDays
    },
  },
}

export function isPlanName(name: string): name is PlanName {
  return (planNames as readonly string[]).includes(name)
}

/** As the API returns it: null if there is no limit. */
export function finiteLimit(limit: number): number | null {
  return Number.isFinite(limit) ? limit : null
}

export function planNamed(name: string): Plan {
  if (!isPlanName(name)) throw new Error(`There is no plan ${name}; the plans are ${planNames.join(', ')}`)
  return plans[name]
}

/** The error for a creation beyond the plan. `thing` is singular. */
export function planLimitReached({ name }: Plan, limit: number, thing: LimitedNoun): ApiError {
  const things = limit === 1 ? nounReason(thing) : nounsReason(thing)
  return new ApiError('plan_limit', reason('plan_limit', { plan: name, limit, things }))
}
