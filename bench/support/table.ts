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

export function note(text: string): void {
  process.stdout.write(`\n${text}\n`)
}

/** Progress on standard error, so that standard output holds only the table. */
export function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text === '' ? '' : `  … ${text}`}`)
  else if (text !== '') process.stderr.write(`  … ${text}\n`)
}

export function percentileOf(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}

export function verdict(isMet: boolean): string {
  return isMet ? 'met' : 'MISSED'
}
