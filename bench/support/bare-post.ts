/**
 * Baseline for webhooks: Node's client posting the same bytes over keep-alive connections. Prints one line of JSON.
 *   node bench/support/bare-post.ts URL COUNT CONNECTIONS BODY_BYTES
 */
import { Agent, request } from 'node:http'

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

async function many(total: number): Promise<void> {
  let left = total
  const lane = async (): Promise<void> => {
    for (; left > 0; ) {
      left -= 1
      await post()
    }
  }
  await Promise.all(Array.from({ length: Number(connections) }, lane))
}

await many(Number(count) / 5)
const before = process.cpuUsage()
const at = performance.now()
await many(Number(count))
const { user, system } = process.cpuUsage(before)
const seconds = (performance.now() - at) / 1000
process.stdout.write(
  `${JSON.stringify({ perSecond: Number(count) / seconds, cpuUs: (user + system) / Number(count) })}\n`,
)
process.exit(0)
