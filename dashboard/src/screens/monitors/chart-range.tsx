import { useState } from 'preact/hooks'
import { t } from '../../lib/i18n.ts'
import { useSearchState } from '../../lib/search.ts'
import { Button } from '../../ui/button.tsx'
import { SegmentedControl } from '../../ui/segmented-control.tsx'

const spans = {
  '1h': { label: '1 h', seconds: 3_600 },
  '24h': { label: '24 h', seconds: 86_400 },
  '7d': { label: '7 d', seconds: 604_800 },
  '30d': { label: '30 d', seconds: 2_592_000 },
  '90d': { label: '90 d', seconds: 7_776_000 },
} as const
type Span = keyof typeof spans
const choices = (Object.keys(spans) as Span[]).map((value) => ({ value, label: spans[value].label }))

/** What the chart shows: a span that ends now, or the time between two times. In the URL. */
export interface ChartRange {
  readonly span: Span | null
  /** ISO times; of an exact range only. */
  readonly from?: string
  readonly to?: string
}

const isTime = (text: string | null): text is string => text !== null && !Number.isNaN(Date.parse(text))

export function useChartRange(): readonly [ChartRange, (range: ChartRange) => void] {
  const [search, change] = useSearchState()
  const [from, to, spanInUrl] = [search.get('from'), search.get('to'), search.get('span') as Span]
  const isExact = isTime(from) && isTime(to) && from < to
  const range = isExact ? { span: null, from, to } : { span: spans[spanInUrl] === undefined ? '24h' : spanInUrl }
  const set = ({ span, from = '', to = '' }: ChartRange) => change({ span: span === '24h' ? null : span, from, to })
  return [range, set]
}

/** For the API, which has no span of an hour. */
export function rangeQuery({ span, from, to }: ChartRange) {
  if (span === null) return { from, to }
  return span === '1h' ? { from: new Date(Date.now() - spans['1h'].seconds * 1000).toISOString() } : { span }
}

/** "Last 24 h" or null. */
export function spanLabel({ span }: ChartRange): string | null {
  return span === null ? null : spans[span].label
}

/** The first and the last second of the chart. */
export function edgesOf({ span, from, to }: ChartRange): readonly [start: number, end: number] {
  const now = Date.now() / 1000
  if (span !== null) return [now - spans[span].seconds, now]
  return [Date.parse(from ?? '') / 1000, Math.min(now, Date.parse(to ?? '') / 1000)]
}

interface RangeChoiceProps {
  readonly range: ChartRange
  readonly onRange: (range: ChartRange) => void
}

export function RangeChoice({ range, onRange }: RangeChoiceProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <SegmentedControl
        label={t('Time range')}
        value={range.span ?? 'exact'}
        choices={[...choices, { value: 'exact', label: t('Dates') }]}
        onValue={(next) => (next === 'exact' ? setOpen(!isOpen) : onRange({ span: next }))}
      />
      {(isOpen || range.span === null) && <Dates range={range} onRange={onRange} />}
    </>
  )
}

/** A local day as the input has it: "2026-11-15". */
function dayText(at: string | undefined, fallbackMs: number, shiftMs = 0): string {
  const date = new Date((at === undefined ? fallbackMs : Date.parse(at)) - shiftMs)
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 10)
}

function Dates({ range, onRange }: RangeChoiceProps) {
  const first = dayText(range.from, Date.now() - 7 * 86_400_000)
  const last = dayText(range.to, Date.now(), 1)
  const set = (from: string, to: string) => {
    const [start, end] = [new Date(`${from}T00:00`), new Date(`${to}T00:00`)]
    if (Number.isNaN(start.getTime()) || Number.isNaN(end.getTime()) || end < start) return
    // The last day is part of it.
    end.setDate(end.getDate() + 1)
    onRange({ span: null, from: start.toISOString(), to: end.toISOString() })
  }
  const input = (label: string, value: string, onValue: (day: string) => void) => (
    <input
      class="input w-auto"
      type="date"
      aria-label={label}
      value={value}
      max={dayText(undefined, Date.now())}
      onChange={(event) => onValue(event.currentTarget.value)}
    />
  )
  return (
    <div class="flex flex-wrap items-center gap-2">
      {input(t('First day'), first, (day) => set(day, last < day ? day : last))}–
      {input(t('Last day'), last, (day) => set(first > day ? day : first, day))}
      {range.span === null && <Button onClick={() => onRange({ span: '24h' })}>{t('Reset')}</Button>}
    </div>
  )
}
