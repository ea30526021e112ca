import { useQuery } from '@tanstack/preact-query'
import { unwrap } from '../../api/client.ts'
import { useOrganization } from '../../api/organization.tsx'
import { type OptionDraft, type Options, optionBodies, optionDraftOf } from './option-draft.ts'
import { OptionFields } from './option-fields.tsx'
import type { MonitorType } from './types.ts'

interface OptionChoice {
  readonly fields: preact.JSX.Element | null
  /** Those that are not at their defaults. */
  readonly bodies: object
  /** Saves the options that differ from those of the monitor. */
  save(monitorId: string): Promise<void>
}

/** Schedule, confirmation and notes in the form of a monitor. A copy begins with those of the monitor that it copies. */
export function useOptionChoice(
  changed: OptionDraft | null,
  onChange: (draft: OptionDraft) => void,
  type: MonitorType,
  monitorId?: string,
  copiedFrom?: string,
): OptionChoice {
  const { api, key } = useOrganization()
  const source = monitorId ?? copiedFrom
  const load = async (id: string): Promise<Options> => {
    const params = { path: { monitorId: id } }
    const [schedule, confirmation, notes] = await Promise.all([
      unwrap(api.GET('/api/v1/monitors/{monitorId}/schedule', { params })),
      unwrap(api.GET('/api/v1/monitors/{monitorId}/confirmation', { params })),
      unwrap(api.GET('/api/v1/monitors/{monitorId}/notes', { params })),
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
    bodies: Object.fromEntries(
      Object.entries(optionBodies(draft)).filter(
        ([name, body]) => body !== null && (type === 'CRON' || name !== 'schedule'),
      ),
    ),
    async save(id) {
      const isCopy = monitorId === undefined && copiedFrom !== undefined
      if (changed === null && !isCopy) return
      const wanted = optionBodies(draft)
      const before = optionBodies(optionDraftOf(await load(id)))
      const params = { path: { monitorId: id } }
      const differs = (name: keyof Options) => JSON.stringify(wanted[name]) !== JSON.stringify(before[name])
      if (type === 'CRON' && differs('schedule')) {
        const path = '/api/v1/monitors/{monitorId}/schedule'
        const { schedule: body } = wanted
        await unwrap(body === null ? api.DELETE(path, { params }) : api.PUT(path, { params, body }))
      }
      if (differs('confirmation')) {
        const path = '/api/v1/monitors/{monitorId}/confirmation'
        const { confirmation: body } = wanted
        await unwrap(body === null ? api.DELETE(path, { params }) : api.PUT(path, { params, body }))
      }
      if (differs('notes')) {
        const path = '/api/v1/monitors/{monitorId}/notes'
        const { notes: body } = wanted
        await unwrap(body === null ? api.DELETE(path, { params }) : api.PUT(path, { params, body }))
      }
    },
  }
}

function isSameSchedule({ cron, timezone }: OptionDraft, stored: Options | null): boolean {
  return cron === stored?.schedule.cron && timezone === stored.schedule.timezone
}
