import { useId } from 'preact/hooks'
import { localZone } from '../lib/format.ts'
import { t } from '../lib/i18n.ts'
import { timeZoneNames } from '../lib/time-zones.ts'
import { TextField } from './form.tsx'

/** A field for a time zone with suggestions. */
export function TimeZoneField({
  value,
  onValue,
  hint,
  required = true,
}: {
  value: string
  onValue: (zone: string) => void
  hint?: string
  required?: boolean
}) {
  const list = useId()
  return (
    <div>
      <TextField
        label={t('Time zone')}
        path="timezone"
        value={value}
        onValue={onValue}
        list={list}
        required={required}
        maxLength={64}
        hint={hint ?? t('For the times above. Your time zone is {localZone}.', { localZone })}
      />
      <datalist id={list}>
        {timeZoneNames.map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </div>
  )
}
