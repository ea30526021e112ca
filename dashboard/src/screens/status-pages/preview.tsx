import { RotateCw } from 'lucide-preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { useOrganization } from '../../api/organization.tsx'
import { t } from '../../lib/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { SegmentedControl } from '../../ui/segmented-control.tsx'
import { choicesOf } from '../../ui/select.tsx'

const widths = { desktop: 960, phone: 390 } as const
const HEIGHT = 640
/** Less room than this shows the page as on a phone. */
const NARROW = 400

interface Props {
  readonly pageId: string
  /** A change reloads the preview. */
  readonly version: string
  /** Unsaved changes as JSON; undefined if there are none. */
  readonly draft: string | undefined
}

/** Pause in typing before the preview is requested. */
const PAUSE_MS = 400

/** The page with unsaved changes, rendered by the server. Invalid changes keep the last preview. */
function useDraftPreview(address: string, draft: string | undefined) {
  const [shown, setShown] = useState<{ readonly html?: string; readonly isCurrent: boolean }>()
  useEffect(() => {
    if (draft === undefined) return setShown(undefined)
    const stop = new AbortController()
    setShown((before) => before && { ...before, isCurrent: false })
    const request = async () => {
      const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: draft, signal: stop.signal }
      const html = await fetch(address, init).then(
        (response) => (response.ok ? response.text() : undefined),
        () => undefined,
      )
      if (!stop.signal.aborted) setShown((before) => (html === undefined ? before : { html, isCurrent: true }))
    }
    const timer = setTimeout(() => void request(), PAUSE_MS)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [address, draft])
  return shown
}

/** The page rendered by the server, scaled down. */
export function Preview({ pageId, version, draft }: Props) {
  const { organization } = useOrganization()
  const [chosen, setDevice] = useState<keyof typeof widths>()
  const [theme, setTheme] = useState<'' | 'LIGHT' | 'DARK'>('')
  const [again, setAgain] = useState(0)
  const frame = useRef<HTMLDivElement>(null)
  const [room, setRoom] = useState(0)
  useEffect(() => {
    const watcher = new ResizeObserver(([entry]) => setRoom(entry?.contentRect.width ?? 0))
    if (frame.current !== null) watcher.observe(frame.current)
    return () => watcher.disconnect()
  }, [])
  const device = chosen ?? (room < NARROW ? 'phone' : 'desktop')
  const scale = Math.min(1, room / widths[device])
  const query = new URLSearchParams({ organization: organization.id, ...(theme !== '' && { theme }) })
  const address = `/app/api/status-pages/${pageId}/preview?${query}`
  const unsaved = useDraftPreview(address, draft)
  return (
    <section aria-label={t('Preview')} class="lg:sticky lg:top-6">
      <div class="mb-2 flex flex-wrap items-center gap-2">
        <SegmentedControl
          label={t('Width')}
          value={device}
          choices={choicesOf({ desktop: t('Desktop'), phone: t('Phone') })}
          onValue={setDevice}
        />
        <SegmentedControl
          label={t('Colors')}
          value={theme}
          choices={choicesOf({ '': t('Default'), LIGHT: t('Light'), DARK: t('Dark') })}
          onValue={setTheme}
        />
      </div>
      <div
        ref={frame}
        class="relative overflow-hidden rounded-md border border-line bg-surface"
        style={{ height: `${HEIGHT}px` }}
      >
        {room > 0 && (
          <iframe
            // A new frame for each document: a frame that loads another one adds to the history of the window.
            key={unsaved?.html ?? `${version} ${again} ${theme}`}
            title={t('Preview of the status page')}
            {...(unsaved?.html === undefined ? { src: address } : { srcdoc: unsaved.html, sandbox: '' })}
            class="absolute top-0 left-0 origin-top-left border-0"
            style={{
              width: `${widths[device]}px`,
              height: `${HEIGHT / scale}px`,
              transform: `scale(${scale})`,
              left: `${Math.max(0, (room - widths[device] * scale) / 2)}px`,
            }}
          />
        )}
      </div>
      <div class="mt-1 flex items-center gap-2 text-xs text-muted">
        <p class="grow" aria-live="polite">
          {draft === undefined
            ? t('Live preview of the saved page')
            : unsaved?.isCurrent === true
              ? t('Preview with your unsaved changes')
              : t('The preview does not show your latest changes yet.')}
        </p>
        <Button look="quiet" aria-label={t('Reload preview')} onClick={() => setAgain(again + 1)} icon={<RotateCw />} />
      </div>
    </section>
  )
}
