import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConfigError, readConfig } from '../../../src/server/config/config.ts'
import { unknownVariables } from '../../../src/server/config/unknown-variables.ts'

const sound = { PHAROS_OIDC_ISSUER: 'https://id.example.com/realm', PHAROS_OIDC_CLIENT_ID: 'pharos' }

function problemsOf(env: Record<string, string>): string {
  try {
    readConfig(env)
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    return error.message
  }
  return ''
}

test('by default the provider is named after its host and new users cannot sign up', () => {
  assert.equal(readConfig({}).oidc, undefined)
  assert.deepEqual(readConfig(sound).oidc, {
    issuer: 'https://id.example.com/realm',
    clientId: 'pharos',
    clientSecret: undefined,
    name: 'id.example.com',
    signupRole: undefined,
  })
  const more = { PHAROS_OIDC_CLIENT_SECRET: 's', PHAROS_OIDC_NAME: 'Acme ID', PHAROS_OIDC_SIGNUP: 'viewer' }
  const { clientSecret, name, signupRole } = readConfig({ ...sound, ...more }).oidc ?? {}
  assert.deepEqual([clientSecret, name, signupRole], ['s', 'Acme ID', 'VIEWER'])
  assert.equal(readConfig({ ...sound, PHAROS_OIDC_SIGNUP: 'none' }).oidc?.signupRole, undefined)
  assert.deepEqual(unknownVariables({ ...sound, ...more }), [])
})

test('an error names the variable and the expected value', () => {
  for (const issuer of ['id.example.com', 'http://id.example.com', 'ftp://id.example.com', 'https://a:b@c']) {
    assert.match(
      problemsOf({ ...sound, PHAROS_OIDC_ISSUER: issuer }),
      /^PHAROS_OIDC_ISSUER: must be an https URL \(http only for localhost\) without user name and password, not ".+"$/,
    )
  }
  for (const issuer of ['http://localhost:8080', 'http://127.0.0.1:8080', 'http://[::1]:8080']) {
    assert.equal(problemsOf({ ...sound, PHAROS_OIDC_ISSUER: issuer }), '', issuer)
  }
  for (const role of ['owner', 'king', 'true']) {
    const problem = problemsOf({ ...sound, PHAROS_OIDC_SIGNUP: role })
    assert.equal(problem, `PHAROS_OIDC_SIGNUP: must be one of none, admin, member, viewer; not "${role}"`)
  }
})
