import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { hostileDocuments, hostileHistories } from '../../test/attacks/hostile-documents.ts'
import { costlyPatterns, slowPatterns } from '../../test/attacks/large-patterns.ts'
import { ATTACKER_ADDRESS, type Attack, type AttackedScene, keyOf, type Send } from './attack.ts'
import { documentWithHistories, type Stranger } from './scene.ts'

const MIB = 1024 * 1024
/** How long a shadow run is left to the poller, before it is deleted and begun again. */
const RUN_MS = 3_000
/** Between two bytes of a slow upload. */
const DRIP_MS = 5_000
const GZIP = { 'content-encoding': 'gzip' }
const UPLOAD = { 'content-type': 'application/octet-stream' }

const strangerOf = ({ strangers }: AttackedScene, i: number) => strangers[i % strangers.length] as Stranger
const asReader = ({ readOnlyKey }: Stranger) => ({ 'x-api-key': readOnlyKey })

/** Something that is made when it is first needed. */
function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** One attack with compressed bodies, each by the organization of its attacker. */
function bodies(
  name: string,
  {
    path,
    hostile,
    isReader = false,
  }: { path: string; hostile: () => Readonly<Record<string, string>>; isReader?: boolean },
): Attack {
  const all = lazily(() => Object.values(hostile()).map((body) => gzipSync(body, { level: 1 })))
  return {
    name,
    parallel: 6,
    prepare: () => void all(),
    step: (send, scene, i, n) => {
      const stranger = strangerOf(scene, i)
      const headers = { ...(isReader ? asReader(stranger) : keyOf(stranger, n)), ...GZIP }
      return send({ path, headers, body: all()[(i + n) % all().length] as Uint8Array })
    },
  }
}

/** The id of what an attacker creates once. */
function idsOf(create: (scene: AttackedScene, attacker: number) => { readonly path: string; readonly body: object }) {
  const ids = new Map<number, string>()
  return async (send: Send, scene: AttackedScene, attacker: number): Promise<string> => {
    const known = ids.get(attacker)
    if (known !== undefined) return known
    const { path, body } = create(scene, attacker)
    const headers = keyOf(strangerOf(scene, attacker), 0)
    const { status, text } = await send.read({ path, headers, body: JSON.stringify(body) })
    // Refused, such as by a rate limit: again in the next step.
    if (status !== 201) return 'none'
    const { id } = JSON.parse(text) as { id: string }
    ids.set(attacker, id)
    return id
  }
}

const tools = ['KUMA', 'GATUS', 'UPTIMEROBOT'] as const

const shadowTools: Attack = {
  name: 'shadow tools',
  parallel: 12,
  async step(send, scene, i, n) {
    const headers = keyOf(strangerOf(scene, i), n)
    const tool = tools[Math.floor(i / scene.strangers.length + n) % tools.length] as string
    const body = { tool, key: 'key', url: `${scene.foreignUrl}/tool/${tool}/${n}` }
    const { status, text } = await send.read({ path: '/api/v1/shadow-runs', headers, body: JSON.stringify(body) })
    await delay(RUN_MS)
    if (status !== 201) return status
    const { id } = JSON.parse(text) as { id: string }
    return send({ method: 'DELETE', path: `/api/v1/shadow-runs/${id}`, headers })
  },
}

/** Its report would have 114 MiB. */
const largeReport = lazily(() => {
  const rows = Array.from({ length: 1_200 }, (_, i) => `(${i},'Incident ${i}','${'x'.repeat(100_000)}',1,1)`)
  const columns = '(`id`,`title`,`content`,`pin`,`active`)'
  return gzipSync(
    `CREATE TABLE \`monitor\` (\n  \`id\` int,\n);\nINSERT INTO \`incident\` ${columns} VALUES\n${rows.join(',\n')};\n`,
    { level: 1 },
  )
})

/** Its document has 12 MiB. */
const largeDocument = lazily(() => {
  const desc = 'x'.repeat(3_800)
  const checks = Array.from({ length: 3_300 }, (_, i) => ({
    name: `Job ${i}`,
    slug: `job-${i}`,
    tags: '',
    desc,
    grace: 600,
    timeout: 3_600,
  }))
  return gzipSync(JSON.stringify({ checks }), { level: 1 })
})

const imports: Attack = {
  name: 'imports',
  parallel: 12,
  prepare: () => void [largeReport(), largeDocument()],
  async step(send, scene, i, n) {
    const stranger = strangerOf(scene, i % 2)
    // Two upload, the others read the reports of both.
    if (i < 2) {
      const [query, body] =
        n % 2 === 0 ? ['source=kuma&files=kuma.sql', largeReport()] : ['source=healthchecks', largeDocument()]
      return send({ path: `/api/v1/imports?${query}`, headers: { ...keyOf(stranger, n), ...GZIP, ...UPLOAD }, body })
    }
    const headers = asReader(stranger)
    const { status, text } = await send.read({ path: '/api/v1/imports?limit=1', headers })
    const id = status === 200 ? (JSON.parse(text) as { data: readonly { id: string }[] }).data[0]?.id : undefined
    return id === undefined ? status : send({ path: `/api/v1/imports/${id}`, headers })
  },
}

const allPatterns = [...Object.values(slowPatterns), ...Object.values(costlyPatterns)]
const website = { type: 'HTTP', url: 'http://127.0.0.1:9/', intervalSeconds: 86_400 }
const websiteIds = idsOf((_scene, i) => ({ path: '/api/v1/monitors', body: { name: `Website ${i}`, ...website } }))
const portIds = idsOf((_scene, i) => ({
  path: '/api/v1/monitors',
  body: { name: `Port ${i}`, type: 'PORT', host: '127.0.0.1', port: 9, intervalSeconds: 86_400 },
}))

const patterns: Attack = {
  name: 'patterns',
  parallel: 8,
  async step(send, scene, i, n) {
    const stranger = strangerOf(scene, i)
    const headers = keyOf(stranger, n)
    const pattern = allPatterns[n % allPatterns.length] as string
    // Compiled patterns are kept: each is another one.
    const variant = (at: number) => `(?:x${n}-${at})?${pattern}`
    const matching = Array.from({ length: 20 }, (_, at) => {
      return { source: 'BODY', operator: 'MATCHES', value: variant(at).slice(0, 1_000) }
    })
    const put = (path: string, body: object) =>
      send({ method: 'PUT', path: `/api/v1/monitors/${path}`, headers, body: JSON.stringify(body) })
    switch (i % 4) {
      case 0:
        return put(`${await websiteIds(send, scene, i)}/assertions`, { assertions: matching })
      case 1: {
        const steps = matching.slice(0, 10).map(({ value }) => ({ expect: `/${value.slice(0, 998)}/` }))
        return put(`${await portIds(send, scene, i)}/dialogue`, { steps })
      }
      case 2: {
        const assertions = matching.map(({ value }) => {
          const path = `$[?search(@.a,${JSON.stringify(value.slice(0, 400))})]`
          return { source: 'JSON', path, operator: 'EXISTS' }
        })
        return put(`${await websiteIds(send, scene, i)}/assertions`, { assertions })
      }
      default: {
        const monitors = { shop: { name: 'Shop', ...website, assertions: matching } }
        const body = JSON.stringify({ document: { version: 1, monitors } })
        return send({ path: '/api/v1/configuration/plan', headers: asReader(stranger), body })
      }
    }
  },
}

/** Checked with secrets in all places, which the target repeats. */
const echoedIds = idsOf(({ foreignUrl }, i) => ({
  path: '/api/v1/monitors',
  body: {
    name: `Echo ${i}`,
    type: 'HTTP',
    url: `${foreignUrl}/echo`,
    method: 'POST',
    requestHeaders: Object.fromEntries(Array.from({ length: 20 }, (_, h) => [`X-Secret-${h}`, `s${h}-`.repeat(100)])),
    requestBody: JSON.stringify({ password: 'S3c&<"%41\\'.repeat(5_000) }),
    intervalSeconds: 86_400,
  },
}))

const echoingTargets: Attack = {
  name: 'echoing targets',
  parallel: 12,
  async step(send, scene, i, n) {
    const id = await echoedIds(send, scene, i)
    return send({ path: `/api/v1/monitors/${id}/check`, headers: keyOf(strangerOf(scene, i), n), body: '{}' })
  },
}

/** Sends the head of an upload, then a byte now and then, until the server closes the connection. */
const slowUploads: Attack = {
  name: 'slow uploads',
  parallel: 24,
  step: (_send, scene, i, n) =>
    new Promise((resolve) => {
      const { hostname, port } = new URL(scene.origin)
      let status = 0
      const socket = connect({ port: Number(port), host: hostname, localAddress: ATTACKER_ADDRESS })
      const drip = setInterval(() => socket.write('x'), DRIP_MS)
      socket.on('data', (chunk) => {
        if (status === 0) status = Number(/^HTTP\/1\.1 (\d+)/.exec(chunk.toString('latin1', 0, 20))?.[1] ?? 0)
        socket.end()
      })
      socket.on('error', () => {})
      socket.on('close', () => {
        clearInterval(drip)
        resolve(status)
      })
      const lines = {
        Host: 'attack',
        'X-API-Key': keyOf(strangerOf(scene, i), n)['x-api-key'],
        'Content-Type': 'application/octet-stream',
        'Content-Length': 100_000_000,
      }
      const head = Object.entries(lines).map((line) => `${line.join(': ')}\r\n`)
      socket.write(`POST /api/v1/imports?source=healthchecks HTTP/1.1\r\n${head.join('')}\r\n{`)
    }),
}

/** A plan of 320 monitors. */
const validDocument = () => {
  const monitor = (i: number) => ({ ...website, name: `Monitor ${i}`, requestBody: `${i} ${'b'.repeat(40_000)}` })
  const monitors = Object.fromEntries(Array.from({ length: 320 }, (_, i) => [`m${i}`, monitor(i)]))
  return JSON.stringify({ document: { version: 1, monitors } })
}

const DAY_SECONDS = 86_400

/** 120,780 days of existing monitors. */
const validHistory = () => {
  const today = Math.floor(Date.now() / 1000 / DAY_SECONDS) * DAY_SECONDS
  const days = Array.from({ length: 3_660 }, (_, i) => [
    today - (i + 1) * DAY_SECONDS,
    DAY_SECONDS - 60,
    60,
    0,
    1_440,
    1,
    80,
  ])
  const monitors = Object.keys(documentWithHistories.monitors).map((key) => ({ key, hours: [], days }))
  return JSON.stringify({ source: documentWithHistories.source, monitors })
}

/** What tenants, targets, other tools and files send to be read. */
export const foreignInputAttacks: readonly Attack[] = [
  bodies('reader documents', {
    path: '/api/v1/configuration/plan',
    hostile: () => hostileDocuments(MIB),
    isReader: true,
  }),
  bodies('documents', {
    path: '/api/v1/configuration/plan',
    hostile: () => ({ ...hostileDocuments(), valid: validDocument() }),
  }),
  bodies('histories', {
    path: '/api/v1/configuration/history',
    hostile: () => ({ ...hostileHistories(), valid: validHistory() }),
  }),
  shadowTools,
  imports,
  patterns,
  echoingTargets,
  slowUploads,
]
