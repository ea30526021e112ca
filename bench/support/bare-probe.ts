/**
 * The bare limit of a probe: Node's own client in a loop, a fresh connection each time. Prints one line of JSON.
 *   node bench/support/bare-probe.ts TYPE TARGET COUNT WARM_UP
 */
import { request } from 'node:http'
import { connect } from 'node:net'
import { connect as connectTls, createSecureContext } from 'node:tls'

const [type = 'HTTP', target = '', count = '36000', warmUp = '18000'] = process.argv.slice(2)
const CONCURRENCY = 50
const url = new URL(target)
// The key exchange that our checks offer: with Node's own list the bare side would do another, costlier one.
const secureContext = createSecureContext({ ecdhCurve: 'X25519:prime256v1:secp384r1:secp521r1' })
let unread = 0

const looks: Record<string, () => Promise<void>> = {
  HTTP: () =>
    new Promise((resolve, reject) => {
      request(target, { agent: false }, (answer) => answer.resume().on('end', resolve))
        .on('error', reject)
        .end()
    }),
  HTTPS: () =>
    new Promise((resolve, reject) => {
      const options = { host: url.hostname, port: Number(url.port), secureContext, rejectUnauthorized: false }
      const socket = connectTls(options, () => {
        const certificate = socket.getPeerX509Certificate()
        if (certificate?.fingerprint256 === undefined || Number.isNaN(+certificate.validToDate)) unread += 1
        socket.write(`GET / HTTP/1.1\r\nHost: ${url.host}\r\nConnection: close\r\n\r\n`)
      })
      socket
        .resume()
        .on('close', () => resolve())
        .on('error', reject)
    }),
  PORT: () =>
    new Promise((resolve, reject) => {
      const socket = connect(Number(url.port), url.hostname, () => socket.destroy())
      socket.on('close', () => resolve()).on('error', reject)
    }),
}

async function many(total: number): Promise<void> {
  let left = total
  const look = looks[type] as () => Promise<void>
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      while (left > 0) {
        left -= 1
        await look()
      }
    }),
  )
}

await many(Number(warmUp))
const before = process.cpuUsage()
const at = performance.now()
await many(Number(count))
const cpu = process.cpuUsage(before)
const seconds = (performance.now() - at) / 1000
if (unread > 0) throw new Error(`${unread} certificates could not be read`)
process.stdout.write(
  `${JSON.stringify({ cpuUs: (cpu.user + cpu.system) / Number(count), perSecond: Number(count) / seconds })}\n`,
)
