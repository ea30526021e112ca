import assert from 'node:assert/strict'
import net from 'node:net'
import { after, before, describe, test } from 'node:test'
import { presetNamed, presetNames } from '../../src/monitoring/monitor-types/port/dialogue/presets.ts'
import { type Listener, listen } from '../outbound/fixtures.ts'
import { expectAccessible, useDashboard, withoutBrowser } from './dashboard.ts'

describe('The dialogue in the form of a PORT monitor', { skip: withoutBrowser }, () => {
  const stack = new AsyncDisposableStack()
  let target: Listener
  before(async () => {
    const server = net.createServer((socket) => {
      socket.on('error', () => undefined)
      socket.on('data', (line) => socket.write(`${line}` === 'PING\r\n' ? '+PONG\r\n' : '-ERR\r\n'))
    })
    target = stack.use(await listen(server))
  })
  const dashboard = useDashboard()
  after(() => stack.disposeAsync())

  test('is a preset that is tested, or own steps, and is removed again', async () => {
    const page = await dashboard.open()
    const { body } = await dashboard.owner.post('/v1/monitors', {
      type: 'PORT',
      name: 'Cache',
      host: '127.0.0.1',
      port: target.port,
      timeoutSeconds: 1,
    })
    const stored = async () => (await dashboard.owner.get(`/v1/monitors/${body.id}/dialogue`)).body
    const edit = () => page.goto(dashboard.at(`/monitors/${body.id}/edit`))
    const save = async () => {
      await page.getByRole('button', { name: 'Save changes' }).click()
      await page.getByRole('heading', { name: 'Cache' }).waitFor()
    }
    await edit()
    await page.getByLabel('Check', { exact: true }).selectOption('SMTP')
    await page.getByRole('button', { name: 'Run test' }).click()
    await page.getByText(/Step 1: expected .*received nothing within 1 s/).waitFor()
    await page.getByLabel('Check', { exact: true }).selectOption('Redis')
    await page.getByRole('button', { name: 'Run test' }).click()
    await page.getByText(/Step 1/).waitFor({ state: 'detached' })
    await save()
    assert.deepEqual(await stored(), { transport: 'TCP', preset: 'REDIS' })
    await edit()
    await page.getByLabel('Check', { exact: true }).selectOption('Own steps')
    await page.getByLabel('Send in step 1').fill('PING\\r\\n')
    await page.getByLabel('Expect in step 1').fill('/(/')
    await page.getByRole('button', { name: 'Add step' }).click()
    await page.getByLabel('Send in step 2').fill('\\x01\\\\x')
    await expectAccessible(page, 'monitor-form-dialogue')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText(/not valid at character 2/).waitFor()
    await page.getByLabel('Expect in step 1').fill('+PONG')
    await save()
    const shown = { transport: 'TCP', steps: [{ send: 'set', expect: '+PONG' }, { sendHex: 'set' }] }
    assert.deepEqual(await stored(), shown)
    assert.equal((await dashboard.owner.post(`/v1/monitors/${body.id}/check`, {})).body.state, 'UP')
    await edit()
    assert.equal(await page.getByLabel('Send in step 1').inputValue(), '')
    await page.getByLabel('Send in step 2').fill('QUIT\\r\\n')
    await save()
    assert.deepEqual(await stored(), { transport: 'TCP', steps: [shown.steps[0], { send: 'set' }] })
    assert.equal((await dashboard.owner.post(`/v1/monitors/${body.id}/check`, {})).body.state, 'UP', 'step 1 was kept')
    await edit()
    await page.getByRole('button', { name: 'Remove step 2' }).click()
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.locator('input:invalid').waitFor()
    await edit()
    await page.getByLabel('Host', { exact: true }).fill('localhost')
    await page.getByText('The address is that of another server.').waitFor()
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.locator('input:invalid').first().waitFor()
    assert.equal((await stored()).steps.length, 2, 'nothing is saved without what is sent')
    await page.getByLabel('Send in step 1').fill('PING\\r\\n')
    await page.getByLabel('Send in step 2').fill('QUIT\\r\\n')
    await save()
    assert.deepEqual(await stored(), { transport: 'TCP', steps: [shown.steps[0], { send: 'set' }] })
    assert.equal((await dashboard.owner.post(`/v1/monitors/${body.id}/check`, {})).body.state, 'UP')
    await edit()
    await page.getByLabel('Check', { exact: true }).selectOption('Only connect')
    await save()
    assert.deepEqual(await stored(), { transport: null })
  })

  test('offers the presets of the server with their transports', async () => {
    const page = await dashboard.open()
    await page.goto(dashboard.at('/monitors/new'))
    await page.getByRole('radio', { name: /^Port/ }).click()
    const check = page.getByLabel('Check', { exact: true })
    const values = await check
      .locator('option')
      .evaluateAll((all) => all.map((one) => (one as unknown as { value: string }).value))
    assert.deepEqual(values, ['NONE', ...presetNames, 'STEPS'])
    for (const name of presetNames) {
      await check.selectOption(name)
      const offered = page.getByLabel('Transport', { exact: true }).locator('option')
      const transports = await offered.evaluateAll((all) =>
        all.map((one) => (one as unknown as { value: string }).value),
      )
      assert.deepEqual(transports.sort(), Object.keys(presetNamed(name) ?? {}).sort(), name)
    }
  })
})
