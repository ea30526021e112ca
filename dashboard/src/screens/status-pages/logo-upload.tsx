import { useId, useState } from 'preact/hooks'
import { toRequestError } from '../../api/api-error.ts'
import { useOrganization } from '../../api/organization.tsx'
import { t } from '../../lib/i18n.ts'
import { showToast } from '../../ui/toast.tsx'

const MAX_BYTES = 256 * 1024

function base64Of(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    // data:image/png;base64,…
    reader.onload = () => resolve(String(reader.result).replace(/^.*,/, ''))
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(file)
  })
}

/** Uploads a logo at once; the page then has its address. */
export function LogoUpload({ pageId, onUploaded }: { pageId: string; onUploaded: (logoUrl: string) => void }) {
  const { api, refresh, may } = useOrganization()
  const id = useId()
  const [problem, setProblem] = useState<string>()
  if (!may('MEMBER')) return null
  const upload = async (file: File | undefined) => {
    setProblem(undefined)
    if (file === undefined) return
    if (file.size > MAX_BYTES) return setProblem(t('The image is larger than 256 KB.'))
    try {
      const image = await base64Of(file)
      const path = { statusPageId: pageId }
      const page = await api.PUT('/api/v1/status-pages/{statusPageId}/logo', { path, body: { image } })
      onUploaded(page.logoUrl ?? '')
      await refresh('status_page')
      showToast(t('Logo uploaded'))
    } catch (thrown) {
      setProblem(toRequestError(thrown).message)
    }
  }
  return (
    <div>
      <label for={id} class="mb-1 block">
        {t('Upload a logo')}
      </label>
      <input
        id={id}
        class="input"
        type="file"
        accept="image/png,image/jpeg,image/gif,image/webp"
        aria-describedby={`${id}-hint`}
        onChange={(event) => void upload(event.currentTarget.files?.[0])}
      />
      <p
        id={`${id}-hint`}
        role="status"
        class={`mt-1 text-xs ${problem === undefined ? 'text-muted' : 'text-down-text'}`}
      >
        {problem ?? t('PNG, JPEG, GIF or WebP, up to 256 KB')}
      </p>
    </div>
  )
}
