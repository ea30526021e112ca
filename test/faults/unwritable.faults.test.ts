import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { upload } from '../importers/stored-imports/upload.ts'
import { BOOTSTRAP_KEY } from '../support/server.ts'
import { PharosNode, type Readiness } from './pharos-node.ts'
import { PostgresServer } from './postgres-server.ts'
import { faultRow, type Row } from './row.ts'
import type { Site } from './site.ts'

/** From the fault to `/readyz` 503, and from its end to 200. */
const NOTICE_LIMIT_S = 5
const PATIENCE_MS = 20_000
/** The data folder of a new cluster with a migrated database takes about 40 MB. */
const POSTGRES_DISK = '90m'
const SQLITE_DISK = '24m'
/** 256 MiB stay free. */
const UPLOAD_DISK = '400m'
const LARGE_DATABASE_BYTES = 96 * 1024 * 1024

faultRow('the database is read-only (a standby)', { needs: ['postgres'] }, async (row, site) => {
  const postgres = await PostgresServer.start(site)
  const node = await PharosNode.start(site, { databaseUrl: postgres.url() })
  await postgres.demote()
  await requireNotReady(row, node, /read.only|standby|recovery/i)
  const { code, text } = await node.doctor()
  row.holds('doctor reports it', code === 1 && /✗ database.*(read.only|standby|recovery)/i.test(text), text)
  const response = await node.client.get('/monitors')
  row.holds('reads are answered with 200 or 500', [200, 500].includes(response.status), `${response.status}`)
  await postgres.promote()
  await requireReady(row, node)
})

faultRow('the disk of PostgreSQL is full', { needs: ['postgres', 'mount'] }, async (row, site) => {
  const disk = await mountDisk(site, POSTGRES_DISK)
  // PostgreSQL ends when it cannot write its log; data files that cannot grow are the quiet case.
  const postgres = await PostgresServer.start(site, { folder: `${disk}/data`, logFolder: site.path('wal') })
  const node = await PharosNode.start(site, { databaseUrl: postgres.url() })
  await measureFullDisk(row, node, disk)
})

faultRow('the disk of SQLite is full', { needs: ['mount'] }, async (row, site) => {
  const disk = await mountDisk(site, SQLITE_DISK)
  const node = await PharosNode.start(site, { env: { PHAROS_DATA_DIR: `${disk}/data` } })
  await measureFullDisk(row, node, disk)
})

faultRow('the disk has no room for the copy of SQLite before an upgrade', { needs: ['mount'] }, async (row, site) => {
  const disk = await mountDisk(site, SQLITE_DISK)
  const node = await PharosNode.start(site, { env: { PHAROS_DATA_DIR: `${disk}/data` } })
  const acknowledged = await write(node, 5)
  await node.stop()
  writeFileSync(`${disk}/filler`, Buffer.alloc(12 * 1024 * 1024))
  const refusal = await node.start('next').then(
    () => 'it started',
    (error: Error) => error.message,
  )
  row.holds(
    'the next version says so',
    /Not enough disk space to save a copy.*\d+ MB are needed/.test(refusal),
    refusal,
  )
  await node.start()
  row.atMost('acknowledged writes lost in this version', await missing(node, acknowledged), 0)
  await node.stop()
  rmSync(`${disk}/filler`)
  await node.start('next')
  const copies = readdirSync(`${disk}/data`).filter((name) => name.includes('-schema-'))
  row.holds('with room, the next version saves one copy', copies.length === 1, copies.join(', '))
  row.atMost('acknowledged writes lost in the next version', await missing(node, acknowledged), 0)
})

faultRow('uploads would fill the disk', { needs: ['mount'] }, async (row, site) => {
  const disk = await mountDisk(site, UPLOAD_DISK)
  const node = await PharosNode.start(site, { env: { PHAROS_DATA_DIR: `${disk}/data` } })
  const freeMib = (): number => {
    const { bavail, bsize } = statfsSync(disk)
    return (bavail * bsize) / 1024 / 1024
  }
  const send = async (content: Uint8Array<ArrayBuffer>): Promise<number> => {
    let leastMib = Number.POSITIVE_INFINITY
    const watch = setInterval(() => {
      leastMib = Math.min(leastMib, freeMib())
    }, 2)
    const to = { url: node.url, key: BOOTSTRAP_KEY }
    const { status } = await upload(to, 'source=kuma&files=kuma.db', content, { 'content-encoding': 'gzip' })
    clearInterval(watch)
    row.atLeast(`free space after ${status}`, Math.floor(leastMib), 256, ' MiB')
    return status
  }
  // It fits, but not with the copy that its reader makes.
  const large = Buffer.alloc(LARGE_DATABASE_BYTES)
  large.write('SQLite format 3\0')
  row.holds('a database that does not fit twice is refused', (await send(gzipSync(large, { level: 1 }))) === 409)
  const small = new DatabaseSync(`${disk}/kuma.db`)
  small.exec('create table monitor (id integer primary key, name text)')
  small.close()
  row.holds('one that fits is read', (await send(gzipSync(readFileSync(`${disk}/kuma.db`)))) === 201)
})

async function mountDisk(site: Site, size: string): Promise<string> {
  const disk = site.path('disk')
  mkdirSync(disk)
  await site.run('mount', '-t', 'tmpfs', '-o', `size=${size},mode=0777`, 'tmpfs', disk)
  site.atEnd(`umount -l ${disk}`)
  return disk
}

async function measureFullDisk(row: Row, node: PharosNode, disk: string): Promise<void> {
  const acknowledged = await write(node, 20)
  fill(`${disk}/filler`)
  // Free space within files is used up first.
  const giveUpAt = performance.now() + PATIENCE_MS
  let failed = 0
  while (failed === 0 && performance.now() < giveUpAt) {
    const { status, body } = await node.client.post('/monitors', monitor(`filler ${'x'.repeat(100)}`))
    if (status === 201) acknowledged.push(body.id)
    else failed = status
  }
  row.holds('a write that does not fit is answered with 500', failed === 500, `${failed}`)
  await requireNotReady(row, node, /disk|space|full|cannot write/i)
  const { code, text } = await node.doctor()
  row.holds('doctor reports it', code === 1 && /✗.*(disk|space|full)/i.test(text), text)
  rmSync(`${disk}/filler`)
  await requireReady(row, node)
  acknowledged.push(...(await write(node, 5)))
  row.atMost(`of ${acknowledged.length} acknowledged writes lost`, await missing(node, acknowledged), 0)
}

function monitor(name: string): object {
  return { type: 'CRON', name }
}

async function write(node: PharosNode, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let i = 0; i < count; i += 1) {
    const { status, body } = await node.client.post('/monitors', monitor(`monitor ${i}`))
    if (status !== 201) throw new Error(`POST /monitors answered ${status}`)
    ids.push(body.id)
  }
  return ids
}

async function missing(node: PharosNode, ids: readonly string[]): Promise<number> {
  let count = 0
  for (const id of ids) if ((await node.client.get(`/monitors/${id}`)).status !== 200) count += 1
  return count
}

/** Takes all space that is left. */
function fill(path: string): void {
  const file = openSync(path, 'w')
  try {
    for (const size of [1 << 20, 4_096]) {
      const block = Buffer.alloc(size)
      try {
        while (writeSync(file, block) === size);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
      }
    }
  } finally {
    closeSync(file)
  }
}

/** Another reason comes first where the database was restarted for the fault. */
async function requireNotReady(row: Row, node: PharosNode, reason: RegExp): Promise<void> {
  const { tookMs, body } = await until(node, ({ status, body }) => status === 503 && reason.test(body))
  row.withinSeconds('/readyz 503 with the reason after', tookMs, NOTICE_LIMIT_S)
  if (!reason.test(body)) row.holds('the reason is named', false, body)
}

async function requireReady(row: Row, node: PharosNode): Promise<void> {
  row.withinSeconds('ready again after', (await until(node, ({ status }) => status === 200)).tookMs, NOTICE_LIMIT_S)
}

async function until(node: PharosNode, isIt: (ready: Readiness) => boolean) {
  const from = performance.now()
  for (;;) {
    const ready = await node.ready(5_000)
    if (isIt(ready)) return { tookMs: performance.now() - from, body: ready.body }
    if (performance.now() - from > PATIENCE_MS) return { tookMs: Number.POSITIVE_INFINITY, body: ready.body }
    await delay(50)
  }
}
