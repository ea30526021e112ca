import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { looseSettings } from '../../src/cli/judge-settings.ts'
import { readConfig } from '../../src/server/config/config.ts'
import { newWorkspace, pharos } from '../support/pharos-process.ts'

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
      /^warning sign-up: .*PHAROS_PRIVATE_WEBHOOKS is 10\.0\.0\.0\/8: .*; set PHAROS_PRIVATE_WEBHOOKS=deny$/,
    )
    assert.deepEqual(warnings({ PHAROS_PRIVATE_TARGETS: 'allow' }), [], 'without sign-up the operator decides')
  })

  test('a public address without TLS', () => {
    assert.match(
      warnings({ PHAROS_BASE_URL: 'http://status.example.com' }).join('\n'),
      /^warning TLS: .*unencrypted; put a proxy with TLS in front and set PHAROS_BASE_URL=https:\/\/status\.example\.com$/,
    )
    for (const host of ['localhost:3000', '127.0.0.1', '[::1]:3000', 'pharos.localhost']) {
      assert.deepEqual(warnings({ PHAROS_BASE_URL: `http://${host}` }), [], host)
    }
  })

  test('https without a trusted proxy', () => {
    assert.match(
      warnings({ PHAROS_BASE_URL: 'https://status.example.com' }).join('\n'),
      /^warning TLS: .*set PHAROS_TRUST_PROXY to the address of the proxy$/,
    )
  })
})

test('pharos doctor counts warnings apart from problems, and they do not fail it', async () => {
  await using workspace = await newWorkspace('sqlite')
  const env = { ...workspace.env, PHAROS_BASE_URL: 'http://status.example.com' }
  const { code, stdout } = await pharos(['doctor'], { env })
  assert.equal(code, 0, stdout)
  assert.match(stdout, /^! TLS +PHAROS_BASE_URL is http:\/\/status\.example\.com/m)
  assert.match(stdout, /\nNo problems found, 1 warning\.\n$/)
  const { problems, warnings } = JSON.parse((await pharos(['doctor', '--json'], { env })).stdout)
  assert.deepEqual([problems, warnings], [0, 1])
})
