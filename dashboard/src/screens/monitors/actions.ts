import type { PublicSchemas } from '../../api/client.ts'
import { useOrganization } from '../../api/organization.tsx'
import { plural, t } from '../../lib/i18n.ts'
import { showToast } from '../../ui/toast.tsx'
import { deleteLater, type NamedMonitor } from './delete-later.ts'

type BulkResult = PublicSchemas['BulkResult']
type BulkAction = PublicSchemas['ChangeMonitors']['action']

/** All monitors that a selector matches; `total` is their number when they were listed. */
export interface MatchingMonitors {
  readonly selector: string
  readonly total: number
}

/** Monitors of a bulk action: single ones, or all that a selector matches. */
export type BulkTarget = readonly NamedMonitor[] | MatchingMonitors

type Update = Omit<PublicSchemas['UpdateMonitors'], 'monitorIds' | 'selector'>
type Labels = Record<string, string | null>

/** All but `check` change several monitors in one request. */
export function useMonitorActions() {
  const { api, refresh } = useOrganization()
  const bulk = (
    action: BulkAction,
    target: BulkTarget,
    { keepalive = false, ...change }: { keepalive?: boolean; labels?: Labels; until?: string } = {},
  ) => api.POST('/api/v1/monitors/bulk', { body: { ...bodyOf(target), action, ...change }, keepalive })
  const actions = {
    check: (monitorId: string) => api.POST('/api/v1/monitors/{monitorId}/check', { path: { monitorId }, body: {} }),
    update: (target: BulkTarget, change: Update) =>
      api.PATCH('/api/v1/monitors/bulk', { body: { ...bodyOf(target), ...change } }),
    /** Sets labels; null removes one. */
    label: (target: BulkTarget, labels: Labels) => bulk('LABEL', target, { labels }),
    async mute(target: BulkTarget, until: string) {
      const result = await bulk('MUTE', target, { until })
      await refresh('monitor')
      return result
    },
    /** Shows a message. */
    async unmute(target: BulkTarget) {
      const result = await bulk('UNMUTE', target)
      await refresh('monitor')
      requireAll(result, target)
      showToast(t('{name} unmuted', { name: labelOf(result.data) }))
    },
    /** Starts checks, without waiting for them, and shows a message. */
    async checkAll(target: BulkTarget) {
      const result = await bulk('CHECK', target)
      await refresh('monitor')
      requireAll(result, target, true)
      showToast(t('Checking {length}', { length: plural(result.data.length, 'monitor') }))
    },
    /** Pauses or resumes, shows a message and offers to undo a pause. */
    async turn(verb: 'pause' | 'resume', target: BulkTarget): Promise<void> {
      const result = await bulk(verb === 'pause' ? 'PAUSE' : 'RESUME', target)
      await refresh('monitor', 'incident')
      requireAll(result, target)
      const name = labelOf(result.data)
      const changed = result.data.flatMap(({ monitorId: id, name, outcome }) =>
        outcome === 'CHANGED' ? [{ id, name: name ?? '' }] : [],
      )
      showToast(
        verb === 'pause' ? t('{name} paused', { name }) : t('{name} resumed', { name }),
        verb === 'pause' && changed.length > 0
          ? { action: { label: t('Undo'), run: () => void actions.turn('resume', changed).catch(showProblem) } }
          : {},
      )
    },
    /** Hides the monitors now and deletes them when the time to undo is over. */
    remove(monitors: readonly NamedMonitor[]) {
      deleteLater({
        monitors,
        request: (some) => bulk('DELETE', some, { keepalive: true }),
        refresh: () => refresh('monitor', 'incident', 'maintenance', 'status_page'),
      })
    },
  }
  return actions
}

function bodyOf(target: BulkTarget) {
  return isMatching(target) ? { selector: target.selector } : { monitorIds: target.map(({ id }) => id) }
}

export function isMatching(target: BulkTarget): target is MatchingMonitors {
  return 'selector' in target
}

export function countOf(target: BulkTarget): number {
  return isMatching(target) ? target.total : target.length
}

function showProblem(problem: Error): void {
  showToast(problem.message)
}

/** "Shop" or "3 monitors". */
function labelOf(monitors: BulkResult['data']): string {
  const [first] = monitors
  return monitors.length === 1 && first?.name ? first.name : plural(monitors.length, 'monitor')
}

const FAILURES_NAMED = 5

/** Throws an error that names the monitors that could not be changed. */
export function requireAll({ data }: BulkResult, target: BulkTarget, isCheck = false): void {
  const failures = data.filter(({ outcome }) => outcome === 'FAILED')
  if (failures.length === 0) return
  const names = new Map(isMatching(target) ? [] : target.map(({ id, name }) => [id, name]))
  const reasons = failures
    .slice(0, FAILURES_NAMED)
    .map(({ monitorId, name, error }) => `${name ?? names.get(monitorId) ?? t('Monitor')}: ${error}.`)
  const more =
    failures.length > FAILURES_NAMED ? t(' And {value} more.', { value: failures.length - FAILURES_NAMED }) : ''
  const values = { failed: failures.length, monitors: plural(data.length, 'monitor'), reasons: reasons.join(' '), more }
  throw new Error(
    isCheck
      ? t('{failed} of {monitors} could not be checked. {reasons}{more}', values)
      : t('{failed} of {monitors} could not be changed. {reasons}{more}', values),
  )
}

export function pauseAction({ state }: Pick<PublicSchemas['Monitor'], 'state'>): 'pause' | 'resume' {
  return state === 'PAUSED' ? 'resume' : 'pause'
}

/** Jobs report by themselves: there is nothing to check. */
export function canCheck({ type }: Pick<PublicSchemas['Monitor'], 'type'>): boolean {
  return type !== 'CRON'
}
