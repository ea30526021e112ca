import { useEffect, useRef, useState } from 'preact/hooks'
import { axisTime, separated } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'

const WIDTH = 5
const STEP = 7
const HEIGHT = 24

/** Look of each letter of `hours`, and its label for screen readers. */
const looks: Readonly<Record<string, { word: string; class: string; draw: (x: number) => string }>> = {
  U: { word: t('up'), class: 'fill-up', draw: (x) => `M${x} 0h${WIDTH}v${HEIGHT}h-${WIDTH}z` },
  G: {
    word: t('degraded'),
    class: 'fill-degraded',
    draw: (x) => `M${x} ${HEIGHT * 0.4}h${WIDTH}V${HEIGHT}h-${WIDTH}z`,
  },
  D: {
    word: t('down'),
    class: 'fill-down',
    draw: (x) => `M${x} 0h${WIDTH}v9l-2.5 3 2.5 3v9h-${WIDTH}v-9l2.5-3-2.5-3z`,
  },
  // Hatched: three slabs.
  M: {
    word: t('in maintenance'),
    class: 'fill-maintenance',
    draw: (x) => [0, 9, 18].map((y) => `M${x} ${y}h${WIDTH}v6h-${WIDTH}z`).join(''),
  },
  // A thin dashed line.
  N: {
    word: t('not monitored'),
    class: 'fill-paused',
    draw: (x) => [0, 7, 14, 21].map((y) => `M${x + 1.5} ${y}h2v3h-2z`).join(''),
  },
  // Hollow: two thin lines.
  P: {
    word: t('paused'),
    class: 'fill-paused',
    draw: (x) => `M${x} 4h1.5v20h-1.500zM${x + 3.5} 4h1.500v20h-1.500z`,
  },
  '-': {
    word: t('without data'),
    class: 'fill-none-text opacity-50',
    draw: (x) => `M${x} ${HEIGHT - 5}h${WIDTH}v5h-${WIDTH}z`,
  },
}

const HOUR_MS = 3_600_000

/** One bar per hour of the last 24, oldest first. Equal hours share one path. The hour under the pointer is named. */
export function HourBars({ hours }: { hours: string }) {
  const [pointed, setPointed] = useState<number>()
  const letters = [...hours]
  const width = letters.length * STEP - (STEP - WIDTH)
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // The link of the row lies above the bars and gets the pointer.
    const row = box.current?.closest<HTMLElement>('tr') ?? box.current
    const point = ({ clientX, clientY }: PointerEvent) => {
      const { left, right, top, bottom } = (box.current as HTMLDivElement).getBoundingClientRect()
      const isInside = clientX >= left && clientX < right && clientY >= top && clientY < bottom
      setPointed(isInside ? Math.floor(((clientX - left) / (right - left)) * letters.length) : undefined)
    }
    const leave = () => setPointed(undefined)
    row?.addEventListener('pointermove', point)
    row?.addEventListener('pointerleave', leave)
    return () => {
      row?.removeEventListener('pointermove', point)
      row?.removeEventListener('pointerleave', leave)
    }
  }, [letters.length])
  return (
    <div ref={box} class="pointer-events-none relative">
      <svg
        class="block h-4 w-full @min-[700px]:h-6"
        viewBox={`0 0 ${width} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={inWords(letters)}
      >
        {Object.entries(looks).map(([letter, look]) => {
          const d = letters.map((one, i) => (one === letter ? look.draw(i * STEP) : '')).join('')
          return d === '' ? null : <path key={letter} class={look.class} d={d} />
        })}
      </svg>
      {pointed !== undefined && (
        <p
          role="tooltip"
          class="pointer-events-none absolute end-0 bottom-full z-10 mb-1 rounded-md bg-ink px-2 py-1 text-xs whitespace-nowrap text-surface"
        >
          {hourText(pointed, letters)}
        </p>
      )}
    </div>
  )
}

/** "2:00 PM – 3:00 PM: down" */
function hourText(at: number, letters: readonly string[]): string {
  const start = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - (letters.length - 1 - at) * HOUR_MS
  const [from, to] = [axisTime(new Date(start)), axisTime(new Date(start + HOUR_MS))]
  return t('{from} – {to}: {state}', { from, to, state: looks[letters[at] ?? '-']?.word ?? '' })
}

function inWords(letters: readonly string[]): string {
  const states = Object.entries(looks).flatMap(([letter, { word }]) => {
    const count = letters.filter((one) => one === letter).length
    return count === 0 ? [] : [`${count} ${word}`]
  })
  return t('Last {length} hours: {states}', { length: letters.length, states: separated(states) })
}
