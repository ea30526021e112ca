/** Baseline for the API: Fastify routes that return fixed bytes. Prints its address. */
import { fastify } from 'fastify'

const [one = '', list = ''] = process.argv.slice(2).map((text) => Buffer.from(text, 'base64').toString())
const app = fastify()
const type = 'application/json; charset=utf-8'
app.get('/api/v1/monitors/:monitorId', (_request, reply) => reply.type(type).send(one))
app.get('/api/v1/monitors', (_request, reply) => reply.type(type).send(list))
app.post('/api/v1/monitors', (_request, reply) => reply.code(201).type(type).send(one))
await app.listen({ port: 0, host: '127.0.0.1' })
const address = app.server.address() as { port: number }
process.stdout.write(`http://127.0.0.1:${address.port}\n`)
