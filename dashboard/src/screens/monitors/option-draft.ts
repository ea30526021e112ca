import type { PublicSchemas } from '../../api/client.ts'
import { localZone } from '../../lib/format.ts'
import type { MonitorType } from './types.ts'

/** The options that the form shows, as the API returns them. */
export interface Options {
  readonly schedule: PublicSchemas['MonitorSchedule']
  readonly confirmation: PublicSchemas['MonitorConfirmation']
  readonly notes: PublicSchemas['MonitorNotes']
}

/** Their form values. An empty one means the default. */
export interface OptionDraft {
  readonly cron: string
  readonly timezone: string
  readonly failureRetries: number | null
  /** "1, 3" */
  readonly retryDelaysSeconds: string
  readonly recoverySuccesses: number | null
  readonly runbookUrl: string
  readonly text: string
}

export function optionDraftOf(options?: Options): OptionDraft {
  const { schedule, confirmation, notes } = options ?? {}
  return {
    cron: schedule?.cron ?? '',
    timezone: schedule?.timezone ?? localZone,
    failureRetries: confirmation?.failureRetries ?? null,
    retryDelaysSeconds: (confirmation?.retryDelaysSeconds ?? []).join(', '),
    recoverySuccesses: confirmation?.recoverySuccesses ?? null,
    runbookUrl: notes?.runbookUrl ?? '',
    text: notes?.text ?? '',
  }
}

/** The bodies of the requests; null for an option that is left at its default. */
export function optionBodies(draft: OptionDraft, type: MonitorType) {
  const { cron, timezone, failureRetries, recoverySuccesses } = draft
  const delays = draft.retryDelaysSeconds.split(/[,\s]+/).filter((part) => part !== '')
  const isDefault = failureRetries === null && delays.length === 0 && (recoverySuccesses ?? 1) === 1
  const [runbookUrl, text] = [draft.runbookUrl.trim(), draft.text.trim()]
  return {
    schedule: type !== 'CRON' || cron.trim() === '' ? null : { cron: cron.trim(), timezone: timezone.trim() },
    confirmation: isDefault
      ? null
      : {
          ...(failureRetries !== null && { failureRetries }),
          ...(delays.length > 0 && { retryDelaysSeconds: delays.map(Number) }),
          recoverySuccesses: recoverySuccesses ?? 1,
        },
    notes: runbookUrl === '' && text === '' ? null : { ...(runbookUrl && { runbookUrl }), ...(text && { text }) },
  }
}
