/**
 * Baseline for a probe: Node's client with a fresh connection per request, first at the rate of the engine, then in a tight loop.
 * Prints one line of JSON.
 *   node bench/support/bare-probe.ts TYPE TARGET COUNT WARM_UP PER_SECOND
 */
import { request } from 'node:http'
import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { connect as connectTls, createSecureContext } from 'node:tls'
import { repeat } from './processes.ts'

const [type = 'HTTP', target = '', count = '36000', warmUp = '18000', perSecond = '1500'] = process.argv.slice(2)
const CONCURRENCY = 50
const PACE_MS = 5
const url = new URL(target)
// The key exchange that checks offer. Node's default list leads to a more expensive one.
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

const look = looks[type] as () => Promise<void>

/** Evenly spaced: includes the cost of waking an idle process. */
async function inTime(total: number): Promise<void> {
  const startedAt = performance.now()
  const looking: Promise<void>[] = []
  while (looking.length < total) {
    const due = Math.min(total, ((performance.now() - startedAt) * Number(perSecond)) / 1000)
    while (looking.length < due) looking.push(look())
    await setTimeout(PACE_MS)
  }
  await Promise.all(looking)
}

async function cost(run: (total: number) => Promise<unknown>): Promise<number> {
  await run(Number(warmUp))
  const before = process.cpuUsage()
  await run(Number(count))
  const { user, system } = process.cpuUsage(before)
  return (user + system) / Number(count)
}

const measured = { cpuUs: await cost(inTime), flatOutUs: await cost((total) => repeat(total, CONCURRENCY, look)) }
if (unread > 0) throw new Error(`${unread} certificates could not be read`)
process.stdout.write(`${JSON.stringify(measured)}\n`)
