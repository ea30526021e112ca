import { useState } from 'preact/hooks'
import { useMe } from '../../api/get.ts'
import { useOrganization } from '../../api/organization.tsx'
import { t, tx } from '../../lib/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmButton } from '../../ui/dialog.tsx'
import { Form, TextAreaField } from '../../ui/form.tsx'
import { Markdown, MarkdownPreview } from '../../ui/markdown.tsx'
import { AbsoluteTime, RelativeTime } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useFormDraft } from '../../ui/use-form-draft.ts'
import type { Note } from './timeline-entries.ts'

const MOST_NOTES = 200
const MOST_CHARACTERS = 10_000

interface NoteFormProps {
  readonly label: string
  readonly action: string
  readonly text: string
  readonly onText: (text: string) => void
  readonly onSubmit: () => Promise<unknown>
  readonly onCancel?: () => void
}

function NoteForm({ label, action, text, onText, onSubmit, onCancel }: NoteFormProps) {
  return (
    <Form onSubmit={onSubmit} action={action} class="space-y-3" {...(onCancel && { onCancel })}>
      <TextAreaField
        label={label}
        path="body"
        value={text}
        onValue={onText}
        rows={3}
        maxLength={MOST_CHARACTERS}
        required
        hint={t('Only members of this organization see notes. Markdown: **bold**, *italic*, lists, links.')}
      />
      <MarkdownPreview text={text} />
    </Form>
  )
}

/** The form below the timeline. Hidden without permission. */
export function AddNote({ incidentId, count }: { incidentId: string; count: number }) {
  const { api, may, refresh } = useOrganization()
  const form = useFormDraft(`note.${incidentId}`, { body: '' })
  if (!may('MEMBER')) return null
  if (count >= MOST_NOTES) {
    return (
      <p class="border-t border-line p-4 text-muted">
        {tx('This incident has {mostNotes} notes, the most it can have. Delete one of yours to add another.', {
          mostNotes: MOST_NOTES,
        })}
      </p>
    )
  }
  const add = async () => {
    const path = { incidentId }
    await api.POST('/api/v1/incidents/{incidentId}/notes', { path, body: form.draft })
    form.saved({ body: '' })
    await refresh('incident')
    showToast(t('Note added'))
  }
  return (
    <div class="border-t border-line p-4">
      <NoteForm
        label={t('Add a note')}
        action={t('Add note')}
        text={form.draft.body}
        onText={(body) => form.change({ body })}
        onSubmit={add}
      />
    </div>
  )
}

/** A note in the timeline. Its author can edit and delete it. */
export function NoteEntry({ note, incidentId }: { note: Note; incidentId: string }) {
  const { api, may, refresh } = useOrganization()
  const me = useMe()
  const [text, setText] = useState<string | null>(null)
  const isOwn = may('MEMBER') && me.data?.user.id === note.author.id
  const path = { incidentId, noteId: note.id }
  const save = async () => {
    const body = { body: text ?? '' }
    await api.PATCH('/api/v1/incidents/{incidentId}/notes/{noteId}', { path, body })
    await refresh('incident')
    setText(null)
  }
  const remove = async () => {
    await api.DELETE('/api/v1/incidents/{incidentId}/notes/{noteId}', { path })
    await refresh('incident')
    showToast(t('Note deleted'))
  }
  return (
    <article aria-label={t('Note by {name}', { name: note.author.name })}>
      <div class="flex flex-wrap items-start gap-x-2">
        <div class="min-w-0 grow">
          <p class="font-medium wrap-anywhere">{note.author.name}</p>
          <p class="text-xs text-muted">
            <AbsoluteTime at={note.createdAt} />
            {note.editedAt !== null && <>{tx(', edited {time}', { time: <RelativeTime at={note.editedAt} /> })}</>}
          </p>
        </div>
        {isOwn && text === null && (
          <div class="-my-1 flex">
            <Button look="quiet" onClick={() => setText(note.body)}>
              {t('Edit')}
            </Button>
            <ConfirmButton
              label={t('Delete')}
              look="quiet"
              title={t('Delete this note?')}
              action={t('Delete')}
              onConfirm={remove}
            >
              <p>{t('It is removed from the timeline for everyone.')}</p>
            </ConfirmButton>
          </div>
        )}
      </div>
      <div class="mt-1 wrap-anywhere">
        {text === null ? (
          <Markdown text={note.body} />
        ) : (
          <NoteForm
            label={t('Edit note')}
            action={t('Save')}
            text={text}
            onText={setText}
            onSubmit={save}
            onCancel={() => setText(null)}
          />
        )}
      </div>
    </article>
  )
}
