import assert from 'node:assert/strict'
import type { ApiError } from '../../../../src/contract/errors.ts'
import type { Operation, OperationContext } from '../../../../src/contract/operation.ts'
import { validator } from '../../../../src/contract/validate.ts'
import { checkMonitor } from '../../../../src/monitoring/checks/check-now.ts'
import type { Claim } from '../../../../src/monitoring/checks/claim.ts'
import { type HeartbeatSignal, recordHeartbeat } from '../../../../src/monitoring/checks/heartbeat.ts'
import { acknowledgeIncident } from '../../../../src/monitoring/incidents/acknowledge.ts'
import {
  CreateMonitor,
  type MonitorPatch,
  type MonitorSettings,
} from '../../../../src/monitoring/monitor-settings/schema.ts'
import { createMonitor } from '../../../../src/monitoring/monitors/create.ts'
import { pauseMonitor } from '../../../../src/monitoring/monitors/pause.ts'
import { deleteMonitor } from '../../../../src/monitoring/monitors/remove.ts'
import { resumeMonitor } from '../../../../src/monitoring/monitors/resume.ts'
import { updateMonitor } from '../../../../src/monitoring/monitors/update.ts'
import type { DbWork } from '../../../../src/storage/query.ts'
import { bareInstallation } from '../../../support/installation.ts'
import { inspect } from './inspect.ts'
import { Modelled } from './model.ts'
import type { Check, Node, World } from './world.ts'

const complete = validator(CreateMonitor, 'body')
const MOST_MONITORS = 4
const intervals = [30, 60, 300, 3_600]
const periods = [60, 600, 7_200]

type Handled = { handle(call: OperationContext, input: object): DbWork<unknown> }
type Errand = {
  ask(call: OperationContext, input: object): DbWork<Claim>
  land(call: OperationContext, input: object, found: object): DbWork<unknown>
}

/** People and jobs: everything that happens to monitors through the API and the heartbeat addresses. */
export class Users {
  readonly world: World
  readonly #deadTokens: string[] = []

  constructor(world: World) {
    this.world = world
  }

  /** Somebody does something. */
  act(): void {
    const { dice, serving, monitors } = this.world
    if (serving.length === 0) return
    if (monitors.size === 0 || (monitors.size < MOST_MONITORS && dice.chance(0.15))) this.#create(dice.pick(serving))
    else this.actOn(dice.pick([...monitors.values()]))
  }

  /** Somebody does something to this monitor. */
  actOn(monitor: Modelled): void {
    const { dice, serving, monitors } = this.world
    if (serving.length === 0 || !monitors.has(monitor.id)) return
    const node = dice.pick(serving)
    const beat = monitor.isCron && dice.chance(0.6)
    const deed = beat ? this.#beat : dice.pick([this.#stop, this.#go, this.#edit, this.#check, this.#more])
    deed.call(this, node, monitor)
    if (monitors.has(monitor.id)) inspect(this.world.store, monitor)
  }

  #more(node: Node, monitor: Modelled): void {
    this.world.dice
      .pick([this.#delete, this.#rename, this.#turnCoat, this.#acknowledge, this.#go])
      .call(this, node, monitor)
  }

  #create(node: Node): void {
    const { dice, store } = this.world
    const monitor = this.create(
      {
        type: dice.pick(['HTTP', 'HTTP', 'PORT', 'CRON']),
        ...{ url: 'http://shop.example/', host: 'shop.example', port: 80 },
        intervalSeconds: dice.pick(intervals),
        expectedPeriodSec: dice.pick([null, ...periods]),
        graceSeconds: dice.pick([0, 60, 300]),
        degradedThresholdMs: dice.pick([null, 200]),
        degradedSamples: dice.between(1, 3),
      },
      node,
    )
    this.world.conditions.set(monitor.id, dice.pick(['up', 'up', 'slow', 'down']))
    this.#expectDue(monitor)
    inspect(store, monitor)
  }

  create(fields: MonitorPatch, node = this.#anyNode()): Modelled {
    const { world } = this
    const body = complete({ name: 'simulated', ...fields })
    assert.ok('value' in body)
    const answer = this.#do(createMonitor, node, {}, body.value)
    const { id } = JSON.parse((answer as { text: string }).text)
    const identity = world.store.identityOf(id)
    assert.ok(identity !== undefined)
    const { num, heartbeat_token: token } = identity
    const monitor = new Modelled(id, num, token, body.value as MonitorSettings, world.now, world.windows)
    world.monitors.set(id, monitor)
    world.note(`user creates ${monitor.settings.type} ${num} every ${monitor.periodMs} ms`)
    return monitor
  }

  #anyNode(): Node {
    return this.world.dice.pick(this.world.serving)
  }

  pause(monitor: Modelled, node = this.#anyNode()): void {
    const { now } = this.world
    this.#do(pauseMonitor, node, { monitorId: monitor.id })
    this.world.note(`user pauses ${monitor.num}`)
    if (monitor.state === 'PAUSED') return
    monitor.change(now)
    monitor.state = 'PAUSED'
  }

  resume(monitor: Modelled, node = this.#anyNode()): void {
    const { now } = this.world
    this.#do(resumeMonitor, node, { monitorId: monitor.id })
    this.world.note(`user resumes ${monitor.num}`)
    if (monitor.state !== 'PAUSED') return
    monitor.change(now)
    monitor.state = 'PENDING'
    monitor.runs.clear()
    if (monitor.waitedFrom !== null) monitor.waitedFrom = now
    monitor.reportedFailure = false
    this.#expectDue(monitor)
  }

  #stop(node: Node, monitor: Modelled): void {
    this.pause(monitor, node)
  }

  #go(node: Node, monitor: Modelled): void {
    this.resume(monitor, node)
  }

  #edit(node: Node, monitor: Modelled): void {
    const { dice, now } = this.world
    const { settings } = monitor
    const other = <T>(values: readonly T[], than: T): T => dice.pick(values.filter((value) => value !== than))
    const patch = dice.pick<MonitorPatch>([
      { intervalSeconds: other(intervals, settings.intervalSeconds) },
      { expectedPeriodSec: other([null, ...periods], settings.expectedPeriodSec) },
      { graceSeconds: other([0, 60, 300], settings.graceSeconds) },
      { degradedThresholdMs: other([null, 200, 400], settings.degradedThresholdMs) },
      { degradedSamples: other([1, 2, 3], settings.degradedSamples) },
      { url: `http://shop.example/${now}` },
    ])
    this.#do(updateMonitor, node, { monitorId: monitor.id }, patch)
    this.world.note(`user edits ${monitor.num}: ${JSON.stringify(patch)}`)
    const rhythm = ['intervalSeconds', 'expectedPeriodSec', 'graceSeconds']
    monitor.change(
      now,
      Object.keys(patch).every((field) => rhythm.includes(field)),
    )
    monitor.settings = { ...settings, ...patch } as MonitorSettings
    this.#expectDue(monitor)
  }

  /** A monitor of one type becomes one of another. */
  #turnCoat(node: Node, monitor: Modelled): void {
    const { dice, now, store } = this.world
    const type = dice.pick((['HTTP', 'CRON', 'PORT'] as const).filter((other) => other !== monitor.settings.type))
    this.#do(updateMonitor, node, { monitorId: monitor.id }, { type })
    this.world.note(`user makes ${monitor.num} a ${type} monitor`)
    monitor.change(now)
    if (monitor.token !== null && type !== 'CRON') this.#deadTokens.push(monitor.token)
    monitor.settings = { ...monitor.settings, type }
    monitor.token = store.identityOf(monitor.id)?.heartbeat_token ?? null
    monitor.waitedFrom = null
    monitor.reportedFailure = false
    monitor.runs.clear()
    if (monitor.state !== 'PAUSED') monitor.state = 'PENDING'
    this.#expectDue(monitor)
  }

  /** Changes nothing about what is checked, so a check under way lands all the same. */
  #rename(node: Node, monitor: Modelled): void {
    this.#do(updateMonitor, node, { monitorId: monitor.id }, { name: `renamed ${this.world.now}` })
    this.world.note(`user renames ${monitor.num}`)
  }

  #delete(node: Node, monitor: Modelled): void {
    const { store, monitors } = this.world
    this.#do(deleteMonitor, node, { monitorId: monitor.id })
    this.world.note(`user deletes ${monitor.num}`)
    monitors.delete(monitor.id)
    if (monitor.token !== null) this.#deadTokens.push(monitor.token)
    assert.equal(store.stateOf(monitor.num), undefined)
    assert.deepEqual(store.incidentsOf(monitor.num), [])
    assert.deepEqual([...store.rollups('hours', monitor.num), ...store.rollups('days', monitor.num)], [])
  }

  #acknowledge(node: Node, monitor: Modelled): void {
    const [open] = this.world.store.openIncidentsOf(monitor.num)
    if (open !== undefined) this.#do(acknowledgeIncident, node, { incidentId: open.id })
  }

  /** A check by hand: it claims, waits for the network, and lands like any other. */
  #check(node: Node, monitor: Modelled): void {
    const { world } = this
    const params = { monitorId: monitor.id }
    const errand = checkMonitor as unknown as Errand
    world.note(`user checks ${monitor.num} now`)
    const ask = () => world.store.write(() => errand.ask(this.#call(node), { params }))
    if (monitor.state === 'PAUSED') {
      assert.throws(ask, (error: ApiError) => error.code === 'conflict')
      return
    }
    const check = world.begin(node, ask())
    monitor.setbacks += 1
    world.after(world.lookMs(monitor), () => this.#landByHand(node, check, errand))
  }

  #landByHand(node: Node, check: Check, errand: Errand): void {
    const { world } = this
    const { monitor, claim } = check
    node.inFlight.delete(check)
    if (!node.alive) return
    const current = world.isCurrent(check)
    const gone = !world.monitors.has(monitor.id)
    const sample = monitor.isCron && current ? world.overdue(check, world.now) : world.lookAt(monitor)
    const found = { claim, sample: claim.settings.type === 'CRON' ? undefined : sample }
    const land = () =>
      world.store.write(() => errand.land(this.#call(node), { params: { monitorId: monitor.id } }, found))
    world.note(`${node.name} lands ${sample.outcome} of ${monitor.num} by hand: ${current}`)
    if (gone) {
      assert.throws(land, (error: ApiError) => error.code === 'not_found')
      return
    }
    land()
    if (current) world.took(check, sample)
    inspect(world.store, monitor)
  }

  #beat(_node: Node, monitor: Modelled): void {
    const { dice, now, store } = this.world
    const signal = dice.pick<HeartbeatSignal>([
      ...([{ kind: 'success' }, { kind: 'success' }, { kind: 'start' }, { kind: 'start' }] as const),
      ...([{ kind: 'fail' }, { kind: 'log' }, { kind: 'exit', code: dice.between(0, 1) }] as const),
    ])
    const rid = dice.pick([null, 'a', 'b'])
    const send = (token: string) => store.write(() => recordHeartbeat(token, { signal, rid, body: null }, now, ''))
    this.world.note(`job of ${monitor.num} says ${JSON.stringify(signal)} ${rid}`)
    assert.equal(send(monitor.token as string), true)
    for (const token of this.#deadTokens.slice(-1)) assert.equal(send(token), false, "an old address is nobody's")
    if (monitor.state === 'PAUSED') return
    monitor.hear(signal, rid ?? '', now)
  }

  /** After a change a monitor is due at once, a CRON monitor when its heartbeat will be overdue, a paused one never. */
  #expectDue(monitor: Modelled): void {
    const { store, now } = this.world
    const due = monitor.state === 'PAUSED' ? null : monitor.isCron ? monitor.deadline : now
    assert.equal(store.stateOf(monitor.num)?.next_check_at, due, 'a changed monitor is due when it should be')
  }

  #do(operation: Operation, node: Node, params: object, body?: object): unknown {
    const { handle } = operation as unknown as Handled
    return this.world.store.write(() => handle(this.#call(node), { params, body, query: {} }))
  }

  #call({ name }: Node): OperationContext {
    const { orgId } = this.world.store
    const key = { keyId: 'key_1', keyName: 'simulated', access: 'full' } as const
    return {
      caller: { ...key, orgId, orgSlug: 'simulated', plan: 'SELF_HOSTED', subscription: 'active' },
      requestId: 'req_1',
      now: this.world.now,
      // The simulation looks by itself.
      installation: bareInstallation('http://localhost', this.world.alone ? null : name),
    }
  }
}
