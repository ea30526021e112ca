import type { Pharos } from '../../../clients/typescript/src/index.ts'
import { type ClientCommand, CommandError, displayTime, relativeTime, table, UsageError } from '../command.ts'
import { CONNECTION_NOTE } from '../environment.ts'
import { connect, connectionOptions } from './connect.ts'
import { display } from './display.ts'

type Monitor = Awaited<ReturnType<ReturnType<Pharos['monitors']['monitorList']>['page']>>['data'][number]

export const statusCommand: ClientCommand = {
  name: 'status',
  summary: 'Show how many monitors are in which state, and those that are not up',
  options: connectionOptions,
  notes: () => ['"pharos monitors list --watch" shows all of them and follows changes.'],
  examples: ['pharos status'],
  variables: [CONNECTION_NOTE],
  async call(environment, { options }) {
    const pharos = connect(environment, options.profile)
    const [{ counts }, monitors] = await Promise.all([
      pharos.insight.overview(),
      pharos.monitors.monitorList({ state: 'DOWN,DEGRADED', limit: 100 }).toArray(),
    ])
    const { total, ...states } = counts
    const parts = Object.entries(states).flatMap(([state, count]) => (count === 0 ? [] : `${count} ${state}`))
    const isFine = counts.up === total
    const sentence =
      total === 0
        ? 'There are no monitors. "pharos monitors create" adds one.'
        : isFine
          ? `All ${total} monitors are up.`.replace(/^All 1 monitors are/, 'The only monitor is')
          : `${parts.join(', ')}.`
    const rows = monitors.length === 0 ? [] : ['', monitorTable(monitors)]
    return { text: [sentence, ...rows].join('\n'), json: { counts, monitors } }
  },
}

export const downCommand: ClientCommand = {
  name: 'down',
  summary: 'List the monitors that are down, with the reason',
  options: connectionOptions,
  notes: () => ['The same as "pharos monitors list --state down".'],
  examples: ['pharos down'],
  variables: [CONNECTION_NOTE],
  async call(environment, { options }) {
    const pharos = connect(environment, options.profile)
    const monitors = await pharos.monitors.monitorList({ state: 'DOWN', limit: 100 }).toArray()
    const text = monitors.length === 0 ? 'No monitor is down.' : monitorTable(monitors)
    return { text, json: { data: monitors } }
  },
}

function monitorTable(monitors: readonly Monitor[]): string {
  const { isTTY, columns } = process.stdout
  const time = isTTY ? relativeTime : displayTime
  const rows = monitors.map(({ state, name, lastStatusChangedAt: since, cause, target }) => {
    const word = display(state, { enum: [state] })
    return [word, name, since === null ? '-' : time(since), cause ?? '-', target ?? '-']
  })
  return table(['STATE', 'NAME', 'SINCE', 'CAUSE', 'TARGET'], rows, isTTY ? columns : undefined)
}

export const ackCommand: ClientCommand = {
  name: 'ack',
  summary: 'Acknowledge the ongoing incidents of monitors',
  positionals: ['MONITOR…'],
  repeatsLast: true,
  options: connectionOptions,
  notes: () => [
    'MONITOR is the name or the ID of a monitor, or the ID of an incident. "pharos down" lists the monitors that are down.',
  ],
  examples: ['pharos ack mon_…', 'pharos ack "Orders API" Shop'],
  variables: [CONNECTION_NOTE],
  async call(environment, { positionals, options }) {
    const pharos = connect(environment, options.profile)
    const ongoing = await pharos.incidents.list({ status: 'ONGOING', limit: 100 }).toArray()
    const chosen = positionals.map((given) => {
      if (given === '') throw new UsageError('MONITOR must be the name or the ID of a monitor')
      const found = ongoing.filter(({ id, monitor }) => [id, monitor.id, monitor.name].includes(given))
      if (found.length > 0) return found
      throw new CommandError(`There is no ongoing incident of "${given}". Run "pharos down" to see what is down`)
    })
    const acknowledged = []
    for (const { id } of new Set(chosen.flat())) acknowledged.push(await pharos.incidents.acknowledge(id))
    const lines = acknowledged.map(({ id, monitor }) => `Acknowledged the incident of ${display(monitor.name)} (${id})`)
    return { text: lines.join('\n'), json: { data: acknowledged } }
  },
}
