import { useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { unwrap } from '../../api/client.ts'
import { useMonitorNames } from '../../api/lists.ts'
import { useOrganization } from '../../api/organization.tsx'
import { localZone } from '../../lib/format.ts'
import { CheckboxList } from '../../ui/checkbox-list.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { CheckboxField, Form, TextField } from '../../ui/form.tsx'
import { showToast } from '../../ui/toast.tsx'

/** Creates a page with name and monitors; the editor has the other settings. */
export function NewPage({ onClose }: { onClose: () => void }) {
  const { api, refresh } = useOrganization()
  const [, navigate] = useLocation()
  const monitors = useMonitorNames()
  const [name, setName] = useState('')
  const [slug, setSlug] = useState('')
  const [chosen, setChosen] = useState<readonly string[]>([])
  const [published, setPublished] = useState(false)
  const make = async () => {
    const monitorsShown = chosen.map((monitorId) => ({ monitorId, displayName: null }))
    const made = await unwrap(
      api.POST('/api/v1/status-pages', {
        body: {
          name,
          published,
          timezone: localZone(),
          ...(slug !== '' && { slug }),
          sections: chosen.length === 0 ? [] : [{ name: 'Services', monitors: monitorsShown }],
        },
      }),
    )
    showToast(published ? 'Status page published' : 'Draft created')
    void refresh('status_page')
    navigate(`/status-pages/${made.id}`)
  }
  return (
    <Dialog title="New status page" onClose={onClose}>
      <Form onSubmit={make} action="Create" onCancel={onClose}>
        <TextField
          label="Name"
          path="name"
          value={name}
          onValue={setName}
          required
          maxLength={120}
          placeholder="Acme status"
        />
        <TextField
          label="Address"
          path="slug"
          value={slug}
          onValue={setSlug}
          minLength={3}
          maxLength={63}
          placeholder="from the name"
          hint={`${window.location.host}/status/${slug === '' ? '…' : slug}: a-z, 0-9 and -`}
        />
        <CheckboxList
          label="Monitors to show"
          options={(monitors.data ?? []).map((monitor) => ({ id: monitor.id, name: monitor.name, note: monitor.type }))}
          chosen={chosen}
          onChosen={setChosen}
          empty="No monitors yet"
        />
        <CheckboxField
          label="Publish now"
          hint="Otherwise it stays a draft that only members can see."
          checked={published}
          onValue={setPublished}
        />
      </Form>
    </Dialog>
  )
}
