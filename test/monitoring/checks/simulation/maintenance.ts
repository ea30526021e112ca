import assert from 'node:assert/strict'
import type { Operation, OperationContext } from '../../../../src/contract/operation.ts'
import { validator } from '../../../../src/contract/validate.ts'
import { applyDueTransitions } from '../../../../src/monitoring/maintenance/apply-transitions.ts'
import { createMaintenanceWindow } from '../../../../src/monitoring/maintenance/create.ts'
import { isRecheckQueued, recheckSome } from '../../../../src/monitoring/maintenance/recheck.ts'
import { deleteMaintenanceWindow } from '../../../../src/monitoring/maintenance/remove.ts'
import { CreateMaintenanceWindow } from '../../../../src/monitoring/maintenance/schema.ts'
import { updateMaintenanceWindow } from '../../../../src/monitoring/maintenance/update.ts'
import type { DbWork } from '../../../../src/storage/query.ts'
import { bareInstallation } from '../../../support/installation.ts'
import type { ModelMonitor } from './model.ts'
import { hasEndedSince, isUnderWay, type Version } from './model-windows.ts'
import type { World } from './world.ts'

const complete = validator(CreateMaintenanceWindow, 'body')
const MINUTE = 60_000
const MOST_WINDOWS = 3
const TICK_MS = 500

type OperationHandler = { handle(call: OperationContext, input: object): DbWork<unknown> }

interface Planned {
  readonly id: string
  version: Version
  /** Ends before this time were followed by rechecks. */
  settledAt: number
}

/** Users who plan maintenance, and the scheduler that starts and ends it. */
export class SimulatedMaintenance {
  readonly world: World
  readonly #planned: Planned[] = []
  /** Monitors to check because their maintenance has ended. */
  readonly #toCheck = new Set<number>()
  /** All monitors, including those created before the rechecks run. */
  #checkAll = false
  #nextAt = Number.POSITIVE_INFINITY
  #missedTick = false

  constructor(world: World) {
    this.world = world
    world.wake = () => {
      if (this.#missedTick) this.#schedule(world.now)
      this.#missedTick = false
    }
  }

  /** A user creates, changes or deletes a window. */
  act(): void {
    const { dice, serving, monitors } = this.world
    if (serving.length === 0 || monitors.size === 0) return
    const planned = dice.pick(this.#planned)
    if (planned === undefined || (this.#planned.length < MOST_WINDOWS && dice.chance(0.4))) this.#create()
    else if (dice.chance(0.6)) this.#change(planned)
    else this.#cancel(planned)
    this.#inspect()
    this.#plan()
  }

  #times() {
    const { dice, now } = this.world
    const startsAt = now + dice.between(-40 * MINUTE, 40 * MINUTE)
    return { startsAt, lengthMs: dice.pick([1, 5 * MINUTE, 37 * MINUTE + 13, 3 * 60 * MINUTE]) }
  }

  #some(): ModelMonitor[] | null {
    const { dice, monitors } = this.world
    return dice.chance(0.4) ? null : [...monitors.values()].filter((_, i) => i === 0 || dice.chance(0.5))
  }

  #create(): void {
    const { dice, now, windows } = this.world
    const { startsAt, lengthMs } = this.#times()
    const isDaily = dice.chance(0.3)
    const some = this.#some()
    const body = complete({
      name: 'simulated',
      ...timesOf(startsAt, lengthMs),
      ...coverOf(some),
      recurrence: isDaily ? 'DAILY' : 'NONE',
    })
    assert.ok('value' in body)
    const { id } = this.#do(createMaintenanceWindow, {}, body.value) as { id: string }
    const version = { from: now, until: Number.POSITIVE_INFINITY, startsAt, lengthMs, isDaily, nums: numsOf(some) }
    windows.versions.push(version)
    this.#planned.push({ id, version, settledAt: now })
    this.world.note(`maintenance of ${namesOf(some)} is planned ${timesText(version, now)}`)
  }

  #change(planned: Planned): void {
    const { dice, now, windows } = this.world
    const times = dice.chance(0.6) ? this.#times() : undefined
    const some = times === undefined || dice.chance(0.3) ? this.#some() : undefined
    this.#settle(planned)
    this.#do(
      updateMaintenanceWindow,
      { maintenanceId: planned.id },
      { ...(times && timesOf(times.startsAt, times.lengthMs)), ...(some !== undefined && coverOf(some)) },
    )
    const before = planned.version
    const nums = some === undefined ? before.nums : numsOf(some)
    const version: Version = { ...before, ...times, from: now, until: Number.POSITIVE_INFINITY, nums }
    const wasUnderWay = isUnderWay(before, now)
    before.until = now
    planned.version = version
    windows.versions.push(version)
    this.world.note(`maintenance is changed to ${nums === null ? 'all' : [...nums]} ${timesText(version, now)}`)
    for (const { num } of this.world.monitors.values()) {
      const leaves = isOf(before, num) && !(isOf(version, num) && isUnderWay(version, now))
      if (wasUnderWay && leaves) this.#expectRecheck(num)
    }
    // If it no longer covers all monitors, all are checked: the ones that left are not recorded.
    const isStillAll = version.nums === null && isUnderWay(version, now)
    if (wasUnderWay && before.nums === null && !isStillAll) this.#checkAll = true
  }

  #cancel(planned: Planned): void {
    const { now } = this.world
    this.#settle(planned)
    this.#do(deleteMaintenanceWindow, { maintenanceId: planned.id })
    this.world.note(`maintenance is called off ${timesText(planned.version, now)}`)
    this.#planned.splice(this.#planned.indexOf(planned), 1)
    const { version } = planned
    version.until = now
    if (!isUnderWay(version, now)) return
    if (version.nums === null) this.#checkAll = true
    for (const { num } of this.world.monitors.values()) if (isOf(version, num)) this.#expectRecheck(num)
  }

  #expectRecheck(num: number): void {
    this.#toCheck.add(num)
    for (const monitor of this.world.monitors.values()) if (monitor.num === num) monitor.recheckWaitMs = 0
  }

  /** Notes the monitors to check because an occurrence has ended by now. */
  #settle(planned: Planned): void {
    const { now, monitors } = this.world
    const { version, settledAt } = planned
    planned.settledAt = now
    if (!hasEndedSince(version, settledAt, now)) return
    if (version.nums === null) this.#checkAll = true
    for (const { num } of monitors.values()) if (isOf(version, num)) this.#toCheck.add(num)
  }

  /** One tick of the scheduler, on some node. */
  #tick(): void {
    const { store, now, serving, monitors, dice } = this.world
    this.#nextAt = Number.POSITIVE_INFINITY
    if (serving.length === 0) {
      this.#missedTick = true
      return
    }
    for (const planned of this.#planned) this.#settle(planned)
    const before = new Map([...monitors.values()].map(({ num }) => [num, store.stateOf(num)]))
    const moved = store.write(() => applyDueTransitions(now, 50))
    while (store.write(() => recheckSome(now)) !== undefined) {}
    this.world.note(`${dice.pick(serving).name} moves ${moved} windows on, ${this.#toCheck.size} are to be checked`)
    for (const monitor of monitors.values()) {
      const [was, is] = [before.get(monitor.num), store.stateOf(monitor.num)]
      const waits = (this.#checkAll || this.#toCheck.has(monitor.num)) && was?.next_check_at !== null
      assert.equal(is?.revision !== was?.revision, waits, `${monitor.num} is made due if and only if maintenance ended`)
      if (!waits) continue
      assert.equal(is?.next_check_at, now, 'after maintenance it is due at once')
      monitor.epoch += 1
      monitor.setbacks += 1
      monitor.lastResultAt = null
    }
    this.#toCheck.clear()
    this.#checkAll = false
    this.#inspect()
    assert.equal(store.read(isRecheckQueued()), false)
    for (const { next_transition_at: next } of store.windows()) assert.ok(next === null || next > now)
    this.#plan()
  }

  /** The status of every window that is not due is what the model expects. */
  #inspect(): void {
    const { store, now } = this.world
    const rows = store.windows()
    assert.equal(rows.length, this.#planned.length)
    for (const { id, version } of this.#planned) {
      const row = rows.find((one) => one.id === id)
      if (row?.next_transition_at != null && row.next_transition_at <= now) continue
      const isOver = !version.isDaily && now >= version.startsAt + version.lengthMs
      const status = isUnderWay(version, now) ? 'IN_PROGRESS' : isOver ? 'COMPLETED' : 'SCHEDULED'
      assert.equal(row?.status, status, 'a window has the expected status')
    }
  }

  /** Schedules the next tick for when something is due. */
  #plan(): void {
    const { store, now } = this.world
    const due = store.windows().map(({ next_transition_at: at }) => at ?? Number.POSITIVE_INFINITY)
    const next = store.read(isRecheckQueued()) ? now : Math.min(...due, Number.POSITIVE_INFINITY)
    if (Number.isFinite(next)) this.#schedule(Math.max(now, next))
  }

  #schedule(due: number): void {
    const { dice, now } = this.world
    const at = due + dice.between(0, TICK_MS)
    if (at >= this.#nextAt) return
    this.#nextAt = at
    this.world.after(at - now, () => {
      if (this.#nextAt === at) this.#tick()
    })
  }

  #do({ handle }: Operation & Partial<OperationHandler>, params: object, body?: object): unknown {
    const { store, now } = this.world
    const key = { keyId: 'key_1', keyName: 'simulated', access: 'full' } as const
    const call: OperationContext = {
      caller: { ...key, orgId: store.orgId, orgSlug: 'simulated', plan: 'SELF_HOSTED', subscription: 'active' },
      requestId: 'req_1',
      now,
      installation: bareInstallation('http://localhost'),
    }
    return store.write(() => (handle as OperationHandler['handle'])(call, { params, body, query: {} }))
  }
}

const timesOf = (startsAt: number, lengthMs: number) => ({
  startsAt: new Date(startsAt).toISOString(),
  endsAt: new Date(startsAt + lengthMs).toISOString(),
})

const coverOf = (some: readonly ModelMonitor[] | null) =>
  some === null ? { allMonitors: true } : { allMonitors: false, monitorIds: some.map(({ id }) => id) }

const numsOf = (some: readonly ModelMonitor[] | null) => (some === null ? null : new Set(some.map(({ num }) => num)))
const isOf = ({ nums }: Version, num: number): boolean => nums === null || nums.has(num)
const namesOf = (some: readonly ModelMonitor[] | null): string => some?.map(({ num }) => num).join() ?? 'all'

function timesText({ startsAt, lengthMs, isDaily }: Version, now: number): string {
  return `in ${startsAt - now} ms for ${lengthMs} ms${isDaily ? ', daily' : ''}`
}
