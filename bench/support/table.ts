/** A Markdown table whose rows appear as they are measured. */
export class Table {
  readonly #widths: readonly number[]

  constructor(title: string, columns: readonly string[]) {
    this.#widths = columns.map((column, i) => Math.max(column.length, i === 0 ? 18 : 7))
    process.stdout.write(`\n${title}\n\n`)
    this.row(columns)
    const rules = this.#widths.map((width, i) => (i === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`))
    process.stdout.write(`| ${rules.join(' | ')} |\n`)
  }

  row(cells: readonly string[]): void {
    const padded = cells.map((cell, i) => {
      const width = this.#widths[i] ?? 0
      return i === 0 ? cell.padEnd(width) : cell.padStart(width)
    })
    process.stdout.write(`| ${padded.join(' | ')} |\n`)
  }
}

/** A table of one row. */
export function printRow(title: string, cells: readonly (readonly [column: string, cell: string])[]): void {
  const table = new Table(
    title,
    cells.map(([column]) => column),
  )
  table.row(cells.map(([, cell]) => cell))
}

export function note(text: string): void {
  process.stdout.write(`\n${text}\n`)
}

/** Progress on standard error, so that standard output holds only the table. */
export function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text === '' ? '' : `  … ${text}`}`)
  else if (text !== '') process.stderr.write(`  … ${text}\n`)
}

export function verdict(isMet: boolean): string {
  return isMet ? 'met' : 'MISSED'
}

export function percent(share: number, digits = 0): string {
  return `${(100 * share).toFixed(digits)} %`
}
