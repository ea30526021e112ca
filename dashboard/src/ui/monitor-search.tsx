import { keepPreviousData } from '@tanstack/preact-query'
import type { InputHTMLAttributes } from 'preact'
import { useId, useState } from 'preact/hooks'
import { useGet } from '../api/get.ts'

interface MonitorSearchProps
  extends Pick<InputHTMLAttributes<HTMLInputElement>, 'aria-label' | 'class' | 'placeholder'> {
  /** The monitors that are not offered. */
  readonly without?: readonly string[]
  readonly onChoose: (monitorId: string) => void
}

/** Finds a monitor by part of its name: chosen as soon as the name is that of one. */
export function MonitorSearch({ without = [], onChoose, ...input }: MonitorSearchProps) {
  const id = useId()
  const [text, setText] = useState('')
  const q = text.trim()
  const found = useGet('names', '/api/v1/monitor-list', {
    query: { limit: 20, q, sort: 'match' },
    placeholderData: keepPreviousData,
    enabled: q !== '',
  })
  const offered = (found.data?.data ?? []).filter((monitor) => !without.includes(monitor.id))
  const type = (next: string) => {
    const chosen = offered.find(({ name }) => name === next)
    setText(chosen === undefined ? next : '')
    if (chosen !== undefined) onChoose(chosen.id)
  }
  return (
    <>
      <input {...input} type="search" list={id} value={text} onInput={(event) => type(event.currentTarget.value)} />
      <datalist id={id}>
        {offered.map((monitor) => (
          <option key={monitor.id} value={monitor.name} />
        ))}
      </datalist>
    </>
  )
}
