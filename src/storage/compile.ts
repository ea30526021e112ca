import { createQueryId, type QueryCompiler } from 'kysely'
import { type AnyStatement, Placeholder, type QueryStep, type Values } from './query.ts'

export interface Compiled {
  readonly sql: string
  /** Values in the order of the SQL text; a placeholder is filled in from the step. */
  readonly parameters: readonly unknown[]
  /** Absent on queries built for one request. */
  readonly statementId?: number
}

/** Compiles every statement once per engine. */
export function createCompiler(compiler: QueryCompiler): (step: QueryStep) => Compiled {
  const known = new Map<AnyStatement, Compiled>()
  return (step) => {
    if ('query' in step) return compiler.compileQuery(step.query, createQueryId())
    let compiled = known.get(step.statement)
    if (compiled === undefined) {
      const { sql, parameters } = compiler.compileQuery(step.statement.node, createQueryId())
      compiled = { sql, parameters, statementId: step.statement.id }
      known.set(step.statement, compiled)
    }
    return compiled
  }
}

/** `given` is absent where the query was built with its values in it. */
export function bind({ parameters }: Compiled, given: Values | undefined): unknown[] {
  const values = new Array(parameters.length)
  for (let i = 0; i < parameters.length; i += 1) {
    const parameter = parameters[i]
    values[i] = parameter instanceof Placeholder && given !== undefined ? given[parameter.name] : parameter
  }
  return values
}
