import { Claims } from '../../storage/node-lock.ts'

/** Claims on checks. */
export const checkClaims = new Claims({ table: 'monitor_states', due: 'next_check_at' })
