import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMonitor, expectError, smallest } from '../../support/monitors.ts'
import { startTestServer } from '../../support/server.ts'
import { startHttpTarget } from '../../support/targets.ts'

const env = { PHAROS_PRIVATE_TARGETS: 'allow', PHAROS_CONFIRM_DELAYS: '' }

const assertion = { source: 'STATUS', operator: 'EQUALS', value: 200 }
const basic = { type: 'BASIC', username: 'ada', password: 'secret' }

test('options that do not fit or are wrong are refused with the path of each fault', async () => {
  await using server = await startTestServer('sqlite', { env })
  const client = server.client()
  const http = (await createMonitor(client)).id
  const dns = (await createMonitor(client, smallest('DNS'))).id
  const refused = async (id: string, name: string, body: object, paths: string[]) =>
    expectError(await client.send('PUT', `/monitors/${id}/${name}`, body), 'validation_error', paths)
  await refused(http, 'schedule', { cron: '@daily' }, ['body'])
  await refused(http, 'dialogue', { preset: 'SMTP' }, ['body'])
  await refused(dns, 'assertions', { assertions: [assertion] }, ['assertions.0.source'])
  await refused(dns, 'request', { resolver: '127.0.0.1:53', maxRedirects: 1 }, ['maxRedirects'])
  await refused(http, 'request', { auth: { type: 'BEARER', username: 'x' }, resolver: 'nowhere' }, [
    'auth.token',
    'auth.username',
    'resolver',
  ])
  await refused(http, 'assertions', { assertions: [{ source: 'JSON', operator: 'LESS', value: 'x' }] }, [
    'assertions.0.path',
    'assertions.0.value',
  ])
  await refused(http, 'confirmation', { failureRetries: 6, recoverySuccesses: 0 }, [
    'failureRetries',
    'recoverySuccesses',
  ])
  await refused(http, 'notes', { runbookUrl: 'javascript:alert(1)' }, ['runbookUrl'])
})

test('options are part of a test of settings', async () => {
  await using target = await startHttpTarget()
  await using server = await startTestServer('sqlite', { env })
  const client = server.client()
  const settings = smallest('HTTP', { url: target.url })
  const tried = await client.post('/monitors/try', { ...settings, options: { notes: { text: 'x' } } })
  assert.deepEqual([tried.status, tried.body.outcome], [200, 'SUCCESS'])
  const refused = await client.post('/monitors/try', {
    ...settings,
    options: { schedule: { cron: '@daily' }, notes: { x: 1 } },
  })
  const { id } = await createMonitor(client, settings)
  await client.send('PUT', `/monitors/${id}/request`, { auth: basic })
  const masked = { request: { auth: { ...basic, password: 'set' } } }
  const kept = await client.post('/monitors/try', { ...settings, options: masked, monitorId: id })
  assert.equal(kept.status, 200, JSON.stringify(kept.body))
  const unknown = await client.post('/monitors/try', { ...settings, options: masked })
  expectError(unknown, 'validation_error', ['options.request.auth.password'])
  expectError(await client.post('/monitors/try', { ...settings, monitorId: 'mon_none' }), 'not_found')
  expectError(refused, 'validation_error', ['options.notes.x', 'options.schedule'])
  for (const assertions of [{}, { assertions: {} }, { assertions: [null] }, []]) {
    expectError(await client.post('/monitors/try', { ...settings, options: { assertions } }), 'validation_error')
  }
})
