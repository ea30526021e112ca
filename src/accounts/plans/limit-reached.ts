import { ApiError } from '../../contract/errors.ts'
import type { Plan } from './plans.ts'

/** The error for a creation beyond the plan. `thing` is singular. */
export function planLimitReached({ name }: Plan, limit: number, thing: string): ApiError {
  const things = `${limit} ${thing}${limit === 1 ? '' : 's'}`
  return new ApiError('plan_limit', `The ${name} plan is limited to ${things}. Delete one or change the plan`)
}
