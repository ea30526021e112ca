import { createQueryId, type QueryCompiler } from 'kysely'
import { type AnyStatement, Placeholder, type QueryStep, type Values } from './query.ts'

interface Compiled {
  readonly sql: string
  /** In the order of the SQL text. Placeholders are replaced by values when the statement runs. */
  readonly parameters: readonly unknown[]
  /** Undefined for queries built for one use. */
  readonly statementId?: number
  /** Whether it returns all columns of a table, of which a migration may add more. */
  readonly hasAllColumns?: boolean
}

/** A batch is compiled as one of its two statements. */
type SingleStep = Exclude<QueryStep, { batch: unknown }>

/** Compiles every statement once. */
export function createCompiler(compiler: QueryCompiler): (step: SingleStep) => Compiled {
  const cache = new Map<AnyStatement, Compiled>()
  return (step) => {
    if ('query' in step) return compiler.compileQuery(step.query, createQueryId())
    return cache.getOrInsertComputed(step.statement, ({ id, node }) => {
      const { sql, parameters } = compiler.compileQuery(node, createQueryId())
      return { sql, parameters, statementId: id, hasAllColumns: returnsAllColumns(sql) }
    })
  }
}

/** The columns of a subquery are listed in it. */
function returnsAllColumns(sql: string): boolean {
  const wildcards = [...sql.matchAll(/(?:select |returning |, )(?:"(\w+)"\.)?\*/g)]
  return wildcards.some(([, table]) => table === undefined || !sql.includes(`) as "${table}"`))
}

/** The parameters of one run. `values` is undefined for queries that contain their values. */
export function bind({ parameters }: Compiled, values: Values | undefined): unknown[] {
  return parameters.map((parameter) =>
    parameter instanceof Placeholder && values !== undefined ? values[parameter.name] : parameter,
  )
}
