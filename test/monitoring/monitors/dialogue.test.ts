import assert from 'node:assert/strict'
import net from 'node:net'
import { test } from 'node:test'
import { execute, q } from '../../../src/storage/query.ts'
import { listen } from '../../outbound/fixtures.ts'
import { forEachEngine } from '../../support/engines.ts'
import { eventually } from '../../support/eventually.ts'
import { createMonitor, expectError, smallest } from '../../support/monitors.ts'
import { type Client, startTestServer } from '../../support/server.ts'

const env = { PHAROS_PRIVATE_TARGETS: 'allow', PHAROS_ROLES: 'api' }

/** On a busy machine a thread may stall and make a check inconclusive; then it is repeated. */
const expectChecked = (client: Client, id: string, state: string) =>
  eventually(async () => assert.equal((await client.post(`/monitors/${id}/check`, {})).body.state, state))

forEachEngine('the dialogue of a PORT monitor', (engine) => {
  test('decides about the state, survives a PATCH and a pause, and is part of a test', async () => {
    let greeting = '220 mail.example\r\n'
    await using smtp = await listen(
      net.createServer((socket) => {
        socket.on('error', () => undefined).write(greeting)
        socket.on('data', (line) => socket.write(`${line}`.startsWith('EHLO') ? '250 ok\r\n' : '221 bye\r\n'))
      }),
    )
    await using server = await startTestServer(engine, { env })
    const client = server.client()
    const settings = smallest('PORT', { host: '127.0.0.1', port: smtp.port, timeoutSeconds: 1 })
    const { id } = await createMonitor(client, settings)
    const dialogue = { transport: 'TCP', preset: 'SMTP' }
    assert.equal((await client.send('PUT', `/monitors/${id}/dialogue`, dialogue)).status, 200)
    await client.patch(`/monitors/${id}`, { name: 'Mail' })
    await client.post(`/monitors/${id}/pause`)
    await client.post(`/monitors/${id}/resume`)
    assert.deepEqual((await client.get(`/monitors/${id}/dialogue`)).body, dialogue)
    await expectChecked(client, id, 'UP')
    greeting = '421 too busy\r\n'
    await expectChecked(client, id, 'DOWN')
    const [{ id: incident }] = (await client.get('/incidents')).body.data
    const { cause, causeCode } = (await client.get(`/incidents/${incident}`)).body
    assert.equal(causeCode, 'KEYWORD')
    assert.equal(cause, 'Step 1: expected /(?m)^220 /, received "421 too busy\\r\\n" within 1 s')
    const tried = await client.post('/monitors/try', { ...settings, options: { dialogue } })
    assert.equal(tried.body.error, cause)
  })

  test('keeps what it sends secret: sealed, shown as "set", kept by a PUT of the same steps, hidden in replies', async () => {
    const PASSWORD = 'corrèct-horse'
    let isCommandKnown = true
    await using redis = await listen(
      net.createServer((socket) => {
        socket
          .on('error', () => undefined)
          .on('data', (line) => {
            if (!isCommandKnown)
              socket.write(`-ERR unknown command, with args beginning with: '${`${line}`.trim()}'\r\n`)
            else if (`${line}` === `AUTH probe ${PASSWORD}\r\n`) socket.write('+OK\r\n')
            else socket.write(`${line}` === 'PING\r\n' ? '+PONG\r\n' : '-WRONGPASS\r\n')
          })
      }),
    )
    await using server = await startTestServer(engine, { env })
    const client = server.client()
    const settings = smallest('PORT', { host: '127.0.0.1', port: redis.port, timeoutSeconds: 1 })
    const { id } = await createMonitor(client, settings)
    const path = `/monitors/${id}/dialogue`
    const steps = [
      { send: `AUTH probe ${PASSWORD}\r\n`, expect: '+OK' },
      { sendHex: Buffer.from('PING\r\n').toString('hex'), expect: '+PONG' },
    ]
    const shown = {
      transport: 'TCP',
      steps: [
        { send: 'set', expect: '+OK' },
        { sendHex: 'set', expect: '+PONG' },
      ],
    }
    assert.deepEqual((await client.send('PUT', path, { steps })).body, shown)
    assert.deepEqual((await client.get(path)).body, shown)
    const rows = await server.running.database.read(execute(q.selectFrom('monitors').selectAll()))
    assert.doesNotMatch(JSON.stringify(rows), /horse/)
    await expectChecked(client, id, 'UP')

    assert.equal((await client.send('PUT', path, shown)).status, 200)
    await expectChecked(client, id, 'UP')
    const tried = await client.post('/monitors/try', { ...settings, monitorId: id, options: { dialogue: shown } })
    assert.equal(tried.body.error, null)
    const refused = async (body: object, ...paths: string[]) =>
      expectError(await client.send('PUT', path, body), 'validation_error', paths)
    await refused({ ...shown, transport: 'TLS' }, 'steps.0.send', 'steps.1.sendHex')
    await refused({ steps: shown.steps.slice(1) }, 'steps.0.sendHex')
    await refused({ steps: shown.steps.toReversed() }, 'steps.0.sendHex', 'steps.1.send')
    await refused({ steps: [...shown.steps, { send: 'set' }] }, 'steps.0.send', 'steps.1.sendHex', 'steps.2.send')

    isCommandKnown = false
    await expectChecked(client, id, 'DOWN')
    const [{ id: incident }] = (await client.get('/incidents')).body.data
    const { cause } = (await client.get(`/incidents/${incident}`)).body
    assert.match(
      cause,
      /^Step 1: expected "\+OK", received "-ERR unknown command, with args beginning with: '\*\*\* \*\*\* \*\*\*'/,
    )
  })
})

test('a dialogue that cannot work is refused with the path of each fault', async () => {
  await using server = await startTestServer('sqlite', { env })
  const client = server.client()
  const { id } = await createMonitor(client, smallest('PORT'))
  const refused = async (body: object, ...paths: string[]) =>
    expectError(await client.send('PUT', `/monitors/${id}/dialogue`, body), 'validation_error', paths)
  await refused({}, 'steps')
  await refused({ preset: 'GOPHER' }, 'preset')
  await refused({ preset: 'constructor' }, 'preset')
  await refused({ preset: 'NTP' }, 'transport')
  await refused({ preset: 'REDIS', transport: 'STARTTLS' }, 'transport')
  await refused({ preset: 'SMTP', steps: [{ expect: '220' }] }, 'steps')
  await refused(
    { steps: [{ send: 'x', sendHex: '0' }, { startTls: true }, {}] },
    'steps.0.sendHex',
    'steps.1.startTls',
    'steps.2.send',
  )
  await refused({ steps: [{ expect: '/(/' }, { expect: '/a{1,2000}/' }] }, 'steps.0.expect', 'steps.1.expect')
  await refused({ transport: 'UDP', steps: [{ sendHex: '00' }] }, 'steps')
  await refused({ transport: 'STARTTLS', steps: [{ expect: '220' }] }, 'steps')
  await refused({ steps: Array(11).fill({ expect: '220' }) }, 'steps')
})
