import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { startApi } from '../support/api.ts'
import { eventually } from '../support/eventually.ts'
import { freePort } from '../support/ports.ts'
import { skipWithout } from '../support/programs.ts'
import { startHttpTarget } from '../support/targets.ts'

const isFound = spawnSync('prometheus', ['--version']).error === undefined
const skip = skipWithout(isFound, 'prometheus (Debian: prometheus)')

test('Prometheus scrapes the monitors with an API key and answers queries about them', { skip }, async () => {
  await using target = await startHttpTarget()
  const api = await startApi('sqlite')
  await using _ = api.server
  const { client, orgId } = await api.tenant()
  const { key } = await api.server.makeKey(orgId, 'read-only')
  for (const [name, status] of [
    ['Shop "EU" \\ 1', 200],
    ['Broken', 503],
  ] as const) {
    target.status = status
    const { body } = await client.post('/monitors', { name, type: 'HTTP', url: target.url })
    await client.post(`/monitors/${body.id}/check`, {})
  }
  const folder = await mkdtemp(join(tmpdir(), 'pharos-prometheus-'))
  const port = await freePort()
  await writeFile(join(folder, 'key'), key)
  await writeFile(
    join(folder, 'prometheus.yml'),
    JSON.stringify({
      global: { scrape_interval: '1s', scrape_timeout: '1s' },
      scrape_configs: [
        {
          job_name: 'pharos',
          metrics_path: '/api/v1/metrics/monitors',
          authorization: { type: 'Bearer', credentials_file: join(folder, 'key') },
          static_configs: [{ targets: [new URL(api.server.url).host] }],
        },
      ],
    }),
  )
  const program = spawn(
    'prometheus',
    [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: 'ignore' },
  )
  const ended = new Promise((resolve) => program.once('exit', resolve))
  try {
    const ask = async (query: string): Promise<{ metric: Record<string, string>; value: [number, string] }[]> => {
      const url = `http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(query)}`
      return JSON.parse(await (await fetch(url)).text()).data.result
    }
    await eventually(async () => assert.equal((await ask('pharos_monitor_up')).length, 2))
    const values = Object.fromEntries(
      (await ask('pharos_monitor_up')).map(({ metric, value }) => [metric.name, value[1]]),
    )
    assert.deepEqual(values, { 'Shop "EU" \\ 1': '1', Broken: '0' })
    const [state] = await ask('pharos_monitor_state == 3')
    assert.deepEqual([state?.metric.name, state?.metric.type], ['Broken', 'HTTP'])
    assert.equal((await ask('up{job="pharos"} == 1')).length, 1)
  } finally {
    program.kill()
    await ended
    await rm(folder, { recursive: true, force: true })
  }
})
