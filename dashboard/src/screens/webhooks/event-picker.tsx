import { useId, useState } from 'preact/hooks'
import type { PublicSchemas } from '../../api/client.ts'
import { useGet } from '../../api/get.ts'
import { t } from '../../lib/i18n.ts'
import { CodeBlock } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { FieldGroup } from '../../ui/field-group.tsx'
import { QueryResult } from '../../ui/query-result.tsx'

export type EventTypes = PublicSchemas['WebhookEndpoint']['eventTypes']
type EventType = PublicSchemas['WebhookEventType']

const nouns: Readonly<Record<string, string>> = {
  incident: t('Detected incidents'),
  status_incident: t('Published incidents'),
  monitor: t('Monitors'),
  maintenance: t('Maintenance'),
  webhook: t('Webhooks'),
}

export function useEventTypes() {
  return useGet('webhook_events', '/api/v1/webhook-events', {
    query: { limit: 100 },
    staleTime: Number.POSITIVE_INFINITY,
  })
}

interface Props {
  readonly value: EventTypes
  readonly onValue: (types: EventTypes) => void
}

/** All events or selected types, each with a description and an example. */
export function EventPicker({ value, onValue }: Props) {
  const name = useId()
  const types = useEventTypes()
  const [example, setExample] = useState<EventType | null>(null)
  const isAll = value.includes('*')
  return (
    <fieldset>
      <legend class="mb-1 font-medium">{t('Events')}</legend>
      <FieldGroup path="eventTypes" value={value}>
        <label class="touch flex items-center gap-2 py-1">
          <input
            type="radio"
            class="size-4 accent-accent"
            name={name}
            checked={isAll}
            onChange={() => onValue(['*'])}
          />
          {t('All events, including future ones')}
        </label>
        <label class="touch flex items-center gap-2 py-1">
          <input type="radio" class="size-4 accent-accent" name={name} checked={!isAll} onChange={() => onValue([])} />
          {t('Selected events')}
        </label>
        {!isAll && (
          <QueryResult query={types} lines={4}>
            {({ data }) => (
              // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reachable with the keyboard
              <div class="mt-2 max-h-80 space-y-3 overflow-y-auto rounded-md border border-line p-3" tabIndex={0}>
                {Object.entries(Object.groupBy(data, ({ type }) => type.split('.', 1)[0] as string)).map(
                  ([noun, list]) => (
                    <Group
                      key={noun}
                      title={nouns[noun] ?? noun}
                      types={list ?? []}
                      value={value}
                      onValue={onValue}
                      onExample={setExample}
                    />
                  ),
                )}
              </div>
            )}
          </QueryResult>
        )}
      </FieldGroup>
      {example !== null && (
        <Dialog title={example.type} onClose={() => setExample(null)}>
          <p class="mb-3">
            <Described text={example.description} />
          </p>
          <CodeBlock
            text={JSON.stringify(example.example, null, 2)}
            label={t('Example of {type}', { type: example.type })}
          />
        </Dialog>
      )}
    </fieldset>
  )
}

interface GroupProps extends Props {
  readonly title: string
  readonly types: readonly EventType[]
  readonly onExample: (type: EventType) => void
}

function Group({ title, types, value, onValue, onExample }: GroupProps) {
  const names = types.map(({ type }) => type)
  const isFull = names.every((type) => value.includes(type))
  const others = value.filter((type) => !names.some((name) => name === type))
  const set = (chosen: EventTypes) => onValue([...others, ...chosen])
  return (
    <fieldset>
      <legend class="float-start w-full font-medium">
        {title}
        <button
          type="button"
          class="touch ms-3 text-xs font-normal text-accent underline"
          onClick={() => set(isFull ? [] : names)}
        >
          {isFull ? t('Clear all') : t('Select all')}
        </button>
      </legend>
      {types.map((one) => (
        <div key={one.type} class="clear-both flex items-start gap-2">
          <label class="touch flex grow items-start gap-2 py-1">
            <input
              type="checkbox"
              class="mt-0.5 size-4 shrink-0 accent-accent"
              checked={value.includes(one.type)}
              onChange={(event) =>
                set(
                  event.currentTarget.checked
                    ? names.filter((type) => type === one.type || value.includes(type))
                    : names.filter((type) => type !== one.type && value.includes(type)),
                )
              }
            />
            <span>
              <code>{one.type}</code>
              <span class="block text-xs text-muted">{eventDescriptions[one.type] ?? one.description}</span>
            </span>
          </label>
          <button
            type="button"
            class="touch shrink-0 py-1 text-xs text-accent underline"
            aria-label={t('Example of {type}', { type: one.type })}
            onClick={() => onExample(one)}
          >
            {t('Example')}
          </button>
        </div>
      ))}
    </fieldset>
  )
}

/** Field names are in backticks. */
function Described({ text }: { text: string }) {
  return <>{text.split('`').map((part, i) => (i % 2 === 0 ? part : <code key={i}>{part}</code>))}</>
}

/** When each event is sent. The server's own description names fields, for the API reference. */
const eventDescriptions: Readonly<Record<string, string>> = {
  'incident.opened': t('A monitor went down'),
  'incident.acknowledged': t('Someone acknowledged an incident'),
  'incident.resolved': t('The monitor of an incident is up again'),
  'status_incident.published': t('An incident was published on a status page'),
  'status_incident.updated': t('A published incident was edited'),
  'status_incident.update_posted': t('An update was posted to a published incident'),
  'status_incident.resolved': t('A published incident was resolved'),
  'monitor.created': t('A monitor was created'),
  'monitor.updated': t('Settings of a monitor were changed'),
  'monitor.deleted': t('A monitor was deleted'),
  'monitor.paused': t('A monitor was paused'),
  'monitor.resumed': t('A paused monitor was resumed'),
  'monitor.degraded': t('A monitor became degraded, for example slow'),
  'monitor.recovered': t('A degraded monitor is up again'),
  'monitor.certificate_expiring': t('A certificate expires soon'),
  'monitor.domain_expiring': t('A domain registration expires soon'),
  'monitor.dns_changed': t('DNS records changed'),
  'maintenance.scheduled': t('Maintenance was scheduled or moved'),
  'maintenance.started': t('Maintenance started'),
  'maintenance.completed': t('Maintenance ended'),
  'maintenance.cancelled': t('Maintenance was cancelled'),
  'webhook.test': t('Someone sent a test event'),
}
