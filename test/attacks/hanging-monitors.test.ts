import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { after, before, test } from 'node:test'
import { SECOND_MS } from '../../src/lib/clock.ts'
import { createLog, silentLog } from '../../src/lib/log.ts'
import { type Checker, startChecker } from '../../src/monitoring/checks/checker.ts'
import { createProbePool, type ProbePool } from '../../src/monitoring/probes/pool.ts'
import { sourceOn } from '../monitoring/checks/sources.ts'
import { HandClock } from '../support/clock.ts'
import { forEachEngine } from '../support/engines.ts'
import { eventually } from '../support/eventually.ts'
import { createMonitor, smallest } from '../support/monitors.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { type HttpTarget, startHttpTarget } from '../support/targets.ts'

const PLACES = 10
const HANGING = 25
const PROMPT = 3
const INTERVAL_SECONDS = 30
/** Real time, unlike the intervals. Checks that hang do not end while the test runs. */
const HANGING_TIMEOUT_SECONDS = 60
/** Sooner than a place of a check that hangs becomes free. */
const SOON_MS = 30_000

/** Accepts connections and never answers. */
async function startHangingTarget() {
  let open = 0
  let mostOpen = 0
  const server = createServer((socket) => {
    open += 1
    mostOpen = Math.max(mostOpen, open)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      open -= 1
    })
    socket.resume()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    get open() {
      return open
    },
    /** The most connections at a time since the last call. */
    takeMostOpen() {
      const most = mostOpen
      mostOpen = open
      return most
    },
    close: () => void server.close(),
  }
}

forEachEngine('monitors that hang', (engine) => {
  const cleanUp = new AsyncDisposableStack()
  const warnings: string[] = []
  /** When the results were saved. Checks that hang have none. */
  const saved: number[] = []
  let clock: HandClock
  let server: TestServer
  let pool: ProbePool
  let prompt: HttpTarget
  let hangingOrgId: string
  let hanging: Awaited<ReturnType<typeof startHangingTarget>>

  before(async () => {
    // Without a checker: the tests start one that has few places.
    server = cleanUp.use(await startTestServer(engine, { env: { PHAROS_ROLES: 'api' } }))
    pool = createProbePool(
      { privateTargets: 'allow', confirmDelaysSeconds: [], dnsServers: [], rdapBootstrap: '' },
      silentLog,
    )
    cleanUp.defer(() => pool.close())
    prompt = cleanUp.use(await startHttpTarget())
    hanging = await startHangingTarget()
    cleanUp.defer(() => hanging.close())
    const { orgId, key } = await server.organization('SELF_HOSTED')
    hangingOrgId = orgId
    const client = server.client(key)
    const body = smallest('HTTP', { url: hanging.url, timeoutSeconds: HANGING_TIMEOUT_SECONDS })
    for (let i = 0; i < HANGING; i += 1) await createMonitor(client, body)
    clock = new HandClock()
  })
  after(() => cleanUp.disposeAsync())

  const startFewPlaces = async (): Promise<Checker> =>
    startChecker({
      database: server.running.database,
      clock,
      baseUrl: () => '',
      capacity: PLACES,
      runProbe: pool.runProbe,
      source: await sourceOn(server.running.database),
      log: createLog('warn', { write: (line) => void warnings.push(line) }),
      counts: { saved: () => saved.push(clock.now()), stale() {}, inconclusive() {} },
    })

  test('an organization that is alone uses all places', async () => {
    const checker = await startFewPlaces()
    await eventually(async () => assert.equal(hanging.open, PLACES))
    await checker.stop()
    await eventually(async () => assert.equal(hanging.open, 0))
    assert.equal(hanging.takeMostOpen(), PLACES)
  })

  test('checks of another organization begin in every interval, and a warning and a count say that places are short', async () => {
    const client = server.client((await server.organization('SELF_HOSTED')).key)
    for (let i = 0; i < PROMPT; i += 1) {
      await createMonitor(client, smallest('HTTP', { url: prompt.url, intervalSeconds: INTERVAL_SECONDS }))
    }
    const checker = await startFewPlaces()
    cleanUp.defer(() => checker.stop())
    for (let slot = 1; slot <= 4; slot += 1) {
      clock.advance(INTERVAL_SECONDS * SECOND_MS)
      const at = clock.now()
      await eventually(
        async () => assert.equal(saved.filter((each) => each === at).length, PROMPT, `slot ${slot}`),
        SOON_MS,
      )
    }
    await eventually(async () => assert.equal(hanging.open, PLACES / 2))
    assert.equal(hanging.takeMostOpen(), PLACES / 2)
    assert.ok((await checker.countWaiting()) >= HANGING - PLACES / 2)
    const late = warnings.filter((line) => line.includes('checks run late'))
    assert.equal(late.length, 1, 'it warns once')
    assert.match(late[0] as string, / wait for a place\. \d+ of 10 places are in use, \d of them by one organization/)
    assert.equal(JSON.parse(late[0] as string).organization, hangingOrgId)
  })
})
