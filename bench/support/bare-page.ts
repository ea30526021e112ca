/** Baseline for a status page: a Fastify route that returns fixed bytes. Prints its address. */
import { readFileSync } from 'node:fs'
import { fastify } from 'fastify'

const page = readFileSync(process.argv[2] as string, 'utf8')
const app = fastify()
app.get('/status/:slug', (_request, reply) => reply.type('text/html; charset=utf-8').send(page))
await app.listen({ port: 0, host: '127.0.0.1' })
const address = app.server.address() as { port: number }
process.stdout.write(`http://127.0.0.1:${address.port}\n`)
