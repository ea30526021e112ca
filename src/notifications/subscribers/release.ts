import { Claims } from '../../storage/node-lock.ts'

/** Notices, and confirmation e-mails. */
export const subscriberClaims: readonly Claims[] = [
  new Claims({ table: 'subscriber_notices', due: 'due_at' }),
  new Claims({ table: 'subscribers', due: 'confirm_due_at' }),
]
