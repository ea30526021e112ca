import assert from 'node:assert/strict'
import { test } from 'node:test'
import { appOperations } from '../../../src/server/operations/app-table.ts'
import { operations } from '../../../src/server/operations/table.ts'

/** The 37 operations of the specification, in its order. */
const specified = `
GET /monitors
POST /monitors
GET /monitors/:monitorId
PATCH /monitors/:monitorId
DELETE /monitors/:monitorId
POST /monitors/:monitorId/pause
POST /monitors/:monitorId/resume
POST /monitors/:monitorId/check
GET /incidents
GET /incidents/:incidentId
POST /incidents/:incidentId/acknowledge
GET /status-pages
POST /status-pages
GET /status-pages/:statusPageId
PATCH /status-pages/:statusPageId
DELETE /status-pages/:statusPageId
GET /maintenance-windows
POST /maintenance-windows
GET /maintenance-windows/:maintenanceId
PATCH /maintenance-windows/:maintenanceId
DELETE /maintenance-windows/:maintenanceId
GET /status-incidents
POST /status-incidents
GET /status-incidents/:statusIncidentId
PATCH /status-incidents/:statusIncidentId
DELETE /status-incidents/:statusIncidentId
POST /status-incidents/:statusIncidentId/updates
GET /webhook-endpoints
POST /webhook-endpoints
GET /webhook-endpoints/:endpointId
PATCH /webhook-endpoints/:endpointId
DELETE /webhook-endpoints/:endpointId
POST /webhook-endpoints/:endpointId/rotate-secret
POST /webhook-endpoints/:endpointId/test
GET /webhook-deliveries
GET /webhook-deliveries/:deliveryId
POST /webhook-deliveries/:deliveryId/retry
`
  .trim()
  .split('\n')

test('the table has every operation of the specification once, and nothing else but extensions', () => {
  const standing = operations.filter(({ extension }) => !extension).map(({ method, path }) => `${method} ${path}`)
  assert.equal(specified.length, 37)
  assert.deepEqual(standing.sort(), specified.toSorted())
})

test('read operations use GET, changes do not', () => {
  for (const { id, method, access } of operations) assert.equal(access === 'read', method === 'GET', id)
})

test('operation ids are unique across both tables', () => {
  const ids = [...appOperations, ...operations].map(({ id }) => id)
  assert.equal(new Set(ids).size, ids.length)
})
