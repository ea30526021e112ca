import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { listen } from '../outbound/fixtures.ts'
import { forEachEngine } from '../support/engines.ts'
import { PASSWORD, Person } from '../support/person.ts'
import { pharos, startServer, stopServer } from '../support/pharos-process.ts'
import { skipWithout } from '../support/programs.ts'
import { BOOTSTRAP_KEY } from '../support/server.ts'
import { emptyWorkspace } from '../support/workspace.ts'

const CRON = { name: 'a', type: 'CRON' }

/** A target that answers after `ms`. */
async function slowTarget(ms: number) {
  const server = createServer((_request, response) => void setTimeout(() => response.end('ok'), ms).unref())
  const asked = once(server, 'request')
  const listener = await listen(server)
  return { ...listener, url: `http://127.0.0.1:${listener.port}/`, asked }
}

forEachEngine('pharos start', (engine) => {
  test('only the first start prints a key, which works; the setup link is not printed into logs', async () => {
    await using place = await emptyWorkspace(engine)
    let key = ''
    {
      await using first = await startServer(place.env)
      const keys = new Set(first.output.stdout.match(/phr_[\w-]+/g))
      assert.equal(keys.size, 1)
      ;[key] = [...keys] as [string]
      assert.match(key, /^phr_[A-Za-z0-9_-]{43}$/)
      assert.match(first.output.stdout, /^│ Setup {6}Run "pharos setup-link" for the link /m)
      assert.doesNotMatch(first.output.stdout + first.output.stderr, /token=/)
      const { link } = JSON.parse((await pharos(['setup-link', '--json'], { env: place.env })).stdout)
      const token = new URL(link).searchParams.get('token')
      const user = { token, email: 'owner@example.com', password: PASSWORD, organizationName: 'Acme' }
      assert.equal((await new Person(first).post('/setup', user)).status, 201)
      assert.equal((await first.client(key).post('/monitors', CRON)).status, 201)
      assert.deepEqual(await stopServer(first), { code: 0, signal: null })
    }
    await using second = await startServer(place.env)
    assert.doesNotMatch(second.output.stdout + second.output.stderr, /phr_|Setup/)
    assert.equal((await second.client(key).get('/monitors')).body.pagination.total, 1, 'and everything is still there')
    assert.deepEqual(await stopServer(second, 'SIGINT'), { code: 0, signal: null })
  })

  test('on a terminal prints the setup link', {
    skip: skipWithout(spawnSync('script', ['--version']).status === 0, 'script'),
  }, async () => {
    await using place = await emptyWorkspace(engine)
    await using server = await startServer(place.env, { onTerminal: true })
    const token = /^│ Setup {6}http:\S+\/setup\?token=([\w-]{43}) +│/m.exec(server.output.stdout)?.[1]
    const user = { token, email: 'owner@example.com', password: PASSWORD, organizationName: 'Acme' }
    assert.equal((await new Person(server).post('/setup', user)).status, 201)
  })

  test('takes secrets, the first key and the first user from files, and prints none of them', async () => {
    await using place = await emptyWorkspace(engine)
    const file = (name: string, content: string): string => {
      writeFileSync(join(place.folder, name), `${content}\n`)
      return join(place.folder, name)
    }
    const { DATABASE_URL, ...others } = place.env
    const sealKey = Buffer.alloc(32, 9).toString('base64')
    await using server = await startServer({
      ...others,
      ...(DATABASE_URL !== undefined && { DATABASE_URL_FILE: file('url', DATABASE_URL) }),
      PHAROS_SECRET_KEY_FILE: file('seal', sealKey),
      PHAROS_BOOTSTRAP_KEY_FILE: file('key', BOOTSTRAP_KEY),
      PHAROS_FIRST_USER_EMAIL: 'ada@example.com',
      PHAROS_FIRST_USER_PASSWORD_FILE: file('password', PASSWORD),
      PHAROS_LOG_LEVEL: 'trace',
    })
    assert.equal((await server.client(BOOTSTRAP_KEY).get('/monitors')).status, 200)
    assert.equal((await new Person(server).signIn('ada@example.com')).status, 200)
    const { stdout, stderr } = server.output
    assert.equal(existsSync(join(place.env.PHAROS_DATA_DIR as string, 'secret.key')), false)
    assert.match(stdout, /"msg":"created the first user/)
    assert.doesNotMatch(stdout, /Setup|unknown setting/)
    for (const secret of [sealKey, BOOTSTRAP_KEY, PASSWORD]) assert.ok(!(stdout + stderr).includes(secret))
  })

  test('PHAROS_BOOTSTRAP_KEY is not printed, and is ignored with a warning after the first start', async () => {
    await using place = await emptyWorkspace(engine)
    {
      await using first = await startServer({ ...place.env, PHAROS_BOOTSTRAP_KEY: BOOTSTRAP_KEY })
      assert.equal((await first.client(BOOTSTRAP_KEY).get('/monitors')).status, 200)
      assert.doesNotMatch(first.output.stdout, /phr_/)
      assert.match(first.output.stdout, /set by PHAROS_BOOTSTRAP_KEY/)
      await stopServer(first)
    }
    const other = `phr_${'o'.repeat(43)}`
    await using second = await startServer({ ...place.env, PHAROS_BOOTSTRAP_KEY: other })
    assert.equal((await second.client(other).get('/monitors')).status, 401)
    assert.match(second.output.stdout, /PHAROS_BOOTSTRAP_KEY ignored: it only applies to the first start/)
    assert.ok(!second.output.stdout.includes(other))
  })

  test('SIGTERM lets the running check finish, accepts nothing new, and exits with 0', async () => {
    await using place = await emptyWorkspace(engine)
    await using target = await slowTarget(1_500)
    await using server = await startServer({ ...place.env, PHAROS_BOOTSTRAP_KEY: BOOTSTRAP_KEY })
    const client = server.client(BOOTSTRAP_KEY)
    assert.equal((await fetch(`${server.url}/healthz`)).status, 200)
    const { body } = await client.post('/monitors', { name: 'slow', type: 'HTTP', url: target.url })
    const checking = client.post(`/monitors/${body.id}/check`, {})
    await target.asked
    server.signal('SIGTERM')
    await delay(300)
    await assert.rejects(fetch(`${server.url}/healthz`, { headers: { connection: 'close' } }), 'nothing new is taken')
    const answer = await checking
    assert.deepEqual([answer.status, answer.body.state], [200, 'UP'])
    assert.deepEqual(await server.ended, { code: 0, signal: null })
    assert.match(server.output.stdout, /"msg":"server stopped"/)
  })

  test('a second signal ends the process immediately', async () => {
    await using place = await emptyWorkspace(engine)
    await using target = await slowTarget(60_000)
    await using server = await startServer({ ...place.env, PHAROS_BOOTSTRAP_KEY: BOOTSTRAP_KEY })
    const client = server.client(BOOTSTRAP_KEY)
    const { body } = await client.post('/monitors', { name: 'slow', type: 'HTTP', url: target.url })
    const checking = client.post(`/monitors/${body.id}/check`, {}).catch(() => 'cut off')
    await target.asked
    server.signal('SIGTERM')
    await delay(200)
    assert.deepEqual(await stopServer(server, 'SIGTERM'), { code: 130, signal: null })
    assert.equal(await checking, 'cut off')
  })
})
