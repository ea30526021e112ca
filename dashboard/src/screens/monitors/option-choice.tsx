import { useQuery } from '@tanstack/preact-query'
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
    bodies: Object.fromEntries(Object.entries(optionBodies(draft, type)).filter(([, body]) => body !== null)),
    async save(id) {
      const isCopy = monitorId === undefined && copiedFrom !== undefined
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
