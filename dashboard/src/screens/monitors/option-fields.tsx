import { useQuery } from '@tanstack/preact-query'
import { useOrganization } from '../../api/organization.tsx'
import { shortTime } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { fieldsOf, NumberField, TextAreaField, TextField } from '../../ui/form.tsx'
import { TimeZoneField } from '../../ui/time-zone-field.tsx'
import { type OptionDraft, type Options, optionBodies, optionDraftOf } from './option-draft.ts'
import type { EditedMonitor, MonitorType } from './types.ts'

interface OptionFieldsProps {
  readonly type: MonitorType
  readonly draft: OptionDraft
  readonly set: (change: Partial<OptionDraft>) => void
  /** The next runs of the schedule, if it is saved. */
  readonly nextRuns: readonly string[]
}

function OptionFields({ type, draft, set, nextRuns }: OptionFieldsProps) {
  const field = fieldsOf(draft, set)
  const isJob = type === 'CRON'
  return (
    <>
      {isJob && (
        <fieldset>
          <legend class="mb-2 font-medium">{t('Cron schedule')}</legend>
          <div class="grid gap-4 sm:grid-cols-2">
            <TextField
              label={t('Cron expression')}
              {...field('cron')}
              maxLength={100}
              autocomplete="off"
              placeholder="30 3 * * MON-FRI"
              hint={
                nextRuns.length > 0
                  ? t('Next runs: {times}', { times: nextRuns.slice(0, 3).map(shortTime).join(' · ') })
                  : t('Replaces the expected period. Leave empty to use the period.')
              }
            />
            {draft.cron.trim() !== '' && (
              <TimeZoneField {...field('timezone')} hint={t('The schedule follows local time in this zone.')} />
            )}
          </div>
        </fieldset>
      )}
      <fieldset>
        <legend class="mb-2 font-medium">{t('Confirmation')}</legend>
        <div class="grid gap-4 sm:grid-cols-2">
          {!isJob && (
            <>
              <NumberField
                label={t('Retries after a failure')}
                {...field('failureRetries')}
                min={0}
                max={5}
                hint={t('Leave empty for the default')}
              />
              <TextField
                label={t('Delays between retries (seconds)')}
                {...field('retryDelaysSeconds')}
                pattern="\s*(\d+(\.\d+)?([,\s]+\d+(\.\d+)?)*)?\s*"
                autocomplete="off"
                hint={t('For example 1, 3; at most 60 each')}
              />
            </>
          )}
          <NumberField
            label={t('Successes until recovered')}
            {...field('recoverySuccesses')}
            min={1}
            max={10}
            hint={t('In a row. The incident stays open until then; 1 by default.')}
          />
        </div>
      </fieldset>
      <fieldset class="space-y-4">
        <legend class="mb-2 font-medium">{t('Notes')}</legend>
        <TextField label={t('Runbook URL')} {...field('runbookUrl')} type="url" maxLength={1000} autocomplete="off" />
        <TextAreaField
          label={t('Text')}
          {...field('text')}
          rows={3}
          maxLength={4000}
          hint={t('Shown on the monitor’s page and in alerts')}
        />
      </fieldset>
    </>
  )
}

/** Schedule, confirmation and notes in the form of a monitor. */
export function useOptionChoice(
  changed: OptionDraft | null,
  onChange: (draft: OptionDraft) => void,
  { type, monitorId, source }: EditedMonitor,
) {
  const { api, key } = useOrganization()
  const load = async (id: string): Promise<Options> => {
    const path = { monitorId: id }
    const [schedule, confirmation, notes] = await Promise.all([
      api.GET('/api/v1/monitors/{monitorId}/schedule', { path }),
      api.GET('/api/v1/monitors/{monitorId}/confirmation', { path }),
      api.GET('/api/v1/monitors/{monitorId}/notes', { path }),
    ])
    return { schedule, confirmation, notes }
  }
  const stored = useQuery({
    queryKey: key('monitor', 'options', source ?? 'new'),
    queryFn: () => (source === undefined ? null : load(source)),
  })
  const draft = changed ?? optionDraftOf(stored.data ?? undefined)
  return {
    fields:
      stored.data === undefined ? null : (
        <OptionFields
          type={type}
          draft={draft}
          set={(change) => onChange({ ...draft, ...change })}
          nextRuns={isSameSchedule(draft, stored.data) ? (stored.data?.schedule.nextRuns ?? []) : []}
        />
      ),
    /** Those that are not at their defaults. */
    bodies: Object.fromEntries(Object.entries(optionBodies(draft, type)).filter(([, body]) => body !== null)),
    /** Saves the options that differ from those of the monitor. */
    async save(id: string): Promise<void> {
      const isCopy = monitorId === undefined && source !== undefined
      if (changed === null && !isCopy) return
      const wanted = optionBodies(draft, type)
      const before = optionBodies(optionDraftOf(await load(id)), type)
      const path = { monitorId: id }
      for (const name of Object.keys(wanted) as (keyof Options)[]) {
        const body = wanted[name]
        if (JSON.stringify(body) === JSON.stringify(before[name])) continue
        const url = `/api/v1/monitors/{monitorId}/${name}` as const
        await (body === null ? api.DELETE(url, { path }) : api.PUT(url, { path, body: body as never }))
      }
    },
  }
}

function isSameSchedule({ cron, timezone }: OptionDraft, stored: Options | null): boolean {
  return cron === stored?.schedule.cron && timezone === stored.schedule.timezone
}
