import { useEffect, useRef, useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import type { RequestError } from '../../api/api-error.ts'
import type { PublicSchemas } from '../../api/client.ts'
import { useOrganization } from '../../api/organization.tsx'
import { t } from '../../lib/i18n.ts'
import { useRunningAction } from '../../lib/running-action.ts'
import { Button } from '../../ui/button.tsx'
import { FormErrors } from '../../ui/field-group.tsx'
import { SelectField } from '../../ui/form.tsx'
import { nativeFaults } from '../../ui/native-faults.ts'
import { ErrorNotice } from '../../ui/notice.tsx'
import { AddressField } from '../monitors/address-field.tsx'
import { defaultInterval } from '../monitors/default-interval.ts'
import { type GuessedType, guessType, settingsFor } from '../monitors/guess-type.ts'
import { TestResult } from '../monitors/test-result.tsx'

const types: readonly { value: GuessedType; label: string }[] = [
  { value: 'HTTP', label: t('Website (HTTP)') },
  { value: 'PORT', label: t('TCP port') },
  { value: 'PING', label: t('Ping') },
  { value: 'SSL', label: t('SSL certificate') },
  { value: 'DNS', label: t('DNS records') },
  { value: 'DOMAIN', label: t('Domain expiry') },
]

/** One field: the first Enter tests the address, the second saves the monitor, or tests a failing one again. */
export function QuickAddForm({ onSaved }: { onSaved: (id: string) => void }) {
  const { api, refresh } = useOrganization()
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState<GuessedType>()
  const [tried, setTried] = useState<PublicSchemas['TestResult']>()
  const [faults, setFaults] = useState<RequestError | null>(null)
  const doing = useRunningAction()
  const keep = useRef<HTMLDivElement>(null)
  const type = chosen ?? guessType(text) ?? 'HTTP'
  const allSettings =
    text.trim() === '' ? '/monitors/new' : `/monitors/new?${new URLSearchParams({ url: text.trim(), type })}`
  const hasTried = tried !== undefined
  const isUp = tried?.outcome === 'SUCCESS'
  const current = useRef('')
  current.current = `${type} ${text}`
  useEffect(() => {
    if (hasTried) keep.current?.querySelector('button')?.focus()
  }, [hasTried])
  const alter = (change: () => void) => {
    change()
    setFaults(null)
    setTried(undefined)
  }
  const tryIt = () =>
    doing.run('try', async () => {
      const tested = current.current
      const found = await api.POST('/api/v1/monitors/try', { body: settingsFor(type, text) })
      // A result for an address that was changed meanwhile says nothing about the new one.
      if (tested === current.current) setTried(found)
    })
  const save = () =>
    doing.run('save', async () => {
      const { fastestIntervalSeconds } = await api.GET('/api/v1/usage')
      const intervalSeconds = defaultInterval(fastestIntervalSeconds)
      const { id } = await api.POST('/api/v1/monitors', { body: { ...settingsFor(type, text), intervalSeconds } })
      onSaved(id)
      await refresh('monitor', 'contact')
    })
  return (
    <form
      noValidate
      class="card space-y-4 p-5"
      onSubmit={(event) => {
        event.preventDefault()
        const found = nativeFaults(event.currentTarget)
        setFaults(found)
        if (found === null) void (isUp ? save() : tryIt())
      }}
    >
      <div class="grid gap-4 sm:grid-cols-[1fr_14rem]">
        <FormErrors.Provider
          value={{ problem: faults, forget: () => setFaults(null), validate: () => true, fail: () => {} }}
        >
          <AddressField value={text} onValue={(next) => alter(() => setText(next))} required />
        </FormErrors.Provider>
        <SelectField
          label={t('Type')}
          path="type"
          value={type}
          onValue={(next) => alter(() => setChosen(next))}
          choices={types}
        />
      </div>
      {tried !== undefined && <TestResult tried={tried} />}
      <ErrorNotice problem={doing.problem} />
      <div class="flex flex-wrap items-center gap-3" ref={keep}>
        {isUp ? (
          <Button type="submit" look="primary" busy={doing.busy === 'save'} key="keep">
            {t('Start monitoring')}
          </Button>
        ) : (
          <Button type="submit" look="primary" busy={doing.busy === 'try'}>
            {hasTried ? t('Test again') : t('Test')}
          </Button>
        )}
        {hasTried && !isUp && (
          <Button busy={doing.busy === 'save'} onClick={() => void save()}>
            {t('Add anyway')}
          </Button>
        )}
        <Link href={allSettings} class="link">
          {t('All settings')}
        </Link>
      </div>
    </form>
  )
}
