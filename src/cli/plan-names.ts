import { planNames } from '../accounts/plans/plans.ts'

/** As people type and read it: `self-hosted`. */
export function displayPlan(plan: string): string {
  return plan.toLowerCase().replaceAll('_', '-')
}

export const planList = planNames.map(displayPlan).join(', ')
