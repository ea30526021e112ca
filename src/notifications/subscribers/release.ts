import { Claims } from '../../storage/node-lock.ts'

/** Claims on what subscribers are to be told, and on those who are to be asked. */
export const subscriberClaims: readonly Claims[] = [
  new Claims({ table: 'subscriber_notices', due: 'due_at' }),
  new Claims({ table: 'subscribers', due: 'confirm_due_at' }),
]
