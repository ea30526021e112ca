import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { labelText } from '../../../src/monitoring/monitor-metrics/render.ts'
import { useApi } from '../../support/api.ts'
import { forEachEngine } from '../../support/engines.ts'
import { setLabels } from '../../support/monitors.ts'
import { joinByInvitation, useInstallation } from '../../support/person.ts'
import { skipWithout } from '../../support/programs.ts'
import { startHttpTarget } from '../../support/targets.ts'

const hasPromtool = spawnSync('promtool', ['--version']).error === undefined
const withoutPromtool = skipWithout(hasPromtool, 'promtool (Debian: prometheus)')

test('label values are escaped, and names of labels are those that Prometheus allows', () => {
  const monitor = { id: 'mon_1', name: 'a "b" \\ c\nd', type: 'HTTP' }
  assert.equal(
    labelText(monitor, [
      { key: 'cost-center', value: 'x"y' },
      { key: 'cost_center', value: 'again' },
    ]),
    'id="mon_1",name="a \\"b\\" \\\\ c\\nd",type="HTTP",label_cost_center="x\\"y"',
  )
})

forEachEngine('metrics of monitors', (engine) => {
  const api = useApi(engine)

  test('have the state, response time and uptime of the monitors of one organization', async () => {
    await using target = await startHttpTarget()
    const { client, key, reader } = await api.tenant()
    const { client: stranger } = await api.tenant()
    await stranger.post('/monitors', { name: 'Theirs', type: 'CRON' })
    const ids: string[] = []
    for (const [name, status] of [
      ['Shop "A" \\ B', 200],
      ['Broken', 503],
    ] as const) {
      target.status = status
      const { body } = await client.post('/monitors', { name, type: 'HTTP', url: target.url })
      await client.post(`/monitors/${body.id}/check`, {})
      ids.push(body.id)
    }
    await setLabels(client, ids[1] as string, { 'cost-center': 'a' })
    await client.post('/monitors', { name: 'Waiting', type: 'CRON' })
    const answer = await fetch(`${api.server.url}/api/v1/metrics/monitors`, {
      headers: { authorization: `Bearer ${key}` },
    })
    assert.equal(answer.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8')
    assert.ok(answer.headers.get('x-request-id') && answer.headers.get('ratelimit-remaining'))
    const text = await answer.text()
    const labels = `id="${ids[0]}",name="Shop \\"A\\" \\\\ B",type="HTTP"`
    assert.ok(text.includes(`pharos_monitor_up{${labels}} 1\n`), text)
    assert.ok(text.includes(`pharos_monitor_up{id="${ids[1]}",name="Broken",type="HTTP",label_cost_center="a"} 0\n`))
    assert.match(text, /^pharos_monitor_state\{.*name="Waiting".*\} 0$/m)
    assert.doesNotMatch(text, /pharos_monitor_up\{.*Waiting/)
    assert.match(text, /^pharos_monitor_response_seconds\{.*name="Shop.*\} \d+(\.\d+)?$/m)
    assert.match(text, /^pharos_monitor_last_check_timestamp_seconds\{.*\} \d+\.?\d*$/m)
    assert.doesNotMatch(text, /Theirs/)
    const read = await (await reader()).get('/metrics/monitors')
    assert.equal(read.status, 200)
    assert.match(read.body, /^pharos_monitor_up\{.*name="Broken".*\} 0$/m, 'a read-only key is enough')
    const head = await fetch(answer.url, { method: 'HEAD', headers: { authorization: `Bearer ${key}` } })
    assert.deepEqual([head.status, await head.text()], [200, ''])
  })

  test("are accepted by Prometheus' own parser", { skip: withoutPromtool }, async () => {
    await using target = await startHttpTarget()
    const { client } = await api.tenant()
    const { body } = await client.post('/monitors', { name: 'Shop "A" \\ B', type: 'HTTP', url: target.url })
    await setLabels(client, body.id, { 'cost-center': 'a "b" \\ c' })
    await client.post(`/monitors/${body.id}/check`, {})
    const { body: text } = await client.get('/metrics/monitors')
    assert.match(text, /^pharos_monitor_response_seconds\{/m)
    const { status, stderr, stdout } = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' })
    assert.equal(status, 0, `${stderr}${stdout}`)
  })

  test('are compressed, and a 304 for a client that has them', async () => {
    const { client, key } = await api.tenant()
    for (let i = 0; i < 20; i += 1) await client.post('/monitors', { name: `Job ${i}`, type: 'CRON' })
    const ask = async (headers: Readonly<Record<string, string>>) => {
      const response = await fetch(`${api.server.url}/api/v1/metrics/monitors`, {
        headers: { 'x-api-key': key, ...headers },
      })
      return { status: response.status, headers: response.headers, text: await response.text() }
    }
    const plain = await ask({ 'accept-encoding': 'identity' })
    for (const encoding of ['gzip', 'br']) {
      const { headers, text } = await ask({ 'accept-encoding': encoding })
      assert.equal(text, plain.text)
      assert.deepEqual(
        ['content-encoding', 'cache-control', 'vary'].map((name) => headers.get(name)),
        [encoding, 'no-store', 'Authorization, X-API-Key, Accept-Encoding'],
      )
      assert.ok(Number(headers.get('content-length')) < plain.text.length / 2)
      const etag = headers.get('etag') as string
      const known = await ask({ 'accept-encoding': encoding, 'if-none-match': etag })
      assert.deepEqual([known.status, known.text], [304, ''])
      assert.ok(known.headers.has('ratelimit-remaining'))
      await client.post('/monitors', { name: 'New', type: 'CRON' })
      assert.equal((await ask({ 'accept-encoding': encoding, 'if-none-match': etag })).status, 200)
      plain.text = (await ask({})).text
    }
  })

  test('answer errors as JSON', async () => {
    const refused = await fetch(`${api.server.url}/api/v1/metrics/monitors`)
    assert.equal(refused.status, 401)
    assert.match(refused.headers.get('content-type') ?? '', /^application\/json/)
    assert.match(await refused.text(), /"code":"unauthorized"/)
  })
})

forEachEngine('metrics of monitors in a session', (engine) => {
  const installation = useInstallation(engine)

  test('are read by viewers', async () => {
    await installation.owner.post('/v1/monitors', { name: 'Job', type: 'CRON' })
    const viewer = await joinByInvitation(installation, 'looks@example.com', 'VIEWER')
    const url = `${installation.server.url}/app/api/v1/metrics/monitors`
    const session = { cookie: viewer.cookie ?? '', 'x-pharos-organization': viewer.organization ?? '' }
    const { status, headers } = await fetch(url, { headers: session })
    assert.deepEqual([status, headers.get('content-type')], [200, 'text/plain; version=0.0.4; charset=utf-8'])
  })
})
