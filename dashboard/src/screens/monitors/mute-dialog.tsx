import { useState } from 'preact/hooks'
import { localZone, shortTime } from '../../lib/format.ts'
import { plural, t } from '../../lib/i18n.ts'
import { timeFromInput, wallClockText } from '../../lib/time-zones.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Form, SelectField, TextField } from '../../ui/form.tsx'
import { showToast } from '../../ui/toast.tsx'
import { type BulkTarget, countOf, isMatching, requireAll, useMonitorActions } from './actions.ts'

const HOUR_MS = 3_600_000
const TONIGHT = '22:00'
const MORNING = '09:00'

/** The times to choose from. Tonight is offered until then. */
function choicesAt(now: number) {
  const zone = localZone
  const [today, tomorrow] = [now, now + 24 * HOUR_MS].map((at) => wallClockText(at, zone).slice(0, 10))
  const tonight = timeFromInput(`${today}T${TONIGHT}`, zone) ?? 0
  const morning = timeFromInput(`${tomorrow}T${MORNING}`, zone) ?? 0
  return [
    { value: 'hour', label: t('1 hour'), at: now + HOUR_MS },
    ...(tonight > now
      ? [{ value: 'tonight', label: t('Tonight, {time}', { time: shortTime(new Date(tonight)) }), at: tonight }]
      : []),
    { value: 'tomorrow', label: t('Tomorrow, {time}', { time: shortTime(new Date(morning)) }), at: morning },
    { value: 'date', label: t('A date and time'), at: undefined },
  ]
}

/** Mutes the alerts of monitors until a time. */
export default function MuteDialog({ target, onClose }: { target: BulkTarget; onClose: () => void }) {
  const { mute } = useMonitorActions()
  const [choices] = useState(() => choicesAt(Date.now()))
  const [choice, setChoice] = useState('hour')
  const [text, setText] = useState(() => wallClockText(Date.now() + 24 * HOUR_MS, localZone))
  const save = async () => {
    const at = choices.find(({ value }) => value === choice)?.at ?? timeFromInput(text, localZone)
    if (at === undefined || at <= Date.now()) throw new Error(t('Choose a time in the future.'))
    const result = await mute(target, new Date(at).toISOString())
    requireAll(result, target)
    showToast(t('Muted until {until}', { until: shortTime(new Date(at)) }))
    onClose()
  }
  const [only] = isMatching(target) ? [] : target
  const name = only !== undefined && countOf(target) === 1 ? only.name : plural(countOf(target), 'monitor')
  return (
    <Dialog title={t('Mute alerts of {name}', { name })} onClose={onClose}>
      <Form onSubmit={save} action={t('Mute')} onCancel={onClose}>
        <SelectField
          label={t('Mute alerts until')}
          path="choice"
          value={choice}
          onValue={setChoice}
          choices={choices.map(({ value, label }) => ({ value, label }))}
        />
        {choice === 'date' && (
          <TextField
            label={t('Until ({localZone})', { localZone })}
            path="until"
            type="datetime-local"
            value={text}
            onValue={setText}
            required
          />
        )}
        <p class="text-muted">{t('Checks and incidents go on. What is still open at the end is announced then.')}</p>
      </Form>
    </Dialog>
  )
}
