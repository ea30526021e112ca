import type { DbWork, QueryStep, Step, StepResult } from './query.ts'

const noRows: StepResult = { rows: [], changes: 0 }

/**
 * Runs `find`, and `otherwise` if that returns undefined. If `otherwise` begins with a read, the read is sent together with
 * the first statements of `find`, before it is known whether it will be needed. That saves a round trip to PostgreSQL: 10 % of
 * the time that creating a monitor takes.
 */
export function* findOr<T>(find: DbWork<T | undefined>, otherwise: DbWork<T>): DbWork<T> {
  const ahead = beginningOf(otherwise)
  let step = find.next()
  if (ahead.read !== undefined && step.done !== true && isQuery(step.value)) {
    const { value } = step
    const steps = 'together' in value ? value.together : [value]
    const { rowsOfEach = [] } = yield { together: [...steps, ahead.read] }
    const rows = rowsOfEach.slice(0, steps.length)
    step = find.next('together' in value ? { ...noRows, rowsOfEach: rows } : { ...noRows, rows: rows[0] ?? [] })
    ahead.result = { ...noRows, rows: rowsOfEach.at(-1) ?? [] }
  }
  const found = yield* resume(find, step)
  if (found !== undefined) return found
  if ('error' in ahead) throw ahead.error
  for (const notice of ahead.notices) yield notice
  return yield* resume(otherwise, ahead.result === undefined ? ahead.step : otherwise.next(ahead.result))
}

interface Beginning<T> {
  /** Steps before the first query. They are taken when it is known that the work runs. */
  readonly notices: readonly Step[]
  /** Where the work stands. */
  readonly step: IteratorResult<Step, T>
  /** The first query, if it is a read. */
  readonly read: QueryStep | undefined
  result?: StepResult
}

/** Runs work up to its first query. An error is kept: it counts only if the work is needed. */
function beginningOf<T>(work: DbWork<T>): Beginning<T> | { error: unknown; read: undefined; result?: StepResult } {
  const notices: Step[] = []
  try {
    let step = work.next()
    while (step.done !== true && 'notices' in step.value) {
      notices.push(step.value)
      step = work.next(noRows)
    }
    return { notices, step, read: step.done !== true && isRead(step.value) ? step.value : undefined }
  } catch (error) {
    return { error, read: undefined }
  }
}

function isQuery(step: Step): step is QueryStep | { readonly together: readonly QueryStep[] } {
  return !('notices' in step) && !('snapshot' in step)
}

function isRead(step: Step): step is QueryStep {
  return 'values' in step && step.statement.node.kind === 'SelectQueryNode'
}

/** Goes on with work that stands at this step. */
function* resume<T>(work: DbWork<T>, from: IteratorResult<Step, T>): DbWork<T> {
  let step = from
  while (step.done !== true) {
    let result: StepResult
    try {
      result = yield step.value
    } catch (error) {
      step = work.throw(error)
      continue
    }
    step = work.next(result)
  }
  return step.value
}
