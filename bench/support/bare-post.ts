/**
 * Baseline for webhooks: Node's client posting the same bytes over keep-alive connections. Prints one line of JSON.
 *   node bench/support/bare-post.ts URL COUNT CONNECTIONS BODY_BYTES
 */
import { Agent, request } from 'node:http'
import { repeat } from './processes.ts'

const [url = '', count = '40000', connections = '64', bytes = '1500'] = process.argv.slice(2)
const agent = new Agent({ keepAlive: true, maxSockets: Number(connections) })
const body = JSON.stringify({ data: 'x'.repeat(Number(bytes) - 11) })
const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }

function post(): Promise<void> {
  return new Promise((resolve, reject) => {
    request(url, { method: 'POST', agent, headers }, (answer) => answer.resume().on('end', resolve))
      .on('error', reject)
      .end(body)
  })
}

await repeat(Number(count) / 5, Number(connections), post)
const before = process.cpuUsage()
const at = performance.now()
await repeat(Number(count), Number(connections), post)
const { user, system } = process.cpuUsage(before)
const seconds = (performance.now() - at) / 1000
process.stdout.write(
  `${JSON.stringify({ perSecond: Number(count) / seconds, cpuUs: (user + system) / Number(count) })}\n`,
)
process.exit(0)
