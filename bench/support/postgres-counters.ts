import { readdirSync, readFileSync } from 'node:fs'
import { sql } from 'kysely'
import type { Database } from '../../src/storage/database.ts'
import { execute } from '../../src/storage/query.ts'

/** Counters of a PostgreSQL server on this machine. */
export interface PostgresCounters {
  /** User and system time of all its processes. */
  readonly cpuUs: number
  readonly walBytes: number
  /** Whole pages in the WAL, after a checkpoint. */
  readonly pageImages: number
  /** Updates of state rows, and those that were made in place. */
  readonly updates: number
  readonly hotUpdates: number
  readonly commits: number
}

const TICK_US = 10_000

/** Statistics arrive up to a second late; both ends of a measurement are read the same way. */
export async function readPostgres(database: Database): Promise<PostgresCounters> {
  const [row] = await database.read(
    execute(sql<{ pid: number; wal: string; fpi: number; upd: number; hot: number; commits: number }>`
      select pg_backend_pid() as pid, pg_current_wal_insert_lsn() - '0/0'::pg_lsn as wal,
        (select wal_fpi from pg_stat_wal) as fpi,
        (select xact_commit from pg_stat_database where datname = current_database()) as commits,
        n_tup_upd as upd, n_tup_hot_upd as hot
      from pg_stat_user_tables where relname = 'monitor_states'`),
  )
  if (row === undefined) throw new Error('PostgreSQL has no statistics of monitor_states')
  return {
    cpuUs: cpuUsOfServer(Number(statOf(row.pid)[1])),
    walBytes: Number(row.wal),
    pageImages: Number(row.fpi),
    updates: Number(row.upd),
    hotUpdates: Number(row.hot),
    commits: Number(row.commits),
  }
}

/** The main process has the time of ended children; the others are its children. */
function cpuUsOfServer(main: number): number {
  let ticks = sum(statOf(main).slice(11, 15))
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const stat = statOf(Number(name))
    if (Number(stat[1]) === main) ticks += sum(stat.slice(11, 13))
  }
  return ticks * TICK_US
}

function sum(fields: readonly string[]): number {
  return fields.reduce((total, field) => total + Number(field), 0)
}

/** The fields of /proc/PID/stat after the command: state, parent, … user and system time at 11 and 12. */
function statOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
  } catch {
    return []
  }
}
