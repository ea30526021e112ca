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

  test('listen does not print the secret of the environment', async () => {
    const { key } = await api.tenant()
    const secret = `whsec_${Buffer.from('secret of the receiver').toString('base64')}`
    const connection = { PHAROS_URL: api.server.url, PHAROS_API_KEY: key, PHAROS_WEBHOOK_SECRET: secret }
    const args = [program, 'webhooks', 'listen', '--forward-to', 'http://127.0.0.1:9/']
    for (const more of [[], ['--show-secret']]) {
      const child = spawn(process.execPath, [...args, ...more], {
        env: { PATH: process.env.PATH, ...connection },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const closed = once(child, 'close')
      try {
        const [chunk] = await once(child.stdout, 'data')
        const signer = more.length > 0 ? secret : 'PHAROS_WEBHOOK_SECRET'
        assert.equal(`${chunk}`, `Forwarding to http://127.0.0.1:9/, signed with ${signer}. Ctrl+C ends.\n`)
        child.kill('SIGINT')
        assert.deepEqual(await closed, [0, null])
      } finally {
        child.kill('SIGKILL')
      }
    }
  })

  test('trigger sends the example of an event, signed', async () => {
    await using receiver = await startScriptedServer(foreign('ok'))
    const secret = `whsec_${Buffer.from('secret of the receiver').toString('base64')}`
    const { key } = await api.tenant()
    await using shell = openShell({ PHAROS_URL: api.server.url, PHAROS_API_KEY: key, PHAROS_WEBHOOK_SECRET: secret })
    const to = ['--forward-to', receiver.url]
    const { code, stdout } = await shell.run('webhooks', 'trigger', 'incident.opened', ...to)
    assert.equal(code, 0)
    const sent = `Sent incident.opened to ${receiver.url}, signed with`
    assert.equal(stdout, `${sent} PHAROS_WEBHOOK_SECRET: HTTP 200\n`)
    const shown = await shell.run('webhooks', 'trigger', 'incident.opened', ...to, '--show-secret')
    assert.equal(shown.stdout, `${sent} ${secret}: HTTP 200\n`)
    const json = await shell.run('webhooks', 'trigger', 'incident.opened', ...to, '--json')
    assert.equal(JSON.parse(json.stdout).secret, undefined)
    const generated = await shell.runWith(
      { PHAROS_WEBHOOK_SECRET: '' },
      ...['webhooks', 'trigger', 'incident.opened', ...to, '--json'],
    )
    assert.match(JSON.parse(generated.stdout).secret, /^whsec_/, 'the user has no other way to learn it')
    const [{ body, headers }] = receiver.received as [(typeof receiver.received)[0]]
    const event = await verifyWebhook(body, headers as Record<string, string>, secret)
    assert.equal(event.type, 'incident.opened')
    const unknown = await shell.run('webhooks', 'trigger', 'x', ...to)
    assert.match(unknown.stderr, /^pharos: There is no event "x"/)
  })
})
