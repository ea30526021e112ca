import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CommandLine } from '../support/command-line.ts'
import { forEachEngine } from '../support/engines.ts'
import { PASSWORD, Person } from '../support/person.ts'

forEachEngine('pharos setup-link', (engine) => {
  const cli = new CommandLine(engine, { PHAROS_ROLES: 'api', PHAROS_BASE_URL: 'https://status.example.com' })

  test('prints a link that creates the first user, replaces the link before, and is refused afterwards', async () => {
    const linkPattern = /^https:\/\/status\.example\.com\/setup\?token=([\w-]{43})$/
    const [, first] = linkPattern.exec((await cli.json('setup-link')).link) ?? []
    const text = await cli.text('setup-link')
    const [, second] = linkPattern.exec(text.trim().split('\n').at(-1) ?? '') ?? []
    const user = { email: 'owner@example.com', password: PASSWORD, organizationName: 'Acme' }
    assert.equal((await new Person(cli.server).post('/setup', { ...user, token: first })).status, 404)
    assert.equal((await new Person(cli.server).post('/setup', { ...user, token: second })).status, 201)
    assert.match(await cli.refusal('setup-link'), /^There is already a user; .*"pharos users create"$/)
  })
})
