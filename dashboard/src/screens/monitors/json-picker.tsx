import { t } from '../../lib/i18n.ts'
import { pathTo, valueText } from './assertion-draft.ts'

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

/** More items and members are not shown. */
const MAX_CHILDREN = 50
const MAX_DEPTH = 12
const MAX_SHOWN_CHARS = 120

interface PickerProps {
  readonly body: string
  readonly disabled: boolean
  /** `value` is in the form of the value field. */
  readonly onPick: (path: string, value: string) => void
}

/** The JSON of a response; a click on a value asserts it. */
export function JsonPicker({ body, ...options }: PickerProps) {
  const root = parsed(body)
  if (root === undefined) return <p class="text-muted">{t('The response isn’t JSON, or is too long to show.')}</p>
  return (
    <div>
      <p class="mb-1 text-muted">{t('Click a value of the response to assert it.')}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reachable with the keyboard */}
      <section class="code max-h-72 overflow-auto" tabIndex={0} aria-label={t('Response body')}>
        <Value value={root} path="$" depth={0} {...options} />
      </section>
    </div>
  )
}

function parsed(body: string): Json | undefined {
  try {
    return JSON.parse(body) as Json
  } catch {
    return undefined
  }
}

interface ValueProps extends Omit<PickerProps, 'body'> {
  readonly value: Json
  readonly path: string
  readonly depth: number
}

function Value({ value, path, depth, disabled, onPick }: ValueProps) {
  if (typeof value !== 'object' || value === null) {
    const text = JSON.stringify(value)
    return (
      <button
        type="button"
        class="link text-start wrap-anywhere"
        disabled={disabled}
        aria-label={t('Assert {path}, which is {value}', { path, value: shortened(text) })}
        onClick={() => onPick(path, valueText('JSON', value))}
      >
        {shortened(text)}
      </button>
    )
  }
  const isList = Array.isArray(value)
  const children: readonly (readonly [string | number, Json])[] = isList ? [...value.entries()] : Object.entries(value)
  const [open, close] = isList ? '[]' : '{}'
  if (children.length === 0 || depth === MAX_DEPTH)
    return <span>{`${open}${children.length === 0 ? '' : '…'}${close}`}</span>
  return (
    <>
      {open}
      <ul class="ps-4">
        {children.slice(0, MAX_CHILDREN).map(([key, child]) => (
          <li key={key}>
            {!isList && `${JSON.stringify(key)}: `}
            <Value value={child} path={pathTo(path, key)} depth={depth + 1} disabled={disabled} onPick={onPick} />
          </li>
        ))}
        {children.length > MAX_CHILDREN && <li>…</li>}
      </ul>
      {close}
    </>
  )
}

function shortened(text: string): string {
  return text.length > MAX_SHOWN_CHARS ? `${text.slice(0, MAX_SHOWN_CHARS)}…` : text
}
