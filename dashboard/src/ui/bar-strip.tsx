/** One hour or day. */
export interface Bar {
  readonly startAt: string
  readonly upMs: number
  readonly degradedMs: number
  readonly downMs: number
}

const WIDTH = 5
const STEP = 7
const HEIGHT = 24

/**
 * One bar per hour or day: full height for up, three fifths for degraded, notched for down, a stub for no data. Normal bars are one
 * path; only problems are separate elements. `label` is the summary for screen readers.
 */
export function BarStrip({ bars, label }: { bars: readonly Bar[]; label: string }) {
  const stubs: string[] = []
  const full: string[] = []
  const problems: preact.JSX.Element[] = []
  bars.forEach(({ startAt, upMs, degradedMs, downMs }, i) => {
    const x = i * STEP
    if (downMs > 0) {
      problems.push(
        <path key={startAt} class="fill-down" d={`M${x} 0h${WIDTH}v9l-2.5 3 2.5 3v9h-${WIDTH}v-9l2.5-3-2.5-3z`} />,
      )
    } else if (degradedMs > 0) {
      problems.push(
        <path key={startAt} class="fill-degraded" d={`M${x} ${HEIGHT * 0.4}h${WIDTH}V${HEIGHT}h-${WIDTH}z`} />,
      )
    } else if (upMs > 0) full.push(`M${x} 0h${WIDTH}v${HEIGHT}h-${WIDTH}z`)
    else stubs.push(`M${x} ${HEIGHT - 5}h${WIDTH}v5h-${WIDTH}z`)
  })
  const width = Math.max(1, bars.length * STEP - (STEP - WIDTH))
  return (
    <svg
      class="block h-6 max-w-full"
      width={width}
      viewBox={`0 0 ${width} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {full.length > 0 && <path class="fill-up" d={full.join('')} />}
      {stubs.length > 0 && <path class="fill-none-text" opacity=".5" d={stubs.join('')} />}
      {problems}
    </svg>
  )
}
