import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { looseSettings } from '../../src/cli/judge-settings.ts'
import { createPinger } from '../../src/monitoring/monitor-types/ping/pinger.ts'
import { readConfig } from '../../src/server/config/config.ts'
import { listen } from '../outbound/fixtures.ts'
import { eventually } from '../support/eventually.ts'
import { pharos } from '../support/pharos-process.ts'
import { closedPort } from '../support/ports.ts'
import { bodyOf, SECRET_KEY, startTestServer } from '../support/server.ts'
import { emptyWorkspace, migratedWorkspace } from '../support/workspace.ts'

describe('pharos doctor warns of', () => {
  const warnings = (env: Record<string, string>): string[] =>
    looseSettings(readConfig(env)).map(({ check, state, message }) => `${state} ${check}: ${message}`)

  test('nothing with the defaults, or with https behind a named proxy', () => {
    assert.deepEqual(warnings({}), [])
    assert.deepEqual(warnings({ PHAROS_BASE_URL: 'https://a.example', PHAROS_TRUST_PROXY: '10.0.0.1' }), [])
  })

  test('open sign-up together with private addresses', () => {
    const open = { PHAROS_OPEN_SIGNUP: 'true' }
    assert.deepEqual(warnings(open), [], 'the default denies private targets')
    assert.match(
      warnings({ ...open, PHAROS_PRIVATE_TARGETS: 'allow' }).join('\n'),
      /^warning sign-up: .*anyone who signs up can reach your private network with monitors; set PHAROS_PRIVATE_TARGETS=deny$/,
    )
    assert.match(
      warnings({ ...open, PHAROS_PRIVATE_WEBHOOKS: '10.0.0.0/8' }).join('\n'),
      /^warning sign-up: .*PHAROS_PRIVATE_WEBHOOKS is 10\.0\.0\.0\/8, so .*; set PHAROS_PRIVATE_WEBHOOKS=deny$/,
    )
    assert.deepEqual(warnings({ PHAROS_PRIVATE_TARGETS: 'allow' }), [], 'without sign-up the operator decides')
  })

  test('private addresses for visitors of status pages', () => {
    assert.match(
      warnings({ PHAROS_PRIVATE_SUBSCRIBERS: 'allow' }).join('\n'),
      /^warning subscribers: .*visitors of status pages can .*; set PHAROS_PRIVATE_SUBSCRIBERS=deny$/,
    )
  })

  test('a public address without TLS', () => {
    assert.match(
      warnings({ PHAROS_BASE_URL: 'http://status.example.com' }).join('\n'),
      /^warning TLS: .*unencrypted; use a proxy with TLS and set PHAROS_BASE_URL=https:\/\/status\.example\.com$/,
    )
    for (const host of ['localhost:3000', '127.0.0.1', '[::1]:3000', 'pharos.localhost']) {
      assert.deepEqual(warnings({ PHAROS_BASE_URL: `http://${host}` }), [], host)
    }
  })

  test('connections to PostgreSQL that others can read', () => {
    const at = (url: string) => warnings({ DATABASE_URL: url }).join('\n')
    assert.match(
      at('postgres://pharos:hush@db.example.com/pharos'),
      /^warning TLS: connections to PostgreSQL are not encrypted, .*; set sslmode=verify-full in DATABASE_URL$/,
    )
    assert.match(at('postgres://10.0.0.1,db/pharos?sslmode=no-verify'), /^warning TLS: .* accept every certificate/)
    for (const url of [
      'postgres://db.example.com/pharos?sslmode=require',
      'postgres://localhost,127.0.0.1,[::1]/pharos',
      'postgres://db/pharos',
      'postgres:///pharos?host=/run/postgresql',
      'postgres://pharos@/pharos?host=/run/postgresql',
    ]) {
      assert.equal(at(url), '', url)
    }
  })

  test('e-mails that others can read', () => {
    const at = (url: string) => warnings({ PHAROS_SMTP_URL: url, PHAROS_MAIL_FROM: 'pharos@example.com' }).join('\n')
    const plain =
      /^warning TLS: .* mail\.example\.com without TLS if it offers none; set PHAROS_SMTP_URL=smtps:\/\/… or add \?requireTLS=true$/
    assert.match(at('smtp://mail.example.com'), plain)
    assert.match(at('smtp://user:hush@mail.example.com?requireTLS=false'), plain)
    assert.match(
      at('smtps://user:hush@mail.example.com?tls.rejectUnauthorized=false'),
      /^warning TLS: .* whatever its certificate; remove tls\.rejectUnauthorized from PHAROS_SMTP_URL$/,
    )
    for (const url of ['smtp://user:hush@mail.example.com', 'smtps://mail.example.com', 'smtp://127.0.0.1:25']) {
      assert.equal(at(url), '', url)
    }
  })

  test('metrics on all addresses, or on a public one', () => {
    const listening = (listen: string) => warnings({ PHAROS_METRICS_LISTEN: listen }).join('\n')
    for (const host of ['0.0.0.0', '[::]', '::', '0', '[0:0:0:0:0:0:0:0]', '[::ffff:0.0.0.0]']) {
      assert.equal(
        listening(`${host}:9464`),
        'warning metrics: PHAROS_METRICS_LISTEN is on all addresses of this machine, and metrics need no password; set PHAROS_METRICS_LISTEN=127.0.0.1:9464 or an internal address, or let a firewall admit only your Prometheus',
        host,
      )
    }
    for (const host of ['203.0.114.7', '[2a00:1450:4001::1]']) {
      assert.match(listening(`${host}:9464`), /^warning metrics: PHAROS_METRICS_LISTEN is on the public address /, host)
    }
    for (const listen of [
      '9464',
      '127.0.0.1:9464',
      '[::1]:9464',
      'localhost:9464',
      '10.1.2.3:9464',
      '[fd00::1]:9464',
    ]) {
      assert.equal(listening(listen), '', listen)
    }
  })

  test('https without a trusted proxy', () => {
    assert.match(
      warnings({ PHAROS_BASE_URL: 'https://status.example.com' }).join('\n'),
      /^warning TLS: .*set PHAROS_TRUST_PROXY to the address of the proxy$/,
    )
  })
})

const mail = { PHAROS_SMTP_URL: 'smtp://user:hush@mail.example.com:587', PHAROS_MAIL_FROM: 'pharos@example.com' }

/** One more where this machine lets nobody ping. */
function warnings(count: number): number {
  using pinger = createPinger()
  return count + (pinger.methods().ipv4 === 'none' ? 1 : 0)
}

test('pharos doctor counts warnings apart from problems, and they do not fail it', async () => {
  await using workspace = await emptyWorkspace('sqlite')
  const env = { ...workspace.env, ...mail, PORT: '0', PHAROS_BASE_URL: 'http://status.example.com' }
  const { code, stdout } = await pharos(['doctor'], { env })
  assert.equal(code, 0, stdout)
  assert.match(stdout, /^! TLS +PHAROS_BASE_URL is http:\/\/status\.example\.com/m)
  assert.match(stdout, new RegExp(`\\nNo problems found, ${warnings(1)} warnings?\\.\\n$`))
  const found = JSON.parse((await pharos(['doctor', '--json'], { env })).stdout)
  assert.deepEqual([found.problems, found.warnings], [0, warnings(1)])
})

test('pharos doctor warns of missing mail settings and a server that is not running, and says what to do', async () => {
  await using workspace = await emptyWorkspace('sqlite')
  const env = { ...workspace.env, PORT: String(await closedPort()) }
  const { code, stdout } = await pharos(['doctor'], { env })
  assert.equal(code, 0, stdout)
  assert.match(
    stdout,
    /^! mail +PHAROS_SMTP_URL is not set, so e-mail alerts, invitations by e-mail, password reset and status page subscriptions by e-mail do not work; set PHAROS_SMTP_URL and PHAROS_MAIL_FROM$/m,
  )
  assert.match(
    stdout,
    new RegExp(`^! server +not running at http://127\\.0\\.0\\.1:${env.PORT}; start it with "pharos start"`, 'm'),
  )
  assert.match(stdout, new RegExp(`\\nNo problems found, ${warnings(2)} warnings\\.\\n$`))
})

test('pharos doctor gives up on a server that does not respond, and never prints the mail password', async () => {
  await using workspace = await emptyWorkspace('sqlite')
  await using silent = await listen(createServer())
  const file = join(workspace.folder, 'smtp')
  writeFileSync(file, mail.PHAROS_SMTP_URL)
  const { PHAROS_MAIL_FROM } = mail
  const env = { ...workspace.env, PHAROS_SMTP_URL_FILE: file, PHAROS_MAIL_FROM, PORT: `${silent.port}` }
  const { code, stdout } = await pharos(['doctor'], { env })
  assert.equal(code, 0, stdout)
  assert.match(stdout, /^✓ settings +read from files: PHAROS_SMTP_URL$/m)
  assert.match(stdout, /^! server +no response from http:\S+ within 2 s; check the log of the server, or restart it$/m)
  assert.match(stdout, /^✓ mail +sends through mail\.example\.com as pharos@example\.com$/m)
  assert.doesNotMatch(stdout, /hush/)
})

test('pharos doctor names an old address that two organizations want', async () => {
  await using workspace = await migratedWorkspace('sqlite')
  await using server = await startTestServer('sqlite', { ...workspace.storage, env: { PHAROS_ROLES: 'api' } })
  const stranger = server.client((await server.organization('PRO')).key)
  const statuses: number[] = []
  for (const client of [stranger, server.client()]) {
    const { id } = bodyOf(await client.post('/monitors', { name: 'Backup', type: 'CRON' }), 201)
    const address = { tool: 'KUMA', token: 'd0w7Kx4pQz' }
    statuses.push((await client.send('PUT', `/monitors/${id}/legacy-address`, address)).status)
  }
  assert.deepEqual(statuses, [200, 400])
  const env = { ...workspace.env, ...mail, PORT: '0', PHAROS_SECRET_KEY: SECRET_KEY }
  await eventually(async () => {
    const { code, stdout } = await pharos(['doctor'], { env })
    assert.equal(code, 0, stdout)
    assert.match(
      stdout,
      /^! old address {2}mon_\w+ of test takes signals at an old address that default wanted for mon_\w+ at /m,
    )
  })
})
