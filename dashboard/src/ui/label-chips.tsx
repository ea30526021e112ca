import { separated } from '../lib/format.ts'
import { t } from '../lib/i18n.ts'

interface LabelChipsProps {
  readonly labels: Readonly<Record<string, string>>
  /** In a row of a list: one label where it is narrow, two where it is wide, cut off where they do not fit. The others are counted. */
  readonly inRow?: boolean
  /** Undefined where nothing can be filtered. */
  readonly onChoose?: ((key: string, value: string) => void) | undefined
}

const WIDE_ROW = 2

const chip =
  'inline-flex max-w-full items-center rounded-full border border-line bg-ground px-2 text-xs leading-5 text-muted'

/** Labels as small chips; a click filters by one. */
export function LabelChips({ labels, inRow = false, onChoose }: LabelChipsProps) {
  const all = Object.entries(labels)
  if (all.length === 0) return null
  const shown = inRow ? all.slice(0, WIDE_ROW) : all
  return (
    <ul class={`flex min-w-0 gap-1 ${inRow ? '' : 'flex-wrap'}`} aria-label={t('Labels')}>
      {shown.map(([key, value], i) => (
        <li key={key} class={`min-w-0 ${inRow && i > 0 ? 'hidden @min-[1300px]:block' : ''}`}>
          {onChoose === undefined ? (
            <span class={chip} title={textOf(key, value)}>
              <span class="truncate">{textOf(key, value)}</span>
            </span>
          ) : (
            <button
              type="button"
              class={`${chip} cursor-pointer hover:border-accent hover:text-ink`}
              title={t('Filter by {label}', { label: textOf(key, value) })}
              onClick={() => onChoose(key, value)}
            >
              <span class="truncate">{textOf(key, value)}</span>
            </button>
          )}
        </li>
      ))}
      {inRow && <More labels={all.slice(1)} class="@min-[1300px]:hidden" />}
      {inRow && <More labels={all.slice(WIDE_ROW)} class="hidden @min-[1300px]:block" />}
    </ul>
  )
}

function More({ labels, class: look }: { labels: readonly (readonly [string, string])[]; class: string }) {
  if (labels.length === 0) return null
  return (
    <li class={`shrink-0 ${look}`} title={separated(labels.map(([key, value]) => textOf(key, value)))}>
      <span class={`${chip} whitespace-nowrap`}>{`+${labels.length}`}</span>
    </li>
  )
}

function textOf(key: string, value: string): string {
  return value === '' ? key : `${key}: ${value}`
}
