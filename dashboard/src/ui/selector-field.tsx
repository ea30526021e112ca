import { useQuery } from '@tanstack/preact-query'
import type { ComponentChildren } from 'preact'
import { useId, useState } from 'preact/hooks'
import { MAX_SELECTOR_CHARS } from '../../../src/lib/selector.ts'
import { useKnownLabels } from '../api/labels.ts'
import { useOrganization } from '../api/organization.tsx'
import { plural, t } from '../lib/i18n.ts'
import { faultIn, termFor } from '../lib/selector.ts'
import { useDelayed } from '../lib/use-delayed.ts'
import { TextField } from './form.tsx'

interface SelectorFieldProps {
  readonly label: string
  readonly path: string
  readonly hint?: ComponentChildren
  readonly value: string
  readonly onValue: (text: string) => void
  readonly required?: boolean
  readonly disabled?: boolean
}

/** A selector, with suggestions from the labels in use. What is wrong with it replaces the hint. */
export function SelectorField({ hint, value, ...field }: SelectorFieldProps) {
  const id = useId()
  // A form may have many of these fields, and there may be many labels.
  const [isUsed, setUsed] = useState(false)
  const fault = faultIn(value)
  const matches = useMatchCount(fault === undefined ? value.trim() : '')
  const counted =
    matches === undefined ? undefined : matches === 0 ? t('No monitors match') : plural(matches, 'match', 'matches')
  const shownHint =
    fault !== undefined ? (
      <span class="text-down-text">{fault}</span>
    ) : (
      (hint ?? counted) && (
        <>
          {counted !== undefined && <span class="me-2 font-medium">{counted}</span>}
          {hint}
        </>
      )
    )
  return (
    <div onFocusCapture={() => setUsed(true)}>
      <TextField
        {...field}
        value={value}
        placeholder="team=payments"
        autocomplete="off"
        maxLength={MAX_SELECTOR_CHARS}
        list={`${id}-labels`}
        {...(shownHint !== undefined && { hint: shownHint })}
      />
      <SelectorSuggestions id={`${id}-labels`} enabled={isUsed} />
    </div>
  )
}

const TYPING_MS = 300

/** How many monitors a selector matches now; undefined while that is unknown. */
function useMatchCount(selector: string): number | undefined {
  const { api, key } = useOrganization()
  const settled = useDelayed(selector, TYPING_MS)
  const { data } = useQuery({
    queryKey: key('monitor', 'matching', settled),
    queryFn: async ({ signal }) => {
      const query = { labels: settled, limit: 1 }
      return (await api.GET('/api/v1/monitor-list', { query, signal })).pagination.total
    },
    enabled: settled !== '',
  })
  return settled === selector ? data : undefined
}

/** A condition for every label and value in use. They are loaded when they may be needed. */
export function SelectorSuggestions({ id, enabled }: { id: string; enabled: boolean }) {
  const known = useKnownLabels(enabled)
  return (
    <datalist id={id}>
      {enabled &&
        known.flatMap(({ label, values }) =>
          values.map(({ value }) => <option key={`${label} ${value}`} value={termFor(label, value)} />),
        )}
    </datalist>
  )
}
