import { useState } from 'preact/hooks'
import { type PublicSchemas, unwrap } from '../../api/client.ts'
import { useOrganization } from '../../api/organization.tsx'
import { plural, t } from '../../lib/i18n.ts'
import { showToast } from '../../ui/toast.tsx'
import { deleteLater, type NamedMonitor } from './delete-later.ts'

type BulkResult = PublicSchemas['BulkResult']
type BulkAction = PublicSchemas['ChangeMonitors']['action']

/** Monitors of a bulk action: by id, or all that a selector matches. */
export type BulkTarget = { readonly monitorIds: string[] } | { readonly selector: string }
type Ids = readonly string[]

interface MonitorActions {
  check(id: string): Promise<unknown>
  /** Each of these changes several monitors in one request. */
  pause(ids: Ids): Promise<BulkResult>
  resume(ids: Ids): Promise<BulkResult>
  update(ids: Ids, change: Omit<PublicSchemas['UpdateMonitors'], 'monitorIds' | 'selector'>): Promise<BulkResult>
  /** Sets labels; null removes one. */
  label(target: BulkTarget, labels: Readonly<Record<string, string | null>>): Promise<BulkResult>
  /** Does it to all monitors that match, and shows what happened. */
  changeMatching(selector: string, action: 'PAUSE' | 'RESUME'): Promise<void>
  /** Pauses or resumes, shows a message and offers to undo a pause. */
  turn(verb: 'pause' | 'resume', monitors: readonly NamedMonitor[]): Promise<void>
  /** Hides the monitors now and deletes them when the time to undo is over. */
  remove(monitors: readonly NamedMonitor[]): void
}

export function useMonitorActions(): MonitorActions {
  const { api, refresh } = useOrganization()
  const bulk = (action: BulkAction, ids: Ids, more: { keepalive?: boolean } = {}) =>
    unwrap(api.POST('/api/v1/monitors/bulk', { body: { monitorIds: [...ids], action }, ...more }))
  const actions: MonitorActions = {
    check: (monitorId) =>
      unwrap(api.POST('/api/v1/monitors/{monitorId}/check', { params: { path: { monitorId } }, body: {} })),
    pause: (ids) => bulk('PAUSE', ids),
    resume: (ids) => bulk('RESUME', ids),
    update: (ids, change) => unwrap(api.PATCH('/api/v1/monitors/bulk', { body: { monitorIds: [...ids], ...change } })),
    label: (target, labels) =>
      unwrap(api.POST('/api/v1/monitors/bulk', { body: { ...target, action: 'LABEL', labels: { ...labels } } })),
    async changeMatching(selector, action) {
      const result = await unwrap(api.POST('/api/v1/monitors/bulk', { body: { selector, action } }))
      await refresh('monitor', 'incident')
      requireAll(result, [])
      showToast(t('{length} changed', { length: plural(result.changed, 'monitor') }))
    },
    async turn(verb, monitors) {
      const result = await actions[verb](monitors.map(({ id }) => id))
      await refresh('monitor', 'incident')
      requireAll(result, monitors)
      const done = new Set(result.data.flatMap(({ monitorId, outcome }) => (outcome === 'CHANGED' ? [monitorId] : [])))
      const changed = monitors.filter(({ id }) => done.has(id))
      showToast(
        verb === 'pause'
          ? t('{name} paused', { name: labelOf(monitors) })
          : t('{name} resumed', { name: labelOf(monitors) }),
        verb === 'pause' && changed.length > 0
          ? { action: { label: t('Undo'), run: () => void actions.turn('resume', changed).catch(showProblem) } }
          : {},
      )
    },
    remove(monitors) {
      deleteLater({
        monitors,
        request: (ids) => bulk('DELETE', ids, { keepalive: true }),
        refresh: () => refresh('monitor', 'incident', 'maintenance', 'status_page'),
      })
    },
  }
  return actions
}

function showProblem(problem: Error): void {
  showToast(problem.message)
}

/** "Shop" or "3 monitors". */
function labelOf(monitors: readonly NamedMonitor[]): string {
  return monitors.length === 1 ? (monitors[0] as NamedMonitor).name : plural(monitors.length, 'monitor')
}

const FAILURES_NAMED = 5

/** Throws an error that names the monitors that could not be changed. */
export function requireAll({ data }: BulkResult, monitors: readonly NamedMonitor[]): void {
  const failures = data.filter(({ outcome }) => outcome === 'FAILED')
  if (failures.length === 0) return
  const names = new Map(monitors.map(({ id, name }) => [id, name]))
  const told = failures
    .slice(0, FAILURES_NAMED)
    .map(({ monitorId, name, error }) => `${name ?? names.get(monitorId) ?? t('Monitor')}: ${error}.`)
  const more =
    failures.length > FAILURES_NAMED ? t(' And {value} more.', { value: failures.length - FAILURES_NAMED }) : ''
  throw new Error(
    t('{length} of {length2} could not be changed. {told}{more}', {
      length: failures.length,
      length2: plural(data.length, 'monitor'),
      told: told.join(' '),
      more,
    }),
  )
}

export function pauseAction({ state }: Pick<PublicSchemas['Monitor'], 'state'>): 'pause' | 'resume' {
  return state === 'PAUSED' ? 'resume' : 'pause'
}

/** Jobs report by themselves: there is nothing to check. */
export function canCheck({ type }: Pick<PublicSchemas['Monitor'], 'type'>): boolean {
  return type !== 'CRON'
}

export interface RunningAction {
  /** Name of the running action. */
  readonly busy: string | null
  readonly problem: unknown
  /** True on success; `problem` keeps the error until the next action. */
  run(name: string, work: () => Promise<unknown>): Promise<boolean>
}

/** Runs one action at a time and keeps its error. */
export function useRunningAction(): RunningAction {
  const [busy, setBusy] = useState<string | null>(null)
  const [problem, setProblem] = useState<unknown>()
  return {
    busy,
    problem,
    async run(name, work) {
      if (busy !== null) return false
      setBusy(name)
      setProblem(undefined)
      try {
        await work()
        return true
      } catch (thrown) {
        setProblem(thrown)
        return false
      } finally {
        setBusy(null)
      }
    },
  }
}
