import { once } from 'node:events'
import { createServer } from 'node:http'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { startHttpTarget } from '../support/targets.ts'
import { useDashboard, withoutBrowser } from './dashboard.ts'

describe('The reason of an incident that began with a refused connection', { skip: withoutBrowser }, () => {
  const dashboard = useDashboard({ env: { PHAROS_CONFIRM_DELAYS: '' } })
  const server = createServer((_request, response) => response.writeHead(503, { connection: 'close' }).end())
  let port: number
  let page: Page
  let monitorId: string
  let incidentId: string
  before(async () => {
    // Its port is free again: the first checks are refused.
    const gone = await startHttpTarget()
    port = gone.port
    const { url } = gone
    await gone[Symbol.asyncDispose]()
    const client = dashboard.server.client()
    const settings = { name: 'Shop', type: 'HTTP', url, expectedStatus: [200] }
    monitorId = (await client.post('/monitors', settings)).body.id
    await client.post(`/monitors/${monitorId}/check`, {})
    incidentId = (await client.get('/incidents')).body.data[0].id
    page = await dashboard.open()
    page.setDefaultTimeout(15_000)
  })
  after(() => server.close())

  test('changes to the last failure in the overview by itself, and is the last failure in every list', async () => {
    const client = dashboard.server.client()
    await page.goto(dashboard.at('/'))
    await page
      .getByText(/Connection refused/)
      .first()
      .waitFor()
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    await client.post(`/monitors/${monitorId}/check`, {})
    await page
      .getByText(/503 Service Unavailable/)
      .first()
      .waitFor()
    await page.getByText(/Connection refused/).waitFor({ state: 'detached' })
    for (const path of ['/monitors', '/incidents', '/?board']) {
      await page.goto(dashboard.at(path))
      await page
        .getByText(/503 Service Unavailable/)
        .first()
        .waitFor()
      await page.getByText(/Connection refused/).waitFor({ state: 'detached' })
    }
  })

  test('has its beginning on the page of the incident and in its timeline', async () => {
    await page.goto(dashboard.at(`/incidents/${incidentId}`))
    await page.getByText(/^Began as: Connection refused/).waitFor()
    await page
      .getByRole('region', { name: 'Status' })
      .getByText(/503 Service Unavailable/)
      .first()
      .waitFor()
    await page
      .getByText(/Connection refused/)
      .first()
      .waitFor()
  })
})
