/** Answers every POST with a success. Prints its address. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  request.resume().on('end', () => response.end('ok'))
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
