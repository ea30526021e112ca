import { useEffect, useState } from 'preact/hooks'
import { useConnectionState } from './connection.ts'

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
  const { isLive } = useConnectionState()
  useEffect(() => {
    // That the server could not be reached is no longer true.
    if (isLive) setProblem((before: unknown) => (isUnreachable(before) ? undefined : before))
  }, [isLive])
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

function isUnreachable(problem: unknown): boolean {
  return problem instanceof Error && 'status' in problem && problem.status === 0
}
