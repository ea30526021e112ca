import { useGet } from '../../api/get.ts'

const DEFAULT_SECONDS = 60

/** The interval of new monitors: a minute, or the shortest that the plan allows. */
export function defaultInterval(fastestIntervalSeconds: number): number {
  return Math.max(DEFAULT_SECONDS, fastestIntervalSeconds)
}

/** The plan and its limits. */
export function useUsage() {
  return useGet('monitor', '/api/v1/usage')
}
