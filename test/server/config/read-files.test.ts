import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { readConfig } from '../../../src/server/config/config.ts'
import { clientVariables, serverVariables, unknownVariables } from '../../../src/server/config/unknown-variables.ts'

const folder = mkdtempSync(join(tmpdir(), 'pharos-files-'))
after(() => rmSync(folder, { recursive: true, force: true }))

function file(name: string, content: string): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

function problemsOf(env: Record<string, string>): string {
  try {
    readConfig(env)
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

const SEAL_KEY = Buffer.alloc(32, 3)
const URL_WITH_PASSWORD = 'postgres://pharos:hush-hush@db/pharos'
const PASSWORD = 'correct horse battery '

describe('a variable that is given as NAME_FILE', () => {
  test('has the content of the file, without the line breaks at its end', () => {
    const config = readConfig({
      PHAROS_SECRET_KEY_FILE: file('seal', `${SEAL_KEY.toString('base64')}\n`),
      DATABASE_URL_FILE: file('url', `${URL_WITH_PASSWORD}\r\n`),
      PHAROS_FIRST_USER_EMAIL: 'ada@example.com',
      PHAROS_FIRST_USER_PASSWORD_FILE: file('password', `${PASSWORD}\n\n`),
      PHAROS_SMTP_URL: '',
      PHAROS_SMTP_URL_FILE: file('smtp', 'smtp://user:hush@mail.example.com'),
      PHAROS_MAIL_FROM: 'pharos@example.com',
      PHAROS_BASE_URL_FILE: '',
    })
    assert.deepEqual(config.secretKeys, [SEAL_KEY])
    assert.equal(config.databaseUrl, URL_WITH_PASSWORD)
    assert.equal(config.drainSeconds, 5, 'defaults follow it')
    assert.deepEqual(config.firstUser, { email: 'ada@example.com', password: PASSWORD })
    assert.equal(config.mail?.url, 'smtp://user:hush@mail.example.com')
    assert.equal(config.baseUrl, undefined)
  })

  test('is known for every variable', () => {
    const all = [...serverVariables, ...clientVariables].map((name) => [`${name}_FILE`, '/run/secrets/x'])
    assert.deepEqual(unknownVariables(Object.fromEntries(all)), [])
    assert.deepEqual(unknownVariables({ PHAROS_SECRET_FILE: '/run/secrets/x' }), ['PHAROS_SECRET_FILE'])
  })

  test('is refused together with NAME, and if the file is missing, empty or not readable', () => {
    mkdirSync(join(folder, 'folder'))
    const problem = (path: string): string => problemsOf({ PHAROS_SECRET_KEY_FILE: path })
    assert.equal(problem(file('empty', '\n')), 'PHAROS_SECRET_KEY_FILE: the file is empty')
    assert.equal(
      problem(join(folder, 'folder')),
      'PHAROS_SECRET_KEY_FILE: cannot read the file: EISDIR: illegal operation on a directory',
    )
    assert.equal(
      problem(join(folder, 'missing')),
      'PHAROS_SECRET_KEY_FILE: cannot read the file: ENOENT: no such file or directory',
    )
    const both = { PHAROS_SECRET_KEY: SEAL_KEY.toString('base64'), PHAROS_SECRET_KEY_FILE: file('both', 'x') }
    assert.equal(problemsOf(both), 'PHAROS_SECRET_KEY: set PHAROS_SECRET_KEY or PHAROS_SECRET_KEY_FILE, not both')
  })

  test('never has its value in an error, nor one that was given instead of a path', () => {
    const secret = 'hush-hush'
    const names = ['PHAROS_SECRET_KEY', 'PHAROS_BOOTSTRAP_KEY', 'DATABASE_URL', 'PHAROS_SMTP_URL'] as const
    for (const name of [...names, 'PHAROS_FIRST_USER_PASSWORD']) {
      const wrong = problemsOf({ [`${name}_FILE`]: file('wrong', secret) })
      assert.match(wrong, new RegExp(`^${name}: `, 'm'))
      assert.doesNotMatch(wrong, /hush/)
      assert.doesNotMatch(problemsOf({ [`${name}_FILE`]: secret }), /hush/)
    }
  })
})

test('variables that Kubernetes adds for Services named pharos… are not unknown, others are', () => {
  const added = {
    PHAROS_SERVICE_HOST: '10.0.0.1',
    PHAROS_SERVICE_PORT: '3000',
    PHAROS_SERVICE_PORT_HTTP: '3000',
    PHAROS_PORT: 'tcp://10.0.0.1:3000',
    PHAROS_PORT_3000_TCP: 'tcp://10.0.0.1:3000',
    PHAROS_PORT_3000_TCP_PROTO: 'tcp',
    PHAROS_PORT_3000_TCP_PORT: '3000',
    PHAROS_PORT_3000_TCP_ADDR: '10.0.0.1',
    PHAROS_POSTGRESQL_SERVICE_HOST: '10.0.0.2',
    PHAROS_POSTGRESQL_PORT: 'tcp://10.0.0.2:5432',
  }
  assert.deepEqual(unknownVariables(added), [])
  assert.deepEqual(unknownVariables({ PHAROS_PORT: '3000', PHAROS_LOGLEVEL: 'info' }), [
    'PHAROS_PORT',
    'PHAROS_LOGLEVEL',
  ])
})
