/** Fastify routes that return fixed bytes, from a file of JSON (see `bareServer`). Prints its address. */
import { readFileSync } from 'node:fs'
import { fastify } from 'fastify'

const app = fastify()
for (const [name, [type, body]] of Object.entries<string[]>(
  JSON.parse(readFileSync(process.argv[2] as string, 'utf8')),
)) {
  const [method = '', url = ''] = name.split(' ')
  const code = method === 'POST' ? 201 : 200
  app.route({
    method,
    url,
    handler: (_request, reply) =>
      reply
        .code(code)
        .type(type as string)
        .send(body),
  })
}
await app.listen({ port: 0, host: '127.0.0.1' })
const address = app.server.address() as { port: number }
process.stdout.write(`http://127.0.0.1:${address.port}\n`)
