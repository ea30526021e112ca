import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachEngine } from '../../support/engines.ts'
import { useInstallation } from '../../support/person.ts'

forEachEngine('PATCH /me', (engine) => {
  const installation = useInstallation(engine)

  test('changes the name or the language, and keeps what is omitted', async () => {
    const { owner } = installation
    const { body: before } = await owner.get('/me')
    assert.equal(before.user.language, null)
    const { status, body } = await owner.patch('/me', { language: 'de' })
    assert.deepEqual([status, body.language, body.name], [200, 'de', before.user.name])
    const renamed = await owner.patch('/me', { name: 'Ada' })
    assert.deepEqual([renamed.body.name, renamed.body.language], ['Ada', 'de'])
    assert.deepEqual((await owner.get('/me')).body.user, renamed.body)
    assert.equal((await owner.patch('/me', { language: null })).body.language, null)
  })

  test('refuses a language that the dashboard does not have', async () => {
    const { status, body } = await installation.owner.patch('/me', { language: 'tlh' })
    assert.deepEqual([status, body.error.details[0].path], [400, 'language'])
  })
})
