import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { checks, uploadChecks } from '../importers/stored-imports/upload.ts'
import { useApi } from '../support/api.ts'

const PAUSE_MS = 4_000

describe('uploads that arrive slowly', () => {
  const api = useApi('sqlite', { timeouts: { headersMs: 10_000, bodyMs: PAUSE_MS, drainMs: 1_000 } })

  /** Sends a file in parts, one every 100 ms, until the server answers. Returns the answer. */
  const drip = async (key: string, file: Buffer, partBytes: number): Promise<string> => {
    const { hostname, port } = new URL(api.server.url)
    const socket = connect(Number(port), hostname)
    let answer = ''
    socket
      .on('error', () => undefined)
      .on('data', (chunk) => {
        answer += chunk
      })
    await once(socket, 'connect')
    const headers = [`X-API-Key: ${key}`, 'Content-Type: application/octet-stream', `Content-Length: ${file.length}`]
    const head = ['POST /api/v1/imports?source=healthchecks HTTP/1.1', 'Host: a', 'Connection: close', ...headers]
    socket.write(`${head.join('\r\n')}\r\n\r\n`)
    for (let from = 0; from < file.length && answer === ''; from += partBytes) {
      socket.write(file.subarray(from, from + partBytes))
      await delay(100)
    }
    if (!socket.closed) await once(socket, 'close')
    return answer
  }

  test('take no place from others, and are refused below 64 KiB per second', async () => {
    const slow = [await api.tenant(), await api.tenant()]
    const answers = slow.map(({ key }) => drip(key, checks, 1))
    const { key } = await api.tenant()
    await uploadChecks({ url: api.server.url, key })
    for (const answer of await Promise.all(answers)) {
      assert.match(answer, /^HTTP\/1\.1 400 /)
      assert.match(answer, /\r\nconnection: close\r\n/i)
      assert.match(answer, /body arrived too slowly: send at least 64 KiB per second/)
    }
  })

  test('are read if they take longer than a pause may, but are fast enough', async () => {
    const { key } = await api.tenant()
    const partBytes = 40_000
    const rest = Buffer.alloc((partBytes * PAUSE_MS * 1.5) / 100, ' ')
    assert.match(await drip(key, Buffer.concat([checks, rest]), partBytes), /^HTTP\/1\.1 201 /)
  })

  test('wait for a reader process while those of others run', async () => {
    const keys = await Promise.all(Array.from({ length: 4 }, async () => (await api.tenant()).key))
    await Promise.all(keys.map((key) => uploadChecks({ url: api.server.url, key })))
  })
})
