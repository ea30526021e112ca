/**
 * An open-loop client with a fixed request rate. Response times count from the scheduled start, so that a slow response also counts
 * for the requests queued behind it. Prints one line of JSON.
 *   node bench/support/steady.ts PER_SECOND SECONDS URL…
 */
import { Agent, request } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { percentilesOf } from './figures.ts'
import { KEY } from './processes.ts'

const [perSecond = '100', seconds = '20', ...urls] = process.argv.slice(2)
const agent = new Agent({ keepAlive: true, maxSockets: 64 })
const headers = { 'x-api-key': KEY }

function get(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { agent, headers }, (answer) => {
      if (answer.statusCode === 200) answer.resume().on('end', resolve)
      else reject(new Error(`${url} answered ${answer.statusCode}`))
    })
    asked.on('error', reject).end()
  })
}

async function ask(count: number): Promise<number[]> {
  const times: number[] = []
  const asked: Promise<void>[] = []
  const startedAt = performance.now()
  for (let i = 0; i < count; i += 1) {
    const dueAt = startedAt + (i * 1000) / Number(perSecond)
    const early = dueAt - performance.now()
    if (early > 0) await setTimeout(early)
    asked.push(
      get(urls[i % urls.length] as string).then(() => {
        times.push(performance.now() - dueAt)
      }),
    )
  }
  await Promise.all(asked)
  return times
}

await ask(Number(perSecond) * 2)
const times = await ask(Number(perSecond) * Number(seconds))
process.stdout.write(`${JSON.stringify(percentilesOf(times))}\n`)
agent.destroy()
