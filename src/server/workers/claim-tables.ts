import { contactQueue } from '../../notifications/contacts/claim.ts'
import { deliveryQueue } from '../../notifications/deliveries/queue.ts'
import { endpointQueue } from '../../notifications/webhooks/endpoint-queue.ts'
import { domainQueue } from '../../publishing/custom-domains/save-check.ts'
import { runClaims } from '../../shadow-runs/end-crashed.ts'
import type { ClaimTable } from '../../storage/nodes/release.ts'

/**
 * Everything that a dead node may have claimed. Every node releases all of it, whatever its roles. The monitors of a dead
 * node are not released, but taken over (monitoring/checks/assignments.ts).
 */
export const claimTables: readonly ClaimTable[] = [endpointQueue, contactQueue, deliveryQueue, domainQueue, runClaims]
