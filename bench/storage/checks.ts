import type { ChecksMeasured } from '../support/checks.ts'
import { runScript } from '../support/children.ts'
import { onBothEngines } from '../support/engines.ts'
import type { Percentiles } from '../support/figures.ts'
import { setting } from '../support/sections.ts'
import { progress, Table, verdict } from '../support/table.ts'

const RESULTS = setting('BENCH_RESULTS', 10_000_000)
const GOAL_MS = 60

/** Pages of stored checks by offset, time and state, while 333 results a second are written. */
export async function checks(): Promise<boolean> {
  const measured = await onBothEngines(measure)
  const columns = measured.flatMap(([name]) => [`${name}: p50 ms`, 'p99 ms', 'max ms'])
  const results = measured[0]?.[1].results ?? 0
  const table = new Table(`Pages of 100 checks among ${results} results`, ['', 'total', ...columns, 'goal p99', ''])
  let areMet = true
  for (const [i, { name, total }] of measured[0]?.[1].pages.entries() ?? []) {
    const its = measured.map(([, { pages }]) => pages[i] as Percentiles)
    const isMet = its.every(({ p99 }) => p99 <= GOAL_MS)
    areMet &&= isMet
    const cells = its.flatMap(cellsOf)
    table.row([name, `${total}`, ...cells, `≤ ${GOAL_MS}`, verdict(isMet)])
  }
  table.row(['control: select 1', '', ...measured.flatMap(([, { control }]) => cellsOf(control)), '', ''])
  return areMet
}

function cellsOf({ p50, p99, max }: Percentiles): string[] {
  return [p50, p99, max].map((ms) => ms.toFixed(1))
}

async function measure(engine: string, at: string): Promise<ChecksMeasured> {
  progress(`${engine}: ${RESULTS} results`)
  const measured = await runScript<ChecksMeasured>('checks.ts', [at, RESULTS])
  progress('')
  return measured
}
