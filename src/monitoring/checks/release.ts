import { Claims } from '../../storage/lives.ts'

/** Claims on checks. */
export const checkClaims = new Claims({ table: 'monitor_states', due: 'next_check_at' })
