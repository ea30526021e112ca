import { createOrganization } from '../../../../src/accounts/organizations/create.ts'
import { systemClock } from '../../../../src/lib/clock.ts'
import { readMemory } from '../../../../src/monitoring/monitor-states/memory.ts'
import { pendingResults, resultsIn, type StoredResult } from '../../../../src/monitoring/monitor-states/result-log.ts'
import type { Database } from '../../../../src/storage/database.ts'
import { migrate } from '../../../../src/storage/migrate.ts'
import { all, type DbWork, execute, first, q, run, statement } from '../../../../src/storage/query.ts'
import { SqliteConnection } from '../../../../src/storage/sqlite/connection.ts'

const stateRow = statement(({ num }: { num: number }) =>
  q.selectFrom('monitor_states').selectAll().where('num', '=', num),
)
const nextDue = statement((_: object) =>
  q
    .selectFrom('monitor_states')
    .select(['num', 'next_check_at'])
    .where('next_check_at', 'is not', null)
    .orderBy('next_check_at'),
)
const dueOfNode = statement(({ node }: { node: string }) =>
  q
    .selectFrom('monitor_states')
    .select(['num', 'next_check_at'])
    .where('claimed_by', '=', node)
    .where('next_check_at', 'is not', null)
    .orderBy('next_check_at'),
)
const withoutNode = statement((_: object) =>
  q
    .selectFrom('monitor_states as s')
    .leftJoin('nodes as n', 'n.name', 's.claimed_by')
    .select('s.num')
    .where('s.state', '!=', 'PAUSED')
    .where('n.name', 'is', null)
    .limit(1),
)
const insertNode = statement(({ name }: { name: string }) =>
  q.insertInto('nodes').values({ name, started_at: 0, renewed_at: 0, monitors: 0 }),
)
const deleteNode = statement(({ name }: { name: string }) => q.deleteFrom('nodes').where('name', '=', name))
const windowRows = statement((_: object) =>
  q.selectFrom('maintenance_windows').select(['id', 'status', 'next_transition_at']).orderBy('seq'),
)
const openOf = statement(({ num }: { num: number }) =>
  q.selectFrom('incidents').selectAll().where('num', '=', num).where('resolved_at', 'is', null),
)
const incidentsOf = statement(({ num }: { num: number }) =>
  q.selectFrom('incidents').selectAll().where('num', '=', num).orderBy('seq'),
)
const numOf = statement(({ id }: { id: string }) =>
  q.selectFrom('monitors').select(['num', 'heartbeat_hash']).where('id', '=', id),
)

const rollupsIn = (table: 'rollup_hours' | 'rollup_days') =>
  statement(({ num }: { num: number }) => q.selectFrom(table).selectAll().where('num', '=', num).orderBy('start_at'))
const rollupsOf = { hours: rollupsIn('rollup_hours'), days: rollupsIn('rollup_days') }

/** The real schema in memory; every write is a transaction of its own, as on a server. */
export class Store {
  readonly #connection = new SqliteConnection(':memory:')
  /** What was read since the last write: the same is asked at every step. */
  readonly #answers = new Map<string, unknown>()
  orgId = ''

  async open(): Promise<void> {
    const database = this.database()
    await migrate(database, 0)
    this.orgId = this.write(() => createOrganization({ name: 'Simulated', plan: 'SELF_HOSTED' }, 0)).id
  }

  close(): void {
    this.#connection.close()
  }

  /** Empties the tables and resets the numbers: a monitor's due times depend on its number. */
  wipe(): void {
    const windows = ['maintenance_windows', 'maintenance_coverage', 'maintenance_rechecks']
    const states = ['nodes', 'monitors', 'monitor_states', 'incidents', 'rollup_hours', 'rollup_days']
    const tables = [...windows, ...states]
    const lists = ['list_totals', 'sqlite_sequence']
    const all = [
      ...tables,
      'heartbeats',
      'monitor_details',
      'monitor_evidence',
      'incident_evidence',
      ...lists,
      'result_blocks',
      'check_reasons',
    ]
    this.#answers.clear()
    this.#connection.exec(`begin; ${all.map((table) => `delete from ${table}`).join('; ')}`)
    this.#connection.commit()
  }

  read<T>(work: DbWork<T>): T {
    return this.#connection.run(work)
  }

  #readOnce<T>(question: string, read: () => T): T {
    if (!this.#answers.has(question)) this.#answers.set(question, read())
    return this.#answers.get(question) as T
  }

  write<T>(work: () => DbWork<T>): T {
    this.#connection.exec('begin immediate')
    try {
      const value = this.#connection.run(work())
      this.#connection.commit()
      return value
    } catch (error) {
      this.#connection.exec('rollback')
      throw error
    } finally {
      this.#answers.clear()
    }
  }

  /** For code that takes a Database. */
  database(isReachable: () => boolean = () => true): Database {
    const refuse = () => {
      throw new Error('The simulation has no such thing')
    }
    const reach = (): void => {
      if (!isReachable()) throw new Error('The database cannot be reached')
    }
    return {
      engine: 'sqlite',
      location: ':memory:',
      read: async (work) => {
        reach()
        return this.read(work)
      },
      write: async (work) => {
        reach()
        return this.write(work)
      },
      tryLock: refuse,
      lockAs: refuse,
      nodeRegistry: undefined,
      firstUnderLock: refuse,
      forRequests: refuse,
      forOrganization: refuse,
      changeSchema: (_purpose, change) => change({ transaction: async (work) => this.write(work), buildIndex: refuse }),
      clock: systemClock,
      rateLimiter: { countRequest: refuse, prune: refuse },
      watch: refuse,
      ping: refuse,
      close: refuse,
    }
  }

  addNode(name: string): void {
    this.write(() => run(insertNode, { name }))
  }

  removeNode(name: string): void {
    this.write(() => run(deleteNode, { name }))
  }

  /** When the first of a node's monitors is due. */
  nextDueOf(node: string, underWay: ReadonlySet<number>): number | null {
    const due = this.#readOnce(`due ${node}`, () => this.read(all(dueOfNode, { node })))
    return due.find(({ num }) => !underWay.has(num))?.next_check_at ?? null
  }

  /** Whether some monitor is assigned to no node, or to one that is gone. */
  hasMonitorsWithoutNode(): boolean {
    return this.#readOnce('without node', () => this.read(first(withoutNode, {})) !== undefined)
  }

  stateOf(num: number) {
    return this.#readOnce(`state ${num}`, () => this.read(first(stateRow, { num })))
  }

  nextDue(underWay: ReadonlySet<number>): number | null {
    const due = this.#readOnce('due', () => this.read(all(nextDue, {})))
    return due.find(({ num }) => !underWay.has(num))?.next_check_at ?? null
  }

  windows() {
    return this.#readOnce('windows', () => this.read(all(windowRows, {})))
  }

  openIncidentsOf(num: number) {
    return this.read(all(openOf, { num }))
  }

  incidentsOf(num: number) {
    return this.read(all(incidentsOf, { num }))
  }

  identityOf(id: string) {
    return this.read(first(numOf, { id }))
  }

  rollups(span: 'hours' | 'days', num: number) {
    return this.read(all(rollupsOf[span], { num }))
  }

  /** Every raw result of a monitor. */
  resultsOf(num: number): readonly StoredResult[] {
    const blocks = this.read(
      execute(q.selectFrom('result_blocks').select(['first_at', 'results']).where('num', '=', num)),
    )
    const [state] = this.read(execute(q.selectFrom('monitor_states').select('memory').where('num', '=', num)))
    const pending = state === undefined ? [] : pendingResults(readMemory(state.memory, 0).results)
    return [...blocks.flatMap(({ first_at: firstAt, results }) => resultsIn({ firstAt, results })), ...pending]
  }
}
