import type { PublicSchemas } from '../../api/client.ts'
import { useOrganization } from '../../api/organization.tsx'
import { t } from '../../lib/i18n.ts'
import { type Language, languages } from '../../lib/language.ts'
import { SelectField } from '../../ui/form.tsx'
import { choicesOf } from '../../ui/select.tsx'
import { TimeZoneField } from '../../ui/time-zone-field.tsx'

/** How the messages to a contact are written. Empty: the default of the organization. */
export interface MessageOptions {
  readonly language: Language | ''
  readonly timezone: string
}

export const defaultMessages: MessageOptions = { language: '', timezone: '' }

export function messagesOf({ language, timezone }: PublicSchemas['Contact']): MessageOptions {
  return { language: language ?? '', timezone: timezone ?? '' }
}

export function messagesBody({ language, timezone }: MessageOptions) {
  return { language: language || null, timezone: timezone || null }
}

interface MessageFieldsProps {
  readonly value: MessageOptions
  readonly onValue: (options: MessageOptions) => void
}

export function MessageFields({ value, onValue }: MessageFieldsProps) {
  const { organization } = useOrganization()
  return (
    <div class="grid gap-4 sm:grid-cols-2">
      <SelectField
        label={t('Language of messages')}
        path="language"
        value={value.language}
        onValue={(language) => onValue({ ...value, language })}
        choices={[
          { value: '', label: t('Default ({language})', { language: languages.en }) },
          ...choicesOf<Language>(languages),
        ]}
      />
      <TimeZoneField
        value={value.timezone}
        onValue={(timezone) => onValue({ ...value, timezone })}
        required={false}
        hint={t('Leave empty for {timezone}, the zone of the organization', { timezone: organization.timezone })}
      />
    </div>
  )
}
