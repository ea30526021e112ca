import { keepPreviousData, useQuery } from '@tanstack/preact-query'
import { X } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { useGet } from '../../api/get.ts'
import { useOrganization } from '../../api/organization.tsx'
import { t, tx } from '../../lib/i18n.ts'
import { Button } from '../../ui/button.tsx'

interface MonitorFilterProps {
  /** Empty: all monitors. */
  readonly id: string
  readonly onId: (id: string | null) => void
}

/** Finds one monitor by part of its name. */
export function MonitorFilter({ id, onId }: MonitorFilterProps) {
  return id === '' ? <Choose onId={onId} /> : <Chosen id={id} onId={onId} />
}

function Choose({ onId }: Pick<MonitorFilterProps, 'onId'>) {
  const { api, key } = useOrganization()
  const [text, setText] = useState('')
  const q = text.trim()
  const found = useQuery({
    queryKey: key('monitor', 'names', q),
    queryFn: ({ signal }) => api.GET('/api/v1/monitor-list', { query: { limit: 20, ...(q && { q }) }, signal }),
    placeholderData: keepPreviousData,
    enabled: q !== '',
  })
  const offered = found.data?.data ?? []
  const pick = (name: string) => {
    setText(name)
    const chosen = offered.find((monitor) => monitor.name === name)
    if (chosen !== undefined) onId(chosen.id)
  }
  return (
    <>
      <input
        class="input grow basis-40 sm:max-w-60"
        type="search"
        data-filter
        list="incident-monitors"
        aria-label={t('Monitor')}
        placeholder={t('Filter by monitor  ( / )')}
        value={text}
        onInput={(event) => pick(event.currentTarget.value)}
      />
      <datalist id="incident-monitors">
        {offered.map((monitor) => (
          <option key={monitor.id} value={monitor.name} />
        ))}
      </datalist>
    </>
  )
}

function Chosen({ id, onId }: MonitorFilterProps) {
  const monitor = useGet(['monitor', id], '/api/v1/monitors/{monitorId}', { path: { monitorId: id } })
  return (
    <span class="inline-flex min-w-0 items-center rounded-full border border-line bg-surface ps-3">
      <span class="min-w-0">
        {tx('Monitor: {link}', {
          link: (
            <Link href={`/monitors/${id}`} class="link">
              {monitor.data?.name ?? '…'}
            </Link>
          ),
        })}
      </span>
      <Button
        look="quiet"
        aria-label={t('Show all monitors')}
        title={t('Show all monitors')}
        onClick={() => onId(null)}
        icon={<X size={16} aria-hidden="true" />}
      />
    </span>
  )
}
