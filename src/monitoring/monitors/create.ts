import { type Plan, planLimitReached, planNamed } from '../../accounts/plans/plans.ts'
import { ApiError } from '../../contract/errors.ts'
import { LARGE_BODY_BYTES, operation } from '../../contract/operation.ts'
import { emit } from '../../events/emit.ts'
import { heartbeatUrlOf } from '../../events/heartbeat-token.ts'
import { newId } from '../../lib/ids.ts'
import { reason } from '../../reasons/reason.ts'
import { addToListWithin, lastAdded } from '../../storage/list-index.ts'
import { constant, q, send, statement } from '../../storage/query.ts'
import { headerFaults, maskFaults, typeFaults } from '../monitor-settings/rules.ts'
import { CreateMonitor } from '../monitor-settings/schema.ts'
import { protectSettings } from '../monitor-settings/secrets.ts'
import { columnsOf, type ListKeys, type SettingsColumns } from '../monitor-settings/stored.ts'
import { insertState } from '../monitor-states/save.ts'
import { newState } from '../monitor-states/state.ts'
import { newHeartbeatToken } from './heartbeat-token.ts'
import { eventOf, renderMonitor } from './render.ts'
import { Monitor } from './schema.ts'

interface NewMonitor extends SettingsColumns, ListKeys {
  orgId: string
  id: string
  secrets: string | null
  hash: string | null
  sealed: string | null
  now: number
}

const insertMonitor = statement((m: NewMonitor) =>
  q.insertInto('monitors').values({
    org_id: m.orgId,
    id: m.id,
    seq: lastAdded(m.orgId, 'monitor'),
    name: m.name,
    name_key: m.name_key,
    target_key: m.target_key,
    type: m.type,
    interval_seconds: m.interval_seconds,
    expected_period_seconds: m.expected_period_seconds,
    grace_seconds: m.grace_seconds,
    settings: m.settings,
    options: m.options,
    secrets: m.secrets,
    heartbeat_hash: m.hash,
    heartbeat_token: m.sealed,
    created_at: m.now,
    updated_at: m.now,
  }),
)

export const createMonitor = operation({
  id: 'createMonitor',
  method: 'POST',
  path: '/monitors',
  access: 'write',
  tag: 'Monitors',
  summary: 'Create a monitor',
  description: 'The monitor starts as PENDING. Its first check is queued immediately.',
  body: CreateMonitor,
  bodyLimitBytes: LARGE_BODY_BYTES,
  refine: (body) => [...typeFaults(body), ...headerFaults(body), ...maskFaults(body)],
  answer: { status: 201, schema: Monitor, description: 'The new monitor' },
  errors: ['plan_limit'],
  *handle({ caller, now, installation }, { body: settings }) {
    const plan = planNamed(caller.plan)
    permitInterval(plan, settings.intervalSeconds)
    const id = newId('mon', now)
    const { type } = settings
    const { orgId } = caller
    const { baseUrl, sealer } = installation
    const heartbeat = type === 'CRON' ? newHeartbeatToken({ orgId, id }, sealer) : null
    const protectedSettings = protectSettings(settings, { orgId, id }, sealer)
    const { secrets } = protectedSettings
    const columns = columnsOf(protectedSettings)
    const { hash = null, sealed = null } = heartbeat ?? {}
    const row = { id, ...columns, heartbeat_token: sealed, created_at: now, updated_at: now }
    const data = () => constant(eventOf(row, newState, baseUrl))
    yield* emit({ orgId, type: 'monitor.created', data, now })
    // From here on nothing is awaited: other creations wait for the row of the total until the commit.
    yield* addToListWithin(orgId, 'monitor', plan.monitors, () => planLimitReached(plan, plan.monitors, 'monitor'))
    yield* send(insertMonitor, { orgId, id, ...columns, secrets, hash, sealed, now })
    // Due at once; a CRON monitor is due only after its first heartbeat.
    yield* insertState(orgId, type === 'CRON' ? null : now, now)
    return renderMonitor(row, newState, heartbeat && heartbeatUrlOf(baseUrl, heartbeat.token), settings)
  },
})

export function permitInterval(plan: Plan, intervalSeconds: number): void {
  if (intervalSeconds >= plan.fastestIntervalSeconds) return
  throw new ApiError(
    'plan_limit',
    reason('plan_interval', { plan: plan.name, least: plan.fastestIntervalSeconds, seconds: intervalSeconds }),
  )
}
