import { writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { gunzipSync } from 'node:zlib'
import { fixture } from '../apply.ts'

const DAY_SECONDS = 86_400
const REMOVED = ['heartbeat', 'monitor_group', 'monitor_notification', 'monitor_tag', 'monitor_maintenance', 'monitor']
const MESSAGE = '200 - OK and more text, so that a row is as long as most rows of a real database are. '.repeat(2)

/**
 * Writes a database of Uptime Kuma 1.23 with HTTP monitors and the beats of 90 days, of which one in 200 is down. For measurements:
 * `node test/importers/kuma/generate.ts FILE MONITORS BEATS`.
 */
export function generateKuma(path: string, monitors: number, beats: number, end = Date.UTC(2026, 10, 18, 12)): void {
  writeFileSync(path, gunzipSync(fixture('kuma/kuma-1.db.gz').bytes))
  const database = new DatabaseSync(path, { enableForeignKeyConstraints: false })
  const indexes = database
    .prepare("select name, sql from sqlite_master where tbl_name = 'heartbeat' and type = 'index'")
    .all()
  database.exec('pragma journal_mode = off; pragma synchronous = off; begin')
  for (const { name, sql } of indexes) if (sql !== null) database.exec(`drop index "${name}"`)
  for (const table of REMOVED) database.exec(`delete from ${table}`)
  const monitor = database.prepare(
    "insert into monitor (id, name, active, user_id, interval, url, type) values (?, ?, 1, 1, 60, ?, 'http')",
  )
  for (let id = 1; id <= monitors; id += 1) monitor.run(id, `Service ${id}`, `http://127.0.0.1:9/${id}`)
  const beat = database.prepare(
    'insert into heartbeat (monitor_id, status, msg, time, ping, duration) values (?, ?, ?, ?, ?, ?)',
  )
  const rounds = Math.ceil(beats / monitors)
  const seconds = Math.max(1, Math.floor((90 * DAY_SECONDS) / rounds))
  for (let round = 1; round <= rounds; round += 1) {
    const time = new Date(end - (rounds - round) * seconds * 1000).toISOString().replace('T', ' ').replace('Z', '')
    for (let id = 1; id <= monitors; id += 1) {
      const isUp = (round + id * 37) % 200 > 0
      beat.run(id, Number(isUp), isUp ? MESSAGE : 'connect ECONNREFUSED', time, isUp ? 20 + (id % 50) : null, seconds)
    }
  }
  for (const { sql } of indexes) if (sql !== null) database.exec(String(sql))
  database.exec('commit')
  database.close()
}

if (import.meta.main) {
  const [path = 'kuma.db', monitors = '800', beats = '10000000'] = process.argv.slice(2)
  generateKuma(path, Number(monitors), Number(beats), Date.now())
}
