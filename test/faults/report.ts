import { appendFileSync } from 'node:fs'

/** The file that rows append their results to; the test runner prints the table at the end. */
export const reportVariable = 'PHAROS_TEST_FAULTS_REPORT'

export interface Measure {
  readonly what: string
  readonly measured: string
  readonly required: string
  readonly holds: boolean
}

export interface RowResult {
  readonly fault: string
  readonly result: 'pass' | 'fail' | 'skipped'
  readonly measures: readonly Measure[]
  /** Why it was skipped, or the error that ended it. */
  readonly reason?: string
}

/** Called once per row. */
export function report(result: RowResult): void {
  const file = process.env[reportVariable]
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(result)}\n`)
}

/** The row in one line. */
export function lineOf({ fault, result, measures, reason }: RowResult): string {
  const parts = measures.map(
    ({ what, measured, required, holds }) => `${what}: ${measured} (required ${required}${holds ? '' : ': NOT MET'})`,
  )
  return `${fault}: ${[...parts, ...(reason === undefined ? [] : [reason])].join('; ')}: ${result}`
}
