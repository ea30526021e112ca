import { useState } from 'preact/hooks'
import { type PublicSchemas, unwrap } from '../../api/client.ts'
import { useOrganization } from '../../api/organization.tsx'

export type MonitorAction = 'pause' | 'resume' | 'check' | 'delete'

/** Actions on a monitor; one runs at a time. */
export function useMonitorActions(): Readonly<Record<MonitorAction, (id: string) => Promise<unknown>>> {
  const { api } = useOrganization()
  const at = (monitorId: string) => ({ params: { path: { monitorId } } })
  return {
    pause: (id) => unwrap(api.POST('/api/v1/monitors/{monitorId}/pause', { ...at(id), body: {} })),
    resume: (id) => unwrap(api.POST('/api/v1/monitors/{monitorId}/resume', { ...at(id), body: {} })),
    check: (id) => unwrap(api.POST('/api/v1/monitors/{monitorId}/check', { ...at(id), body: {} })),
    delete: (id) => unwrap(api.DELETE('/api/v1/monitors/{monitorId}', at(id))),
  }
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
