import { useGet } from '../../api/get.ts'
import { duration } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { planLabels } from '../../lib/labels.ts'

const DEFAULT_SECONDS = 60

/** The interval of new monitors: a minute, or the shortest that the plan allows. */
export function defaultInterval(fastestIntervalSeconds: number): number {
  return Math.max(DEFAULT_SECONDS, fastestIntervalSeconds)
}

/** The plan and its limits. */
export function useUsage() {
  return useGet('monitor', '/api/v1/usage')
}

/** The intervals of the plan, for a field, and in words. */
export function useIntervalLimits() {
  const { data } = useUsage()
  const fastest = data?.fastestIntervalSeconds ?? 30
  const allowed =
    data === undefined || data.plan === 'SELF_HOSTED'
      ? t('30 seconds to 24 hours')
      : t('The {value} plan allows {fastest} or longer', { value: planLabels[data.plan], fastest: duration(fastest) })
  return { limits: { min: fastest, max: 86_400 }, allowed }
}
