import assert from 'node:assert/strict'
import http from 'node:http'
import { after, before, describe, test } from 'node:test'
import { type Listener, listen } from '../outbound/fixtures.ts'
import { expectAccessible, useDashboard, withoutBrowser } from './dashboard.ts'

describe('Request options in the form of a monitor', { skip: withoutBrowser }, () => {
  const stack = new AsyncDisposableStack()
  let target: Listener
  before(async () => {
    const server = http.createServer(({ headers }, response) =>
      response.writeHead(headers.authorization === `Basic ${btoa('me:right')}` ? 200 : 401).end(),
    )
    target = stack.use(await listen(server))
  })
  const dashboard = useDashboard()
  after(() => stack.disposeAsync())

  test('are tested and saved with a new monitor, and a refused one creates no second monitor', async () => {
    const page = await dashboard.open()
    await page.goto(dashboard.at('/monitors/new'))
    await page.getByLabel('URL or host', { exact: true }).fill(`http://127.0.0.1:${target.port}/`)
    await page.getByLabel('Name', { exact: true }).fill('Login API')
    await page.getByText('Connection and login', { exact: true }).click()
    await page.getByLabel('Login', { exact: true }).selectOption('Basic (user and password)')
    await page.getByLabel('User', { exact: true }).fill('me')
    await page.getByLabel('Password', { exact: true }).fill('right')
    await page.getByRole('button', { name: 'Run test' }).click()
    await page.getByText(/HTTP 200 in/).waitFor()
    await page.getByLabel('DNS server', { exact: true }).fill('nowhere')
    await expectAccessible(page, 'monitor-form-request')
    await page.getByRole('button', { name: 'Create monitor' }).click()
    await page.getByText('Must be host:port, such as 192.0.2.53:53').waitFor()
    await page.getByLabel('DNS server', { exact: true }).fill('')
    await page.getByRole('button', { name: 'Create monitor' }).click()
    await page.getByRole('heading', { name: 'Login API' }).waitFor()
    const { data } = (await dashboard.owner.get('/v1/monitors')).body
    assert.equal(data.length, 1)
  })

  test('keep a stored secret that is left empty, and are removed when they are cleared', async () => {
    const page = await dashboard.open()
    const [{ id }] = (await dashboard.owner.get('/v1/monitors')).body.data
    const stored = async () => (await dashboard.owner.get(`/v1/monitors/${id}/request`)).body
    const edit = async () => {
      await page.goto(dashboard.at(`/monitors/${id}/edit`))
      await page.getByText('Connection and login', { exact: true }).click()
    }
    const save = async () => {
      await page.getByRole('button', { name: 'Save changes' }).click()
      await page.getByRole('heading', { name: 'Login API' }).waitFor()
    }
    await edit()
    assert.equal(await page.getByLabel('Password', { exact: true }).inputValue(), '')
    await page.getByLabel('IP version', { exact: true }).selectOption('IPv4 only')
    await page.getByRole('button', { name: 'Run test' }).click()
    await page.getByText('HTTP 200 in').waitFor()
    await save()
    const auth = { type: 'BASIC', username: 'me', password: 'set' }
    assert.deepEqual(await stored(), { auth, addressFamily: 'IPV4' })
    assert.equal((await dashboard.owner.post(`/v1/monitors/${id}/check`, {})).body.state, 'UP')
    await page.goto(dashboard.at(`/monitors/new?copy=${id}`))
    await page.getByText('Passwords, tokens and private keys aren’t copied. Enter them again.').waitFor()
    await page.goto(dashboard.at(`/monitors/${id}/edit`))
    const url = page.getByLabel('URL', { exact: true })
    await url.fill(`http://localhost:${target.port}/`)
    await page.getByText('The URL leads to another server. Enter the login again, or remove it.').waitFor()
    await expectAccessible(page, 'monitor-form-moved')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.locator('input[type=password]:invalid').waitFor()
    assert.deepEqual(await stored(), { auth, addressFamily: 'IPV4' }, 'nothing is saved without the password')
    await page.getByLabel('Password', { exact: true }).fill('right')
    await save()
    assert.deepEqual(await stored(), { auth, addressFamily: 'IPV4' })
    assert.equal((await dashboard.owner.post(`/v1/monitors/${id}/check`, {})).body.state, 'UP')
    await edit()
    await page.getByLabel('Login', { exact: true }).selectOption('None')
    await page.getByLabel('IP version', { exact: true }).selectOption('Automatic')
    await save()
    assert.deepEqual(await stored(), {})
  })
})
