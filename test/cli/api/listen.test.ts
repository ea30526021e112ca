import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, test } from 'node:test'
import { verifyWebhook } from '../../../clients/typescript/src/webhooks.ts'
import { foreign, startScriptedServer } from '../../clients/scripted-server.ts'
import { useApi } from '../../support/api.ts'
import { eventually } from '../../support/eventually.ts'
import { openShell, program } from '../../support/pharos-process.ts'

describe('pharos webhooks', () => {
  const api = useApi('sqlite')

  test('listen forwards the events of a server that cannot reach this machine, signed, and leaves nothing behind', async () => {
    const { key, client } = await api.tenant()
    await using receiver = await startScriptedServer(foreign('ok'))
    const env = { PATH: process.env.PATH, PHAROS_URL: api.server.url, PHAROS_API_KEY: key }
    const args = [program, 'webhooks', 'listen', '--forward-to', `${receiver.url}/hooks`]
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
    const closed = once(child, 'close')
    try {
      let output = ''
      child.stdout.on('data', (chunk) => (output += chunk))
      await eventually(async () => assert.match(output, /signed with whsec_\S+\. Ctrl\+C ends/))
      const secret = /whsec_[^.\s]+/.exec(output)?.[0] ?? ''
      for (const name of ['First', 'Second']) await client.post('/monitors', { name, type: 'CRON' })
      await eventually(async () => assert.equal(receiver.received.length, 2))
      const events = await Promise.all(
        receiver.received.map(({ body, headers }) => verifyWebhook(body, headers as Record<string, string>, secret)),
      )
      assert.deepEqual(
        events.map(({ type, data }) => [type, (data as { name: string }).name]),
        [
          ['monitor.created', 'First'],
          ['monitor.created', 'Second'],
        ],
      )
      await eventually(async () => assert.match(output, /monitor\.created {2}evt_\w+ {2}HTTP 200\n.*HTTP 200\n$/))
      child.kill('SIGINT')
      assert.deepEqual(await closed, [0, null])
      assert.equal((await client.get('/webhook-endpoints')).body.pagination.total, 0)
    } finally {
      child.kill('SIGKILL')
    }
  })

  test('trigger sends the example of an event, signed', async () => {
    await using receiver = await startScriptedServer(foreign('ok'))
    const secret = `whsec_${Buffer.from('secret of the receiver').toString('base64')}`
    const { key } = await api.tenant()
    await using shell = openShell({ PHAROS_URL: api.server.url, PHAROS_API_KEY: key, PHAROS_WEBHOOK_SECRET: secret })
    const to = ['--forward-to', receiver.url]
    const { code, stdout } = await shell.run('webhooks', 'trigger', 'incident.opened', ...to)
    assert.deepEqual([code, stdout.endsWith(': HTTP 200\n')], [0, true])
    const [{ body, headers }] = receiver.received as [(typeof receiver.received)[0]]
    const event = await verifyWebhook(body, headers as Record<string, string>, secret)
    assert.equal(event.type, 'incident.opened')
    const unknown = await shell.run('webhooks', 'trigger', 'x', ...to)
    assert.match(unknown.stderr, /^pharos: There is no event "x"/)
  })
})
