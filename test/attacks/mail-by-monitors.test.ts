import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Dialogue } from '../../src/contract/check-options.ts'
import type { FullTarget } from '../../src/monitoring/monitor-types/definitions.ts'
import { createProbes } from '../../src/monitoring/probes/create-probes.ts'
import { reason } from '../../src/reasons/reason.ts'
import { faultsOf } from '../configuration/support.ts'
import { targetOf } from '../monitoring/monitor-types/target.ts'
import { never } from '../outbound/fixtures.ts'
import { useApi } from '../support/api.ts'
import { createMonitor, smallest } from '../support/monitors.ts'

const mail = ['EHLO x', 'MAIL FROM:<ceo@bank.example>', 'RCPT TO:<victim@shop.example>', 'DATA', '.', 'QUIT']
const ownSteps = { transport: 'TCP', steps: mail.map((line) => ({ send: `${line}\r\n`, expect: '/./' })) } as const
const rule = 'on ports 25, 465 and 587 this installation sends only presets, because other texts could be e-mails'
const MAIL_PORTS = [25, 465, 587]

describe('with private targets denied, what a monitor sends to a mail server of its own', () => {
  const api = useApi('sqlite', { env: { PHAROS_PRIVATE_TARGETS: 'deny' } })
  const portMonitor = (port: number) => smallest('PORT', { host: 'mx.shop.example', port })

  test('is refused as a dialogue, in a test of settings and in a configuration document', async () => {
    const { client } = await api.tenant()
    for (const port of MAIL_PORTS) {
      const message = `must not send anything to port ${port}: ${rule}`
      const { id } = await createMonitor(client, portMonitor(port))
      const put = (dialogue: object) => client.send('PUT', `/monitors/${id}/dialogue`, dialogue)
      const answer = await put(ownSteps)
      assert.deepEqual([answer.status, answer.body.error?.details], [400, [{ path: 'steps', message }]])
      const sendHex = { steps: [{ sendHex: '51554954' }] }
      assert.equal((await put(sendHex)).status, 400)
      const tried = await client.post('/monitors/try', { ...portMonitor(port), options: { dialogue: ownSteps } })
      assert.deepEqual(tried.body.error?.details, [{ path: 'options.dialogue.steps', message }])
      const monitors = { mx: { ...portMonitor(port), dialogue: ownSteps } }
      assert.deepEqual(await faultsOf(client, { version: 1, monitors }), [
        `document.monitors.mx.dialogue.steps ${message}`,
      ])
      for (const fine of [{ preset: 'SMTP', transport: 'STARTTLS' }, { steps: [{ expect: '220 ' }] }])
        assert.equal((await put(fine)).status, 200, JSON.stringify(fine))
    }
  })

  test('is removed with a change of the port, so that no dialogue comes to these ports that way', async () => {
    const { client } = await api.tenant()
    const { id } = await createMonitor(client, portMonitor(2526))
    assert.equal((await client.send('PUT', `/monitors/${id}/dialogue`, ownSteps)).status, 200)
    assert.equal((await client.send('PATCH', `/monitors/${id}`, { port: 25 })).status, 200)
    assert.deepEqual((await client.get(`/monitors/${id}/dialogue`)).body, { transport: null })
  })
})

describe('with private targets allowed, what a monitor sends to a mail server of its own', () => {
  const api = useApi('sqlite', { env: { PHAROS_PRIVATE_TARGETS: 'allow' } })

  test('is not limited', async () => {
    const { client } = await api.tenant()
    const { id } = await createMonitor(client, smallest('PORT', { host: 'mx.shop.example', port: 25 }))
    assert.equal((await client.send('PUT', `/monitors/${id}/dialogue`, ownSteps)).status, 200)
  })
})

describe('a check that was stored before', () => {
  const probesOf = (privateTargets: string) =>
    createProbes({ privateTargets, confirmDelaysSeconds: [], dnsServers: [], rdapBootstrap: 'http://127.0.0.1:9/' })
  const refused = { outcome: 'inconclusive', reason: reason('check_mail_ports') }

  const probe = (type: string, parts: Partial<FullTarget>, privateTargets = 'deny') =>
    probesOf(privateTargets)(type, targetOf(parts), never)
  const host = '127.0.0.1'

  test('is not made, and says why', async () => {
    for (const port of MAIL_PORTS) {
      assert.deepEqual(await probe('PORT', { host, port, dialogue: ownSteps }), refused)
      const requestBody = mail.join('\r\n')
      assert.deepEqual(await probe('HTTP', { url: `http://${host}:${port}/`, requestBody }), refused)
      assert.deepEqual(await probe('KEYWORD', { url: `https://${host}:${port}/`, requestBody }), refused)
      const request = { proxyUrl: `http://${host}:${port}` }
      assert.deepEqual(await probe('HTTP', { url: 'http://127.0.0.1:1/', requestBody, request }), refused)
    }
  })

  test('is made with a preset, without a text of its own, at another port and where private targets are allowed', async () => {
    const isMade = async (type: string, parts: Partial<FullTarget>, privateTargets?: string) =>
      assert.equal((await probe(type, parts, privateTargets)).outcome, 'failure', JSON.stringify(parts))
    const preset: Dialogue = { transport: 'TCP', preset: 'SMTP' }
    await isMade('PORT', { host, port: 25, dialogue: preset })
    await isMade('PORT', { host, port: 25 })
    await isMade('HTTP', { url: `http://${host}:25/` })
    await isMade('PORT', { host, port: 2526, dialogue: ownSteps })
    await isMade('PORT', { host, port: 25, dialogue: ownSteps }, 'allow')
  })
})
