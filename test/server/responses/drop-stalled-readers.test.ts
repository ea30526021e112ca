import assert from 'node:assert/strict'
import { createServer, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { test } from 'node:test'
import { dropStalledReaders } from '../../../src/server/responses/drop-stalled-readers.ts'
import { listen } from '../../outbound/fixtures.ts'

/** More than the system buffers for a connection. */
const MUCH = Buffer.alloc(16_000_000)

async function serve(answer: (response: ServerResponse) => void) {
  const server = createServer((_request, response) => answer(response))
  const dropped = Promise.withResolvers<void>()
  const stop = dropStalledReaders(server, dropped.resolve, 300)
  const listener = await listen(server)
  const socket = connect(listener.port, '127.0.0.1')
  socket.on('error', () => {})
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  return {
    socket,
    dropped: dropped.promise,
    async [Symbol.asyncDispose]() {
      stop()
      socket.destroy()
      await listener[Symbol.asyncDispose]()
    },
  }
}

test('a stream whose reader has stopped is closed, also while more is written to it', async () => {
  const closed = Promise.withResolvers<void>()
  await using served = await serve((response) => {
    response.write(MUCH)
    const more = setInterval(() => response.write(': here\n\n'), 20)
    response.on('close', () => {
      clearInterval(more)
      closed.resolve()
    })
  })
  served.socket.pause()
  await served.dropped
  await closed.promise
})

test('a connection with nothing to send stays open', async () => {
  await using served = await serve((response) => {
    response.write('one')
    setTimeout(() => response.end('two'), 1_500)
  })
  let text = ''
  for await (const chunk of served.socket) {
    text += chunk
    if (text.includes('two')) break
  }
  assert.match(text, /one.*two/s)
})
