/** YYYY-MM-DD in UTC. */
export function isoDate(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}

/** Parses the date of a path. */
export function parseDate(text: string): string | undefined {
  const isDate = /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(`${text}T00:00:00Z`))
  return isDate && isoDate(Date.parse(`${text}T00:00:00Z`)) === text ? text : undefined
}
