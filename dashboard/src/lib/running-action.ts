import { useState } from 'preact/hooks'

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
