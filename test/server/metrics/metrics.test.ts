import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { describe, test } from 'node:test'
import { metricsEnv } from '../../monitoring/checks/faults.ts'
import { useApi } from '../../support/api.ts'
import { skipWithout } from '../../support/programs.ts'

const hasPromtool = spawnSync('promtool', ['--version']).error === undefined
const withoutPromtool = skipWithout(hasPromtool, 'promtool (Debian: prometheus)')

/** The samples of metrics whose names begin with this. */
const samplesOf = (text: string, name: string): string[] => text.split('\n').filter((line) => line.startsWith(name))

describe('metrics of the service', () => {
  const api = useApi('sqlite', { env: metricsEnv })
  const scrape = async (): Promise<string> => (await fetch(api.server.running.metricsUrl as string)).text()

  test("are accepted by Prometheus' own parser and linter", { skip: withoutPromtool }, async () => {
    const { client } = await api.tenant()
    await client.get('/monitors')
    const input = await scrape()
    assert.match(input, /^pharos_http_requests_total\{operation="listMonitors",status="200"\} \d+$/m)
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input, encoding: 'utf8' })
    assert.equal(status, 0, `${stdout}${stderr}`)
  })

  test('have a few samples for each operation, however many statuses it answers with', async () => {
    const { client, reader } = await api.tenant()
    const { body } = await client.post('/monitors', { name: 'Job', type: 'CRON' })
    await client.patch(`/monitors/${body.id}`, { name: 'Nightly' })
    await client.patch(`/monitors/${body.id}`, { name: '' })
    await client.patch('/monitors/mon_0', { name: 'x' })
    await (await reader()).patch(`/monitors/${body.id}`, { name: 'x' })
    const samples = samplesOf(await scrape(), 'pharos_http_request').filter((line) => line.includes('"updateMonitor"'))
    const counted = samples.filter((line) => line.startsWith('pharos_http_requests_total'))
    assert.deepEqual(counted.toSorted(), [
      'pharos_http_requests_total{operation="updateMonitor",status="200"} 1',
      'pharos_http_requests_total{operation="updateMonitor",status="400"} 1',
      'pharos_http_requests_total{operation="updateMonitor",status="403"} 1',
      'pharos_http_requests_total{operation="updateMonitor",status="404"} 1',
    ])
    assert.ok(samples.includes('pharos_http_request_seconds_count{operation="updateMonitor"} 4'))
    assert.ok(samples.length - counted.length <= 9, samples.join('\n'))
  })

  test('of the process are a few dozen', async () => {
    const samples = samplesOf(await scrape(), 'pharos_').filter((line) => /^pharos_(nodejs|process)_/.test(line))
    assert.ok(samples.some((line) => line.startsWith('pharos_process_resident_memory_bytes ')))
    assert.ok(samples.length <= 60, `${samples.length}:\n${samples.join('\n')}`)
  })
})
