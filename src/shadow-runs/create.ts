import { extendFirstMutes } from '../configuration/mute-at-first.ts'
import { ApiError, type Fault, faultFor, invalid } from '../contract/errors.ts'
import { operation } from '../contract/operation.ts'
import { DAY_MS } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import { reason } from '../reasons/reason.ts'
import { execute, q } from '../storage/query.ts'
import type { ShadowRunTable } from '../storage/schema/shadow-runs.ts'
import { renderRun } from './render.ts'
import { emptyReport } from './report.ts'
import { removeRun, runsOf, sealKey } from './runs.ts'
import { noneUnmatched } from './save-poll.ts'
import { CreateShadowRun, collection, ShadowRun } from './schema.ts'
import { sourceOf, toolClients } from './tools/index.ts'

export const createShadowRun = operation({
  ...collection,
  id: 'createShadowRun',
  method: 'POST',
  access: 'write',
  // It deletes the run before it.
  bulk: true,
  summary: 'Start a shadow run',
  description:
    'Asks the other tool every 30 seconds for its verdicts and compares them with those of the monitors that were imported from it, ' +
    'until `days` have passed. Imported contacts stay disabled, and imported monitors that are muted since their import stay so until the run ends. An organization has one run of each tool; a new one replaces one that has ended. ' +
    'An answer of Uptime Kuma or Gatus may have 1 MiB, and UptimeRobot may list 1,000 monitors; beyond that nothing is compared, as `lastError` says.',
  body: CreateShadowRun,
  answer: { status: 201, schema: ShadowRun, description: 'The run. The first answer follows within seconds' },
  errors: ['conflict'],
  *handle(context, { body: { tool, url = toolClients[tool].defaultUrl, key, days } }) {
    const { caller, installation, now } = context
    const { orgId } = caller
    const fault = url === undefined ? 'is required' : faultOf(url)
    if (fault !== undefined) throw invalid([{ path: 'url', message: fault } satisfies Fault])
    if (key === undefined && tool === 'UPTIMEROBOT') throw invalid([faultFor('key', reason('required'))])
    const before = (yield* runsOf(orgId)).find((run) => run.tool === tool)
    if (before !== undefined && before.ended_at === null) {
      throw new ApiError('conflict', reason('run_in_progress', { tool: toolClients[tool].name }))
    }
    if (before !== undefined) yield* removeRun(before)
    const id = newId('shd', now)
    const row: ShadowRunTable = {
      org_id: orgId,
      id,
      tool,
      url: url as string,
      sealed_key: sealKey(key, { org_id: orgId, id }, installation.sealer),
      started_at: now,
      ends_at: now + days * DAY_MS,
      ended_at: null,
      contacts_enabled_at: null,
      last_poll_at: null,
      last_error: null,
      matched: 0,
      unmatched: JSON.stringify(noneUnmatched),
      next_poll_at: now,
      claimed_by: null,
    }
    yield* execute(q.insertInto('shadow_runs').values(row))
    yield* extendFirstMutes(context, sourceOf(tool), row.ends_at)
    return renderRun(row, emptyReport)
  },
})

/** The guard checks the addresses of the host at every request. */
function faultOf(text: string): string | undefined {
  const url = URL.parse(text)
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    return 'must begin with https:// or http://'
  return url.username === '' && url.password === '' ? undefined : 'must not contain a user name or password: use `key`'
}
