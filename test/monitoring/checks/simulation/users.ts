import assert from 'node:assert/strict'
import type { ApiError } from '../../../../src/contract/errors.ts'
import type { Operation, OperationContext } from '../../../../src/contract/operation.ts'
import { validator } from '../../../../src/contract/validate.ts'
import { checkMonitor } from '../../../../src/monitoring/checks/check-now.ts'
import type { Claim } from '../../../../src/monitoring/checks/claim.ts'
import { type HeartbeatSignal, recordHeartbeat } from '../../../../src/monitoring/checks/heartbeat.ts'
import { acknowledgeIncident } from '../../../../src/monitoring/incidents/acknowledge.ts'
import { removeIncidentsOfMonitors } from '../../../../src/monitoring/incidents/remove-monitor.ts'
import { removeMonitorsFromWindows } from '../../../../src/monitoring/maintenance/remove-monitor.ts'
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
import { type Check, heartbeatSampleOf } from './check.ts'
import { inspect } from './inspect.ts'
import { ModelMonitor } from './model.ts'
import type { SimulatedNode as Node } from './node.ts'
import type { World } from './world.ts'

const complete = validator(CreateMonitor, 'body')
const deleteWithReferences = deleteMonitor([removeMonitorsFromWindows, removeIncidentsOfMonitors])
const MOST_MONITORS = 4
const intervals = [30, 60, 300, 3_600]
const periods = [60, 600, 7_200]

type OperationHandler = { handle(call: OperationContext, input: object): DbWork<unknown> }
type NetworkOperationHandlers = {
  prepare(call: OperationContext, input: object): DbWork<Claim>
  save(call: OperationContext, input: object, found: object): DbWork<unknown>
}

/** Users and jobs: everything that happens to monitors through the API and the heartbeat addresses. */
export class SimulatedUsers {
  readonly world: World
  readonly #deadTokens: string[] = []

  constructor(world: World) {
    this.world = world
  }

  act(): void {
    const { dice, serving, monitors } = this.world
    if (serving.length === 0) return
    if (monitors.size === 0 || (monitors.size < MOST_MONITORS && dice.chance(0.15))) this.#create(dice.pick(serving))
    else this.actOn(dice.pick([...monitors.values()]))
  }

  /** A random action on this monitor. */
  actOn(monitor: ModelMonitor): void {
    const { dice, serving, monitors } = this.world
    if (serving.length === 0 || !monitors.has(monitor.id)) return
    const node = dice.pick(serving)
    const isHeartbeat = monitor.isCron && dice.chance(0.6)
    const action = isHeartbeat
      ? this.#heartbeat
      : dice.pick([this.#stop, this.#go, this.#edit, this.#check, this.#more])
    action.call(this, node, monitor)
    if (monitors.has(monitor.id)) inspect(this.world.store, monitor)
  }

  #more(node: Node, monitor: ModelMonitor): void {
    this.world.dice
      .pick([this.#delete, this.#rename, this.#changeType, this.#acknowledge, this.#go])
      .call(this, node, monitor)
  }

  #create(node: Node): void {
    const { dice, store } = this.world
    const monitor = this.create(
      {
        type: dice.pick(['HTTP', 'HTTP', 'PORT', 'CRON']),
        url: 'http://shop.example/',
        host: 'shop.example',
        port: 80,
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

  create(fields: MonitorPatch, node = this.#anyNode()): ModelMonitor {
    const { world } = this
    const body = complete({ name: 'simulated', ...fields })
    assert.ok('value' in body)
    const answer = this.#do(createMonitor, node, {}, body.value)
    const { id } = answer as { id: string }
    const identity = world.store.identityOf(id)
    assert.ok(identity !== undefined)
    const { num, heartbeat_hash: token } = identity
    const monitor = new ModelMonitor(id, num, token, body.value as MonitorSettings, world.now, world.windows)
    world.monitors.set(id, monitor)
    world.note(`user creates ${monitor.settings.type} ${num} every ${monitor.periodMs} ms`)
    return monitor
  }

  #anyNode(): Node {
    return this.world.dice.pick(this.world.serving)
  }

  pause(monitor: ModelMonitor, node = this.#anyNode()): void {
    const { now } = this.world
    this.#do(pauseMonitor, node, { monitorId: monitor.id })
    this.world.note(`user pauses ${monitor.num}`)
    if (monitor.state === 'PAUSED') return
    monitor.change(now)
    monitor.state = 'PAUSED'
  }

  resume(monitor: ModelMonitor, node = this.#anyNode()): void {
    const { now } = this.world
    this.#do(resumeMonitor, node, { monitorId: monitor.id })
    this.world.note(`user resumes ${monitor.num}`)
    if (monitor.state !== 'PAUSED') return
    monitor.change(now)
    monitor.state = 'PENDING'
    monitor.runs.clear()
    if (monitor.deadlineFrom !== null) monitor.deadlineFrom = now
    monitor.reportedFailure = false
    this.#expectDue(monitor)
  }

  #stop(node: Node, monitor: ModelMonitor): void {
    this.pause(monitor, node)
  }

  #go(node: Node, monitor: ModelMonitor): void {
    this.resume(monitor, node)
  }

  #edit(node: Node, monitor: ModelMonitor): void {
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
    const timingFields = ['intervalSeconds', 'expectedPeriodSec', 'graceSeconds']
    monitor.change(
      now,
      Object.keys(patch).every((field) => timingFields.includes(field)),
    )
    monitor.settings = { ...settings, ...patch } as MonitorSettings
    this.#expectDue(monitor)
  }

  #changeType(node: Node, monitor: ModelMonitor): void {
    const { dice, now, store } = this.world
    const type = dice.pick((['HTTP', 'CRON', 'PORT'] as const).filter((other) => other !== monitor.settings.type))
    this.#do(updateMonitor, node, { monitorId: monitor.id }, { type })
    this.world.note(`user makes ${monitor.num} a ${type} monitor`)
    monitor.change(now)
    if (monitor.token !== null && type !== 'CRON') this.#deadTokens.push(monitor.token)
    monitor.settings = { ...monitor.settings, type }
    monitor.token = store.identityOf(monitor.id)?.heartbeat_hash ?? null
    monitor.deadlineFrom = null
    monitor.reportedFailure = false
    monitor.runs.clear()
    if (monitor.state !== 'PAUSED') monitor.state = 'PENDING'
    this.#expectDue(monitor)
  }

  /** A new name does not affect checks, so the result of a check under way is still saved. */
  #rename(node: Node, monitor: ModelMonitor): void {
    this.#do(updateMonitor, node, { monitorId: monitor.id }, { name: `renamed ${this.world.now}` })
    this.world.note(`user renames ${monitor.num}`)
  }

  #delete(node: Node, monitor: ModelMonitor): void {
    const { store, monitors } = this.world
    this.#do(deleteWithReferences, node, { monitorId: monitor.id })
    this.world.note(`user deletes ${monitor.num}`)
    monitors.delete(monitor.id)
    if (monitor.token !== null) this.#deadTokens.push(monitor.token)
    assert.equal(store.stateOf(monitor.num), undefined)
    assert.deepEqual(store.incidentsOf(monitor.num), [])
    assert.deepEqual([...store.rollups('hours', monitor.num), ...store.rollups('days', monitor.num)], [])
  }

  #acknowledge(node: Node, monitor: ModelMonitor): void {
    const [open] = this.world.store.openIncidentsOf(monitor.num)
    if (open !== undefined) this.#do(acknowledgeIncident, node, { incidentId: open.id })
  }

  /** A check by hand: claims, waits for the network, and is saved like any other. */
  #check(node: Node, monitor: ModelMonitor): void {
    const { world } = this
    const params = { monitorId: monitor.id }
    const operation = checkMonitor as unknown as NetworkOperationHandlers
    world.note(`user checks ${monitor.num} now`)
    const prepare = () => world.store.write(() => operation.prepare(this.#call(node), { params }))
    if (monitor.state === 'PAUSED') {
      assert.throws(prepare, (error: ApiError) => error.code === 'conflict')
      return
    }
    const check = world.begin(node, prepare(), true)
    monitor.setbacks += 1
    world.after(world.checkMs(monitor), () => this.#saveByHand(node, check, operation))
  }

  #saveByHand(node: Node, check: Check, operation: NetworkOperationHandlers): void {
    const { world } = this
    const { monitor, claim } = check
    const isDropped = !node.inFlight.delete(check)
    if (!node.isServing || isDropped) return
    const isCurrent = world.isCurrent(check)
    const isDeleted = !world.monitors.has(monitor.id)
    const sample = monitor.isCron && isCurrent ? heartbeatSampleOf(check, world.now, world.now) : world.probe(monitor)
    const found = { claim, sample: claim.settings.type === 'CRON' ? undefined : sample }
    const save = () =>
      world.store.write(() => operation.save(this.#call(node), { params: { monitorId: monitor.id } }, found))
    world.note(`${node.name} saves ${sample.outcome} of ${monitor.num} by hand: ${isCurrent}`)
    if (isDeleted) {
      assert.throws(save, (error: ApiError) => error.code === 'not_found')
      return
    }
    save()
    if (isCurrent) world.recordSaved(check, sample)
    inspect(world.store, monitor)
  }

  #heartbeat(_node: Node, monitor: ModelMonitor): void {
    const { dice, now, store } = this.world
    const signal = dice.pick<HeartbeatSignal>([
      ...([{ kind: 'success' }, { kind: 'success' }, { kind: 'start' }, { kind: 'start' }] as const),
      ...([{ kind: 'fail' }, { kind: 'log' }, { kind: 'exit', code: dice.between(0, 1) }] as const),
    ])
    const rid = dice.pick([null, 'a', 'b'])
    const send = (hash: string) =>
      store.write(() => recordHeartbeat({ kind: 'heartbeat', hash }, { signal, rid, body: null }, now, ''))
    this.world.note(`job of ${monitor.num} says ${JSON.stringify(signal)} ${rid}`)
    assert.equal(send(monitor.token as string), true)
    for (const token of this.#deadTokens.slice(-1)) assert.equal(send(token), false, "an old address is nobody's")
    if (monitor.state === 'PAUSED') return
    monitor.receive(signal, rid ?? '', now)
  }

  /** After a change a monitor is due at once, a CRON monitor when its heartbeat will be overdue, a paused one never. */
  #expectDue(monitor: ModelMonitor): void {
    const { store, now } = this.world
    const due = monitor.state === 'PAUSED' ? null : monitor.isCron ? monitor.deadline : now
    assert.equal(store.stateOf(monitor.num)?.next_check_at, due, 'a changed monitor is due when it should be')
  }

  #do(operation: Operation, node: Node, params: object, body?: object): unknown {
    const { handle } = operation as unknown as OperationHandler
    return this.world.store.write(() => handle(this.#call(node), { params, body, query: {} }))
  }

  #call(_node: Node): OperationContext {
    const { orgId } = this.world.store
    const key = { keyId: 'key_1', keyName: 'simulated', access: 'full' } as const
    return {
      caller: { ...key, orgId, orgSlug: 'simulated', plan: 'SELF_HOSTED', subscription: 'active' },
      requestId: 'req_1',
      now: this.world.now,
      // The simulation makes its checks itself.
      installation: bareInstallation('http://localhost'),
    }
  }
}
