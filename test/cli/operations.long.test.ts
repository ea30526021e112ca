import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { forEachEngine } from '../support/engines.ts'
import { pharos, startServer, stopServer } from '../support/pharos-process.ts'
import { BOOTSTRAP_KEY } from '../support/server.ts'
import { emptyWorkspace } from '../support/workspace.ts'

const CRON = { name: 'a', type: 'CRON' }

forEachEngine('operating a server', (engine) => {
  test('health endpoints answer, and metrics are served only on their own address', async () => {
    await using place = await emptyWorkspace(engine)
    await using server = await startServer({ ...place.env, PHAROS_METRICS_LISTEN: '127.0.0.1:0' })
    const get = async (url: string) => {
      const response = await fetch(url)
      return [response.status, await response.text()] as const
    }
    assert.deepEqual(await get(`${server.url}/healthz`), [200, '{"status":"alive"}'])
    assert.deepEqual(await get(`${server.url}/readyz`), [200, '{"status":"ready"}'])
    assert.equal((await get(`${server.url}/metrics`))[0], 404)
    assert.equal((await get(`${server.url}/api/v1/monitors`))[0], 401)
    const metrics = /^│ Metrics +(\S+)/m.exec(server.output.stdout)?.[1] ?? ''
    const [status, text] = await get(metrics)
    assert.equal(status, 200)
    assert.match(text, /^pharos_ready 1$/m)
    assert.match(text, /^pharos_http_requests_total\{operation="listMonitors",status="401"\} 1$/m)
    assert.equal((await get(new URL('/', metrics).href))[0], 404)
    await stopServer(server)
    await using plain = await startServer(place.env)
    assert.equal((await get(`${plain.url}/metrics`))[0], 404)
    assert.doesNotMatch(plain.output.stdout, /Metrics/)
  })

  test('the log contains no keys, even at level trace', async () => {
    await using place = await emptyWorkspace(engine)
    await using server = await startServer({
      ...place.env,
      PHAROS_BOOTSTRAP_KEY: BOOTSTRAP_KEY,
      PHAROS_LOG_LEVEL: 'trace',
      PHAROS_SECRET_KEY: Buffer.alloc(32, 3).toString('base64'),
      PHAROS_TYPO: 'x',
    })
    const secrets = [BOOTSTRAP_KEY, `phr_${'w'.repeat(43)}`, 'geheim-im-body', Buffer.alloc(32, 3).toString('base64')]
    const client = server.client(BOOTSTRAP_KEY)
    await client.post(
      '/monitors',
      { ...CRON, requestHeaders: { Authorization: secrets[2] } },
      { 'idempotency-key': 'k' },
    )
    await client.post('/monitors', { ...CRON, requestHeaders: secrets[2] })
    await client.send('BREW', '/monitors').catch(() => undefined)
    await client.get(`/monitors/${secrets[1]}`)
    await client.get(`/monitors/%zz?key=${secrets[1]}`)
    await server.client(secrets[1] as string).get('/monitors')
    await fetch(`${server.url}/api/v1/monitors`, { headers: { authorization: `Bearer ${BOOTSTRAP_KEY}` } })
    await stopServer(server)
    const written = server.output.stdout + server.output.stderr
    assert.match(written, /unknown setting PHAROS_TYPO ignored/)
    for (const secret of secrets) assert.ok(!written.includes(secret), `${secret} is in:\n${written}`)
  })
})

const oldNode = ['/usr/bin/node', '/usr/local/bin/node'].find((path) => {
  const { stdout } = spawnSync(path, ['--version'], { encoding: 'utf8' })
  const major = Number(/^v(\d+)/.exec(stdout ?? '')?.[1] ?? 99)
  return major >= 20 && major < 26
})
const withoutOldNode = oldNode === undefined ? 'there is no older Node on this machine' : false

test('an older Node starts the pinned one: output, exit code and signals pass through', {
  skip: withoutOldNode,
}, async () => {
  const node = oldNode as string
  const help = await pharos(['--help'], { node })
  assert.deepEqual([help.code, help.stdout], [0, (await pharos(['--help'])).stdout])
  const wrong = await pharos(['fly'], { node })
  assert.deepEqual([wrong.code, wrong.stdout], [2, ''])
  assert.match(wrong.stderr, /^pharos: Unknown command "fly"/)
  await using place = await emptyWorkspace('sqlite')
  await using server = await startServer(place.env, { node })
  assert.equal((await fetch(`${server.url}/readyz`)).status, 200)
  assert.deepEqual(await stopServer(server), { code: 0, signal: null })
  await assert.rejects(fetch(`${server.url}/readyz`), 'the server itself has ended')
})
