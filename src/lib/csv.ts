/** What a spreadsheet would run as a formula, also in full width, and the characters that it skips before one. */
const FORMULA = /^[=+\-@＝＋－＠\t\r\n]/

/** A line of a CSV file (RFC 4180). Text that a spreadsheet would take for a formula starts with an apostrophe instead. */
export function csvLine(cells: readonly (string | number | null)[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`
}

function csvCell(cell: string | number | null): string {
  if (cell === null) return ''
  if (typeof cell === 'number') return String(cell)
  const text = FORMULA.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
