import type { OurState, TheirMonitor, TheirState } from './verdicts.ts'

type Verdict = TheirMonitor['state']

/** Stands for the tool itself in place of a monitor. Monitors are numbered from 1. */
export const TOOL_NUM = 0

/** What both said about a monitor since `fromAt`. */
export interface OpenSpan {
  readonly num: number
  readonly fromAt: number
  readonly theirs: TheirState
  readonly ours: OurState
}

/** A monitor as Pharos sees it. */
export interface Observed {
  readonly num: number
  readonly ours: OurState
  /** Undefined if it is not among the monitors of the other tool. */
  readonly theirs: Verdict | undefined
}

/** The spans that begin now. The open spans of the same monitors end now. */
export function observe(
  open: ReadonlyMap<number, OpenSpan>,
  monitors: readonly Observed[],
  isAnswering: boolean,
  now: number,
): readonly OpenSpan[] {
  const compared = monitors.filter(({ num, theirs }) => theirs !== undefined || open.has(num))
  const tool: TheirState = !isAnswering ? 'SILENT' : areAllDown(compared) ? 'ALL_DOWN' : 'UP'
  const current = [
    { num: TOOL_NUM, theirs: tool, ours: 'UP' as const },
    ...compared.map(({ num, ours, theirs }) => ({
      num,
      ours,
      theirs: tool === 'UP' || theirs === 'PAUSED' ? stateOf(theirs, open.get(num)) : tool,
    })),
  ]
  return current
    .filter(({ num, theirs, ours }) => {
      const before = open.get(num)
      return before === undefined || before.theirs !== theirs || before.ours !== ours
    })
    .map((pair) => ({ ...pair, fromAt: now }))
}

function stateOf(verdict: Verdict | undefined, before: OpenSpan | undefined): TheirState {
  // Kuma does not list paused monitors.
  if (verdict === undefined) return 'PAUSED'
  if (verdict !== 'PENDING') return verdict
  // It is repeating a failed check: its last verdict stands.
  return before?.theirs === 'UP' || before?.theirs === 'DOWN' ? before.theirs : 'PENDING'
}

/** Fewer monitors may well be down at the same time. */
const MIN_FOR_ALL_DOWN = 3

/** The cause is then most likely the tool or its network, unless Pharos sees the same. */
function areAllDown(monitors: readonly Observed[]): boolean {
  const judged = monitors.filter(({ theirs }) => theirs === 'UP' || theirs === 'DOWN')
  if (judged.length < MIN_FOR_ALL_DOWN || judged.some(({ theirs }) => theirs === 'UP')) return false
  return judged.filter(({ ours }) => ours === 'UP').length * 2 > judged.length
}
