import { Check, Plus, X } from 'lucide-preact'
import type { PublicSchemas } from '../../api/client.ts'
import { useGet } from '../../api/get.ts'
import { useOrganization } from '../../api/organization.tsx'
import { t } from '../../lib/i18n.ts'
import { stateLabels } from '../../lib/labels.ts'
import { sentenceOf } from '../../lib/reasons.ts'
import { Button } from '../../ui/button.tsx'
import { FieldGroup } from '../../ui/field-group.tsx'
import { Select } from '../../ui/select.tsx'
import {
  type AssertionRow,
  assertionOf,
  assertionSources,
  hasPath,
  hasValue,
  isNumeric,
  newRow,
  operatorLabels,
  operatorsOf,
  rowOf,
  type Source,
  sourceLabels,
  withSource,
} from './assertion-draft.ts'
import { JsonPicker } from './json-picker.tsx'
import type { EditedMonitor } from './types.ts'

const MAX_ASSERTIONS = 20
const MAX_PATH_CHARS = 500
const MAX_VALUE_CHARS = 1000
const NUMBER = '\\s*-?[0-9]+(\\.[0-9]+)?\\s*'

/** The last test of the settings in the form. */
export interface Test {
  readonly tried: PublicSchemas['TestResult'] | undefined
  /** The assertions of that test. */
  readonly assertions: PublicSchemas['MonitorAssertions']['assertions']
  readonly isBusy: boolean
  run(): void
}

interface BuilderProps {
  readonly rows: readonly AssertionRow[]
  readonly onRows: (rows: readonly AssertionRow[]) => void
  readonly sources: readonly Source[]
  readonly test: Test
}

/** Adds, changes and removes assertions, each with what the last test found. */
function AssertionBuilder({ rows, onRows, sources, test }: BuilderProps) {
  const set = (i: number, row: AssertionRow) => onRows(rows.map((other, at) => (at === i ? row : other)))
  const add = (row: AssertionRow) => onRows([...rows, row])
  const isFull = rows.length >= MAX_ASSERTIONS
  const body = test.tried?.body
  return (
    <details class="rounded-md border border-line" open={rows.length > 0}>
      <summary class="touch cursor-pointer px-4 py-2 font-medium">{t('Assertions')}</summary>
      <div class="space-y-4 border-t border-line p-4">
        <p class="text-muted">{t('What a good response looks like. All assertions must hold.')}</p>
        {rows.length > 0 && (
          <ol class="space-y-3">
            {rows.map((row, i) => (
              <li key={i} class="rounded-md border border-line p-3">
                <Row row={row} i={i} set={(next) => set(i, next)} sources={sources} />
                <div class="mt-2 flex flex-wrap items-center gap-x-4 gap-y-2">
                  <Severity row={row} set={(next) => set(i, next)} />
                  <Found row={row} i={i} test={test} />
                  <Button look="quiet" icon={<X />} onClick={() => onRows(rows.filter((_, at) => at !== i))}>
                    {t('Remove')}
                  </Button>
                </div>
              </li>
            ))}
          </ol>
        )}
        <div class="flex flex-wrap gap-2">
          <Button disabled={isFull} icon={<Plus />} onClick={() => add(newRow(sources[0] as Source))}>
            {t('Add assertion')}
          </Button>
          <Button busy={test.isBusy} onClick={test.run}>
            {t('Test assertions')}
          </Button>
        </div>
        {body && sources.includes('JSON') && (
          <JsonPicker
            body={body}
            disabled={isFull}
            onPick={(path, value) => add({ source: 'JSON', path, operator: 'EQUALS', value, severity: 'DOWN' })}
          />
        )}
      </div>
    </details>
  )
}

interface RowProps {
  readonly row: AssertionRow
  readonly set: (row: AssertionRow) => void
}

function Row({ row, i, set, sources }: RowProps & { i: number; sources: readonly Source[] }) {
  const { source, path, operator, value } = row
  const number = i + 1
  return (
    <div class="grid gap-2 sm:grid-cols-2">
      <FieldGroup path={`assertions.${i}.source`} value={source}>
        <Select
          class="input"
          aria-label={t('Source of assertion {number}', { number })}
          value={source}
          onValue={(next) => set(withSource(row, next))}
          choices={sources.map((one) => ({ value: one, label: sourceLabels[one] }))}
        />
      </FieldGroup>
      {hasPath(source) ? (
        <FieldGroup path={`assertions.${i}.path`} value={path}>
          <input
            class="input font-mono"
            aria-label={
              source === 'JSON'
                ? t('JSONPath of assertion {number}', { number })
                : t('Header of assertion {number}', { number })
            }
            placeholder={source === 'JSON' ? '$.status' : 'content-type'}
            value={path}
            maxLength={MAX_PATH_CHARS}
            required
            autocomplete="off"
            spellcheck={false}
            onInput={(event) => set({ ...row, path: event.currentTarget.value })}
          />
        </FieldGroup>
      ) : (
        <span class="hidden sm:block" />
      )}
      <FieldGroup path={`assertions.${i}.operator`} value={operator}>
        <Select
          class="input"
          aria-label={t('Operator of assertion {number}', { number })}
          value={operator}
          onValue={(next) => set({ ...row, operator: next })}
          choices={operatorsOf(source, operator).map((one) => ({ value: one, label: operatorLabels[one] }))}
        />
      </FieldGroup>
      {hasValue(operator) && (
        <FieldGroup path={`assertions.${i}.value`} value={value}>
          <input
            class="input font-mono"
            aria-label={t('Value of assertion {number}', { number })}
            {...(isNumeric(row) && { inputMode: 'decimal', pattern: NUMBER, title: t('Enter a number') })}
            value={value}
            maxLength={MAX_VALUE_CHARS}
            required
            autocomplete="off"
            spellcheck={false}
            onInput={(event) => set({ ...row, value: event.currentTarget.value })}
          />
        </FieldGroup>
      )}
    </div>
  )
}

function Severity({ row, set }: RowProps) {
  return (
    <label class="flex items-center gap-2">
      <span class="text-muted">{t('Otherwise')}</span>
      <select
        class="input w-auto"
        value={row.severity}
        onChange={(event) => set({ ...row, severity: event.currentTarget.value as AssertionRow['severity'] })}
      >
        <option value="DOWN">{stateLabels.DOWN}</option>
        <option value="DEGRADED">{stateLabels.DEGRADED}</option>
      </select>
    </label>
  )
}

/** What the last test found, if the assertion has not changed since. */
function Found({ row, i, test }: { row: AssertionRow; i: number; test: Test }) {
  const result = test.tried?.assertions?.[i]
  const isSame = JSON.stringify(test.assertions[i]) === JSON.stringify(assertionOf(row))
  if (result === undefined || !isSame) return <span class="grow" />
  const found =
    result.found === null ? t('Nothing found') : t('Found {value}', { value: sentenceOf(result, 'found') ?? '' })
  return (
    <span
      role="status"
      class={`flex min-w-0 grow basis-40 items-center gap-1 wrap-anywhere ${result.holds ? 'text-up-text' : 'text-down-text'}`}
    >
      {result.holds ? (
        <Check class="shrink-0" aria-label={t('Holds')} />
      ) : (
        <X class="shrink-0" aria-label={t('Does not hold')} />
      )}
      {result.found === null && result.error !== null && !result.holds ? sentenceOf(result, 'error') : found}
    </span>
  )
}

/** Assertions in the form of a monitor. */
export function useAssertionOptions(
  rows: readonly AssertionRow[] | null,
  onRows: (rows: readonly AssertionRow[]) => void,
  { type, monitorId, source }: EditedMonitor,
) {
  const { api } = useOrganization()
  const path = { monitorId: source ?? '' }
  const { data } = useGet('monitor', '/api/v1/monitors/{monitorId}/assertions', { path, enabled: source !== undefined })
  const stored = source === undefined ? [] : data?.assertions
  const sources = assertionSources[type]
  // Assertions about what the type does not have went with the type.
  const shown = (rows ?? stored?.map(rowOf) ?? []).filter((row) => sources?.includes(row.source))
  const isShown = stored !== undefined && sources !== undefined
  return {
    /** For a test of the settings; undefined if the type has no assertions. */
    body: isShown ? { assertions: shown.map(assertionOf) } : undefined,
    field: (test: Test) =>
      isShown ? <AssertionBuilder rows={shown} onRows={onRows} sources={sources} test={test} /> : null,
    /** Saves the assertions if they were changed. */
    async save(id: string): Promise<void> {
      const isStored = rows === null && monitorId !== undefined
      if (!isShown || isStored || (monitorId === undefined && shown.length === 0)) return
      const body = { assertions: shown.map(assertionOf) }
      await api.PUT('/api/v1/monitors/{monitorId}/assertions', { path: { monitorId: id }, body })
    },
  }
}
