import { t } from '../lib/i18n.ts'

interface LabelChipsProps {
  readonly labels: Readonly<Record<string, string>>
  /** More are counted, not shown. */
  readonly limit?: number
  /** Cut off where they do not fit, so that a row keeps its height. */
  readonly oneLine?: boolean
  /** Undefined where nothing can be filtered. */
  readonly onChoose?: ((key: string, value: string) => void) | undefined
}

const chip =
  'inline-flex max-w-full items-center rounded-full border border-line bg-ground px-2 text-xs leading-5 text-muted'

/** Labels as small chips; a click filters by one. */
export function LabelChips({ labels, limit = Number.POSITIVE_INFINITY, oneLine = false, onChoose }: LabelChipsProps) {
  const all = Object.entries(labels)
  if (all.length === 0) return null
  const more = all.slice(limit)
  return (
    <ul class={`flex min-w-0 gap-1 ${oneLine ? '' : 'flex-wrap'}`} aria-label={t('Labels')}>
      {all.slice(0, limit).map(([key, value]) => (
        <li key={key} class="min-w-0">
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
      {more.length > 0 && (
        <li class={chip} title={more.map(([key, value]) => textOf(key, value)).join(', ')}>
          {`+${more.length}`}
        </li>
      )}
    </ul>
  )
}

function textOf(key: string, value: string): string {
  return value === '' ? key : `${key}: ${value}`
}
