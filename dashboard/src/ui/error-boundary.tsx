import { Component, type ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { useAutoRetry } from '../lib/auto-retry.ts'
import { t } from '../lib/i18n.ts'
import { setTabTitle } from '../lib/tab.ts'
import { Button } from './button.tsx'

interface BoundaryProps {
  /** A change of this key tries again. */
  readonly place: string
  readonly children: ComponentChildren
}

/**
 * Limits an error to one screen. Usually its chunk could not be loaded: the server is unavailable, or a new version was deployed and
 * the page must be reloaded.
 */
export class ErrorBoundary extends Component<BoundaryProps, { fault: Error | null }> {
  override state = { fault: null as Error | null }

  static override getDerivedStateFromError(fault: Error) {
    return { fault }
  }

  override componentDidUpdate(before: BoundaryProps) {
    if (before.place !== this.props.place && this.state.fault !== null) this.setState({ fault: null })
  }

  override render() {
    if (this.state.fault === null) return this.props.children
    return <Failed fault={this.state.fault} />
  }
}

const RETRY_MS = 4000
/** A page that fails again after a reload is not reloaded over and over. */
const RELOAD_PAUSE_MS = 60_000
const RELOADED_AT = 'pharos.reloadedAt'

/** Browsers name a failed import differently, and keep it: only a reload tries it again. */
const isMissingCode = ({ message }: Error) => /module|dynamically imported|import/i.test(message)

function Failed({ fault }: { fault: Error }) {
  const canReload = isMissingCode(fault) && Date.now() - Number(sessionStorage.getItem(RELOADED_AT)) > RELOAD_PAUSE_MS
  const reload = () => {
    sessionStorage.setItem(RELOADED_AT, String(Date.now()))
    window.location.reload()
  }
  useAutoRetry(canReload ? reload : null, RETRY_MS)
  useEffect(() => {
    setTabTitle(t('{title} · Pharos', { title: t('This page could not be loaded') }))
  }, [])
  return (
    <div class="max-w-6xl px-4 py-6 md:px-8">
      <div role="alert" class="rounded-md border border-down bg-down-soft p-4">
        <h1 class="text-base font-semibold text-down-text">{t('This page could not be loaded')}</h1>
        <p class="mt-1">{t('The server may be unavailable, or a newer version of the dashboard is available.')}</p>
        <div class="mt-3 flex flex-wrap items-center gap-3">
          <Button onClick={() => window.location.reload()}>{t('Reload')}</Button>
          {canReload && <span>{t('Reloads automatically when the server responds.')}</span>}
        </div>
      </div>
    </div>
  )
}
