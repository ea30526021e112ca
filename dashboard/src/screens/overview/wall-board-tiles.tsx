import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import type { PublicSchemas } from '../../api/client.ts'
import { duration, milliseconds, number } from '../../lib/format.ts'
import { plural, t, tx } from '../../lib/i18n.ts'
import { stateLabels } from '../../lib/labels.ts'
import { sentenceOf } from '../../lib/reasons.ts'
import { useNow } from '../../lib/use-now.ts'
import { type State, StateShape, states } from '../../ui/state.tsx'
import { MutedTag } from '../monitors/mute.tsx'
import { fitTiles, GAP_PX, type TileGrid, tileFontPx } from './fit-tiles.ts'

type Board = PublicSchemas['WallBoard']
type Tile = PublicSchemas['WallBoardTile']

const MOST_PROBLEMS = 12
/** Problems are this much larger than the others. */
const EMPHASIS = 1.2

/** As in the classes of problems: 2.6 % of the width, within limits. */
const problemFontPx = () => Math.max(24, Math.min(56, window.innerWidth * 0.026))

function stateOf({ state, inMaintenance }: Tile): State {
  return inMaintenance && state !== 'PAUSED' ? 'MAINTENANCE' : state
}

/** Problems first and large; the others fill the rest of the screen. */
export function Tiles({ board: { data, counts } }: { board: Board }) {
  const problems = data.filter((tile) => ['DOWN', 'DEGRADED'].includes(stateOf(tile))).toSorted(byUrgency)
  const others = data.filter((tile) => !problems.includes(tile))
  // A tile that says "1 more problem" takes the room of that problem.
  const shown = problems.length === MOST_PROBLEMS + 1 ? problems : problems.slice(0, MOST_PROBLEMS)
  const more = problems.length - shown.length
  return (
    <>
      {problems.length > 0 && (
        <ul
          aria-label={t('Problems')}
          class="grid gap-3 [grid-template-columns:repeat(auto-fit,minmax(min(100%,24rem),1fr))]"
        >
          {shown.map((tile) => (
            <Problem key={tile.id} tile={tile} />
          ))}
          {more > 0 && (
            <li class="card flex items-center justify-center px-5 py-4 text-[clamp(18px,1.7vw,36px)] font-semibold">
              {plural(more, 'more problem')}
            </li>
          )}
        </ul>
      )}
      <Rest tiles={others} hasProblems={problems.length > 0} />
      {counts.total > data.length && (
        <p class="text-muted">
          {tx('{value} of {total}, problems first.', {
            value: number(data.length),
            total: plural(counts.total, 'monitor'),
          })}
        </p>
      )}
    </>
  )
}

/** What is down comes first, and of these what went down last. */
function byUrgency(a: Tile, b: Tile): number {
  if (a.state !== b.state) return a.state === 'DOWN' ? -1 : 1
  return (b.since ?? '').localeCompare(a.since ?? '')
}

/** Longer words do not fit a tile in the largest letters. */
const LONG_WORD = 12

/** Names are never cut: longer ones, and those with long words, are smaller and take more lines. */
function problemFont(name: string): string {
  if (name.length <= 24 && name.split(/\s/).every((word) => word.length <= LONG_WORD))
    return 'text-[clamp(24px,2.6vw,56px)]'
  return name.length <= 60 ? 'text-[clamp(20px,1.9vw,40px)]' : 'text-[clamp(16px,1.3vw,28px)]'
}

function Problem({ tile }: { tile: Tile }) {
  const now = useNow()
  const { text } = states[tile.state]
  return (
    <li
      class={`rounded-md border-4 bg-surface px-5 py-4 ${tile.state === 'DOWN' ? 'border-down bg-down-soft' : 'border-degraded'}`}
    >
      <Link href={`/monitors/${tile.id}`} class={`block leading-tight font-semibold ${problemFont(tile.name)}`}>
        {tile.name}
      </Link>
      <p class={`mt-1 flex items-center gap-2 text-[clamp(18px,1.8vw,40px)] font-semibold ${text}`}>
        <StateShape state={tile.state} size={24} />
        {stateLabels[tile.state]}
        {tile.since !== null && (
          <> {tx('for {duration}', { duration: duration((now - new Date(tile.since).getTime()) / 1000) })}</>
        )}
      </p>
      <MutedTag monitorId={tile.id} class="text-[clamp(14px,1.2vw,28px)]" />
      {tile.reason !== null && (
        <p class="mt-1 line-clamp-2 text-[clamp(14px,1.2vw,28px)]">{sentenceOf(tile, 'reason')}</p>
      )}
    </li>
  )
}

const edges: Readonly<Record<State, string>> = {
  UP: 'border-s-up',
  DEGRADED: 'border-s-degraded',
  DOWN: 'border-s-down',
  PAUSED: 'border-s-paused',
  PENDING: 'border-s-none',
  MAINTENANCE: 'border-s-maintenance',
  INCONCLUSIVE: 'border-s-none',
}

/** The monitors without problems, in tiles that fill what is left of the screen. */
function Rest({ tiles, hasProblems }: { tiles: readonly Tile[]; hasProblems: boolean }) {
  const list = useRef<HTMLUListElement>(null)
  const [grid, setGrid] = useState<TileGrid>({ columns: 4, columnPx: 300, rowPx: 80, fontPx: 16 })
  const count = tiles.length
  useLayoutEffect(() => {
    const fit = () => {
      const area = list.current
      if (area === null) return
      const fitting = fitTiles(count, area.clientWidth, area.clientHeight)
      const mostPx = hasProblems ? Math.floor(problemFontPx() / EMPHASIS) : fitting.fontPx
      setGrid({ ...fitting, fontPx: Math.min(fitting.fontPx, mostPx) })
    }
    fit()
    const observer = new ResizeObserver(fit)
    if (list.current !== null) observer.observe(list.current)
    return () => observer.disconnect()
  }, [count, hasProblems])
  return (
    <ul
      ref={list}
      aria-label={t('Other monitors')}
      class="grid min-h-0 grow overflow-y-auto"
      style={{
        gridTemplateColumns: `repeat(${grid.columns}, minmax(0, 1fr))`,
        // A row grows for a name that does not fit; if all of them need too much, the list scrolls.
        gridAutoRows: 'minmax(max-content, 1fr)',
        gap: `${GAP_PX}px`,
      }}
    >
      {tiles.map((tile) => {
        const state = stateOf(tile)
        return (
          <li
            key={tile.id}
            class={`flex min-w-0 flex-col justify-center rounded-md border border-s-4 border-line bg-surface px-[0.6em] ${edges[state]}`}
            style={{ minHeight: `${grid.rowPx}px`, fontSize: `${tileFontPx(tile.name, grid)}px` }}
          >
            <Link
              href={`/monitors/${tile.id}`}
              class="flex items-center gap-[0.4em] leading-tight font-medium"
              title={tile.name}
            >
              <StateShape state={state} size={Math.round(tileFontPx(tile.name, grid) * 0.75)} />
              <span>{tile.name}</span>
            </Link>
            {grid.rowPx >= 48 && (
              <p class="truncate text-[0.7em] text-muted">
                {stateLabels[state]}
                {state === 'UP' && tile.lastResponseMs !== null && ` · ${milliseconds(tile.lastResponseMs)}`}
              </p>
            )}
          </li>
        )
      })}
    </ul>
  )
}
