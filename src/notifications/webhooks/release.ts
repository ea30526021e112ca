import { Claims } from '../../storage/lives.ts'

/** Claims on endpoints. */
export const endpointClaims = new Claims({ table: 'webhook_endpoints', due: 'due_at' })
