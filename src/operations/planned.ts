import type { Method } from '../contract/operation.ts'

/**
 * Operations of the specification that do not stand yet, each under the folder it will stand in. They are not routed:
 * a request for one is an honest 404. An entry leaves this list when its operation joins the table.
 */
export const planned: Readonly<Record<string, readonly (readonly [Method, `/${string}`])[]>> = {
  statuspages: [
    ['GET', '/status-pages'],
    ['POST', '/status-pages'],
    ['GET', '/status-pages/:statusPageId'],
    ['PATCH', '/status-pages/:statusPageId'],
    ['DELETE', '/status-pages/:statusPageId'],
  ],
  maintenance: [
    ['GET', '/maintenance-windows'],
    ['POST', '/maintenance-windows'],
    ['GET', '/maintenance-windows/:maintenanceId'],
    ['PATCH', '/maintenance-windows/:maintenanceId'],
    ['DELETE', '/maintenance-windows/:maintenanceId'],
  ],
  publishedincidents: [
    ['GET', '/status-incidents'],
    ['POST', '/status-incidents'],
    ['GET', '/status-incidents/:statusIncidentId'],
    ['PATCH', '/status-incidents/:statusIncidentId'],
    ['DELETE', '/status-incidents/:statusIncidentId'],
    ['POST', '/status-incidents/:statusIncidentId/updates'],
  ],
  webhooks: [
    ['GET', '/webhook-endpoints'],
    ['POST', '/webhook-endpoints'],
    ['GET', '/webhook-endpoints/:endpointId'],
    ['PATCH', '/webhook-endpoints/:endpointId'],
    ['DELETE', '/webhook-endpoints/:endpointId'],
    ['POST', '/webhook-endpoints/:endpointId/rotate-secret'],
    ['POST', '/webhook-endpoints/:endpointId/test'],
    ['GET', '/webhook-deliveries'],
    ['GET', '/webhook-deliveries/:deliveryId'],
    ['POST', '/webhook-deliveries/:deliveryId/retry'],
  ],
}
