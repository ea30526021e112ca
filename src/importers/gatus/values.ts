export type Yaml = Readonly<Record<string, unknown>>

export function text(value: unknown): string {
  return typeof value === 'string'
    ? value
    : typeof value === 'number' || typeof value === 'boolean'
      ? String(value)
      : ''
}

const unitMs: Readonly<Record<string, number>> = {
  h: 3_600_000,
  m: 60_000,
  s: 1_000,
  ms: 1,
  us: 0.001,
  µs: 0.001,
  ns: 0.000001,
}

/** A duration such as `1h30m`, in milliseconds; undefined if the text is none. */
export function durationMs(value: unknown): number | undefined {
  const given = text(value)
  if (!/^(\d+(\.\d+)?(h|ms|m|s|us|µs|ns))+$/.test(given)) return undefined
  const parts = [...given.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s|us|µs|ns)/g)]
  return parts.reduce((sum, [, count, unit]) => sum + Number(count) * (unitMs[unit ?? ''] ?? 0), 0)
}

/** How Gatus names an endpoint in addresses: `core_website`. */
export function endpointId({ group, name }: Yaml): string {
  const clean = (part: unknown) =>
    text(part)
      .trim()
      .toLowerCase()
      .replace(/[/_.,\s#+&]/g, '-')
  return `${clean(group)}_${clean(name)}`
}
